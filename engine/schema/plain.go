package schema

import "strings"

// The forms as nearly all values have them, found without the parsers that decide on the rest. What
// these take, those take too.

const (
	digit        = "0123456789"
	alphanumeric = digit + "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// set is a set of ASCII characters.
type set [128]bool

func setOf(chars string) *set {
	var s set
	for i := range len(chars) {
		s[chars[i]] = true
	}
	return &s
}

var (
	schemeChars = setOf(alphanumeric + "+.-")
	hostChars   = setOf(alphanumeric + ".-")
	urlChars    = setOf(alphanumeric + "-._~/?&=+,;:@!$'()*#")
	atomChars   = setOf(alphanumeric + "_+-")
	labelChars  = setOf(alphanumeric + "-")
)

// span returns the length of the prefix of s that is in the set.
func (set *set) span(s string) int {
	i := 0
	for i < len(s) && s[i] < 128 && set[s[i]] {
		i++
	}
	return i
}

// plainURL reports whether s is a [URI] with a host and without escapes.
func plainURL(s string) bool {
	n := schemeChars.span(s)
	if n == 0 || s[0]|0x20 < 'a' || s[0]|0x20 > 'z' || !strings.HasPrefix(s[n:], "://") {
		return false
	}
	s = s[n+len("://"):]
	if n = hostChars.span(s); n == 0 {
		return false
	}
	s = s[n:]
	return s == "" || (s[0] == '/' || s[0] == '?' || s[0] == '#') && urlChars.span(s) == len(s)
}

// plainAddress reports whether s is an [Email] of dotted words on both sides.
func plainAddress(s string) bool {
	local, domain, ok := strings.Cut(s, "@")
	return ok && dotted(local, atomChars) && dotted(domain, labelChars)
}

func dotted(s string, chars *set) bool {
	for {
		n := chars.span(s)
		if n == 0 {
			return false
		}
		if s = s[n:]; s == "" {
			return true
		}
		if s[0] != '.' {
			return false
		}
		s = s[1:]
	}
}

// plainTime reports whether s is a [DateTime] of the form 2006-01-02T15:04:05 with Z or an offset such as
// +01:00.
func plainTime(s string) bool {
	const shape = "0000-00-00T00:00:00"
	if len(s) <= len(shape) || !shaped(s[:len(shape)], shape) {
		return false
	}
	year, month, day := 100*two(s)+two(s[2:]), two(s[5:]), two(s[8:])
	if month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || two(s[11:]) > 23 || two(s[14:]) > 59 || two(s[17:]) > 59 {
		return false
	}
	s = s[len(shape):]
	return s == "Z" || (shaped(s, "+00:00") || shaped(s, "-00:00")) && two(s[1:]) < 24 && two(s[4:]) < 60
}

// shaped reports whether s has the shape, in which 0 stands for any digit.
func shaped(s, shape string) bool {
	if len(s) != len(shape) {
		return false
	}
	for i := range len(s) {
		if shape[i] == '0' && (s[i] < '0' || s[i] > '9') || shape[i] != '0' && s[i] != shape[i] {
			return false
		}
	}
	return true
}

// two parses the two digits at the start of s.
func two(s string) int { return int(s[0]-'0')*10 + int(s[1]-'0') }

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}
