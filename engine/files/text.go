package files

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"bugle/engine/doc"
)

// ErrNotText is the error for bytes that are neither UTF-8 nor UTF-16 with a byte order mark.
var ErrNotText = errors.New("it is not UTF-8 text; save the file as UTF-8")

// IsText reports whether s is UTF-8 text. Text with NUL is not: UTF-16 without a byte order mark has them.
func IsText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

// NewTextReader returns a reader of a text as UTF-8 without a byte order mark. r can have one, and can be UTF-16 with one.
// It fails with [ErrNotText] at what is not UTF-16. What is not UTF-8 in other files is left to [IsText].
func NewTextReader(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	head, _ := b.Peek(len(bom))
	switch {
	case bytes.HasPrefix(head, []byte(bom)):
		_, _ = b.Discard(len(bom))
	case bytes.HasPrefix(head, []byte("\xFE\xFF")), bytes.HasPrefix(head, []byte("\xFF\xFE")):
		return transform.NewReader(b, wholeRunes{unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder()})
	}
	return b
}

// bom is the byte order mark in UTF-8.
const bom = "\uFEFF"

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
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == 0 || r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return nil, &doc.SyntaxError{Line: 1 + LineEnds(string(text[:at])), Offset: int64(at), Msg: ErrNotText.Error()}
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
