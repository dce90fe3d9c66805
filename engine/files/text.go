package files

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"bugle/engine/doc"
)

// ErrNotText is the error for bytes that are neither UTF-8 nor UTF-16 with a byte order mark.
var ErrNotText = errors.New("it is not UTF-8 text; save the file as UTF-8")

// ErrWorkbook is the error for a file that has text in it only after it is unpacked.
var ErrWorkbook = errors.New("it is a workbook or an archive; save its table as CSV UTF-8")

// ErrMisread is the error for text as [IsMisread] finds it.
var ErrMisread = errors.New("its letters were taken for another encoding (ü is Ã¼ or \uFFFD then); export the file again, and save it as UTF-8")

// IsText reports whether s is UTF-8 text. Text with NUL is not: UTF-16 without a byte order mark has them.
func IsText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

// NewTextReader returns a reader of a text as UTF-8 without a byte order mark. r can have one, and can be UTF-16 with one.
// It fails with [ErrNotText] at what is not UTF-16, and with [ErrWorkbook]. What is not UTF-8 in other files is left to [IsText].
func NewTextReader(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	head, _ := b.Peek(len(zip))
	switch {
	case bytes.HasPrefix(head, []byte(zip)), bytes.HasPrefix(head, []byte(oldWorkbook)):
		return failed{ErrWorkbook}
	case bytes.HasPrefix(head, []byte(bom)):
		_, _ = b.Discard(len(bom))
	case bytes.HasPrefix(head, []byte("\xFE\xFF")), bytes.HasPrefix(head, []byte("\xFF\xFE")):
		return transform.NewReader(b, wholeRunes{unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder()})
	}
	return b
}

// What files begin with: the byte order mark in UTF-8, an archive, such as a workbook of today, and one of before 2007.
const (
	bom         = "\uFEFF"
	zip         = "PK\x03\x04"
	oldWorkbook = "\xD0\xCF\x11\xE0"
)

// failed is a reader that fails.
type failed struct{ error }

func (f failed) Read([]byte) (int, error) { return 0, f.error }

// wholeRunes fails where a decoder puts U+FFFD for what it cannot decode.
type wholeRunes struct{ transform.Transformer }

// Transform implements [transform.Transformer].
func (w wholeRunes) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	nDst, nSrc, err = w.Transformer.Transform(dst, src, atEOF)
	if i := bytes.Index(dst[:nDst], []byte(string(utf8.RuneError))); i >= 0 {
		return i, nSrc, ErrNotText
	}
	return nDst, nSrc, err
}

// Decode returns the text of a file as UTF-8 without a byte order mark, as [NewTextReader] reads it. For what is no text it
// returns a *[doc.SyntaxError] with the line.
func Decode(b []byte) ([]byte, error) {
	text, err := io.ReadAll(NewTextReader(bytes.NewReader(b)))
	if err == nil && IsText(string(text)) {
		return text, nil
	}
	if err == nil {
		err = ErrNotText
	}
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == 0 || r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return nil, &doc.SyntaxError{Line: 1 + LineEnds(string(text[:at])), Offset: int64(at), Msg: err.Error()}
}

// IsMisread reports whether s is UTF-8 that a program took for Windows-1252 and saved as that: its letters are pairs such
// as Ã¼ for ü. One pair alone is, too, where it begins with one of the letters that those of Latin and quotes become.
func IsMisread(s string) bool {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return false
	}
	was := make([]byte, 0, len(s))
	for _, r := range s {
		c, ok := charmap.Windows1252.EncodeRune(r)
		if !ok && (r < 0x80 || r > 0x9F) { // it has no letter for five of these bytes, which programs keep
			return false
		}
		if !ok {
			c = byte(r)
		}
		was = append(was, c)
	}
	letters := 0
	for _, r := range string(was) {
		if r >= utf8.RuneSelf {
			letters++
		}
	}
	return utf8.Valid(was) && (letters > 1 || strings.ContainsAny(s, "ÂÃâï"))
}

// LineEnds returns how many lines end in a text: with LF, CRLF or CR.
func LineEnds(text string) int {
	return strings.Count(text, "\n") + strings.Count(text, "\r") - strings.Count(text, "\r\n")
}

// Separator returns what separates the cells of a CSV file, by its beginning: what its line "sep=" names, or else that of comma,
// semicolon and tab which its first line has most often outside of quotes. size is the length of the line "sep=", 0 if
// there is none.
func Separator(text string) (separator byte, size int) {
	line := text
	if end := strings.IndexAny(text, "\r\n"); end >= 0 {
		line = text[:end]
		if size = end + 1; strings.HasPrefix(text[end:], "\r\n") {
			size++
		}
	} else {
		size = len(text)
	}
	if s := strings.Trim(line, `"`); len(s) == len("sep=;") && strings.EqualFold(s[:4], "sep=") {
		return s[4], size
	}
	most, quoted := 0, false
	separator = ','
	seen := map[byte]int{}
	for _, c := range []byte(line) {
		if c == '"' {
			quoted = !quoted
		} else if seen[c]++; !quoted && strings.IndexByte(",;\t", c) >= 0 && seen[c] > most {
			separator, most = c, seen[c]
		}
	}
	return separator, 0
}
