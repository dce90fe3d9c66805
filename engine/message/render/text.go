package render

import (
	"strings"

	"github.com/rivo/uniseg"

	"bugle/engine/visible"
)

// Kind is the origin of a piece of text.
type Kind uint8

// The kinds of spans.
const (
	Plain      Kind = iota // as the author wrote it
	Expression             // an unfilled expression, because no user is chosen
	Unresolved             // an expression without a value for the user
	Value                  // the value of an expression for the user
)

// Span is a piece of text with one style. A newline in Text starts a new line.
type Span struct {
	Text string
	Kind Kind

	Bold, Italic, Underline, Strike bool

	Color  string // #rrggbb, "" for the surrounding text's color
	Ground string // background of a link that looks like a button, as #rrggbb, or ""
	Link   string // its address, or ""
}

// like reports whether both have the same style, so that they can be one span.
func (s Span) like(o Span) bool {
	s.Text, o.Text = "", ""
	return s == o
}

// Text is styled text.
type Text []Span

// String returns the text without styles.
func (t Text) String() string {
	if len(t) == 1 {
		return t[0].Text
	}
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Empty reports whether the text is blank.
func (t Text) Empty() bool {
	for _, s := range t {
		if !visible.IsBlank(s.Text) {
			return false
		}
	}
	return true
}

// Length returns the number of user-perceived characters (grapheme clusters, UAX #29). Unfilled expressions
// count as 0, because their length is unknown.
func (t Text) Length() int {
	n := 0
	for _, s := range t {
		if s.Kind == Plain || s.Kind == Value {
			n += uniseg.GraphemeClusterCount(s.Text)
		}
	}
	return n
}

// HasExpressions reports whether the text has unfilled expressions.
func (t Text) HasExpressions() bool {
	for _, s := range t {
		if s.Kind == Expression || s.Kind == Unresolved {
			return true
		}
	}
	return false
}

// unstyled returns the text in the default style.
func (t Text) unstyled() Text {
	var out Text
	for _, s := range t {
		out = append(out, Span{Text: s.Text, Kind: s.Kind})
	}
	return out
}

// Cut returns the first n characters, counted as in [Text.Length], followed by "…" if something was cut.
func (t Text) Cut(n int) Text {
	if t.Length() <= n {
		return t
	}
	var out Text
	for _, s := range t {
		if s.Kind != Plain && s.Kind != Value {
			out = append(out, s)
			continue
		}
		taken, rest, state := 0, s.Text, -1
		for rest != "" && n > 0 {
			var cluster string
			cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			taken, n = taken+len(cluster), n-1
		}
		if rest != "" {
			s.Text = strings.TrimRight(s.Text[:taken], " ") + "…"
			return append(out, s)
		}
		out = append(out, s)
	}
	return out
}

// plain returns text in the default style.
func plain(s string) Text {
	if s == "" {
		return nil
	}
	return Text{{Text: s}}
}

// writer builds a text from markup: blanks count once, and breaks come between what is there.
type writer struct {
	sealed Text
	style  Span // of the span being written, whose text is in buf
	buf    []byte
	// verbatim keeps blanks and newlines as they are.
	verbatim bool
	// gap is a blank, brk a newline that comes before the next text.
	gap, brk bool
}

// write adds s, which may contain the placeholders of [encode], with a style.
func (w *writer) write(s string, style Span, marks *placeholders) {
	marks.each(s, func(text string, kind Kind) {
		style.Kind = kind
		if w.verbatim || kind == Expression || kind == Unresolved {
			w.flush(style)
			w.add(text, style)
			return
		}
		w.words(text, style)
	})
}

func (w *writer) words(text string, style Span) {
	start := -1
	for i := range len(text) {
		if c := text[i]; c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' {
			if start >= 0 {
				w.flush(style)
				w.add(text[start:i], style)
				start = -1
			}
			w.gap = true
			continue
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		w.flush(style)
		w.add(text[start:], style)
	}
}

// empty reports whether nothing has been written.
func (w *writer) empty() bool { return len(w.buf) == 0 }

func (w *writer) endsLine() bool { return len(w.buf) > 0 && w.buf[len(w.buf)-1] == '\n' }

// flush writes the blank or break that stands before what comes.
func (w *writer) flush(style Span) {
	switch {
	case w.empty() || w.endsLine():
	case w.brk:
		w.newline()
	case w.gap && (w.style.like(style) || w.style.Kind == Plain && w.style.Link == "" && !w.style.Underline && !w.style.Strike):
		w.buf = append(w.buf, ' ')
	case w.gap: // a blank between two styles belongs to neither link nor underline
		w.add(" ", Span{})
	}
	w.gap, w.brk = false, false
}

func (w *writer) add(text string, style Span) {
	if text == "" {
		return
	}
	if !w.style.like(style) {
		w.seal()
		w.style = style
	}
	w.buf = append(w.buf, text...)
}

// seal ends the span being written.
func (w *writer) seal() {
	if len(w.buf) > 0 {
		w.style.Text = string(w.buf)
		w.sealed, w.buf = append(w.sealed, w.style), w.buf[:0]
	}
}

// line breaks the line at once, as <br> does.
func (w *writer) line() {
	w.flush(Span{})
	if !w.empty() {
		w.newline()
	}
	w.gap = false
}

// newline breaks the line outside of an expression, which is one word.
func (w *writer) newline() {
	style := w.style
	if style.Kind != Plain {
		style = Span{}
	}
	w.add("\n", style)
}

// done returns the text without blanks at its end.
func (w *writer) done() Text {
	w.seal()
	for len(w.sealed) > 0 {
		last := &w.sealed[len(w.sealed)-1]
		if last.Kind == Plain {
			last.Text = strings.TrimRight(last.Text, " \n")
		}
		if last.Text != "" {
			break
		}
		w.sealed = w.sealed[:len(w.sealed)-1]
	}
	return w.sealed
}
