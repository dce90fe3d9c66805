package files_test

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"bugle/engine/doc"
	"bugle/engine/files"
)

// Text in UTF-8 and UTF-16 is read as it is; anything else is refused with its line, and nothing is replaced.
func TestDecode(t *testing.T) {
	text := "one\r\nzwei größer € \uFFFD " + strings.Repeat("é🎺", 5000) + "\nend"
	encode := func(e encoding.Encoding, text string) string {
		out, err := e.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	plain := strings.ReplaceAll(text, "\uFFFD", "")
	for name, c := range map[string]struct {
		in, want string
		line     int
	}{
		"UTF-8":                     {in: text, want: text},
		"UTF-8 with a mark":         {in: "\uFEFF" + text, want: text},
		"empty":                     {},
		"a mark alone":              {in: "\uFEFF"},
		"UTF-16 little":             {in: encode(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), plain), want: plain},
		"UTF-16 big":                {in: encode(unicode.UTF16(unicode.BigEndian, unicode.UseBOM), plain), want: plain},
		"UTF-16 without a mark":     {in: encode(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "a,b"), line: 1},
		"UTF-16 cut short":          {in: encode(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "a\nb") + "c", line: 2},
		"UTF-16 with half a letter": {in: "\xFE\xFF\x00a\x00\n\xD8\x3C\x00b", line: 2},
		"UTF-32":                    {in: encode(utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), "a"), line: 1},
		"Windows-1252":              {in: encode(charmap.Windows1252, "a\r\nb\rgrößer"), line: 3},
		"cut short":                 {in: "a\n\xC3", line: 2},
	} {
		got, err := files.Decode([]byte(c.in))
		var syntax *doc.SyntaxError
		if c.line > 0 && (!errors.As(err, &syntax) || syntax.Line != c.line || !strings.Contains(err.Error(), "save the file as UTF-8")) || c.line == 0 && err != nil || string(got) != c.want {
			t.Errorf("%s: %.40q, %v", name, got, err)
		}
	}
}

// UTF-8 that a program took for Windows-1252 is found, and texts that only look a little like it are not.
func TestIsMisread(t *testing.T) {
	for text, want := range map[string]bool{
		"JÃ¼rgen": true, "CafÃ©": true, "donâ€™t": true, "Ð˜Ð²Ð°Ð½": true, "ï»¿campaign": true, "5 â‚¬ fÃ¼r Ã\u0081gnes": true, "Â©": true,
		"": false, "Jürgen": false, "NESCAFÉ®": false, "CAFÉ…": false, "MAÇÃO®": false, "Ã": false, "Иван": false, "JÃ¼rgen Жук": false, "don’t": false, "plain": false, "«\u00a0voilà\u00a0»": false,
	} {
		if got := files.IsMisread(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestSeparator(t *testing.T) {
	for text, want := range map[string]struct {
		separator byte
		size      int
	}{
		"id,a;b,c\nx;y;z;;;": {',', 0}, "id;a\rx,y,z": {';', 0}, "id\ta,b\tc": {'\t', 0}, "id": {',', 0}, "": {',', 0},
		`"a;b;c",d`: {',', 0}, "sep=;\r\nid,a,b": {';', 7}, "SEP=\t\nid": {'\t', 6}, "\"sep=,\"\rid;a": {',', 8}, "sep=": {',', 0}, "sep=|\nid|a": {'|', 6},
	} {
		if s, n := files.Separator(text); s != want.separator || n != want.size {
			t.Errorf("%q: %q, %d", text, s, n)
		}
	}
}
