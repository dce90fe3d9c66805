//go:build linux || darwin || freebsd

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bugle/store/badger"
)

// crashSlots are the places of those that take part as terminals do. The last one has a part in tests with a database
// alone.
var crashSlots = []string{"left", "right", "middle"}

// The kinds of processes.
const (
	crashServe    = "serve"
	crashTerminal = "terminal"
	crashCommand  = "command"
)

// crashSite is the data folder, the processes that use it, and what they have reported.
type crashSite struct {
	store string // the data folder, or the URL of a database
	dir   string // the data folder, or where backups go
	aside string // where backups go that are asked for
	key   string // of the API
	env   []string
	seed  uint64
	model *crashModel

	servers, terminals int // that work at once

	mu      sync.Mutex
	changed chan struct{} // closed when anything below changes
	paused  bool
	procs   []*crashProc
	urls    map[*crashProc]string // of the running servers
	tries   int
	acks    int
	lives   int
	slowest map[string]time.Duration // to be ready, by kind
	backups []string                 // that were acknowledged
	kills   map[string]int
	moments map[string]int
}

// crashProc is a process that works in the folder.
type crashProc struct {
	kind, slot string
	alone      bool // it is started although no other may be
	cmd        *exec.Cmd
	began      time.Time
	killed     atomic.Bool
	ready      chan struct{} // closed when it takes part
	gone       chan struct{} // closed when it has ended
	errs       bytes.Buffer  // to be read when it is gone
}

func (p *crashProc) isReady() bool {
	select {
	case <-p.ready:
		return true
	default:
		return false
	}
}

func (s *crashSite) reported() { // the caller holds the lock
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

func (s *crashSite) output(l crashLine) {
	s.model.heard(l)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch l.What {
	case "try":
		s.tries++
	case "done":
		s.acks++
	default:
		return
	}
	s.reported()
}

// begun notes an attempt that is no new one.
func (s *crashSite) begun() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries++
	s.reported()
}

// server returns the URL of one of the servers, and waits until there is one.
func (s *crashSite) server(ctx context.Context) (url string, ok bool) {
	ok = s.wait(ctx, func() bool {
		for _, url = range s.urls { // in no order
			return true
		}
		return false
	})
	return url, ok
}

// open waits until processes may be started.
func (s *crashSite) open(ctx context.Context) bool {
	return s.wait(ctx, func() bool { return !s.paused })
}

// start starts this binary as another process, when processes may be started.
func (s *crashSite) start(ctx context.Context, p *crashProc, heard func(*crashProc, string)) bool {
	for p.alone || s.open(ctx) {
		s.mu.Lock()
		if s.paused && !p.alone {
			s.mu.Unlock()
			continue
		}
		err := s.begin(p, heard)
		s.mu.Unlock()
		if err != nil {
			s.model.report("a process did not start: %v", err)
		}
		return err == nil
	}
	return false
}

func (s *crashSite) begin(p *crashProc, heard func(*crashProc, string)) error {
	s.lives++
	p.ready, p.gone, p.began = make(chan struct{}), make(chan struct{}), time.Now()
	p.cmd.Env = append(slices.Clip(s.env), envCrashSlot+"="+p.slot, envCrashLife+"="+strconv.Itoa(s.lives), fmt.Sprintf("%s=%d", envCrashSeed, s.seed+uint64(s.lives)))
	p.cmd.Stderr = &p.errs
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return err
	}
	s.procs = append(s.procs, p)
	s.reported()
	go func() { // ends with the process
		in := bufio.NewReader(out)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				break
			}
			heard(p, line)
		}
		_ = p.cmd.Wait() // its end is known by killed, or by its exit code
		s.ended(p)
	}()
	return nil
}

func (s *crashSite) ended(p *crashProc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.procs = slices.DeleteFunc(s.procs, func(o *crashProc) bool { return o == p })
	delete(s.urls, p)
	close(p.gone)
	s.reported()
}

func (s *crashSite) isReady(p *crashProc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(p.ready)
	s.slowest[p.kind] = max(s.slowest[p.kind], time.Since(p.began))
	s.reported()
}

