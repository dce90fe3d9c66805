package postgres

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// escape returns a text that PostgreSQL accepts, which refuses NUL and invalid UTF-8. It replaces them, and SOH, with an SOH
// and two hexadecimal digits. The order of valid texts is preserved.
func escape(s string) string {
	if !strings.ContainsAny(s, "\x00\x01") && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if s[0] <= 1 || r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, "\x01%02x", s[0])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// unescape is the reverse of escape.
func unescape(s string) string {
	before, rest, found := strings.Cut(s, "\x01")
	if !found {
		return s
	}
	var b strings.Builder
	for found && len(rest) >= 2 {
		n, _ := strconv.ParseUint(rest[:2], 16, 8) // escape has written it
		b.WriteString(before)
		b.WriteByte(byte(n))
		before, rest, found = strings.Cut(rest[2:], "\x01")
	}
	return b.String() + before
}

func escaped(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = escape(s)
	}
	return out
}
