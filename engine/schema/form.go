package schema

import (
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

var (
	e164    = regexp.MustCompile(`^\+[1-9][0-9]{1,14}$`)
	color   = regexp.MustCompile(`^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$`)
	oid     = regexp.MustCompile(`^[0-9a-fA-F]{24}$`)
	clock   = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$`)
	digits  = regexp.MustCompile(`^[0-9]{1,18}$`)
	decimal = regexp.MustCompile(`^-?[0-9]{1,18}(\.[0-9]{1,18})?$`)
	scheme  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\x7f]+$`)
)

// Requirement describes the format, to follow "must be".
func (f Form) Requirement() string {
	switch f {
	case URI:
		return "a full URL or deep link, such as https://example.com/sale"
	case Email:
		return "an email address, such as ann@example.com"
	case E164:
		return "a phone number with its country code, such as +14155550123"
	case Color:
		return "a hex color, such as #1F6FEB"
	case ObjectID:
		return "an id of 24 hexadecimal characters"
	case UUID:
		return "a UUID, such as 2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09"
	case Zone:
		return "a time zone name, such as Europe/Berlin"
	case Clock:
		return "a time of day, such as 09:30"
	case Digits:
		return "a whole number, such as 15"
	case Decimal:
		return "a number, such as 52.52"
	case DateTime:
		return "an ISO 8601 date and time, such as 2026-12-01T09:00:00Z"
	}
	return string(f)
}

// Matches reports whether s has the format.
func (f Form) Matches(s string) bool {
	switch f {
	case URI:
		if plainURL(s) {
			return true
		}
		if !scheme.MatchString(s) {
			return false
		}
		u, err := url.Parse(s)
		return err == nil && (u.Host != "" || u.Scheme != "http" && u.Scheme != "https")
	case Email:
		if plainAddress(s) {
			return true
		}
		a, err := mail.ParseAddress(s)
		return err == nil && a.Name == "" && a.Address == s
	case E164:
		return e164.MatchString(s)
	case Color:
		return color.MatchString(s)
	case ObjectID:
		return oid.MatchString(s)
	case UUID:
		return len(s) == 36 && uuid.Validate(s) == nil
	case Zone:
		_, ok := Location(s)
		return ok
	case Clock:
		return clock.MatchString(s)
	case Digits:
		return digits.MatchString(s)
	case Decimal:
		return decimal.MatchString(s)
	case DateTime:
		if plainTime(s) {
			return true
		}
		_, ok := ParseTime(s, time.UTC)
		return ok
	}
	return true
}

var zones sync.Map // name → *time.Location: loading one reads a file

// zoneName excludes names that only a file system accepts, such as Europe//Berlin.
var zoneName = regexp.MustCompile(`^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*$`)

// Location returns the time zone with an IANA name. It is [time.LoadLocation] for names of the form [Zone],
// with a cache.
func Location(name string) (*time.Location, bool) {
	if loc, seen := zones.Load(name); seen {
		return loc.(*time.Location), true
	}
	if !zoneName.MatchString(name) || name == "Local" {
		return nil, false
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, false
	}
	zones.Store(name, loc)
	return loc, true
}

var timeLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04Z07:00", "2006-01-02T15:04Z0700",
	"2006-01-02T15:04:05.999999999", "2006-01-02T15:04",
}

// ParseTime parses an ISO 8601 date-time. One without an offset is in loc.
func ParseTime(s string, loc *time.Location) (time.Time, bool) {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return time.Time{}, false // every layout starts with the year
	}
	for _, l := range timeLayouts {
		if t, err := time.ParseInLocation(l, s, loc); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// ReadTime parses a time in a response: what [ParseTime] accepts, and the form with a blank, "2024-07-04
// 08:00:54.847000". One without an offset is in loc.
func ReadTime(s string, loc *time.Location) (time.Time, bool) { return ParseTime(withT(s), loc) }

// withT replaces the blank in a date-time by a T.
func withT(s string) string {
	const date = len(time.DateOnly)
	if len(s) > date && s[date] == ' ' {
		return s[:date] + "T" + s[date+1:]
	}
	return s
}

// HasOffset reports whether a date-time that [ParseTime] accepts has an offset.
func HasOffset(s string) bool {
	if plainTime(s) {
		return true
	}
	utc, ok := ParseTime(s, time.UTC)
	if !ok {
		return false
	}
	other, _ := ParseTime(s, time.FixedZone("", 3600))
	return utc.Equal(other)
}

// HasExpression reports whether a text contains a personalization expression.
func HasExpression(s string) bool {
	return strings.Contains(s, "{{") || strings.Contains(s, "{%")
}
