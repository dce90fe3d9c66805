package sample

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"bugle/engine/doc"
)

// resolver turns the tokens in the files of the sample into what they stand for. A token is a whole
// JSON string:
//
//	@now                 the moment of the installation, to the minute
//	@now+3d              3 days later; w, d, h and m are weeks, days, hours and minutes
//	@now-2w+1d           offsets add up
//	@now+3d@09:00        on that day at 09:00 in the zone of the workspace
//	@now+3d@09:00:local  the same, written without an offset
//	@now-30d:date        the day alone
//	@id:NAME             the id of what is called NAME: a campaign by the name of its file,
//	                     segment/NAME, flow/NAME
//
// Times are written in UTC, and every other string is left as it is.
type resolver struct {
	now  time.Time
	zone *time.Location
}

var (
	momentToken = regexp.MustCompile(`^@now((?:[+-]\d+[wdhm])*)(?:@(\d\d):(\d\d))?(?::(local|date))?$`)
	offsetToken = regexp.MustCompile(`[+-]\d+[wdhm]`)
)

const (
	idToken     = "@id:"
	localLayout = "2006-01-02T15:04:05"
)

// resolve returns v with every token in it replaced. A string that begins like a token and is none is an
// error: it is a slip in a file of the sample.
func (r resolver) resolve(v doc.Value) (doc.Value, error) {
	switch v.Kind() {
	case doc.String:
		s, err := r.text(v.Text())
		if err != nil || s == v.Text() {
			return v, err
		}
		return doc.NewString(s), nil
	case doc.Array:
		var out []doc.Value
		for _, e := range v.Elems() {
			e, err := r.resolve(e)
			if err != nil {
				return v, err
			}
			out = append(out, e)
		}
		return doc.NewArray(out...), nil
	case doc.Object:
		var out []doc.Member
		for name, m := range v.Members() {
			m, err := r.resolve(m)
			if err != nil {
				return v, fmt.Errorf("%s: %w", name, err)
			}
			out = append(out, doc.M(name, m))
		}
		return doc.NewObject(out...), nil
	}
	return v, nil
}

func (r resolver) text(s string) (string, error) {
	switch {
	case strings.HasPrefix(s, idToken):
		return idOf(strings.TrimPrefix(s, idToken)), nil
	case strings.HasPrefix(s, "@now"):
		return r.moment(s)
	}
	return s, nil
}

func (r resolver) moment(token string) (string, error) {
	m := momentToken.FindStringSubmatch(token)
	if m == nil {
		return "", fmt.Errorf("%q is no token such as @now+3d@09:00", token)
	}
	t := r.now.In(r.zone).Truncate(time.Minute)
	for _, o := range offsetToken.FindAllString(m[1], -1) {
		n, err := strconv.Atoi(o[:len(o)-1])
		if err != nil {
			return "", fmt.Errorf("%q: %w", token, err)
		}
		switch o[len(o)-1] {
		case 'w':
			t = t.AddDate(0, 0, 7*n)
		case 'd':
			t = t.AddDate(0, 0, n)
		case 'h':
			t = t.Add(time.Duration(n) * time.Hour)
		case 'm':
			t = t.Add(time.Duration(n) * time.Minute)
		}
	}
	if m[2] != "" {
		hour, _ := strconv.Atoi(m[2])
		minute, _ := strconv.Atoi(m[3])
		if hour > 23 || minute > 59 {
			return "", fmt.Errorf("%q names no time of day", token)
		}
		t = time.Date(t.Year(), t.Month(), t.Day(), hour, minute, 0, 0, r.zone)
	}
	switch m[4] {
	case "date":
		return t.Format(time.DateOnly), nil
	case "local":
		return t.Format(localLayout), nil
	}
	return t.UTC().Format(time.RFC3339), nil
}

// idOf returns the ObjectId for a name in the sample. It is the same in every installation, so that
// documentation can refer to it.
func idOf(name string) string {
	sum := sha256.Sum256([]byte("bugle/sample/" + name))
	return hex.EncodeToString(sum[:12])
}
