// Package bench measures the program on a store with many campaigns, all in one run: startup, response to keys, warnings
// beside typing, search, validation, requests over HTTP, memory, and disk space. What a user sees is measured from
// outside on the program itself: in a pseudo-terminal with a virtual screen, and over loopback. A kept store is copied
// before it is used, so that it stays as it was filled.
package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Options are the options of [Run].
type Options struct {
	// Program is the path of the measured program; Version is its reported version.
	Program, Version string
	// Env is the environment of the program, except for variables that a measurement sets.
	Env []string

	Campaigns int
	Seed      uint64
	Dir       string // folder of the kept store, which is reused; if empty, it is not kept
	Data      string // URL of an empty database for the part [Database]; if empty, there is none
	Only      []Part // if empty, all of [Parts]

	Clients []int         // numbers of concurrent clients over HTTP
	For     time.Duration // how long each kind of request is measured
	Idle    time.Duration // how long the idle program is watched
	Starts  int
	Keys    int // number of each kind

	// Progress is called with a short description of each step.
	Progress func(text string)
}

// Part is one group of measurements.
type Part string

// The parts in the order in which they are measured.
const (
	Validating Part = "validate"
	Disk       Part = "disk"
	Searching  Part = "search"
	Starting   Part = "start"
	Keys       Part = "keys"
	Previewing Part = "preview"
	Checks     Part = "checks"
	Memory     Part = "memory"
	Database   Part = "database"
	Serving    Part = "http" // last, because it adds campaigns
)

// Parts lists all parts.
var Parts = []Part{Validating, Disk, Searching, Starting, Keys, Previewing, Checks, Memory, Database, Serving}

// errUnavailable reports that a part cannot be measured on this system.
var errUnavailable = errors.New("this cannot be measured here")

func unavailable(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUnavailable, fmt.Sprintf(format, args...))
}

// run is a run of measurements.
type run struct {
	Options
	tmp    string // removed at the end
	filled Filled
	store  string // folder of the filled store
	used   string // folder of the working store; empty until it exists
	report *Report
	failed []error // errors of failed measurements
}

// Run fills a store, or reuses the kept one, measures, and returns the report. If ctx ends, Run ends early and leaves
// nothing but a filled kept store. Failed measurements are marked in the report, and also returned as an error.
func Run(ctx context.Context, o Options) (report *Report, err error) {
	r := &run{Options: o, report: &Report{Date: time.Now().UTC().Truncate(time.Second), Version: o.Version}}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.tmp)) }()
	r.Progress("looking at the machine")
	if r.report.Machine, err = examine(ctx, r.tmp); err != nil {
		return nil, fmt.Errorf("looking at the machine: %w", err)
	}
	if err := r.fill(ctx); err != nil {
		return nil, err
	}
	for _, p := range Parts {
		if len(o.Only) > 0 && !slices.Contains(o.Only, p) {
			continue
		}
		err := r.measure(ctx, p)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, errUnavailable):
			r.report.LeftOut = append(r.report.LeftOut, LeftOut{p, err.Error()})
		case err != nil:
			r.fail(Row{Part: p, What: "everything after the last row"}, err)
		}
	}
	return r.report, errors.Join(r.failed...)
}

// prepare creates the temporary folder, on the same disk as the kept store.
func (r *run) prepare() (err error) {
	if r.Dir != "" {
		if err := os.MkdirAll(r.Dir, 0o700); err != nil {
			return err
		}
	}
	r.tmp, err = os.MkdirTemp(r.Dir, "bugle-filled-")
	return err
}

func (r *run) fill(ctx context.Context) (err error) {
	if r.store = r.Dir; r.store == "" {
		r.store = filepath.Join(r.tmp, "filled")
	}
	last := time.Now()
	r.filled, err = Fill(ctx, r.store, r.Campaigns, r.Seed, func(done int) {
		if done == r.Campaigns || time.Since(last) > time.Second {
			last = time.Now()
			r.Progress(fmt.Sprintf("filling the store: %d of %d campaigns", done, r.Campaigns))
		}
	})
	r.report.Campaigns, r.report.Seed, r.report.FillSeconds = r.Campaigns, r.Seed, r.filled.Took
	return err
}

func (r *run) measure(ctx context.Context, p Part) error {
	r.Progress("measuring: " + string(p))
	switch p {
	case Validating:
		return r.validate(ctx)
	case Searching:
		return r.search(ctx)
	case Starting:
		return r.starts(ctx)
	case Keys:
		return r.keys(ctx)
	case Previewing:
		return r.preview(ctx)
	case Checks:
		return r.checks(ctx)
	case Serving:
		return r.http(ctx)
	case Database:
		return (&databases{run: r}).all(ctx)
	case Memory:
		return r.memory(ctx)
	case Disk:
		return r.disk(ctx)
	}
	return fmt.Errorf("there is no part %q", p)
}

// working returns the folder of the store to use: the filled one, or a copy of it if it is kept.
func (r *run) working(ctx context.Context) (dir string, err error) {
	switch {
	case r.used != "":
	case r.Dir == "":
		r.used = r.store
	default:
		r.Progress("copying the store")
		dir := filepath.Join(r.tmp, "copy")
		if err := copyStore(ctx, r.store, dir); err != nil {
			return "", err
		}
		r.used = dir
	}
	return r.used, nil
}
