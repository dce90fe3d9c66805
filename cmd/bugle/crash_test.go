//go:build linux || darwin || freebsd

package main

import (
	"cmp"
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
	"bugle/store/postgres/pgtest"
)

var (
	crashKills = flag.Int("kills", 6, "how many processes TestCrash kills one by one; 1000 is its full length")
	crashTime  = flag.Duration("kill-for", 0, "for how long TestCrash kills processes, instead of -kills of them")
	crashSeed  = flag.Uint64("seed", 0, "where the random choices of TestCrash and TestRot begin; 0 takes any")
)

// A server with clients, two terminals, and a script use one data folder. One of them is repeatedly killed at a random
// moment, usually the owner of the store while it writes, opens, takes over, checks, or backs up. Everything
// acknowledged must still exist undamaged, and nothing may be done twice.
//
//	go test ./cmd/bugle -run TestCrash -kills 1000 -timeout 1h -v
func TestCrash(t *testing.T) {
	t.Parallel()
	seed := crashStart()
	t.Logf("-seed %d", seed)
	newCrashSite(t, seed).trial(t)
}

// Two servers with clients, three terminals and a script work on one database.
//
//	go test ./cmd/bugle -run TestCrashOnDatabase -kills 150 -timeout 1h -v
func TestCrashOnDatabase(t *testing.T) {
	t.Parallel()
	seed := crashStart()
	t.Logf("-seed %d", seed)
	s := newCrashProcesses(t, crashBase(t), pgtest.URL(t), seed)
	s.servers, s.terminals = 2, 3
	s.found(t)
	s.trial(t)
}

// crashStart returns where the random choices begin.
func crashStart() uint64 {
	if *crashSeed != 0 {
		return *crashSeed
	}
	return rand.Uint64() >> 16
}

// trial has processes work, and kills some of them, until enough have died.
func (s *crashSite) trial(t *testing.T) {
	t.Helper()
	seed := s.seed
	ctx, end := context.WithCancel(t.Context())
	var work sync.WaitGroup
	defer func() { // whatever happens, no process stays
		end()
		s.pause()
		work.Wait()
	}()
	for range s.servers {
		work.Go(func() { s.keep(ctx, crashServe, crashServe) })
	}
	for _, slot := range crashSlots[:s.terminals] {
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
	goesOn := func() bool {
		if *crashTime > 0 {
			return time.Since(began) < *crashTime
		}
		return k.killed < *crashKills
	}
	for next := min(*crashKills/2, 40); goesOn() && !t.Failed(); {
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
	s := newCrashProcesses(t, crashBase(t), "", seed)
	s.found(t)
	return s
}

// crashBase makes a folder that stays if the test fails.
func crashBase(t *testing.T) string {
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
	return base
}

// found makes the workspace.
func (s *crashSite) found(t *testing.T) {
	t.Helper()
	f := s.factory()
	defer f.Close()
	store, err := f.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, s.key, err = store.CreateWorkspace(t.Context(), crashSettings(), false); err != nil {
		t.Fatal(err)
	}
}

// newCrashProcesses returns what runs processes on a database, or on a data folder below base, which is not made.
func newCrashProcesses(t *testing.T, base, database string, seed uint64) *crashSite {
	t.Helper()
	s := &crashSite{
		store: cmp.Or(database, filepath.Join(base, "bugle")), dir: filepath.Join(base, "bugle"), servers: 1, terminals: 2, urls: map[*crashProc]string{}, aside: filepath.Join(base, "backups"), seed: seed, model: newCrashModel(),
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
	s.env = append(s.env, cli.EnvData+"="+s.store, "XDG_DATA_HOME="+base, cli.EnvAuthor+"="+crashAuthor, "XDG_CONFIG_HOME="+base, "XDG_STATE_HOME="+base, "GORACE=atexit_sleep_ms=0")
	return s
}

// factory is the program in this process.
func (s *crashSite) factory() *cli.Factory {
	return &cli.Factory{Environment: cli.Environment{Data: s.store, Getenv: func(string) string { return "" }}}
}

// tell fails the test for each violation.
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

// summary returns the counts on one line.
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
