package remote_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"bugle/engine"
	"bugle/engine/service/remote"
)

func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := says(429, `{"error":{"code":"RATE_LIMITED","message":"slow down"}}`, "Retry-After", "7")
		date := says(429, ``, "Retry-After", time.Now().Add(10*time.Second).UTC().Format(http.TimeFormat))
		var waits []remote.Wait
		s, way := scripted(t, remote.Config{Waiting: func(_ context.Context, w remote.Wait) { waits = append(waits, w) }}, full, date, says(201, created))
		start := time.Now()
		if _, err := s.Create(t.Context(), draft(t)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 10*time.Second || len(way.got) != 3 {
			t.Errorf("%d requests took %s", len(way.got), took)
		}
		if len(waits) != 4 || waits[0].For != 7*time.Second || waits[0].Done || !waits[1].Done || waits[0].Reason != remote.Limited ||
			waits[0].Operation != "create" || !waits[0].Until.Equal(start.Add(7*time.Second)) || waits[2].For != 3*time.Second {
			t.Errorf("%+v", waits)
		}
		if way.got[0].Header.Get("Idempotency-Key") != way.got[2].Header.Get("Idempotency-Key") {
			t.Error("another key")
		}
	})
}

func TestAWaitCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		over := 0
		s, way := scripted(t, remote.Config{Waiting: func(_ context.Context, w remote.Wait) {
			if w.Done {
				over++
				return
			}
			time.AfterFunc(2*time.Second, cancel)
		}}, says(429, ``, "Retry-After", "7"))
		start := time.Now()
		_, err := s.Create(ctx, draft(t))
		if !errors.Is(err, context.Canceled) || time.Since(start) != 2*time.Second || len(way.got) != 1 || over != 1 {
			t.Errorf("after %s and %d requests: %v", time.Since(start), len(way.got), err)
		}
	})
}

func TestAWaitThatIsTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, way := scripted(t, remote.Config{MaxWait: time.Minute}, says(429, `{"error":{"code":"RATE_LIMITED","message":"come back tomorrow"}}`, "Retry-After", "3600"))
		start := time.Now()
		_, err := s.Create(t.Context(), draft(t))
		e := engine.AsError(err)
		if e == nil || e.Code != engine.RateLimited || e.RetryAfter != time.Hour || len(way.got) != 1 || time.Since(start) != 0 {
			t.Errorf("%+v", err)
		}
		// The client's own limits alike: the sixth creation of a minute waits, or is told how long.
		s, way = scripted(t, remote.Config{MaxWait: time.Second, Limits: true}, says(201, created))
		for range 5 {
			if _, err := s.Create(t.Context(), draft(t)); err != nil {
				t.Fatal(err)
			}
		}
		_, err = s.Create(t.Context(), draft(t))
		e = engine.AsError(err)
		if e == nil || e.Code != engine.RateLimited || e.RetryAfter != time.Minute || len(way.got) != 5 {
			t.Fatalf("%d requests: %+v", len(way.got), err)
		}
		if want := "the service allows 5 new campaigns per minute, and all are used; try again in 60 s"; e.Message != want {
			t.Errorf("got  %s\nwant %s", e.Message, want)
		}
	})
}
