package offline_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/service/offline"
)

func waits(l engine.Connection) bool { return len(l.Waits) > 0 }

// A call that waits for the service's limits is seen, and fails when the wait is ended.
func TestAWaitIsSeenAndEnded(t *testing.T) {
	b := newBench(t)
	id := b.create("Spring")
	for what, do := range map[string]func() error{
		"get":    func() error { _, err := b.svc.Get(t.Context(), id); return err },
		"search": func() error { _, err := b.svc.List(t.Context(), engine.ListQuery{}); return err },
		"update": func() error { _, err := b.svc.Update(t.Context(), renaming(b, id, "Summer")); return err },
	} {
		b.net.set(limited)
		done := make(chan error, 1)
		go func() { done <- do() }()
		l := b.until("waiting", waits)
		if w := l.Waits[0]; w.Operation != what || w.For != 30*time.Second || w.Why != "the service asked to wait" || time.Until(w.Until) < 20*time.Second {
			t.Errorf("%s waits as %+v", what, w)
		}
		b.svc.CancelWaits()
		err := <-done
		var ended *offline.CanceledError
		if !errors.As(err, &ended) || !strings.Contains(err.Error(), "the request was canceled") || !strings.Contains(err.Error(), "the service asked to wait") {
			t.Errorf("%s: %v", what, err)
		}
		if l := b.until("done", func(l engine.Connection) bool { return !waits(l) }); !l.OfflineSince.IsZero() {
			t.Error("the service counts as away")
		}
	}
}

// The client's own limiter holds a call back before it is sent; that wait can be ended as well, and
// ends no other call.
func TestCancelWaitForClientLimit(t *testing.T) {
	b := newBench(t)
	for i := range 5 {
		if _, err := b.svc.Create(t.Context(), engine.CreateRequest{Call: engine.NewCall(), Body: b.parse(`{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"}`)}); err != nil {
			t.Fatal(i, err)
		}
	}
	for _, q := range b.svc.Quotas() {
		if q.Operation == "" && q.Window == time.Minute && (q.Remaining != 0 || q.Limit != 5 || q.NextAt.IsZero()) {
			t.Errorf("the quota is %+v", q)
		}
	}
	done := make(chan error, 1)
	go func() {
		_, err := b.svc.Create(t.Context(), engine.CreateRequest{Call: engine.NewCall(), Body: b.parse(`{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"}`)})
		done <- err
	}()
	if l := b.until("waiting", waits); !strings.Contains(l.Waits[0].Why, "5 new campaigns per minute") {
		t.Errorf("it waits as %+v", l.Waits[0])
	}
	b.list()
	b.svc.CancelWaits()
	if err := <-done; err == nil || !strings.Contains(err.Error(), "so nothing was sent (the service allows 5 new campaigns per minute)") {
		t.Errorf("the error is %v", err)
	}
}

// Canceling waits leaves a call of the same operation alone that is at the server, also when one of the waiting calls
// has sent nothing yet.
func TestCancelWaitsKeepsOtherCalls(t *testing.T) {
	b := newBench(t)
	b.startWith(offline.Options{CheckAfter: time.Hour})
	id := b.create("Spring")
	read := func() <-chan error {
		done := make(chan error, 1)
		go func() { _, err := b.svc.Get(t.Context(), id); done <- err }()
		return done
	}
	b.net.set(silent)
	going := read()
	<-b.net.hung
	b.net.set(limited)
	waiting := read()
	b.until("waiting", waits)
	unsent := read()
	b.until("waiting twice", func(l engine.Connection) bool { return len(l.Waits) == 2 })
	b.svc.CancelWaits()
	var ended *offline.CanceledError
	for _, w := range []<-chan error{waiting, unsent} {
		if err := <-w; !errors.As(err, &ended) {
			t.Errorf("who waits gets %v", err)
		}
	}
	close(b.net.heard)
	if err := <-going; err != nil {
		t.Errorf("who does not wait gets %v", err)
	}
}

func TestCancelWaitsWithoutWaits(t *testing.T) {
	b := newBench(t)
	b.svc.CancelWaits()
	b.list()
}
