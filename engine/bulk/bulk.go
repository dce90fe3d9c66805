// Package bulk applies one operation to many campaigns: it reports which campaigns the operation cannot be
// applied to and why, works on several at a time, and reports failures.
package bulk

import (
	"context"
	"fmt"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
)

// Failure is a campaign that the operation was not applied to.
type Failure struct {
	Row engine.Summary
	// Err is the reason, or nil if the work was canceled before the campaign's turn.
	Err error
}

// Report is the result of a run.
type Report struct {
	Done      []string     // ids
	Changes   []doc.Change // of the campaigns in Done, in the same order; without a path where the body did not change
	Unchanged int          // those in Done that already were as requested
	Failed    []Failure
	Skipped   []Failure // not processed because of a cancellation
}

// Progress is the progress of a run.
type Progress struct{ Done, Failed, Total int }

// workers is the number of campaigns processed at a time. A store commits concurrent changes together, and a
// remote service handles several requests.
const workers = 8

// campaignTimeout limits the time for one campaign.
const campaignTimeout = 30 * time.Second

// Run applies the operation to the campaigns, and calls tell after each one, from one goroutine at a time. If
// ctx ends, it finishes or aborts the running work and skips the rest. by is the email address that signs the
// changes.
func Run(ctx context.Context, svc engine.Service, op Operation, rows []engine.Summary, by string, tell func(Progress)) Report {
	type outcome struct {
		at     int
		change *doc.Change
		err    error
	}
	next, out := make(chan int), make(chan outcome)
	var all sync.WaitGroup
	for range min(workers, len(rows)) {
		all.Go(func() {
			for i := range next {
				change, err := runOne(ctx, svc, op, rows[i], by)
				out <- outcome{i, change, err}
			}
		})
	}
	go func() {
		defer close(next)
		for i := range rows {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() { all.Wait(); close(out) }()

	ends := make([]*outcome, len(rows))
	p := Progress{Total: len(rows)}
	for o := range out {
		ends[o.at] = &o
		if p.Done++; o.err != nil {
			p.Failed++
		}
		tell(p)
	}
	var r Report
	for i, o := range ends {
		switch {
		case o == nil || o.err != nil && ctx.Err() != nil:
			r.Skipped = append(r.Skipped, Failure{Row: rows[i]})
		case o.err != nil:
			r.Failed = append(r.Failed, Failure{rows[i], o.err})
		default:
			r.Done = append(r.Done, rows[i].ID)
			if o.change == nil {
				o.change = &doc.Change{}
				r.Unchanged++
			}
			r.Changes = append(r.Changes, *o.change)
		}
	}
	return r
}

// runOne applies the operation to one campaign. If the service limits the rate, it waits.
func runOne(ctx context.Context, svc engine.Service, op Operation, row engine.Summary, by string) (*doc.Change, error) {
	for {
		each, cancel := context.WithTimeout(ctx, campaignTimeout)
		change, err := op.Do(each, svc, row, by)
		cancel()
		e := engine.AsError(err)
		if e == nil || e.Code != engine.RateLimited || e.RetryAfter <= 0 {
			return change, err
		}
		timer := time.NewTimer(e.RetryAfter)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("waiting for the service: %w", ctx.Err())
		}
	}
}
