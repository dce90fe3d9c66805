package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Keys as a terminal sends them.
const (
	keyUp, keyDown      = "\x1b[A", "\x1b[B"
	keyPgUp, keyPgDown  = "\x1b[5~", "\x1b[6~"
	keyEnter, keyEscape = "\r", "\x1b"
	keyHome             = "\x1b[H"
	keyBackspace        = "\x7f"
)

// walk is a sequence of keys to measure.
type walk struct {
	what   string
	before []string // leads to the start, not measured
	keys   []string // repeated
	after  []string // leads back to the list
}

// walks returns the sequences, each from the list of campaigns and back. The first campaign of the list is a draft,
// whose forms accept text.
func walks() []walk {
	return []walk{
		{what: "down and up in the list", keys: []string{keyDown, keyDown, keyDown, keyUp}},
		{what: "pages of the list", keys: []string{keyPgDown, keyPgDown, keyPgDown, keyPgUp}},
		{what: "typing a search", before: []string{"/"}, keys: typed(), after: []string{keyEscape, keyEscape}},
		{what: "opening and leaving a campaign", keys: []string{keyEnter, keyEscape}},
		{what: "down and up in a form", before: []string{keyHome, keyEnter, keyEnter}, keys: []string{keyDown, keyUp}, after: []string{keyEscape, keyEscape}},
		{what: "typing in a form", before: []string{keyHome, keyEnter, keyEnter}, keys: append(strings.Split("bean", ""), keyBackspace, keyBackspace, keyBackspace, keyBackspace), after: []string{keyEscape, keyEscape}},
	}
}

// typed returns some of the searches, typed and deleted letter by letter.
func typed() (keys []string) {
	for _, q := range searches()[:10] {
		letters := strings.Split(q, "")
		keys = append(keys, letters...)
		for range letters {
			keys = append(keys, keyBackspace)
		}
	}
	return keys
}

// keys measures the time from a key to the frame that shows its effect.
func (r *run) keys(ctx context.Context) (err error) {
	dir, err := r.working(ctx)
	if err != nil {
		return err
	}
	s, err := r.open(ctx, dir, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	if _, err := s.see(ctx, FirstName); err != nil {
		return err
	}
	// The program's startup work is done when the whole store can be searched.
	if _, err := s.find(ctx); err != nil {
		return err
	}
	if err := s.pressAll(ctx, keyEscape, keyEscape); err != nil {
		return err
	}
	for _, w := range walks() {
		r.Progress("measuring: keys, " + w.what)
		if err := r.walk(ctx, s, w); err != nil {
			return fmt.Errorf("%s: %w", w.what, err)
		}
	}
	return nil
}

func (s *session) pressAll(ctx context.Context, keys ...string) error {
	for _, k := range keys {
		if _, err := s.press(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) walk(ctx context.Context, s *session, w walk) error {
	if err := s.pressAll(ctx, w.before...); err != nil {
		return err
	}
	var frames, settled []time.Duration
	unseen := 0
	for i := range r.Keys {
		// Frames are drawn at fixed times; keys arrive at any time.
		if _, _, err := s.next(ctx, rand.N(10*time.Millisecond)); err != nil {
			return err
		}
		k, err := s.press(ctx, w.keys[i%len(w.keys)])
		if err != nil {
			return err
		}
		if k.frame == 0 {
			unseen++
			continue
		}
		frames, settled = append(frames, k.frame), append(settled, k.settled)
	}
	if len(frames) == 0 {
		return fmt.Errorf("no key changed the screen:\n%s", s.text())
	}
	row := durations(Keys, "key to frame: "+w.what, time.Millisecond, frames, atMost(ofMedian, 5), atMost(ofP99, 10))
	row.Campaigns, row.Settled = r.Campaigns, spread(time.Millisecond, settled)
	if unseen > 0 {
		row.Note = fmt.Sprintf("%d more keys changed nothing on the screen", unseen)
	}
	r.add(row)
	return s.pressAll(ctx, w.after...)
}
