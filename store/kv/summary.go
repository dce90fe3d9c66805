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

// SummaryRows are the summaries of a workspace's campaigns, as the list shows them.
type SummaryRows struct{ Documents }

// Summary returns a campaign's summary.
func (s SummaryRows) Summary(id string) (engine.Summary, error) {
	if err := s.check(whatCampaign, id); err != nil {
		return engine.Summary{}, err
	}
	var w wire.Summary
	err := s.getJSON(fmt.Sprintf("the summary of campaign %q", id), s.key(kindSummary, id), &w)
	return w.Engine(), err
}

// SummariesByID calls fn with the summaries of those of the campaigns that are there.
func (s SummaryRows) SummariesByID(ids []string, fn func(engine.Summary) error) error {
	return each(ids, s.Summary, fn)
}

// Summaries calls fn, which may return [Stop], with the summaries of all campaigns. That of a campaign
// whose summary is damaged is made from its document, where that is whole; the damage is returned as
// well.
func (s SummaryRows) Summaries(fn func(engine.Summary) error) error {
	if err := s.check(); err != nil {
		return err
	}
	prefix := s.key(kindSummary)
	var bad []error
	err := s.tx.Scan(prefix, ScanOptions{}, func(key, value []byte) error {
		var w wire.Summary
		payload, err := decodeValue(key, value)
		if err == nil {
			err = wire.DecodeSummary(payload, &w)
		}
		if err == nil {
			return fn(w.Engine())
		}
		bad = append(bad, s.damaged("the summary of campaign "+label(key[len(prefix):]), err))
		return s.rebuildSummary(key[len(prefix):], fn)
	})
	if err != nil {
		return err
	}
	return errors.Join(bad...)
}

// NewestSummaries is [SummaryRows.Summaries] with the campaigns of the latest ids first, which are those that
// were created last; those whose summary is damaged come at the end. Rows are read by several goroutines,
// and thousands of them share their memory: fn, which is called by one goroutine at a time, must not use
// the transaction, and keeps clones of what it keeps.
func (s SummaryRows) NewestSummaries(fn func(engine.Summary) error) error {
	return s.ChangedSummaries(0, fn)
}

// ChangedSummaries calls fn with the summaries that were written since a version of the store, see [Versioned], in any
// order. It leaves out those that were removed, and fails where one is damaged. Rows are lent as by [SummaryRows.NewestSummaries].
func (s SummaryRows) ChangedSummaries(since uint64, fn func(engine.Summary) error) error {
	if err := s.check(); err != nil {
		return err
	}
	r := newestRows{
		tx: s.tx, prefix: s.key(kindSummary), since: since, quit: make(chan struct{}),
		read: make(chan *rowChunk, runtime.GOMAXPROCS(0)), used: make(chan *rowChunk, 2+runtime.GOMAXPROCS(0)),
	}
	damaged, err := r.walk(fn)
	switch {
	case err != nil && !errors.Is(err, store.Stop):
		return err
	case err == nil && r.failed != nil:
		return r.failed
	}
	var bad []error
	for _, d := range damaged {
		bad = append(bad, s.damaged("the summary of campaign "+label(d.key[len(r.prefix):]), d.err))
		if err != nil { // it was stopped
			continue
		}
		if err = s.rebuildSummary(d.key[len(r.prefix):], fn); err != nil && !errors.Is(err, store.Stop) {
			return err
		}
	}
	return errors.Join(bad...)
}

// rebuildSummary calls fn with the summary of a campaign whose own is damaged, made from its document, where that
// is whole. rest is the record's key behind what all summaries have.
func (s SummaryRows) rebuildSummary(rest []byte, fn func(engine.Summary) error) error {
	id, _, err := cutName(rest)
	if err != nil {
		return nil
	}
	c, err := s.Campaign(id)
	if isDamage(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return fn(engine.Summarize(c))
}

// CountSummaries returns how many summaries there are; false where the store does not know.
func (s SummaryRows) CountSummaries() (int, bool) {
	c, ok := s.tx.(Counter)
	if !ok {
		return 0, false
	}
	counts, err := c.Counts()
	if err != nil || counts == nil {
		return 0, false
	}
	return int(counts[s.id][kindSummary]), true
}

func (s SummaryRows) putRow(c engine.Campaign) error {
	return s.putJSON(fmt.Sprintf("the summary of campaign %q", c.ID), s.key(kindSummary, c.ID), wire.ToSummary(engine.Summarize(c)))
}

func (s SummaryRows) reportStored(row engine.Summary) {
	if s.watch != nil {
		s.watch.SummaryStored(s.id, row)
	}
}

func (s SummaryRows) reportRemoved(id string) {
	if s.watch != nil {
		s.watch.CampaignRemoved(s.id, id)
	}
}

// newestRows is a walk over summaries: one goroutine collects records in chunks, others read those, and
// the caller gets the rows in their order.
type newestRows struct {
	tx     Tx
	prefix []byte
	since  uint64
	quit   chan struct{}  // closed when no more is wanted
	read   chan *rowChunk // in their order; some are being read still
	used   chan *rowChunk // to be filled again
	tasks  sync.WaitGroup
	failed error // the scan, when the tasks have ended
}

// rowChunk is a run of records, and the rows that are read of them.
type rowChunk struct {
	keys, values     []byte // one behind another
	keyEnds, valEnds []int
	rows             []wire.Summary
	damaged          []damagedRow
	done             chan struct{} // closed when it is read
}

type damagedRow struct {
	key []byte
	at  int
	err error
}

// The first chunk is small: a list is to be shown as soon as there is something to show.
const (
	firstRows = 64
	maxRows   = 1024
)

// walk calls fn with all rows. It returns which records are damaged, and the error of fn.
func (r *newestRows) walk(fn func(engine.Summary) error) ([]damagedRow, error) {
	defer r.tasks.Wait() // nobody uses the transaction when it has ended
	defer close(r.quit)
	r.tasks.Go(func() { r.failed = r.scan() })
	return r.deliver(fn)
}

// scan collects all records, unless it is told to quit.
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
	err := r.tx.Scan(r.prefix, ScanOptions{Reverse: r.since == 0, Since: r.since}, func(key, value []byte) error {
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

// decode reads the rows.
func (c *rowChunk) decode() {
	defer close(c.done)
	n := len(c.keyEnds)
	c.rows = slices.Grow(c.rows[:0], n)[:n]
	clear(c.rows)
	texts := string(c.values) // all in one
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

// deliver calls fn with the rows, and returns which records are damaged.
func (r *newestRows) deliver(fn func(engine.Summary) error) (damaged []damagedRow, err error) {
	for c := range r.read {
		<-c.done
		bad := c.damaged
		for i := range c.rows {
			if len(bad) > 0 && bad[0].at == i {
				bad = bad[1:]
				continue
			}
			if err := fn(c.rows[i].Engine()); err != nil {
				return append(damaged, c.damaged...), err
			}
		}
		damaged = append(damaged, c.damaged...)
		*c = rowChunk{keys: c.keys[:0], values: c.values[:0], keyEnds: c.keyEnds[:0], valEnds: c.valEnds[:0], rows: c.rows}
		select {
		case r.used <- c:
		default:
		}
	}
	return damaged, nil
}
