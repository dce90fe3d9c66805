//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"
)

// aRow matches a line of the list with a campaign.
var aRow = regexp.MustCompile(`▌ \S.*(Draft|Scheduled|Active|Sending|Paused|Sent|Stopped)`)

// starting measures the time from the start of the program to the first frame with campaigns, and until a campaign far
// down is found.
func (r *run) starting(ctx context.Context) error {
	var rows, found []time.Duration
	for range r.starts {
		s, err := r.open(ctx, r.store)
		if err != nil {
			return err
		}
		shown, err := s.until(ctx, aRow.MatchString)
		var searched time.Time
		if err == nil {
			searched, err = s.find(ctx)
		}
		if err := errors.Join(err, s.close(ctx)); err != nil {
			return err
		}
		rows, found = append(rows, shown.Sub(s.began)), append(found, searched.Sub(s.began))
	}
	r.addDurations("start to the first frame with campaigns", rows, 60, 0)
	r.addDurations("start to a search that finds one far down", found, 480, 0)
	return nil
}

// find searches for the campaign far down, and waits for it.
func (s *session) find(ctx context.Context) (at time.Time, err error) {
	if _, err := s.press(ctx, "/"); err != nil { // a key of its own only if the text does not arrive with it
		return at, err
	}
	if err := s.write(strings.ToLower(farName)); err != nil {
		return at, err
	}
	return s.until(ctx, shows(farName))
}

func shows(text string) func(string) bool {
	return func(screen string) bool { return strings.Contains(screen, text) }
}

// Keys as a terminal sends them.
const (
	keyUp, keyDown      = "\x1b[A", "\x1b[B"
	keyPgUp, keyPgDown  = "\x1b[5~", "\x1b[6~"
	keyEnter, keyEscape = "\r", "\x1b"
	keyHome             = "\x1b[H"
	keyBackspace        = "\x7f"
)

// walk is a sequence of keys to measure, from the list of campaigns and back to it.
type walk struct {
	what   string
	before []string // leads to the start, not measured
	keys   []string // repeated
	part   int      // measures only the keys at this position of keys, from 1; 0 measures all
	after  []string // leads back to the list
	limit  float64  // for the 99th percentile, in milliseconds
}

// walks returns the sequences. The first campaign of the list is a draft, whose forms accept text.
func walks() []walk {
	form, back, opening := []string{keyHome, keyEnter, keyEnter}, []string{keyEscape, keyEscape}, []string{keyEnter, keyEscape}
	var searches []string // typed and deleted letter by letter
	for _, q := range []string{"summer sale", "cart rem", "wlcm", "status:draft newsletter", "flash deal -tag:test", "price drop updated:<30d", `"gift guide"`, "2025-03"} {
		letters := strings.Split(q, "")
		searches = append(searches, letters...)
		for range letters {
			searches = append(searches, keyBackspace)
		}
	}
	return []walk{
		{what: "down and up in the list", keys: []string{keyDown, keyDown, keyDown, keyUp}, limit: 10},
		{what: "pages of the list", keys: []string{keyPgDown, keyPgDown, keyPgDown, keyPgUp}, limit: 10},
		{what: "typing a search", before: []string{"/"}, keys: searches, after: back, limit: 8},
		{what: "opening a campaign", keys: opening, part: 1, limit: 10},
		{what: "leaving a campaign", keys: opening, part: 2, limit: 10},
		{what: "down and up in a form", before: form, keys: []string{keyDown, keyUp}, after: back, limit: 10},
		{what: "typing in a form", before: form, keys: append(strings.Split("bean", ""), keyBackspace, keyBackspace, keyBackspace, keyBackspace), after: back, limit: 10},
	}
}

// pressing measures the time from a key to the frame that shows its effect, and the memory of the program before.
func (r *run) pressing(ctx context.Context) (err error) {
	s, err := r.open(ctx, r.store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	if _, err := s.until(ctx, shows(firstName)); err != nil {
		return err
	}
	if _, err := s.find(ctx); err != nil { // the work of the start is done when the whole store can be searched
		return err
	}
	if err := s.pressAll(ctx, keyEscape, keyEscape); err != nil {
		return err
	}
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); { // memory that is no longer used is returned by then
		if _, _, err := s.next(ctx, time.Until(end)); err != nil {
			return err
		}
	}
	r.addMemory("memory of the idle terminal program", s.cmd.Process.Pid, "VmRSS", 100)
	for _, w := range walks() {
		r.progress("measuring: keys, %s", w.what)
		frames, err := s.walk(ctx, w, r.keys)
		if err != nil {
			return fmt.Errorf("%s: %w", w.what, err)
		}
		r.addDurations("key to frame: "+w.what, frames, 5, w.limit)
	}
	return nil
}

// walk presses at least n keys of a walk, and returns the times to their frames.
func (s *session) walk(ctx context.Context, w walk, n int) (frames []time.Duration, err error) {
	if err := s.pressAll(ctx, w.before...); err != nil {
		return nil, err
	}
	for i := range (n + len(w.keys) - 1) / len(w.keys) * len(w.keys) {
		// Frames are drawn at fixed times; keys arrive at any time.
		if _, _, err := s.next(ctx, rand.N(10*time.Millisecond)); err != nil {
			return nil, err
		}
		frame, err := s.press(ctx, w.keys[i%len(w.keys)])
		if err != nil {
			return nil, err
		}
		if frame > 0 && (w.part == 0 || i%len(w.keys) == w.part-1) {
			frames = append(frames, frame)
		}
	}
	if len(frames) == 0 {
		return nil, fmt.Errorf("no key changed the screen:\n%s", s.screen)
	}
	return frames, s.pressAll(ctx, w.after...)
}
