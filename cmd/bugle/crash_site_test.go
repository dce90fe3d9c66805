//go:build linux || darwin || freebsd

package main

import (
	"bufio"
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
	sends   map[string]*crashSend  // by recipient
	calls   []crashCall            // that were acknowledged
	backups []string               // as well
}

// crashProc is a process that works on the store.
type crashProc struct {
	kind   string
	cmd    *exec.Cmd
	ready  bool
	killed bool
	url    string        // of a server
	gone   chan struct{} // closed when it has ended
	errs   bytes.Buffer  // to be read when it is gone
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
		t: t, store: cmp.Or(database, dir), dir: dir, aside: filepath.Join(base, "backups"), seed: cmp.Or(*crashSeed, rand.Uint64()>>16), servers: 1, terminals: 2,
		changed: make(chan struct{}), kills: map[string]int{}, claims: map[string]*crashClaim{}, sends: map[string]*crashSend{},
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "BUGLE_") && !strings.HasPrefix(v, "XDG_") {
			s.env = append(s.env, v)
		}
	}
	s.env = append(s.env, cli.EnvData+"="+s.store, "XDG_DATA_HOME="+base, "XDG_CONFIG_HOME="+base, "XDG_STATE_HOME="+base, cli.EnvAuthor+"="+crashAuthor, "GORACE=atexit_sleep_ms=0")
	if err := os.Mkdir(s.aside, 0o700); err != nil {
		t.Fatal(err)
	}
	f := s.factory()
	defer f.Close()
	store, err := f.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, s.key, err = store.CreateWorkspace(t.Context(), engine.Workspace{ // its mail stays in the outbox, and campaigns can be published
		ID: crashWorkspace, Timezone: "Europe/Berlin", Publish: engine.PublishEnabled, Author: crashAuthor,
		Connectors: []engine.Connector{{Type: "CUSTOM_SMTP", Name: "Main SMTP", Provider: engine.ProviderOutbox}},
	}, false)
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

// progress returns how many writes were tried, and how many were acknowledged.
func (s *crashSite) progress() (tries, acks int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tries, s.acks
}

// living returns the running processes.
func (s *crashSite) living() []*crashProc {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.procs)
}

// server returns the URL of one of the servers, and waits until there is one.
func (s *crashSite) server(ctx context.Context) (url string, ok bool) {
	ok = s.wait(ctx, func() bool {
		url = ""
		for _, p := range s.procs {
			url = cmp.Or(p.url, url)
		}
		return url != ""
	})
	return url, ok
}

// start starts this binary as another process, once processes may be started; nil if none may be until ctx ends.
func (s *crashSite) start(ctx context.Context, kind string, cmd *exec.Cmd, heard func(*crashProc, string)) *crashProc {
	p := &crashProc{kind: kind, cmd: cmd, gone: make(chan struct{})}
	var out *bufio.Reader
	var err error
	if !s.wait(ctx, func() bool {
		if s.paused {
			return false
		}
		s.lives++
		cmd.Env, cmd.Stderr = append(slices.Clip(s.env), fmt.Sprintf("%s=%d", envCrashLife, s.lives)), &p.errs
		pipe, bad := cmd.StdoutPipe()
		if err = bad; err == nil {
			out, err = bufio.NewReader(pipe), cmd.Start()
		}
		if err == nil {
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
		for {
			line, err := out.ReadString('\n')
			if err != nil {
				break
			}
			heard(p, line)
		}
		_ = cmd.Wait() // its end is known by killed, or by its exit code
		s.update(func() { s.procs = slices.DeleteFunc(s.procs, func(o *crashProc) bool { return o == p }) })
		close(p.gone)
	}()
	return p
}

// keep has a process of a kind again and again, until ctx ends.
func (s *crashSite) keep(ctx context.Context, kind string) {
	for {
		cmd, hear := exec.Command("bugle-crash-worker"), s.hearWorker
		if kind == crashServer {
			cmd, hear = exec.Command("bugle", "serve", "--addr", "127.0.0.1:0", "--rate-limits", "off", "--json"), s.hearServer
		}
		stdin, err := cmd.StdinPipe() // a terminal ends with this process, whatever happens
		if err != nil {
			s.t.Error(err)
			return
		}
		p := s.start(ctx, kind, cmd, hear)
		if p == nil {
			return
		}
		if <-p.gone; !p.killed {
			s.t.Errorf("a %s ended by itself: %v %s", kind, cmd.ProcessState, p.errs.String())
		}
		_ = stdin.Close()
	}
}

func (s *crashSite) hearServer(p *crashProc, line string) {
	var said struct{ URL string }
	if err := json.Unmarshal([]byte(line), &said); err != nil || said.URL == "" {
		s.t.Errorf("the server wrote %q", line)
	}
	s.update(func() { p.url, p.ready = said.URL, true })
}

func (s *crashSite) hearWorker(p *crashProc, line string) {
	var l crashLine
	if err := json.Unmarshal([]byte(line), &l); err != nil {
		s.t.Errorf("a terminal wrote %q", line)
	}
	if l.What == "ready" {
		s.update(func() { p.ready = true })
		return
	}
	s.note(l)
}

// command runs a command to its end, or until it is killed; its exit code is then -1.
func (s *crashSite) command(ctx context.Context, in string, args ...string) (code int, out, errs string) {
	cmd := exec.Command("bugle", args...)
	cmd.Stdin = strings.NewReader(in)
	p := s.start(ctx, crashCommand, cmd, func(_ *crashProc, line string) { out += line })
	if p == nil {
		return -1, "", "it was not begun"
	}
	<-p.gone
	if cmd.ProcessState.ExitCode() < 0 {
		return -1, out, "it was killed"
	}
	return cmd.ProcessState.ExitCode(), out, p.errs.String()
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
