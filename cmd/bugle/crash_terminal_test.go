//go:build linux || darwin || freebsd

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/activity"
)

// Environment variables of a worker of TestCrash: its slot, its number in that slot, and the seed of its choices.
const (
	envCrashSlot = "BUGLE_CRASH_SLOT"
	envCrashLife = "BUGLE_CRASH_LIFE"
	envCrashSeed = "BUGLE_CRASH_SEED"
)

const crashAuthor = "ann@example.com"

func init() { programs["bugle-crash-worker"] = crashWorker }

// crashWorker uses the data folder like the terminal program: it builds, saves, and sends drafts, and prints what it
// tries and what succeeded, until it is killed or its input ends.
func crashWorker() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	w := &worker{slot: os.Getenv(envCrashSlot), life: os.Getenv(envCrashLife), out: json.NewEncoder(os.Stdout)}
	seed, _ := strconv.ParseUint(os.Getenv(envCrashSeed), 10, 64)
	w.rnd = rand.New(rand.NewPCG(seed, 1))
	f := cli.New(cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Getenv)
	svc, err := f.Service(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	w.svc = svc
	for _, n := range f.Notices.Take() {
		fmt.Fprintln(os.Stderr, "bugle: "+n)
	}
	w.say(crashLine{What: "ready"})
	for {
		w.work(context.Background())
	}
}

// worker is one life of a terminal.
type worker struct {
	slot, life string
	n          int
	rnd        *rand.Rand
	svc        activity.Service
	out        *json.Encoder
}

func (w *worker) say(l crashLine) { _ = w.out.Encode(l) } // one write; it fails when nobody listens any more

// do prints what is tried, does it, and prints the outcome.
func (w *worker) do(l crashLine, call func(*crashLine) error) bool {
	time.Sleep(upTo(w.rnd, 20*time.Millisecond)) // as a person would take
	l.What = "try"
	w.say(l)
	err := call(&l)
	l.What = "done"
	if err != nil {
		l.Err = err.Error()
		l.What = "lost"
		if e := engine.AsError(err); e != nil {
			if l.Code = e.HTTP; l.Code < 500 {
				l.What = "no"
			}
		}
	}
	w.say(l)
	return err == nil
}

// draft is a campaign that a worker builds.
type crashDraft struct {
	name, id string
	rev      int64
	body     doc.Value
}

// work takes up a draft, or begins one, and builds on it for a while.
func (w *worker) work(ctx context.Context) {
	w.around(ctx)
	d, ok := w.pick(ctx)
	for range 3 + w.rnd.IntN(10) {
		if ok = ok && w.step(ctx, d); !ok {
			return
		}
	}
}

// pick begins a draft, or takes up one that this place's workers have begun.
func (w *worker) pick(ctx context.Context) (*crashDraft, bool) {
	if w.rnd.IntN(3) == 0 {
		return w.create(ctx)
	}
	rows, err := w.svc.List(ctx, engine.ListQuery{})
	if err != nil {
		w.say(crashLine{What: "lost", Op: "list", Err: err.Error()})
		return nil, false
	}
	var mine []engine.Summary
	for _, r := range rows {
		if strings.HasPrefix(r.Name, w.slot+"-") && len(mine) < 20 {
			mine = append(mine, r)
		}
	}
	if len(mine) == 0 {
		return w.create(ctx)
	}
	row := mine[w.rnd.IntN(len(mine))]
	c, err := w.svc.Get(ctx, row.ID)
	if err != nil {
		w.say(crashLine{What: "lost", Op: "get", Err: err.Error()})
		return nil, false
	}
	d := &crashDraft{row.Name, c.ID, c.Revision, c.Body}
	w.say(crashLine{What: "read", Name: d.name, ID: d.id, Rev: d.rev, Sum: sumOf(d.body)})
	return d, true
}

func (w *worker) create(ctx context.Context) (*crashDraft, bool) {
	w.n++
	d := &crashDraft{name: fmt.Sprintf("%s-%s-%d", w.slot, w.life, w.n)}
	d.body = doc.NewObject(crashBasics(d.name, "begun"))
	l := crashLine{Op: "create", Name: d.name, Sum: sumOf(d.body), State: catalog.Draft}
	return d, w.do(l, func(l *crashLine) error {
		made, err := w.svc.Create(ctx, engine.CreateRequest{Body: engine.NewDraftBody(catalog.Email, catalog.OneTime, crashAuthor, d.body)})
		l.ID = made.ID
		d.id, d.rev = made.ID, 1
		return err
	})
}

