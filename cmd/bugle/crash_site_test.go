//go:build linux || darwin || freebsd

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/service/local"
	"bugle/store/badger"
)

// The kinds of processes.
const (
	crashServer   = "server"
	crashTerminal = "terminal"
	crashCommand  = "command"
)

const crashAuthor = "ann@example.com"

// crashSite is a store, the processes that use it, and what they have reported.
type crashSite struct {
	t     *testing.T
	store string // the data folder, or the URL of a database
	dir   string // the data folder, or where backups go
	aside string // where backups go that are asked for
	key   string // of the API
	env   []string
	seed  uint64

	servers, terminals int // that work at once

	mu      sync.Mutex
	changed chan struct{} // closed when anything below changes
	paused  bool
	procs   []*crashProc
	lives   int
	kills   map[string]int
	tries   int
	acks    int
	claims  map[string]*crashClaim // by the names of campaigns
	sends   map[string][]string    // the acknowledged keys of test sends by recipient
	calls   []crashCall            // that were acknowledged
	backups []string               // as well
}

// crashProc is a process that works on the store.
type crashProc struct {
	kind   string
	cmd    *exec.Cmd
	ready  bool
	killed bool
	addr   string        // of a server
	gone   chan struct{} // closed when it has ended
	out    bytes.Buffer  // of a command; to be read when it is gone, as errs
	errs   bytes.Buffer
}

