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

// starting measures the time from the start of the program to the first frame with campaigns, and until a campaign far
// down is found.
func (r *run) starting(ctx context.Context) error {
	var rows, found []time.Duration
	for range r.starts {
		shown, searched, err := r.startOnce(ctx)
		if err != nil {
			return err
		}
		rows, found = append(rows, shown), append(found, searched)
	}
	r.addDurations(partStart, "start to the first frame with campaigns", rows, median(60))
	r.addDurations(partStart, "start to a search that finds one far down", found, median(480))
	return nil
}

// aRow matches a line of the list with a campaign.
var aRow = regexp.MustCompile(`▌ \S.*(Draft|Scheduled|Active|Sending|Paused|Sent|Stopped)`)

func (r *run) startOnce(ctx context.Context) (rows, found time.Duration, err error) {
	s, err := r.open(ctx, r.store)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	shown, err := s.until(ctx, "the list", aRow.MatchString)
	if err != nil {
		return 0, 0, err
	}
	searched, err := s.find(ctx)
	return shown.Sub(s.began), searched.Sub(s.began), err
}

// find searches for the campaign far down, and waits for it.
func (s *session) find(ctx context.Context) (at time.Time, err error) {
	if err := s.write("/"); err != nil {
		return at, err
	}
	// The slash is only a key of its own if the text does not arrive with it.
	if _, ok, err := s.next(ctx, patience); err != nil || !ok {
		return at, errors.Join(err, errors.New("the search did not open"))
	}
	if err := s.write(strings.ToLower(farName)); err != nil {
		return at, err
	}
	return s.see(ctx, farName)
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
	form := []string{keyHome, keyEnter, keyEnter}
	opening := []string{keyEnter, keyEscape}
	return []walk{
		{what: "down and up in the list", keys: []string{keyDown, keyDown, keyDown, keyUp}, limit: 10},
		{what: "pages of the list", keys: []string{keyPgDown, keyPgDown, keyPgDown, keyPgUp}, limit: 10},
		{what: "typing a search", before: []string{"/"}, keys: typedSearches(), after: []string{keyEscape, keyEscape}, limit: 8},
		{what: "opening a campaign", keys: opening, part: 1, limit: 10},
		{what: "leaving a campaign", keys: opening, part: 2, limit: 10},
		{what: "down and up in a form", before: form, keys: []string{keyDown, keyUp}, after: []string{keyEscape, keyEscape}, limit: 10},
		{what: "typing in a form", before: form, keys: append(strings.Split("bean", ""), keyBackspace, keyBackspace, keyBackspace, keyBackspace), after: []string{keyEscape, keyEscape}, limit: 10},
	}
}

// typedSearches returns searches, typed and deleted letter by letter.
func typedSearches() (keys []string) {
	for _, q := range []string{"summer sale", "cart rem", "wlcm", "status:draft newsletter", "flash deal -tag:test", "price drop updated:<30d", "ann.lee", `"gift guide"`, "2025-03", "win-back"} {
		letters := strings.Split(q, "")
		keys = append(keys, letters...)
		for range letters {
			keys = append(keys, keyBackspace)
		}
	}
	return keys
}

// pressing measures the time from a key to the frame that shows its effect, and the memory of the program before.
func (r *run) pressing(ctx context.Context) (err error) {
	s, err := r.open(ctx, r.store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	if _, err := s.see(ctx, firstName); err != nil {
		return err
	}
	// The program's startup work is done when the whole store can be searched.
	if _, err := s.find(ctx); err != nil {
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
	if err := r.addMemory(partKeys, "memory of the idle terminal program", s.cmd.Process.Pid, "VmRSS", 100); err != nil {
		return err
	}
	for _, w := range walks() {
		if err := r.walk(ctx, s, w); err != nil {
			return fmt.Errorf("%s: %w", w.what, err)
		}
	}
	return nil
}

func (r *run) walk(ctx context.Context, s *session, w walk) error {
	r.progress("measuring: keys, %s", w.what)
	if err := s.pressAll(ctx, w.before...); err != nil {
		return err
	}
	var frames []time.Duration
	for i := range (r.keys + len(w.keys) - 1) / len(w.keys) * len(w.keys) {
		// Frames are drawn at fixed times; keys arrive at any time.
		if _, _, err := s.next(ctx, rand.N(10*time.Millisecond)); err != nil {
			return err
		}
		frame, err := s.press(ctx, w.keys[i%len(w.keys)])
		if err != nil {
			return err
		}
		if frame > 0 && (w.part == 0 || i%len(w.keys) == w.part-1) {
			frames = append(frames, frame)
		}
	}
	if len(frames) == 0 {
		return fmt.Errorf("no key changed the screen:\n%s", s.text())
	}
	r.addDurations(partKeys, "key to frame: "+w.what, frames, median(5), p99(w.limit))
	return s.pressAll(ctx, w.after...)
}
