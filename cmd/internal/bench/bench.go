// Package bench measures the program on a store with many campaigns: how fast it starts, follows keys,
// searches, validates and answers over HTTP, and what memory and disk it takes, all in one run.
//
// What a person sees is measured from outside, on the program itself: in a pseudo-terminal whose
// screen is read, and over loopback. A store that is kept is copied before it is used, so that it stays
// as it was filled.
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

// Options say what is measured, and how long.
type Options struct {
	// Program is the path of the program that is measured; Version what it says of itself.
	Program, Version string
	// Env is the environment that the program is started in, but for what a measurement sets itself.
	Env []string

	Campaigns int
	Seed      uint64
	Dir       string // where the filled store is kept, and taken again; empty: nowhere
	Data      string // the URL of an empty database, for the part [Database]; empty: there is none
	Only      []Part // empty: all of [Parts]

	Clients []int         // how many at once, over HTTP
	For     time.Duration // how long each kind of request is made
	Idle    time.Duration // how long the use of the processor is watched while nothing happens
	Starts  int
	Keys    int // of each kind

	// Progress is told what is being done, in a few words.
	Progress func(text string)
}

// Part is one group of measurements.
type Part string

// The parts, in the order in which they are measured.
const (
	Validating Part = "validate"
	Disk       Part = "disk"
	Searching  Part = "search"
	Starting   Part = "start"
	Keys       Part = "keys"
	Memory     Part = "memory"
	Database   Part = "database"
	Serving    Part = "http" // last: it adds campaigns
)

// Parts lists all.
var Parts = []Part{Validating, Disk, Searching, Starting, Keys, Memory, Database, Serving}

// errUnavailable says that a part cannot be measured on this system.
var errUnavailable = errors.New("this cannot be measured here")

func unavailable(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUnavailable, fmt.Sprintf(format, args...))
}

// run is a run of measurements.
type run struct {
	Options
	tmp    string // removed at the end
	filled Filled
	store  string // the folder of the filled store
	used   string // that of the store that is worked on; empty until it is there
	report *Report
	failed []error // what was measured and failed
}

// Run fills a store, or takes the one that is kept, measures, and gives the report. When ctx ends it
// ends early, and nothing is left of it but a kept store that was filled already. Where some of it
// failed, the report says so in its place, and the error is what failed.
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

// prepare makes the temporary folder, on the disk of the one that is kept.
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

// working gives the folder of the store to work on: the filled one, or a copy where that is kept.
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