// newCrashSite makes a workspace in a database, or in a folder, which stays if the test fails.
func newCrashSite(t *testing.T, database string) *crashSite {
	t.Helper()
	base, err := os.MkdirTemp("", "b") // short, as the folder's socket needs it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the data folder stays in %s", base)
		} else if err := os.RemoveAll(base); err != nil {
			t.Error(err)
		}
	})
	dir := filepath.Join(base, "bugle")
	s := &crashSite{
		t: t, store: cmp.Or(database, dir), dir: dir, aside: filepath.Join(base, "backups"),
		seed: cmp.Or(*crashSeed, rand.Uint64()>>16), servers: 1, terminals: 2,
		changed: make(chan struct{}), kills: map[string]int{}, claims: map[string]*crashClaim{}, sends: map[string][]string{},
	}
	s.env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "BUGLE_") || strings.HasPrefix(v, "XDG_")
	}), cli.EnvData+"="+s.store, cli.EnvAuthor+"="+crashAuthor, "GORACE=atexit_sleep_ms=0",
		"XDG_DATA_HOME="+base, "XDG_CONFIG_HOME="+base, "XDG_STATE_HOME="+base)
	if err := os.Mkdir(s.aside, 0o700); err != nil {
		t.Fatal(err)
	}
	f := s.factory()
	defer f.Close()
	store, err := f.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.key, err = local.CreateWorkspace(t.Context(), store.Records(), engine.Workspace{ // its mail stays in the outbox
		ID: crashWorkspace, Timezone: "Europe/Berlin", Publish: engine.PublishEnabled, Author: crashAuthor,
		Connectors: []engine.Connector{{Type: "CUSTOM_SMTP", Name: "Main SMTP", Provider: engine.ProviderOutbox}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// factory is the program in this process.
func (s *crashSite) factory() *cli.Factory {
	return &cli.Factory{Environment: cli.Environment{Data: s.store, Getenv: func(string) string { return "" }}}
}

// update changes what the site knows, and wakes those that wait for it.
func (s *crashSite) update(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	close(s.changed)
	s.changed = make(chan struct{})
}

// wait waits until is returns true; it is called with the lock held. wait returns false if ctx ends first.
func (s *crashSite) wait(ctx context.Context, is func() bool) bool {
	for {
		s.mu.Lock()
		ok, changed := is(), s.changed
		s.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// living returns the running processes.
func (s *crashSite) living() []*crashProc {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.procs)
}

// start starts this binary as another process, once processes may be started; nil if none may be until ctx ends.
func (s *crashSite) start(ctx context.Context, kind string, cmd *exec.Cmd) *crashProc {
	p := &crashProc{kind: kind, cmd: cmd, gone: make(chan struct{})}
	var err error
	if !s.wait(ctx, func() bool {
		if s.paused {
			return false
		}
		s.lives++
		cmd.Env = append(slices.Clip(s.env), fmt.Sprintf("%s=%d", envCrashLife, s.lives))
		cmd.Stdout, cmd.Stderr = &p.out, &p.errs
		if kind != crashCommand {
			cmd.Stdout = &crashLines{s, p, nil}
		}
		if err = cmd.Start(); err == nil {
			s.procs = append(s.procs, p)
		}
		return true
	}) {
		return nil
	}
	if err != nil {
		s.t.Errorf("a process did not start: %v", err)
		return nil
	}
	go func() { // ends with the process
		_ = cmd.Wait() // its end is known by killed, or by its exit code
		s.update(func() { s.procs = slices.DeleteFunc(s.procs, func(o *crashProc) bool { return o == p }) })
		close(p.gone)
	}()
	return p
}

// crashLines takes in what a server or a terminal writes.
type crashLines struct {
	s    *crashSite
	p    *crashProc
	part []byte // of a line
}

func (c *crashLines) Write(b []byte) (int, error) {
	c.part = append(c.part, b...)
	for {
		line, rest, whole := bytes.Cut(c.part, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		c.part = rest
		var l crashLine
		if err := json.Unmarshal(line, &l); err != nil {
			c.s.t.Errorf("a %s wrote %q", c.p.kind, line)
		} else if l.Addr != "" || l.What == "ready" {
			c.s.update(func() { c.p.addr, c.p.ready = l.Addr, true })
		} else {
			c.s.note(l)
		}
	}
}

// keep has a process of a kind again and again, until ctx ends.
func (s *crashSite) keep(ctx context.Context, kind string) {
	for {
		cmd := exec.Command("bugle-crash-worker")
		if kind == crashServer {
			cmd = exec.Command("bugle", "serve", "--addr", "127.0.0.1:0", "--rate-limits", "off", "--json")
		}
		stdin, err := cmd.StdinPipe() // a terminal ends with this process, whatever happens
		if err != nil {
			s.t.Error(err)
			return
		}
		p := s.start(ctx, kind, cmd)
		if p == nil {
			return
		}
		if <-p.gone; !p.killed {
			s.t.Errorf("a %s ended by itself: %v %s", kind, cmd.ProcessState, p.errs.String())
		}
		_ = stdin.Close()
	}
}

// command runs a command to its end, or until it is killed, and returns what became of it, as in a [crashLine]. Its result is
// put into a value.
func (s *crashSite) command(ctx context.Context, in doc.Value, result any, args ...string) (what, why string) {
	cmd := exec.Command("bugle", args...)
	cmd.Stdin = bytes.NewReader(in.Encode())
	p := s.start(ctx, crashCommand, cmd)
	if p == nil {
		return "lost", "it was not begun"
	}
	<-p.gone
	switch cmd.ProcessState.ExitCode() {
	case cli.ExitDone:
		if err := json.Unmarshal(p.out.Bytes(), result); err != nil {
			s.t.Errorf("bugle %s wrote %q", strings.Join(args, " "), p.out.String())
		}
		return "done", ""
	case -1:
		return "lost", "it was killed"
	case cli.ExitFailed:
		return "lost", p.out.String() + p.errs.String()
	}
	return "no", p.errs.String()
}

// owner returns the process that owns the store, or nil if unknown.
func (s *crashSite) owner() *crashProc {
	b, err := os.ReadFile(filepath.Join(s.dir, badger.Folder, "STATE"))
	if err != nil {
		return nil
	}
	var state struct{ PID int }
	_ = json.Unmarshal(b, &state) // without, there is no such process
	for _, p := range s.living() {
		if p.cmd.Process.Pid == state.PID {
			return p
		}
	}
	return nil
}

// kill kills a process as it is, and reports whether it had not ended.
func (s *crashSite) kill(p *crashProc) bool {
	if p == nil {
		return false
	}
	s.update(func() { p.killed = true })
	if p.cmd.Process.Kill() != nil {
		return false
	}
	<-p.gone
	s.update(func() { s.kills[p.kind]++ })
	return true
}

// pause kills all, and lets none be started until resume.
func (s *crashSite) pause() {
	s.update(func() { s.paused = true })
	for _, p := range s.living() {
		s.kill(p)
		<-p.gone
	}
}

func (s *crashSite) resume() { s.update(func() { s.paused = false }) }
