package catalog

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// HasTextFile reports whether the text of a field can be kept in a file of its own, beside the file with the rest of
// the campaign: every field with long texts can.
func HasTextFile(n *schema.Node) bool { return n != nil && n.Kind == schema.String && n.Long }

// longText is the number of characters from which a text that is no page is kept in a file of its own.
const longText = 200

// TextFile returns the name of the file for the text v at p, such as "email.html", "email.de.variation_1.html" or
// "android.txt", and whether it should be in one: pages are, and other texts of several lines or more than 200
// characters. The name is only made of letters, digits, dots, dashes and underscores. Two texts can have the same name
// where names of locales only differ in other characters.
func TextFile(s *schema.Schema, p doc.Path, v doc.Value) (name string, ok bool) {
	n := s.At(p)
	if !HasTextFile(n) || v.Text() == "" {
		return "", false
	}
	ext := ".txt"
	if n.Links == schema.LinksInHTML {
		ext = ".html"
	} else if text := v.Text(); !strings.ContainsAny(text, "\r\n") && utf8.RuneCountInString(text) <= longText {
		return "", false
	}
	// What a form shows as a place of its own is named, then the keys that people chose.
	var places, keys []string
	nearest := ""
	for i := range p[:len(p)-1] {
		at, step := s.At(p[:i+1]), p[i]
		switch {
		case step.IsIndex:
			places = append(places, strconv.Itoa(step.Index+1))
		case at == nil || at.Name == "":
			keys = append(keys, fileWord(step.Name))
		case i < 2: // the component, and its content
		default:
			if nearest = fileWord(step.Name); !at.Flat {
				places = append(places, nearest)
			}
		}
	}
	if len(places) == 0 {
		places = []string{nearest}
	}
	words := slices.DeleteFunc(append([]string{strings.Join(places, "-")}, keys...), func(w string) bool { return w == "" })
	if len(words) == 0 {
		words = []string{fileWord(n.Name)}
	}
	return strings.Join(words, ".") + ext, true
}

// maxFileWord is the longest part of a file name that comes from a name in the campaign.
const maxFileWord = 40

// fileWord returns a name without the characters that some file systems do not allow.
func fileWord(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_'
	})
	out := strings.Join(words, "-")
	return out[:min(len(out), maxFileWord)]
}
