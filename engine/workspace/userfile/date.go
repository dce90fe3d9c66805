package userfile

import (
	"fmt"
	"net/http"
	"time"

	"bugle/engine/schema"
)

// Forms of dates that mean the same day everywhere, and the two of 03/04/1990.
var (
	datesOfOneMeaning = []string{"2006/1/2", "2006-1-2", "2.1.2006", "2 Jan 2006", "2 January 2006", "2-Jan-2006", "Jan 2, 2006", "January 2, 2006", "Jan 2 2006", "January 2 2006", "20060102"}
	datesOfTwo        = [2]string{"1/2/2006", "2/1/2006"}
	timesOfOneMeaning = []string{http.TimeFormat, time.RFC1123Z, "2 Jan 2006 15:04:05 -0700"}
)

// date returns a date, or a date and time, in ISO 8601, which filters compare. A date that could be one of two is an error.
func date(cell string) (string, error) {
	if _, err := time.Parse(time.DateOnly, cell); err == nil {
		return cell, nil
	}
	if _, ok := schema.ReadTime(cell, time.UTC); ok {
		return cell, nil
	}
	for _, l := range datesOfOneMeaning {
		if t, err := time.Parse(l, cell); err == nil {
			return t.Format(time.DateOnly), nil
		}
	}
	for _, l := range timesOfOneMeaning {
		if t, err := time.Parse(l, cell); err == nil {
			return t.Format(time.RFC3339), nil
		}
	}
	monthFirst, err1 := time.Parse(datesOfTwo[0], cell)
	dayFirst, err2 := time.Parse(datesOfTwo[1], cell)
	switch {
	case err1 == nil && err2 == nil && !monthFirst.Equal(dayFirst):
		return "", fmt.Errorf("%q can be %s or %s; write it as one of these", cell, monthFirst.Format(time.DateOnly), dayFirst.Format(time.DateOnly))
	case err1 == nil:
		return monthFirst.Format(time.DateOnly), nil
	case err2 == nil:
		return dayFirst.Format(time.DateOnly), nil
	}
	return "", fmt.Errorf("%q is not a date; write it as 1990-03-14 or 1990-03-14T10:00:00+02:00", cell)
}
