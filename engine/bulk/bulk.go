// Package bulk does one thing to many campaigns: it says to which it can be done, and why not to the
// others, does it to several at a time, and reports what failed.
package bulk

import (
	"context"
	"fmt"
	"sync"
	"time"

	"bugle/engine"
)

// Failure is a campaign that the operation was not done to.
type Failure struct {
	Row engine.Summary
	// Err says why; nil where the work was ended before its turn came.
	Err error
}

// Report is how the operation went.
type Report struct {
	Done      []string // ids
	Unchanged int      // of Done, those that were as they should be already
	Failed    []Failure
	Skipped   []Failure // whose turn did not come
}

// Progress tells how far it is.
type Progress struct{ Done, Failed, Total int }

// workers is how many campaigns are worked on at a time: a store commits what waits together, a service
// on the network answers several.
const workers = 8

// campaignTimeout is how long one campaign may take.
const campaignTimeout = 30 * time.Second

// Run does the operation to the campaigns, and tells of each that is done from one goroutine at a time.
// Ending ctx ends the work: what is under way is finished or given up, the rest is left. by is the email
// address that changes are signed with.
func Run(ctx context.Context, svc engine.Service, op Operation, rows []engine.Summary, by string, tell func(Progress)) Report {
	type outcome struct {
		at      int
		changed bool
		err     error
	}
	next, out := make(chan int), make(chan outcome)
	var all sync.WaitGroup
	for range min(workers, len(rows)) {
		all.Go(func() {
			for i := range next {
				changed, err := runOne(ctx, svc, op, rows[i], by)
				out <- outcome{i, changed, err}
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
			if !o.changed {
				r.Unchanged++
			}
		}
	}
	return r
}

// runOne does the operation to one campaign. It waits where the service says that it is too much.
func runOne(ctx context.Context, svc engine.Service, op Operation, row engine.Summary, by string) (changed bool, err error) {
	for {
		each, cancel := context.WithTimeout(ctx, campaignTimeout)
		changed, err = op.Do(each, svc, row, by)
		cancel()
		e := engine.AsError(err)
		if e == nil || e.Code != engine.RateLimited || e.RetryAfter <= 0 {
			return changed, err
		}
		timer := time.NewTimer(e.RetryAfter)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false, fmt.Errorf("waiting for the service: %w", ctx.Err())
		}
	}
}
