// Package heap controls when the garbage collector runs. Importing it delays the first collection: startup leaves
// little garbage, and collecting it would take a tenth of the time to the first frame. It must be imported before
// packages that allocate, because packages initialize in the order of their import paths.
package heap

import (
	"context"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"time"
)

const (
	// startDelay is how long no garbage is collected, unless the program allocates startLimit bytes before.
	startDelay = 500 * time.Millisecond
	startLimit = 96 << 20
	// interactiveGC is the GC percentage of an interactive program.
	interactiveGC = 50
	// interval is how often to check whether memory can be returned to the system. It is returned if at least worth
	// bytes are free and less than busy bytes were allocated since the last check.
	interval = time.Second
	worth    = 8 << 20
	busy     = 2 << 20
)

var usual, limit = debug.SetGCPercent(-1), debug.SetMemoryLimit(-1)

var _ = begin()

func begin() *time.Timer {
	if limit == math.MaxInt64 {
		debug.SetMemoryLimit(startLimit)
	}
	return time.AfterFunc(startDelay, func() {
		debug.SetGCPercent(usual)
		debug.SetMemoryLimit(limit)
	})
}

// Sparing keeps the memory use of an interactive program low until ctx ends: it returns free memory to the system when
// the program is idle.
func Sparing(ctx context.Context) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	percent := usual
	if percent == 100 { // nobody has set another value
		percent = interactiveGC
	}
	var once sync.Once
	for before := uint64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		once.Do(func() { debug.SetGCPercent(percent) }) // startup is over
		allocated, free := read()
		if calm := allocated-before < busy; calm && free > worth {
			debug.FreeOSMemory()
		}
		before = allocated
	}
}

const (
	// room is how many bytes a server may use beyond its long-lived memory, for garbage and for table buffers.
	room = 136 << 20
	// spare is how many bytes a server may always use beyond its memory in use; with less, it would spend most of its
	// time collecting.
	spare = 64 << 20
	// quiet is the number of checks over which the minimum memory in use counts as long-lived.
	quiet = 60
)

// Bounded limits the heap of a server until ctx ends, to its long-lived memory and room for its work. Without a limit,
// the heap would grow to twice its size and keep the buffers of write bursts. It does not change a limit set by
// GOMEMLIMIT.
func Bounded(ctx context.Context) {
	if limit != math.MaxInt64 {
		return
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var last []int64
	for {
		select {
		case <-ctx.Done():
			debug.SetMemoryLimit(limit)
			return
		case <-tick.C:
		}
		now := live()
		if last = append(last, now); len(last) > quiet {
			last = last[1:]
		}
		debug.SetMemoryLimit(bound(slices.Min(last), now))
	}
}

// bound returns the heap limit for the given long-lived and current bytes in use. The runtime needs about a tenth.
func bound(good, now int64) int64 { return max(good*11/10+room, now*11/10+spare) }

// live returns the bytes in use after the last collection.
func live() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// read returns the total bytes allocated, and about how many bytes could be returned to the system: free memory, and
// memory allocated since the last collection.
func read() (allocated, free uint64) {
	s := []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"},
	}
	metrics.Read(s)
	free = s[1].Value.Uint64()
	if objects, live := s[2].Value.Uint64(), s[3].Value.Uint64(); objects > live {
		free += objects - live
	}
	return s[0].Value.Uint64(), free
}
