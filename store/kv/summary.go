package kv

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/wire"
)

// Summary returns a campaign's summary.
func (s WorkspaceTx) Summary(id string) (engine.Summary, error) {
	if err := s.check(whatCampaign, id); err != nil {
		return engine.Summary{}, err
	}
	var w wire.Summary
	err := s.getJSON(fmt.Sprintf("the summary of campaign %q", id), s.key(kindSummary, id), &w)
	return w.Engine(), err
}

// SummariesByID calls fn with the summaries of the given campaigns. It skips campaigns that do not exist.
func (s WorkspaceTx) SummariesByID(ids []string, fn func(engine.Summary) error) error {
	return each(ids, s.Summary, fn)
}

// Summaries calls fn, which may return [store.Stop], with the summaries of all campaigns.
func (s WorkspaceTx) Summaries(fn func(engine.Summary) error) error {
	if err := s.check(); err != nil {
		return err
	}
	n, stopped := 0, false
	err := s.walk("the summary of campaign", s.key(kindSummary), ScanOptions{}, func(rest, payload []byte) error {
		n++
		var w wire.Summary
		if err := wire.DecodeSummary(payload, &w); err != nil {
			return s.damaged("the summary of campaign "+label(rest), err)
		}
		err := fn(w.Engine())
		stopped = err != nil
		return err
	})
	if err == nil && !stopped {
		err = s.complete(kindSummary, n)
	}
	return err
}

// NewestSummaries is like [WorkspaceTx.Summaries] in descending order of ids, so campaigns that were created last come
// first. Several goroutines decode rows, and thousands of rows share memory. fn is called by one goroutine at a time,
// must not use the transaction, and must clone what it keeps.
func (s WorkspaceTx) NewestSummaries(fn func(engine.Summary) error) error {
	if err := s.check(); err != nil {
		return err
	}
	r := newestRows{
		tx: s.tx, prefix: s.key(kindSummary), quit: make(chan struct{}),
		read: make(chan *rowChunk, runtime.GOMAXPROCS(0)), used: make(chan *rowChunk, 2+runtime.GOMAXPROCS(0)),
	}
	n, damaged, err := r.walk(fn)
	switch {
	case errors.Is(err, store.Stop):
	case err != nil:
		return err
	case r.failed != nil:
		return r.failed
	case len(damaged) == 0:
		return s.complete(kindSummary, n)
	}
	var bad []error
	for _, d := range damaged {
		bad = append(bad, s.damaged("the summary of campaign "+label(d.key[len(r.prefix):]), d.err))
	}
	return errors.Join(bad...)
}

func (s WorkspaceTx) reportStored(row engine.Summary) {
	if s.watch != nil {
		s.watch.SummaryStored(s.id, row)
	}
}

func (s WorkspaceTx) reportRemoved(id string) {
	if s.watch != nil {
		s.watch.CampaignRemoved(s.id, id)
	}
}

// newestRows iterates over summaries: one goroutine collects records in chunks, others decode the chunks, and the
// caller gets the rows in order.
type newestRows struct {
	tx     Tx
	prefix []byte
	quit   chan struct{}  // closed when no more rows are wanted
	read   chan *rowChunk // in order; some are still being decoded
	used   chan *rowChunk // free for reuse
	tasks  sync.WaitGroup
	failed error // the scan's error, valid after tasks end
}

// rowChunk is a sequence of records and the rows decoded from them.
type rowChunk struct {
	keys, values     []byte // concatenated
	keyEnds, valEnds []int
	rows             []wire.Summary
	damaged          []damagedRow
	done             chan struct{} // closed when the chunk is decoded
}

type damagedRow struct {
	key []byte
	at  int
	err error
}

// The first chunk is small, so that a list can show something early.
const (
	firstRows = 64
	maxRows   = 1024
)

// walk calls fn with all rows. It returns their number, the damaged records, and the error of fn.
func (r *newestRows) walk(fn func(engine.Summary) error) (n int, damaged []damagedRow, err error) {
	defer r.tasks.Wait() // nobody uses the transaction after walk returns
	defer close(r.quit)
	r.tasks.Go(func() { r.failed = r.scan() })
	return r.deliver(fn)
}

// scan collects all records until quit is closed.
func (r *newestRows) scan() error {
	defer close(r.read)
	size := firstRows
	c := &rowChunk{}
	send := func() bool {
		c.done = make(chan struct{})
		r.tasks.Go(c.decode)
		select {
		case r.read <- c:
		case <-r.quit:
			c = &rowChunk{}
			return false
		}
		size = min(2*size, maxRows)
		select {
		case c = <-r.used:
		default:
			c = &rowChunk{}
		}
		return true
	}
	err := r.tx.Scan(r.prefix, ScanOptions{Reverse: true}, func(key, value []byte) error {
		c.keys, c.values = append(c.keys, key...), append(c.values, value...)
		c.keyEnds, c.valEnds = append(c.keyEnds, len(c.keys)), append(c.valEnds, len(c.values))
		if len(c.keyEnds) < size || send() {
			return nil
		}
		return store.Stop
	})
	if err == nil && len(c.keyEnds) > 0 {
		send()
	}
	return err
}

// decode decodes the rows.
func (c *rowChunk) decode() {
	defer close(c.done)
	n := len(c.keyEnds)
	c.rows = slices.Grow(c.rows[:0], n)[:n]
	clear(c.rows)
	texts := string(c.values) // one allocation for all values
	r := wire.RowReader{BatchSize: wire.TypicalListLen * n}
	key, val := 0, 0
	for i := range n {
		k, v := c.keys[key:c.keyEnds[i]], c.values[val:c.valEnds[i]]
		payload, err := decodeValue(k, v)
		if err == nil {
			err = r.Decode(payload, texts[c.valEnds[i]-len(payload):c.valEnds[i]], &c.rows[i])
		}
		if err != nil {
			c.damaged = append(c.damaged, damagedRow{slices.Clone(k), i, err})
		}
		key, val = c.keyEnds[i], c.valEnds[i]
	}
}

// deliver calls fn with the rows, and returns their number and the damaged records.
func (r *newestRows) deliver(fn func(engine.Summary) error) (n int, damaged []damagedRow, err error) {
	for c := range r.read {
		<-c.done
		n += len(c.rows)
		bad := c.damaged
		for i := range c.rows {
			if len(bad) > 0 && bad[0].at == i {
				bad = bad[1:]
				continue
			}
			if err := fn(c.rows[i].Engine()); err != nil {
				return n, append(damaged, c.damaged...), err
			}
		}
		damaged = append(damaged, c.damaged...)
		*c = rowChunk{keys: c.keys[:0], values: c.values[:0], keyEnds: c.keyEnds[:0], valEnds: c.valEnds[:0], rows: c.rows}
		select {
		case r.used <- c:
		default:
		}
	}
	return n, damaged, nil
}
