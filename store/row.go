package store

import (
	"strconv"
	"time"
	"unicode/utf8"

	"bugle/engine"
)

// decodeSummary reads a summary row.
func decodeSummary(b []byte, w *summary) error {
	if readRow(b, w) {
		return nil
	}
	*w = summary{}
	return decodeRow(b, w)
}

// readRow reads a summary row as [Space.PutCampaign] writes it, at half the cost of a JSON library:
// with a million of them that is how long a start takes. It reports false for what is written in any
// other way, of which w may hold a part.
func readRow(b []byte, w *summary) bool {
	r := rowReader{text: string(b), ok: utf8.Valid(b)}
	r.skip('{')
	for first := true; r.ok && !r.next('}'); first = false {
		if !first {
			r.skip(',')
		}
		name := r.str()
		r.skip(':')
		r.member(name, w)
	}
	return r.ok && r.at == len(r.text)
}

// rowReader goes through the text of a row. Once something is not as expected, ok is false.
type rowReader struct {
	text string
	at   int
	ok   bool
}

func (r *rowReader) member(name string, w *summary) {
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

// next takes a character where it is the next one.
func (r *rowReader) next(c byte) bool {
	if r.at < len(r.text) && r.text[r.at] == c {
		r.at++
		return true
	}
	return false
}

// skip takes a character that must be the next one.
func (r *rowReader) skip(c byte) {
	if !r.next(c) {
		r.ok = false
	}
}

func (r *rowReader) word(w string) bool {
	if len(r.text)-r.at < len(w) || r.text[r.at:r.at+len(w)] != w {
		r.ok = false
		return false
	}
	r.at += len(w)
	return true
}

// str takes a string without escapes.
func (r *rowReader) str() string {
	r.skip('"')
	for i := r.at; r.ok && i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == '"':
			s := r.text[r.at:i]
			r.at = i + 1
			return s
		case c == '\\' || c < ' ':
			r.ok = false
		}
	}
	r.ok = false
	return ""
}

func (r *rowReader) list() []string {
	r.skip('[')
	out := make([]string, 0, 4)
	for r.ok && !r.next(']') {
		if len(out) > 0 {
			r.skip(',')
		}
		out = append(out, r.str())
	}
	return out
}

func (r *rowReader) number() int64 {
	from := r.at
	for r.at < len(r.text) && (r.text[r.at] == '-' || r.text[r.at] >= '0' && r.text[r.at] <= '9') {
		r.at++
	}
	text := r.text[from:r.at]
	n, err := strconv.ParseInt(text, 10, 64)
	// A number that is spelled in another way is no JSON.
	if err != nil || strconv.FormatInt(n, 10) != text {
		r.ok = false
	}
	return n
}

func (r *rowReader) time() time.Time {
	t, err := time.Parse(time.RFC3339Nano, r.str())
	if err != nil || t.Location() != time.UTC {
		r.ok = false
	}
	return t
}
