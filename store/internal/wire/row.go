package wire

import (
	"strconv"
	"time"
	"unicode/utf8"

	"bugle/engine"
	"bugle/engine/doc"
)

// DecodeSummary decodes a summary.
func DecodeSummary(b []byte, w *Summary) error {
	return (&RowReader{}).Decode(b, string(b), w)
}

// Decode decodes a summary into w, which must be empty. b and text are the same summary.
func (r *RowReader) Decode(b []byte, text string, w *Summary) error {
	if r.read(text, w) {
		return nil
	}
	*w = Summary{}
	return DecodeRow(b, w)
}

// readRow is the fast path for one summary, see [RowReader.read].
func readRow(b []byte, w *Summary) bool { return (&RowReader{}).read(string(b), w) }

// RowReader is a parser for the JSON of a summary as this package writes it. It sets ok to false at the first
// unexpected character.
type RowReader struct {
	text      string
	at        int
	ok        bool
	spare     []string // preallocated for the lists of later rows
	BatchSize int      // how many strings to allocate at once
}

// read parses a summary as [Campaigns.PutCampaign] writes it, at a third of the cost of a JSON library. With a million
// summaries, this dominates the startup time. It returns false for any other spelling, and then w may be partly filled.
// The strings of w share the memory of text.
func (r *RowReader) read(text string, w *Summary) bool {
	r.text, r.at, r.ok = text, 0, utf8.ValidString(text)
	r.skip('{')
	for first := true; r.ok && !r.next('}'); first = false {
		if !first {
			r.skip(',')
		}
		name := r.str()
		r.skip(':')
		r.field(name, w)
	}
	return r.ok && r.at == len(r.text)
}

func (r *RowReader) field(name string, w *Summary) {
	switch name {
	case "id":
		w.ID = r.str()
	case "cid":
		w.CampaignID = r.str()
	case "v":
		w.Version = int(r.number())
	case "st":
		w.Status = engine.State(r.str())
	case "ch":
		w.Channel = engine.Channel(r.str())
	case "dt":
		w.DeliveryType = engine.DeliveryType(r.str())
	case "cby":
		w.CreatedBy = r.str()
	case "uby":
		w.UpdatedBy = r.str()
	case "cat":
		w.CreatedAt = r.time()
	case "uat":
		w.UpdatedAt = r.time()
	case "sent":
		w.SentTime = r.time()
	case "flow":
		w.FlowID = r.str()
	case "flown":
		w.FlowName = r.str()
	case "par":
		w.ParentID = r.str()
	case "rej":
		w.RejectionComment = r.str()
	case "rev":
		w.Revision = r.number()
	case "name":
		w.Name = r.str()
	case "team":
		w.Team = r.str()
	case "tags":
		w.Tags = r.list()
	case "pl":
		w.Platforms = r.list()
	case "start":
		w.Start = r.time()
	case "end":
		w.End = r.time()
	case "all":
		w.AllUsers = r.word("true")
	default:
		r.ok = false
	}
}

// next consumes the next character if it is c.
func (r *RowReader) next(c byte) bool {
	if r.at < len(r.text) && r.text[r.at] == c {
		r.at++
		return true
	}
	return false
}

// skip consumes the next character, which must be c.
func (r *RowReader) skip(c byte) {
	if !r.next(c) {
		r.ok = false
	}
}

func (r *RowReader) word(w string) bool {
	if len(r.text)-r.at < len(w) || r.text[r.at:r.at+len(w)] != w {
		r.ok = false
		return false
	}
	r.at += len(w)
	return true
}

// str parses a string without escapes.
func (r *RowReader) str() string {
	r.skip('"')
	if !r.ok {
		return ""
	}
	text := r.text[r.at:]
	i := doc.IndexSpecial(text, 0)
	if i == len(text) || text[i] != '"' {
		r.ok = false
		return ""
	}
	r.at += i + 1
	return text[:i]
}

// TypicalListLen is the length that most lists do not exceed.
const TypicalListLen = 4

func (r *RowReader) list() []string {
	r.skip('[')
	if cap(r.spare)-len(r.spare) < TypicalListLen {
		r.spare = make([]string, 0, max(TypicalListLen, r.BatchSize))
	}
	out := r.spare[len(r.spare):]
	for r.ok && !r.next(']') {
		if len(out) > 0 {
			r.skip(',')
		}
		out = append(out, r.str())
	}
	r.spare = r.spare[:min(len(r.spare)+len(out), cap(r.spare))]
	return out[:len(out):len(out)]
}

func (r *RowReader) number() int64 {
	from := r.at
	for r.at < len(r.text) && (r.text[r.at] == '-' || r.text[r.at] >= '0' && r.text[r.at] <= '9') {
		r.at++
	}
	text := r.text[from:r.at]
	n, err := strconv.ParseInt(text, 10, 64)
	// Reject a number that is spelled differently, such as with leading zeros, because it is not valid JSON.
	if err != nil || strconv.FormatInt(n, 10) != text {
		r.ok = false
	}
	return n
}

// time parses a UTC time in RFC 3339, such as 2026-01-31T23:59:59.123Z.
func (r *RowReader) time() time.Time {
	s := r.str()
	const least = len("2006-01-02T15:04:05Z")
	if len(s) < least || len(s) > least+10 || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' || s[len(s)-1] != 'Z' {
		r.ok = false
		return time.Time{}
	}
	ok := true
	digits := func(from, to int) (n int) {
		for _, c := range []byte(s[from:to]) {
			ok = ok && '0' <= c && c <= '9'
			n = 10*n + int(c-'0')
		}
		return n
	}
	year, month, day := digits(0, 4), digits(5, 7), digits(8, 10)
	hour, minute, sec := digits(11, 13), digits(14, 16), digits(17, 19)
	nsec := 0
	if f := s[19 : len(s)-1]; f != "" {
		ok = ok && f[0] == '.' && len(f) > 1
		nsec = digits(20, len(s)-1)
		for range 10 - len(f) {
			nsec *= 10
		}
	}
	t := time.Date(year, time.Month(month), day, hour, minute, sec, nsec, time.UTC)
	// time.Date would normalize a month or day that does not exist.
	if !ok || hour > 23 || minute > 59 || sec > 59 || t.Month() != time.Month(month) || t.Day() != day {
		r.ok = false
	}
	return t
}
