package userfile

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"bugle/engine/schema"
)

// Forms of dates that mean the same day everywhere, and the two of 03/04/1990; of a time of day, and of its offset.
var (
	datesOfOneMeaning = []string{"2006/1/2", "2006-1-2", "2.1.2006", "2 Jan 2006", "2 January 2006", "2-Jan-2006", "Jan 2, 2006", "January 2, 2006", "Jan 2 2006", "January 2 2006", "20060102"}
	monthFirst        = []string{"1/2/2006"}
	dayFirst          = []string{"2/1/2006"}
	clocks            = []string{" 15:04", " 15:04:05", " 3:04 PM", " 3:04:05 PM"}
	offsets           = []string{"", " UTC", "Z07:00", " -0700", "-07"}
)

// date returns a date, or a date and time, in ISO 8601, which filters compare. A date that could be one of two is an error.
func date(cell string) (string, error) {
	if _, err := time.Parse(time.DateOnly, cell); err == nil {
		return cell, nil
	}
	if _, ok := schema.ReadTime(cell, time.UTC); ok {
		return cell, nil
	}
	if t := parsed(cell, datesOfOneMeaning); t != "" {
		return t, nil
	}
	for _, l := range []string{http.TimeFormat, time.RFC1123Z} {
		if t, err := time.Parse(l, cell); err == nil {
			return t.Format(time.RFC3339), nil
		}
	}
	month, day := parsed(cell, monthFirst), parsed(cell, dayFirst)
	switch {
	case month != "" && day != "" && month != day:
		return "", fmt.Errorf("%q can be %s or %s; write it as one of these", cell, month, day)
	case month+day != "":
		return cmp.Or(month, day), nil
	}
	return "", notDate(strconv.Quote(cell))
}

// parsed returns a date in one of some forms, alone or with a time, in ISO 8601, or "".
func parsed(cell string, dates []string) string {
	for _, d := range dates {
		if t, err := time.Parse(d, cell); err == nil {
			return t.Format(time.DateOnly)
		}
		for _, clock := range clocks {
			for _, offset := range offsets {
				if t, err := time.Parse(d+clock+offset, cell); err == nil {
					if offset == "" {
						return t.Format("2006-01-02T15:04:05")
					}
					return t.Format(time.RFC3339)
				}
			}
		}
	}
	return ""
}

func notDate(value string) error {
	return fmt.Errorf("%s is not a date; write it as 1990-03-14 or 1990-03-14T10:00:00+02:00", value)
}
