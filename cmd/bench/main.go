//go:build unix

// Command bench measures the program bugle on a store with many campaigns, from outside, as a user and a client see it:
// start and keys in a pseudo-terminal with a virtual screen, requests over loopback, and, with --data, a store in
// PostgreSQL beside the same store in a folder. It prints one JSON object with the rows and their targets, which are those
// for 100,000 campaigns. What concerns one package alone is measured by the Go benchmarks beside it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// parts are what is measured, in this order: the last two add campaigns.
var parts = []struct {
	name    string
	measure func(*run, context.Context) error
}{{"start", (*run).starting}, {"keys", (*run).pressing}, {"http", (*run).requesting}, {"database", (*run).comparing}}

// options are the flags.
type options struct {
	program   string
	campaigns int
	dir       string // folder of the kept store; if empty, it is not kept
	data      string // URL of an empty database
	only      string
	clients   int
	length    time.Duration // of each kind of request
	starts    int
	keys      int
}

func main() {
	var o options
	flag.StringVar(&o.program, "program", "", "`path` of the program to measure (default: built from this source)")
	flag.IntVar(&o.campaigns, "campaigns", 100_000, "`number` of campaigns in the store")
	flag.StringVar(&o.dir, "dir", "", "`folder` to keep the filled store in, and to copy it from the next time")
	flag.StringVar(&o.data, "data", "", "`URL` of an empty PostgreSQL database, for the part database")
	flag.StringVar(&o.only, "only", "start,keys,http,database", "`parts` to measure")
	flag.IntVar(&o.clients, "clients", 32, "`number` of clients at once over HTTP; one alone is measured, too")
	flag.DurationVar(&o.length, "for", 3*time.Second, "how long each kind of request is made")
	flag.IntVar(&o.starts, "starts", 15, "`number` of starts")
	flag.IntVar(&o.keys, "keys", 240, "`number` of keys of each kind")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	report, err := measure(ctx, o)
	stop()
	if report != nil {
		text, jerr := json.MarshalIndent(report, "", "  ")
		fmt.Println(string(text))
		err = errors.Join(err, jerr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run is a run of measurements.
type run struct {
	options
	tmp    string // removed at the end
	store  string // folder of the filled store, which is used up
	filled filled
	report *report
}

// measure fills a store, or copies the kept one, and measures. An error leaves the rows so far.
func measure(ctx context.Context, o options) (_ *report, err error) {
	tmp, err := os.MkdirTemp("", "b") // short: sockets are made in it
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	r := &run{options: o, tmp: tmp, store: filepath.Join(tmp, "store")}
	if r.program == "" {
		r.progress("building bugle")
		r.program = filepath.Join(tmp, "program") // bugle is a folder of the user
		if said, err := exec.CommandContext(ctx, "go", "build", "-o", r.program, "bugle/cmd/bugle").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("bugle cannot be built, name one with --program: %w\n%s", err, said)
		}
	}
	if r.program, err = filepath.Abs(r.program); err != nil {
		return nil, err
	}
	version, err := exec.CommandContext(ctx, r.program, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("asking %s for its version: %w", r.program, err)
	}
	r.report = newReport(strings.TrimSpace(string(version)), o.campaigns)
	if err := r.fill(ctx); err != nil {
		return nil, fmt.Errorf("filling the store: %w", err)
	}
	for _, p := range parts {
		if !slices.Contains(strings.Split(o.only, ","), p.name) || p.name == "database" && o.data == "" {
			continue
		}
		r.progress("measuring: %s", p.name)
		if err := p.measure(r, ctx); err != nil {
			return r.report, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return r.report, nil
}

// fill fills the store of the run, or copies the kept one, which is filled first if it does not exist yet.
func (r *run) fill(ctx context.Context) (err error) {
	dir := r.dir
	if dir == "" {
		dir = r.store
	}
	if r.filled, err = keptStore(dir, r.campaigns); errors.Is(err, os.ErrNotExist) {
		r.progress("filling the store")
		r.filled, err = fillStore(ctx, dir, r.campaigns)
	}
	if err != nil || r.dir == "" {
		return err
	}
	r.progress("copying the store")
	return os.CopyFS(r.store, os.DirFS(r.dir))
}

func (r *run) progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// environment returns the environment of a user whose store is data, with all folders within that of the run.
func (r *run) environment(data string) []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, "BUGLE_") && !slices.Contains([]string{"COLORFGBG", "NO_COLOR", "CI", "TMUX", "ACCESSIBLE"}, name) {
			env = append(env, v)
		}
	}
	return append(env, "BUGLE_DATA="+data, "BUGLE_BACKUPS=off", "TERM=xterm-256color", "COLORTERM=truecolor", "TMPDIR="+r.tmp,
		"XDG_CONFIG_HOME="+r.tmp, "XDG_STATE_HOME="+r.tmp, "XDG_DATA_HOME="+r.tmp, "XDG_CACHE_HOME="+r.tmp, "XDG_RUNTIME_DIR="+r.tmp)
}
