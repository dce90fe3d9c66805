// Package heap says when garbage is collected. Importing it keeps the collector out of the first moments:
// what a start leaves is little, and collecting it takes a tenth of the time to the first frame. It is
// imported before what allocates; packages initialise in the order of their import paths.
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
	// startDelay is how long nothing is collected, unless the program takes startLimit bytes before.
	startDelay = 500 * time.Millisecond
	startLimit = 96 << 20
	// interactiveGC is the growth of the heap, in percent of what is in use, at which a program that waits for a
	// person collects.
	interactiveGC = 50
	// interval is how often it looks whether memory can be given back to the system; it is where worth bytes
	// are free, and less than busy were allocated since it looked before.
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

// Sparing has the program keep little memory that it does not use, until ctx ends: what is free is given
// back when nothing has been going on for a moment.
func Sparing(ctx context.Context) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	percent := usual
	if percent == 100 { // nobody has asked for something else
		percent = interactiveGC
	}
	var once sync.Once
	for before := uint64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		once.Do(func() { debug.SetGCPercent(percent) }) // the start is over
		allocated, free := read()
		if calm := allocated-before < busy; calm && free > worth {
			debug.FreeOSMemory()
		}
		before = allocated
	}
}

const (
	// room is how much a server may have beyond what is in use for good, in bytes: garbage, and the buffers
	// that tables are built in.
	room = 136 << 20
	// spare is how much a server may always have beyond what is in use at the moment, in bytes: with less it does
	// little but collect.
	spare = 64 << 20
	// quiet is over how many looks the least that is in use counts as in use for good.
	quiet = 60
)

// Bounded limits the heap of a server, until ctx ends, to what it uses for good and room for its work. Without a
// limit the heap grows to twice its size, and the buffers of a burst of writes stay. A limit that GOMEMLIMIT sets
// is left as it is.
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

// bound returns the limit of a heap of which so many bytes are in use for good, and at the moment. The runtime takes
// about a tenth.
func bound(good, now int64) int64 { return max(good*11/10+room, now*11/10+spare) }

// live returns the bytes that were in use at the last collection.
func live() int64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// read returns how much was allocated so far, and about how much could be given back: what is free, and
// what was allocated since the last collection.
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
