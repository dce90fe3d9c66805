package heap

import (
	"context"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"testing"
	"time"
)

// waitFor waits until something is so.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	late := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-late:
			t.Fatalf("%s: not after 20 seconds", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func TestCollectionStartsSoon(t *testing.T) {
	percent := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	waitFor(t, "the collector works as usual", func() bool {
		metrics.Read(percent)
		return percent[0].Value.Uint64() == uint64(usual) && debug.SetMemoryLimit(-1) == math.MaxInt64
	})
}

var held []byte

func TestSparingReturnsMemory(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	var one sync.WaitGroup
	one.Go(func() { Sparing(ctx) })
	defer one.Wait()
	defer end()
	held = make([]byte, 64<<20)
	for i := 0; i < len(held); i += 4096 {
		held[i] = 1
	}
	held = nil
	waitFor(t, "what was left is given back", func() bool {
		_, free := read()
		return free < worth
	})
}

func TestBoundedLimitsTheHeap(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	var one sync.WaitGroup
	one.Go(func() { Bounded(ctx) })
	waitFor(t, "the heap is limited", func() bool {
		have := debug.SetMemoryLimit(-1)
		return have >= room && have < live()*2+2*room
	})
	end()
	one.Wait()
	if have := debug.SetMemoryLimit(-1); have != limit {
		t.Errorf("afterwards the limit is %d", have)
	}
}

// While a large store is read, memory in use grows, but the minimum of the last minute does not. A limit below the
// memory in use would make the program do nothing but collect.
func TestBoundLeavesRoomForCurrentUse(t *testing.T) {
	const good, now = 30 << 20, 270 << 20
	if have := bound(good, now); have < now+spare {
		t.Errorf("with %d bytes in use the limit is %d", now, have)
	}
	if have := bound(good, good); have != good*11/10+room {
		t.Errorf("the limit is %d with %d bytes in use for good", have, good)
	}
}
