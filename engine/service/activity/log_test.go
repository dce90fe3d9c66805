package activity_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"bugle/engine/service/activity"
)

func TestLogKeepsTheNewestCalls(t *testing.T) {
	var l activity.Log
	for i := range activity.Capacity + 7 {
		l.Add(activity.Call{Operation: fmt.Sprint(i + 1)})
	}
	calls := l.Calls()
	if len(calls) != activity.Capacity {
		t.Fatalf("%d calls are kept", len(calls))
	}
	for i, c := range calls {
		if want := activity.Capacity + 7 - i; c.Operation != fmt.Sprint(want) || c.Seq != uint64(want) {
			t.Fatalf("call %d is %q with number %d", i, c.Operation, c.Seq)
		}
	}
	l.Clear()
	l.Add(activity.Call{Operation: "next"})
	if calls := l.Calls(); len(calls) != 1 || calls[0].Seq != activity.Capacity+8 {
		t.Errorf("after it was cleared: %v", calls)
	}
}

func TestOldBodiesAreLetGo(t *testing.T) {
	var l activity.Log
	big := make([]byte, 4<<20)
	for range 20 {
		l.Add(activity.Call{}.WithBodies(big, nil))
	}
	calls := l.Calls()
	if calls[0].BodiesDropped() || len(calls[0].Request()) != len(big) {
		t.Error("the newest call lost its body")
	}
	kept := 0
	for _, c := range calls {
		if !c.BodiesDropped() {
			kept++
		} else if c.Request() != nil {
			t.Error("a body that was let go is still there")
		}
	}
	if kept != 8 {
		t.Errorf("%d bodies of 4 MiB are kept", kept)
	}
	l.Add(activity.Call{}.WithBodies(make([]byte, 40<<20), nil))
	if calls := l.Calls(); calls[0].BodiesDropped() || !calls[1].BodiesDropped() {
		t.Error("one body that is too large is the only one to stay")
	}
}

func TestWaitingForACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l activity.Log
		seen := l.Version()
		got := make(chan uint64)
		for range 3 {
			go func() {
				v, err := l.Wait(t.Context(), seen)
				if err != nil {
					t.Error(err)
				}
				got <- v
			}()
		}
		synctest.Wait()
		select {
		case <-got:
			t.Fatal("there was no call")
		default:
		}
		l.Add(activity.Call{})
		for range 3 {
			if v := <-got; v != l.Version() || v == seen {
				t.Errorf("the version is %d", v)
			}
		}
		if v, err := l.Wait(t.Context(), seen); err != nil || v == seen {
			t.Error("who comes late waits for the next call")
		}

		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { _, err := l.Wait(ctx, l.Version()); ended <- err }()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the wait ended with %v", err)
		}
	})
}

func TestALogIsUsedByMany(t *testing.T) {
	var l activity.Log
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				l.Add(activity.Call{Operation: "get"}.WithBodies([]byte(`{"a":1}`), nil))
				for _, c := range l.Calls() {
					_ = c.Request()
				}
			}
		})
	}
	wg.Go(func() {
		for v := uint64(0); v < 1600; {
			v, _ = l.Wait(t.Context(), v)
		}
	})
	wg.Wait()
	if calls := l.Calls(); len(calls) != activity.Capacity || calls[0].Seq != 1600 {
		t.Errorf("%d calls, the newest is %d", len(calls), calls[0].Seq)
	}
}
