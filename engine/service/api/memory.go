package api

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"time"

	"bugle/engine"
)

// memoryLimit limits the memory of concurrent requests, and thereby their number: a request reserves what it
// may need, and releases it after its response. A request that does not fit waits briefly and then gets a
// 503. There are two limits with half of the memory each: one for arriving requests and one for those being
// processed. A request that waits for the second one holds nothing of it, so that requests cannot deadlock.
type memoryLimit struct {
	limit int64 // bytes for all requests
	share int64 // bytes per API key, so that one cannot exclude the others

	mu      sync.Mutex
	used    int64
	keys    map[requester]int64
	waiting int
	freed   chan struct{} // closed when memory is released; nil while no one waits
}

const (
	// perProcessor times the number of processors is the default memory limit.
	perProcessor = 128 << 20
	// perRequest is the memory of every request: its incoming body, its problems, and its response.
	perRequest = 2 << 20
	// perByte is the memory of a document per byte of its text, at most, if it has no more than [maxValues].
	perByte = 8
	// maxValues is the most values in a body: objects, arrays and scalars. A campaign of 1 MiB has less than
	// half as many.
	maxValues = 50_000
	// busyWait is how long a request waits for memory, and maxWaiting how many requests wait.
	busyWait   = 2 * time.Second
	maxWaiting = 1000
)

// newMemoryLimits returns the two halves of a limit; 0 is the default.
func newMemoryLimits(limit int64) (arriving, working *memoryLimit) {
	if limit <= 0 {
		limit = perProcessor * int64(max(2, runtime.GOMAXPROCS(0)))
	}
	half := func() *memoryLimit {
		return &memoryLimit{limit: limit / 2, share: limit / 8 * 3, keys: map[requester]int64{}}
	}
	return half(), half()
}

// take reserves n bytes, waiting if necessary.
func (l *memoryLimit) take(ctx context.Context, who requester, n int64) error {
	n = min(n, l.share)
	var late *time.Timer
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.used+n > l.limit || l.keys[who]+n > l.share {
		if late == nil {
			if l.waiting >= maxWaiting {
				return errBusy
			}
			late = time.NewTimer(busyWait)
			defer late.Stop()
		}
		if err := l.await(ctx, late.C); err != nil {
			return err
		}
	}
	l.change(who, n)
	return nil
}

// await unlocks, and waits until memory is released.
func (l *memoryLimit) await(ctx context.Context, late <-chan time.Time) error {
	if l.freed == nil {
		l.freed = make(chan struct{})
	}
	freed := l.freed
	l.waiting++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.waiting--
	}()
	select {
	case <-freed:
		return nil
	case <-late:
		return errBusy
	case <-ctx.Done():
		return ctx.Err()
	}
}

// add reserves n bytes that are already in use, or releases them if n is negative.
func (l *memoryLimit) add(who requester, n int64) {
	if n == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.change(who, n)
}

func (l *memoryLimit) change(who requester, n int64) {
	l.used += n
	if l.keys[who] += n; l.keys[who] == 0 {
		delete(l.keys, who)
	}
	if n < 0 && l.freed != nil {
		close(l.freed)
		l.freed = nil
	}
}

// errBusy is the response if a request waited in vain.
var errBusy = func() error {
	e := engine.Errorf(engine.Internal, http.StatusServiceUnavailable, "the server is busy and did not start this request; try again in a second")
	e.RetryAfter = time.Second
	return e
}()

// reservation is the memory that a request holds in both limits.
type reservation struct {
	arriving, working         *memoryLimit
	who                       requester
	whileArriving, whileWorks int64
}

// arrive reserves the memory of every request.
func (h *reservation) arrive(ctx context.Context) error {
	if err := h.arriving.take(ctx, h.who, perRequest); err != nil {
		return err
	}
	h.whileArriving = perRequest
	return nil
}

// work reserves the memory for processing a request, all at once.
func (h *reservation) work(ctx context.Context, n int64) error {
	if n == 0 || h.whileWorks > 0 {
		return nil
	}
	n = min(n, h.working.share)
	if err := h.working.take(ctx, h.who, n); err != nil {
		return err
	}
	h.whileWorks = n
	return nil
}

// leave keeps the memory for a response of that size until it is written, and releases the rest.
func (h *reservation) leave(answer int64) {
	if h.whileArriving == 0 {
		return
	}
	n := max(0, answer-perRequest)
	h.working.add(h.who, n-h.whileWorks)
	h.whileWorks = n
}

// end releases everything.
func (h *reservation) end() {
	h.working.add(h.who, -h.whileWorks)
	h.arriving.add(h.who, -h.whileArriving)
	h.whileWorks, h.whileArriving = 0, 0
}