// step is one act on a draft. It reports whether the draft can be built on.
func (w *worker) step(ctx context.Context, d *crashDraft) bool {
	l := crashLine{Name: d.name, ID: d.id}
	switch n := w.rnd.IntN(100); {
	case n < 65:
		return w.save(ctx, d)
	case n < 75: // edits that wait
		body := w.edited(d.body)
		l.Op, l.Sum = "copy", sumOf(body)
		return w.do(l, func(*crashLine) error {
			return w.svc.PutWorkingCopy(ctx, d.id, engine.WorkingCopy{Base: d.rev, Origin: d.body, Body: body})
		})
	case n < 80:
		l.Op = "copy"
		return w.do(l, func(*crashLine) error { return w.svc.DeleteWorkingCopy(ctx, d.id) })
	case n < 92:
		if !d.body.Get(string(catalog.CampaignContent)).Exists() {
			return w.save(ctx, d)
		}
		return w.test(ctx, d)
	case n < 96:
		return w.clone(ctx, d)
	case strings.HasSuffix(d.name, ")"): // a copy stays, so that its name is not used again
		return w.save(ctx, d)
	default:
		l.Op = "delete"
		w.do(l, func(*crashLine) error { return w.svc.Delete(ctx, d.id) })
		return false
	}
}

func (w *worker) save(ctx context.Context, d *crashDraft) bool {
	r := engine.SaveRequest{ID: d.id, Revision: d.rev, Body: w.edited(d.body), By: crashAuthor, Coalesce: w.rnd.IntN(5) < 2}
	l := crashLine{Op: "save", Name: d.name, ID: d.id, Rev: d.rev, Join: r.Coalesce, Sum: sumOf(r.Body), State: catalog.Draft}
	return w.do(l, func(l *crashLine) error {
		h, err := w.svc.Save(ctx, r)
		if err == nil {
			l.Rev = h.Revision
			d.rev, d.body = h.Revision, r.Body
		}
		return err
	})
}

// edited returns a body with a component added or changed.
func (w *worker) edited(body doc.Value) doc.Value {
	ms := []doc.Member{crashConnector(), crashContent(engine.CampaignName(body), w.rnd), crashBasics(engine.CampaignName(body), strconv.Itoa(w.rnd.Int()))}
	for _, m := range append(ms[:2:2], crashAudience()) {
		if !body.Get(m.Name).Exists() {
			return crashWith(body, m)
		}
	}
	return crashWith(body, ms[1+w.rnd.IntN(2)])
}

func (w *worker) test(ctx context.Context, d *crashDraft) bool {
	w.n++
	r := engine.TestRequest{Call: engine.Call{RequestID: uuid.NewString()}}
	l := crashLine{Op: "test", Name: d.name, ID: d.id, Key: r.RequestID}
	for i := range 1 + w.rnd.IntN(5) {
		l.To = append(l.To, fmt.Sprintf("%s-%s-%d-%d@example.com", w.slot, w.life, w.n, i))
	}
	r.Body = crashTestOf(d.id, l.To)
	return w.do(l, func(l *crashLine) error {
		res, err := w.svc.Test(ctx, r)
		l.Sent = crashSent(res)
		return err
	})
}

// clone copies each draft once, under a recognizable name.
func (w *worker) clone(ctx context.Context, d *crashDraft) bool {
	name := d.name + " (copy)"
	rows, err := w.svc.List(ctx, engine.ListQuery{})
	if err != nil {
		return false
	}
	for _, r := range rows {
		if r.Name == name {
			return true
		}
	}
	body := engine.WithName(d.body, name)
	return w.do(crashLine{Op: "create", Name: name, Sum: sumOf(body), State: catalog.Draft}, func(l *crashLine) error {
		made, err := w.svc.Clone(ctx, d.id, crashAuthor)
		l.ID = made.ID
		return err
	})
}

// around changes other things than drafts: a profile, the settings, and campaigns that have ended, which it archives.
func (w *worker) around(ctx context.Context) {
	w.n++
	switch w.rnd.IntN(4) {
	case 0:
		id := fmt.Sprintf("%s-user-%d", w.slot, w.rnd.IntN(20))
		value := w.life + "." + strconv.Itoa(w.n)
		w.do(crashLine{Op: "record", Name: id, Sum: value}, func(*crashLine) error {
			return w.svc.PutUser(ctx, engine.User{ID: id, Attributes: map[string]any{"Value": value, engine.AttrEmail: id + "@example.com"}})
		})
	case 1:
		value := w.slot + "-team " + w.life + "." + strconv.Itoa(w.n)
		w.do(crashLine{Op: "record", Name: w.slot + "-team", Sum: value}, func(*crashLine) error {
			return w.svc.UpdateWorkspace(ctx, func(s *engine.Workspace) error {
				teams := []string{value}
				for _, t := range s.Teams {
					if !strings.HasPrefix(t, w.slot+"-team ") {
						teams = append(teams, t)
					}
				}
				s.Teams = teams
				return nil
			})
		})
	case 2:
		rows, err := w.svc.List(ctx, engine.ListQuery{})
		if err != nil {
			return
		}
		for _, r := range rows {
			// Each place has half of them to itself, by the last digit of the id.
			if r.Status == catalog.Stopped && (r.ID[len(r.ID)-1]%2 == 0) == (w.slot == crashSlots[0]) {
				w.do(crashLine{Op: "archive", Name: r.Name, ID: r.ID, State: catalog.Archived}, func(*crashLine) error {
					return w.svc.Archive(ctx, r.ID, crashAuthor)
				})
				return
			}
		}
	}
}
