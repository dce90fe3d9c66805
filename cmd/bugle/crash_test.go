//go:build linux || darwin || freebsd

package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugle/cmd/bugle/internal/cli"
)

var (
	crashKills = flag.Int("kills", 6, "how many processes TestCrash kills one by one; 1000 is its full length")
	crashSeed  = flag.Uint64("seed", 0, "where the random choices of TestCrash and TestRot begin; 0 takes any")
)

// A server with clients, two terminals and a script work on one data folder. One of them is killed at a
// random moment, again and again: mostly the one that has the store, while it writes, opens, takes over,
// checks or backs up. Whatever was acknowledged is there afterwards, whole, and nothing is done twice.
//
//	go test ./cmd/bugle -run TestCrash -kills 1000 -timeout 1h -v
func TestCrash(t *testing.T) {
	seed := *crashSeed
	if seed == 0 {
		seed = rand.Uint64() >> 16
	}
	t.Logf("-seed %d", seed)
	s := newCrashSite(t, seed)
	ctx, end := context.WithCancel(t.Context())
	var work sync.WaitGroup
	defer func() { // whatever happens, no process stays
		end()
		s.pause()
		work.Wait()
	}()
	work.Go(func() { s.keep(ctx, crashServe, crashServe) })
	for _, slot := range crashSlots {
		work.Go(func() { s.keep(ctx, crashTerminal, slot) })
	}
	for i := range 3 {
		c := &crashClient{s: s, name: fmt.Sprintf("client%d", i), rnd: rand.New(rand.NewPCG(seed, uint64(10+i))), http: &http.Client{Timeout: time.Minute}}
		work.Go(func() { c.run(ctx) })
	}
	commands := &crashCommands{s: s, rnd: rand.New(rand.NewPCG(seed, 2))}
	work.Go(func() { commands.run(ctx) })

	k := &crashKiller{s: s, t: t, rnd: rand.New(rand.NewPCG(seed, 3))}
	began := time.Now()
	for next := min(*crashKills/2, 40); k.killed < *crashKills && !t.Failed(); {
		k.round(ctx)
		if k.killed >= next {
			s.pause()
			s.check(t, false)
			s.resume()
			next = k.killed + 40
			t.Logf("%d kills, %d acknowledged", k.killed, s.model.counted("acknowledged"))
		}
		s.tell(t)
	}
	took := time.Since(began)
	end()
	s.pause()
	work.Wait()
	s.check(t, true)
	s.tell(t)
	t.Logf("%d kills in %v: %s", k.killed, took.Round(time.Second), s.summary())
}

func newCrashSite(t *testing.T, seed uint64) *crashSite {
	t.Helper()
	base, err := os.MkdirTemp("", "b") // short, as the folder's socket needs it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !t.Failed() {
			os.RemoveAll(base)
			return
		}
		t.Logf("the data folder stays in %s", base)
	})
	s := newCrashProcesses(t, base, seed)
	f := s.factory()
	defer f.Close()
	store, err := f.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, s.key, err = store.CreateWorkspace(t.Context(), crashSettings(), false); err != nil {
		t.Fatal(err)
	}
	return s
}

// newCrashProcesses returns what runs processes on a data folder below base, which is not made.
func newCrashProcesses(t *testing.T, base string, seed uint64) *crashSite {
	t.Helper()
	s := &crashSite{
		dir: filepath.Join(base, "d"), aside: filepath.Join(base, "backups"), seed: seed, model: newCrashModel(),
		changed: make(chan struct{}), slowest: map[string]time.Duration{}, kills: map[string]int{}, moments: map[string]int{},
	}
	if err := os.Mkdir(s.aside, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "BUGLE_") && !strings.HasPrefix(v, "XDG_") {
			s.env = append(s.env, v)
		}
	}
	s.env = append(s.env, cli.EnvData+"="+s.dir, cli.EnvAuthor+"="+crashAuthor, "XDG_CONFIG_HOME="+base, "XDG_STATE_HOME="+base, "GORACE=atexit_sleep_ms=0")
	return s
}

// factory is the program in this process, on the data folder.
func (s *crashSite) factory() *cli.Factory {
	return &cli.Factory{Environment: cli.Environment{Data: s.dir, Getenv: func(string) string { return "" }}}
}

// tell tells the test of broken promises.
func (s *crashSite) tell(t *testing.T) {
	t.Helper()
	s.model.mu.Lock()
	defer s.model.mu.Unlock()
	for i, w := range s.model.wrong {
		if i == 20 {
			t.Errorf("and %d more", len(s.model.wrong)-i)
			break
		}
		t.Errorf("%.1500s", w)
	}
	s.model.wrong = nil
}

// summary gives the counts in one line.
func (s *crashSite) summary() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model.mu.Lock()
	defer s.model.mu.Unlock()
	return fmt.Sprintf("by process %s; by moment %s; %s; slowest start %v; no answer %s",
		counts(s.kills), counts(s.moments), counts(s.model.counts), s.slowest, counts(s.model.oddities))
}

func counts(m map[string]int) string {
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", what, m[what]))
	}
	return strings.Join(parts, ", ")
}
