package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
)

// lexicon has the runs of letters that names are made of, each with the rows whose name has it. A
// word of letters alone can only stand inside of one of them, so that looking through the lexicon
// finds what looking through all names would.
type lexicon struct {
	runs *dict // a run behind a digit, where no word starts, begins with inner
	lead *dict // the runs that names begin with; one that is the whole name begins with whole
	full bool  // there were too many runs: the lexicon is not used any more
}

const (
	inner = "0"
	whole = "="
)

// lexiconSize is the most distinct runs of letters. Human names have far fewer, while generated names have an
// unlimited number.
const lexiconSize = 1 << 17

func newLexicon() lexicon { return lexicon{runs: newDict(), lead: newDict()} }

// add takes the runs of a name.
func (l *lexicon) add(slot uint32, name []byte) {
	if l.full {
		return
	}
	var buf [64]byte
	eachRun(name, func(from, to int, behindDigit bool) {
		run := name[from:to]
		if behindDigit {
			run = append(append(buf[:0], inner...), run...)
		}
		l.runs.add(l.runs.numberOf(run), slot)
		if from == 0 {
			if to == len(name) {
				run = append(append(buf[:0], whole...), run...)
			}
			l.lead.add(l.lead.numberOf(run), slot)
		}
	})
	if len(l.runs.texts) > lexiconSize {
		*l = lexicon{runs: newDict(), lead: newDict(), full: true}
	}
}

// eachRun calls f for the runs of letters in a folded name.
func eachRun(name []byte, f func(from, to int, behindDigit bool)) {
	from, digit, behind := -1, false, false
	for i := 0; i < len(name); {
		letter, number, size := name[i] >= 'a' && name[i] <= 'z', name[i] >= '0' && name[i] <= '9', 1
		if name[i] >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRune(name[i:])
			letter, number = isLetter(r), unicode.IsNumber(r)
		}
		switch {
		case letter && from < 0:
			from, behind = i, digit
		case !letter && from >= 0:
			f(from, i, behind)
			from = -1
		}
		digit = number
		i += size
	}
	if from >= 0 {
		f(from, len(name), behind)
	}
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }

// runs are the lexicon of a snapshot.
type runs struct {
	all, lead values
	full      bool
}

// find returns the rows whose name contains a word of letters: at the start of a word, and anywhere.
func (r *runs) find(n *needle) (words, all []*roaring.Bitmap) {
	v, want := &r.all, string(n.text)
	for i := range v.shapes {
		if sh := &v.shapes[i]; sh.mask&n.mask != n.mask || sh.pairs&n.pairs != n.pairs || v.rows[i] == nil {
			continue
		}
		switch at := strings.Index(v.texts[i], want); {
		case at == 0:
			words, all = append(words, v.rows[i]), append(all, v.rows[i])
		case at > 0:
			all = append(all, v.rows[i])
		}
	}
	return words, all
}

// leading returns the rows whose name starts with the word, and those whose name is the word.
func (r *runs) leading(n *needle) (exact, prefix []*roaring.Bitmap) {
	v, want := &r.lead, string(n.text)
	for i, text := range v.texts {
		run, is := strings.CutPrefix(text, whole)
		switch {
		case v.rows[i] == nil || !strings.HasPrefix(run, want):
		case is && run == want:
			exact = append(exact, v.rows[i])
		default:
			prefix = append(prefix, v.rows[i])
		}
	}
	return exact, prefix
}
