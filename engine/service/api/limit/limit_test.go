package limit_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"bugle/engine/service/api/limit"
)

// naive remembers every time that passed, and counts them anew at each question.
type naive struct {
	windows []limit.Window
	passed  []time.Time
}

func (m *naive) full(now time.Time) bool {
	for _, w := range m.windows {
		n := 0
		for _, t := range m.passed {
			if t.After(now.Add(-w.Per)) {
				n++
			}
		}
		if n >= w.N {
			return true
		}
	}
	return false
}

func TestLogIsTheNaiveModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		windows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) limit.Window {
			return limit.Window{N: rapid.IntRange(1, 12).Draw(t, "n"), Per: time.Duration(rapid.IntRange(1, 40).Draw(t, "per")) * time.Second}
		}), 1, 4).Draw(t, "windows")
		log, model := limit.NewLog(windows...), &naive{windows: windows}
		now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "pause")) * time.Millisecond)
			wait, full := log.Allow(now)
			if model.full(now) != (wait > 0) {
				t.Fatalf("at %s: wait %s, the model says full=%v", now, wait, model.full(now))
			}
			if wait == 0 {
				if rapid.IntRange(0, 3).Draw(t, "undo") == 0 {
					log.Undo()
				} else {
					model.passed = append(model.passed, now)
				}
				continue
			}
			if full.N == 0 {
				t.Fatal("refused, and no window named")
			}
			if model.full(now.Add(wait)) || !model.full(now.Add(wait-1)) {
				t.Fatalf("a wait of %s is not the shortest that helps", wait)
			}
			if model.full(now.Add(time.Duration(limit.Seconds(wait)) * time.Second)) {
				t.Fatalf("a Retry-After of %d is too short", limit.Seconds(wait))
			}
		}
	})
}

func TestRefusedEventsAreNotRecorded(t *testing.T) {
	log := limit.NewLog(limit.Window{N: 1, Per: time.Minute})
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	log.Allow(now)
	for i := range 59 {
		if wait, _ := log.Allow(now.Add(time.Duration(i) * time.Second)); wait == 0 {
			t.Fatal("a second one passed")
		}
	}
	if wait, _ := log.Allow(now.Add(time.Minute)); wait != 0 {
		t.Errorf("after a minute: wait %s", wait)
	}
}

func TestClockGoesBack(t *testing.T) {
	log := limit.NewLog(limit.Window{N: 2, Per: time.Minute})
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	log.Allow(now)
	log.Allow(now.Add(-time.Hour))
	if wait, _ := log.Allow(now.Add(-2 * time.Hour)); wait != time.Minute {
		t.Errorf("wait %s, want a minute", wait)
	}
}

func TestWords(t *testing.T) {
	for w, want := range map[limit.Window]string{
		{5, time.Second}: "5 per second", {5, time.Minute}: "5 per minute", {25, time.Hour}: "25 per hour",
		{100, 24 * time.Hour}: "100 per day", {3, 2 * time.Second}: "3 per 2s",
	} {
		if w.String() != want {
			t.Errorf("got %q, want %q", w, want)
		}
	}
	for d, want := range map[time.Duration]int{1: 1, time.Second: 1, time.Second + 1: 2, 0: 0} {
		if got := limit.Seconds(d); got != want {
			t.Errorf("Seconds(%s) = %d, want %d", d, got, want)
		}
	}
}
