package kv

import (
	"encoding/binary"
	"errors"
	"time"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/record"
)

var summaries = record.Table[engine.Summary]{Kind: &record.SummaryKind, Encode: encodeSummary, Decode: decodeSummary}

// NewestSummaries implements [store.Summaries]: campaigns that were created last have the highest ids. The next summaries
// are read while fn, which must not use the transaction, works on some. The first ones come early.
func (s WorkspaceTx) NewestSummaries(fn func(engine.Summary) error) error {
	const first, most = 64, 1024
	read, quit := make(chan []engine.Summary, 2), make(chan struct{})
	var damaged error
	go func() {
		defer close(read)
		rows := make([]engine.Summary, 0, first)
		damaged = summaries.Each(s.rows, record.Options{Reverse: true}, func(sum engine.Summary) error {
			if rows = append(rows, sum); len(rows) < cap(rows) {
				return nil
			}
			select {
			case read <- rows:
			case <-quit:
				return store.Stop
			}
			rows = make([]engine.Summary, 0, min(2*cap(rows), most))
			return nil
		})
		select {
		case read <- rows:
		case <-quit:
		}
	}()
	var failed error
	for rows := range read { // to the end: nobody uses the transaction afterwards
		for i := 0; i < len(rows) && failed == nil; i++ {
			if failed = fn(rows[i]); failed != nil {
				close(quit)
			}
		}
	}
	if failed != nil && !errors.Is(failed, store.Stop) {
		return failed
	}
	return damaged
}

// A summary is stored as its fields one after the other: a start reads hundreds of thousands of them, and JSON would take
// several times as long.

func encodeSummary(sum engine.Summary) (record.Row, error) {
	c := fields{write: true}
	c.summary(&sum)
	return record.Row{Record: c.rest}, c.err
}

func decodeSummary(r record.Row) (sum engine.Summary, err error) {
	c := fields{rest: r.Record, text: string(r.Record)}
	if c.summary(&sum); c.err == nil && len(c.rest) > 0 {
		c.err = errors.New("it has more fields than are known")
	}
	return sum, c.err
}

// fields writes the fields of a record, or reads them in the same order.
type fields struct {
	write bool
	rest  []byte // what is written so far, or is left to read
	text  string // the whole of what is read, of which all strings are parts
	err   error
}

func (c *fields) summary(s *engine.Summary) {
	for _, text := range [...]*string{&s.ID, &s.CampaignID, (*string)(&s.Status), (*string)(&s.Channel), (*string)(&s.DeliveryType), &s.CreatedBy, &s.UpdatedBy,
		&s.FlowID, &s.FlowName, &s.ParentID, &s.RejectionComment, &s.Name, &s.Team} {
		c.string(text)
	}
	for _, at := range [...]*time.Time{&s.CreatedAt, &s.UpdatedAt, &s.SentTime, &s.Start, &s.End} {
		c.time(at)
	}
	for _, list := range [...]*[]string{&s.Tags, &s.Platforms} {
		n := c.number(int64(len(*list)))
		for i := 0; i < int(n) && c.err == nil; i++ {
			if !c.write {
				*list = append(*list, "")
			}
			c.string(&(*list)[i])
		}
	}
	s.Version, s.Revision = int(c.number(int64(s.Version))), c.number(s.Revision)
	all := int64(0)
	if s.AllUsers {
		all = 1
	}
	s.AllUsers = c.number(all) != 0
}

// number writes n, or returns the number that it reads.
func (c *fields) number(n int64) int64 {
	if c.write {
		c.rest = binary.AppendVarint(c.rest, n)
		return n
	}
	n, size := binary.Varint(c.rest)
	if size <= 0 {
		c.err, c.rest = errShort, nil
		return 0
	}
	c.rest = c.rest[size:]
	return n
}

func (c *fields) string(s *string) {
	n := c.number(int64(len(*s)))
	switch {
	case c.write:
		c.rest = append(c.rest, *s...)
	case n < 0 || n > int64(len(c.rest)):
		c.err, c.rest = errShort, nil
	default:
		at := len(c.text) - len(c.rest)
		*s, c.rest = c.text[at:at+int(n)], c.rest[n:]
	}
}

// time writes a time with its zone, or reads one; the zero time has no bytes.
func (c *fields) time(t *time.Time) {
	text := ""
	if c.write && !t.IsZero() {
		b, err := t.MarshalBinary()
		c.err = errors.Join(c.err, err)
		text = string(b)
	}
	if c.string(&text); !c.write && text != "" {
		c.err = errors.Join(c.err, t.UnmarshalBinary([]byte(text)))
	}
}
