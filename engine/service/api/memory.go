package api

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"time"

	"bugle/engine"
)

// memoryLimit bounds how much memory requests take at once, and with it their number: what a request may need
// is taken before it is done, and given back when its answer has left. A request for which there is no
// room waits a moment, and is answered 503 then. There are two of them, each with half of what the API
// may take: one for requests as they arrive, one for those that are worked on. A request that waits for
// the second one holds nothing of it, so that no two requests wait for each other.
type memoryLimit struct {
	limit int64 // bytes for all requests
	share int64 // bytes for those with one API key, so that none of them shuts the others out

	mu      sync.Mutex
	used    int64
	keys    map[requester]int64
	waiting int
	freed   chan struct{} // closed when something is given back; nil where nobody waits
}

const (
	// perProcessor times the number of processors is what the API may take, unless its options say.
	perProcessor = 128 << 20
	// perRequest is what every request takes: its body as it arrives, the problems that are found in it,
	// and its answer.
	perRequest = 2 << 20
	// perByte is how many bytes a document takes for each byte of its text, at most, where it has no more
	// than [maxValues].
	perByte = 8
	// maxValues is how many values a body may have: objects, arrays and scalars. A campaign of 1 MiB has
	// less than half as many.
	maxValues = 50_000
	// busyWait is how long a request waits for others to end, and maxWaiting how many do.
	busyWait   = 2 * time.Second
	maxWaiting = 1000
)

// newMemoryLimits makes the two halves of a limit; 0 is the usual one.
func newMemoryLimits(limit int64) (arriving, working *memoryLimit) {
	if limit <= 0 {
		limit = perProcessor * int64(max(2, runtime.GOMAXPROCS(0)))
	}
	half := func() *memoryLimit {
		return &memoryLimit{limit: limit / 2, share: limit / 8 * 3, keys: map[requester]int64{}}
	}
	return half(), half()
}

// take takes n bytes, and waits for them where need be.
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

// await waits, with the lock given away, until something is given back.
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

// add takes n bytes more that are in use already, or returns bytes where n is below 0.
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

// errBusy is the answer where a request waited in vain.
var errBusy = func() error {
	e := engine.Errorf(engine.Internal, http.StatusServiceUnavailable, "the server is busy and did not start this request; try again in a second")
	e.RetryAfter = time.Second
	return e
}()

// reservation is what a request has taken of both halves.
type reservation struct {
	arriving, working         *memoryLimit
	who                       requester
	whileArriving, whileWorks int64
}

// arrive takes what every request takes.
func (h *reservation) arrive(ctx context.Context) error {
	if err := h.arriving.take(ctx, h.who, perRequest); err != nil {
		return err
	}
	h.whileArriving = perRequest
	return nil
}

// work takes what it needs to work on a request, all at once.
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

// leave keeps what an answer of that size takes until it is written, and returns the rest.
func (h *reservation) leave(answer int64) {
	if h.whileArriving == 0 {
		return
	}
	n := max(0, answer-perRequest)
	h.working.add(h.who, n-h.whileWorks)
	h.whileWorks = n
}

// end returns everything.
func (h *reservation) end() {
	h.working.add(h.who, -h.whileWorks)
	h.arriving.add(h.who, -h.whileArriving)
	h.whileWorks, h.whileArriving = 0, 0
}
