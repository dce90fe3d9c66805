package postgres

import "strings"

// PostgreSQL refuses NUL in texts. It is stored as an SOH and another character, as is SOH itself, so that the order of
// texts is preserved.
var escaper, unescaper = strings.NewReplacer("\x00", "\x01@", "\x01", "\x01A"), strings.NewReplacer("\x01@", "\x00", "\x01A", "\x01")

// escape returns a text as PostgreSQL takes it. Invalid UTF-8, which no id has, is replaced.
func escape(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !strings.ContainsAny(s, "\x00\x01") {
		return s
	}
	return escaper.Replace(s)
}

// unescape is the reverse of escape.
func unescape(s string) string {
	if strings.IndexByte(s, 1) < 0 {
		return s
	}
	return unescaper.Replace(s)
}

func escaped(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = escape(s)
	}
	return out
}
