// Package heap says when garbage is collected. Importing it keeps the collector out of the first moments:
// what a start leaves is little, and collecting it takes a tenth of the time to the first frame. It is
// imported before what allocates; packages initialise in the order of their import paths.
package heap

import (
	"context"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// start is how long nothing is collected, unless the program takes startLimit bytes before.
	start      = 500 * time.Millisecond
	startLimit = 96 << 20
	// sparse is the growth of the heap, in percent of what is in use, at which a program that waits for a
	// person collects.
	sparse = 50
	// worth is how much free memory is given back to the system.
	worth = 8 << 20
)

var usual, limit = debug.SetGCPercent(-1), debug.SetMemoryLimit(-1)

var _ = begin()

func begin() *time.Timer {
	if limit == math.MaxInt64 {
		debug.SetMemoryLimit(startLimit)
	}
	return time.AfterFunc(start, func() {
		debug.SetGCPercent(usual)
		debug.SetMemoryLimit(limit)
	})
}

// Sparing has the program keep little memory that it does not use, until ctx ends: it looks soon, and
// then ever more seldom, at most once a minute.
func Sparing(ctx context.Context) {
	wait := time.NewTimer(2 * start)
	defer wait.Stop()
	percent := usual
	if percent == 100 { // nobody has asked for something else
		percent = sparse
	}
	for next := 2 * time.Second; ; next = min(2*next, time.Minute) {
		select {
		case <-ctx.Done():
			return
		case <-wait.C:
		}
		debug.SetGCPercent(percent)
		if free() > worth {
			debug.FreeOSMemory()
		}
		wait.Reset(next)
	}
}

// free gives about how much memory could be given back: what is free, and what was allocated since the
// last collection.
func free() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	n := s[0].Value.Uint64()
	if objects, live := s[1].Value.Uint64(), s[2].Value.Uint64(); objects > live {
		n += objects - live
	}
	return n
}