// keep has a process in a place again and again, until ctx ends.
func (s *crashSite) keep(ctx context.Context, kind, slot string) {
	for {
		p := &crashProc{kind: kind, slot: slot}
		hear := s.hearWorker
		p.cmd = exec.Command("bugle-crash-worker")
		if kind == crashServe {
			hear, p.cmd = s.hearServer, serveCommand()
		}
		stdin, err := p.cmd.StdinPipe() // a terminal ends with this process, whatever happens
		if err != nil {
			s.model.report("%v", err)
			return
		}
		if !s.start(ctx, p, hear) {
			return
		}
		if <-p.gone; !p.killed.Load() {
			s.model.report("a %s ended by itself: %v %s", kind, p.cmd.ProcessState, tail(p.errs.String()))
		}
		_ = stdin.Close()
	}
}

func serveCommand() *exec.Cmd {
	return exec.Command("bugle", "serve", "--addr", "127.0.0.1:0", "--rate-limits", "off", "--json")
}

func tail(text string) string { return text[max(0, len(text)-2000):] }

func (s *crashSite) hearWorker(p *crashProc, line string) {
	var l crashLine
	if err := json.Unmarshal([]byte(line), &l); err != nil {
		s.model.report("a terminal wrote %q", line)
		return
	}
	if l.What == "ready" {
		s.isReady(p)
		return
	}
	s.output(l)
}

func (s *crashSite) hearServer(p *crashProc, line string) {
	var said struct{ URL string }
	if err := json.Unmarshal([]byte(line), &said); err != nil || said.URL == "" {
		s.model.report("the server wrote %q", line)
		return
	}
	s.mu.Lock()
	s.urls[p] = said.URL
	s.mu.Unlock()
	s.isReady(p)
}

// commandRun is what became of a command; its code is -1 where it was killed.
type commandRun struct {
	code      int
	out, errs string
}

// command runs a command to its end, or until it is killed.
func (s *crashSite) command(ctx context.Context, in string, args ...string) commandRun {
	return s.run(ctx, &crashProc{kind: crashCommand, slot: args[0], cmd: exec.Command("bugle", args...)}, in)
}

func (s *crashSite) run(ctx context.Context, p *crashProc, in string) commandRun {
	p.cmd.Stdin = strings.NewReader(in)
	var out strings.Builder
	if !s.start(ctx, p, func(_ *crashProc, line string) { out.WriteString(line) }) {
		return commandRun{code: -1, errs: "it was not begun"}
	}
	<-p.gone
	r := commandRun{p.cmd.ProcessState.ExitCode(), out.String(), tail(p.errs.String())}
	if p.killed.Load() && r.code < 0 {
		r.errs = "it was killed"
	}
	return r
}

// owner returns the process that owns the store, or nil if unknown.
func (s *crashSite) owner() *crashProc {
	b, err := os.ReadFile(filepath.Join(s.dir, badger.Folder, "STATE"))
	if err != nil {
		return nil
	}
	var state struct {
		PID int `json:"pid"`
	}
	_ = json.Unmarshal(b, &state)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.procs {
		if p.cmd.Process.Pid == state.PID {
			return p
		}
	}
	return nil
}

// living returns the running processes.
func (s *crashSite) living() []*crashProc {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.procs)
}

// kill kills a process as it is, and reports whether it had not ended.
func (s *crashSite) kill(p *crashProc, moment string) bool {
	if p == nil {
		return false
	}
	role := "attached"
	if p == s.owner() {
		role = "owner"
	} else if !p.isReady() && p.kind != crashCommand {
		role = "opening"
	}
	p.killed.Store(true)
	if p.cmd.Process.Kill() != nil {
		return false
	}
	<-p.gone
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kills[p.kind+" as "+role]++
	s.moments[moment]++
	return true
}

// pause kills all, and lets none be started until resume.
func (s *crashSite) pause() {
	s.mu.Lock()
	s.paused = true
	procs := slices.Clone(s.procs)
	s.mu.Unlock()
	for _, p := range procs {
		s.kill(p, "all at once")
	}
	for _, p := range procs {
		<-p.gone
	}
}

func (s *crashSite) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paused = false
	s.reported()
}

func (s *crashSite) backedUp(file string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backups = append(s.backups, file)
}
