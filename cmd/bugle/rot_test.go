//go:build linux || darwin || freebsd

package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"bugle/cmd/bugle/internal/cli"
)

var rotRounds = flag.Int("rots", 1, "how many rounds TestRot runs; 200 is its full length")

// TestRot changes bytes of the store's tables on the disk while `bugle serve` has the store open and clients
// write: in tables that were there when it started, or in tables that it has written itself. The store is
// compacted, backed up, checked, stopped or killed, opened again, and in some rounds repaired. Every campaign
// that was acknowledged must be there afterwards, or the program must have reported that it is lost: an answer
// that names the damage, a finding of doctor about it, or, where it is not known which records are lost, a
// notice or finding about the store. A backup that calls itself sound must have every campaign.
//
//	go test ./cmd/bugle -run TestRot -rots 200 -timeout 1h -v
//
// A round that fails prints its seed: -rots 1 -seed N makes the same choices again.
func TestRot(t *testing.T) {
	t.Setenv("PATH", programPath(os.Getenv("PATH")))
	seed := *crashSeed
	if seed == 0 {
		seed = rand.Uint64() >> 16
	}
	total, odd, failed := map[string]int{}, map[string]int{}, 0
	for _, what := range rotAlways {
		total[what] = 0
	}
	images := map[int]*rotImage{}
	began := time.Now()
	for n := range *rotRounds {
		r := newRotRound(t, seed+uint64(n), images)
		r.run()
		add(total, r.counts)
		add(odd, r.odd)
		if len(r.faults) > 0 {
			t.Errorf("-rots 1 -seed %d (%s):\n%s", r.seed, strings.Join(r.story, "; "), strings.Join(r.faults, "\n"))
			if failed++; failed == 1 {
				t.Logf("the data folder stays in %s", r.base)
				continue
			}
		}
		if err := os.RemoveAll(r.base); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d rounds from -seed %d in %v, %d of them failed: %s", *rotRounds, seed, time.Since(began).Round(time.Second), failed, counts(total))
	for text, n := range odd {
		t.Logf("%d times: %.500s", n, text)
	}
}

// rotAlways are the counts that are printed even if they are zero.
var rotAlways = []string{
	"flips", "flips in tables that serve wrote", "tables compacted", "answers: right", "answers: reported as damaged", "backups called damaged",
	"FAULT silent loss", "FAULT loss reported only in part", "FAULT backup", "FAULT crash",
}

// add adds counts to others.
func add(to, from map[string]int) {
	for what, n := range from {
		to[what] += n
	}
}

// rotRound is one store and what happens to it.
type rotRound struct {
	t     *testing.T
	seed  uint64
	rnd   *rand.Rand
	base  string
	s     *crashSite // runs the processes
	model *rotModel
	image *rotImage

	control bool // no byte changes, and nothing may be reported
	inIndex bool // the index of a table has changed, so that it is not known which records are lost
	backups []rotBackup
	placed  map[string]bool // daily backups that were there at the start
	shifts  int             // how often clients were started
	story   []string        // what was done, for the report of a failure

	press atomic.Bool // clients write much, so that the store makes new tables

	mu     sync.Mutex // guards what follows
	counts map[string]int
	odd    map[string]int // unexpected answers that are no fault
	faults []string

	// Of the present life of the server.
	server   *crashProc
	life     int
	suspects []rotSuspect
	reports  rotReports
	all      map[string]rotState    // when all campaigns were read last
	known    map[string]os.FileInfo // the tables when they were looked at last
}

func newRotRound(t *testing.T, seed uint64, images map[int]*rotImage) *rotRound {
	t.Helper()
	r := &rotRound{t: t, seed: seed, rnd: rand.New(rand.NewPCG(seed, 7)), counts: map[string]int{}, odd: map[string]int{}, placed: map[string]bool{}}
	kind := r.rnd.IntN(len(rotSizes))
	if images[kind] == nil {
		images[kind] = newRotImage(t, kind)
	}
	r.image = images[kind]
	r.model = r.image.model.clone()
	base, err := os.MkdirTemp("", "b") // short, as the folder's socket needs it
	if err != nil {
		t.Fatal(err)
	}
	r.base, r.s = base, newCrashProcesses(t, base, "", seed)
	r.s.key = r.image.key
	r.image.write(t, r.s.dir)
	r.did("store %d of %d campaigns in %d tables", kind, len(r.model.campaigns), len(r.tables()))
	return r
}

func (r *rotRound) count(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[what]++
}

var rotOwn = regexp.MustCompile(`/\S+|[0-9a-f-]{12,}|[0-9]+`)

// note counts unexpected answers that are no fault. Names and numbers in them are left out.
func (r *rotRound) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.odd[rotOwn.ReplaceAllString(fmt.Sprintf(format, args...), "…")]++
}

// fault notes a broken promise.
func (r *rotRound) fault(kind, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts["FAULT "+kind]++
	switch n := r.counts["FAULT "+kind]; {
	case n <= 3:
		r.faults = append(r.faults, fmt.Sprintf("  life %d, %s: %.700s", r.life, kind, fmt.Sprintf(format, args...)))
	case n == 4:
		r.faults = append(r.faults, fmt.Sprintf("  life %d, %s: and more", r.life, kind))
	}
}

func (r *rotRound) did(format string, args ...any) {
	r.story = append(r.story, fmt.Sprintf(format, args...))
}

// chance reports true in one of n cases.
func (r *rotRound) chance(n int) bool { return r.rnd.IntN(n) == 0 }

// run is the round.
func (r *rotRound) run() {
	r.count("rounds")
	defer r.s.pause() // whatever happens, no process stays
	if r.control = r.chance(10); r.control {
		r.count("rounds in which no byte changed")
		r.did("no byte changes")
	}
	daily := r.chance(8)
	if daily {
		r.placeDailies()
	}
	if r.begin() {
		r.rot()
		if daily {
			r.awaitDaily()
		}
		if r.chance(3) {
			r.killWhileWriting()
		} else {
			r.stop()
		}
		r.judge()
		if r.begin() {
			r.afterwards()
			r.stop()
			r.judge()
		}
	}
	r.judgeBackups()
	for _, w := range r.s.model.wrong {
		r.fault("process", "%s", w)
	}
}

// rot is the first life of the server: bytes of its tables change while clients write, and are compacted.
func (r *rotRound) rot() {
	pause := r.clients(true)
	if r.chance(2) { // as it starts it makes a table of the log that the killed process has left
		r.await(func() bool { return len(r.written()) > 0 })
		r.did("in its own tables")
		r.flip(r.written())
	} else {
		r.did("in tables from before")
		r.flip(r.found())
	}
	if r.chance(2) {
		r.backup()
	}
	if r.chance(3) {
		r.did("doctor")
		r.doctor()
	}
	r.awaitCompaction()
	if r.chance(2) {
		r.backup()
	}
	if r.chance(4) {
		r.did("then in its own tables")
		r.flip(r.written())
	}
	pause()
	r.tables()
	if r.running() {
		r.remove()
		r.readAll()
		r.doctor()
		if r.chance(2) {
			r.backup()
		}
	}
}

// afterwards is the second life: all is read, checked, backed up, and sometimes repaired.
func (r *rotRound) afterwards() {
	before := r.readAll()
	r.list()
	r.doctor()
	r.backup()
	if !r.chance(2) || !r.running() {
		return
	}
	suspects, began := r.suspects, time.Now()
	r.repair()
	after := r.readAll()
	r.suspects, r.all = suspects, before // check what is still wrong after the repair
	for id, now := range after {
		switch {
		case now == rotRight:
			continue
		case before[id] != rotRight:
			r.count("campaigns settled as lost")
		case now == rotBack && r.reports.named[id]: // whether it was deleted or lost, doctor cannot know
			r.count("deleted campaigns brought back, and named by doctor")
		default:
			r.fault("harm in the repair", "campaign %s was right before the repair, and is %s", id, now)
		}
		r.model.settle(id, began) // a daily backup may have been made since
	}
	r.backup()
}

// begin starts the server, and reports whether it serves.
func (r *rotRound) begin() bool {
	r.life++
	r.suspects, r.reports, r.all, r.known = nil, rotReports{named: map[string]bool{}}, nil, nil
	p := &crashProc{kind: crashServe, slot: crashServe, cmd: serveCommand()}
	if r.server = p; !r.s.start(r.t.Context(), p, r.s.hearServer) {
		r.t.Fatal("the server did not start")
	}
	select {
	case <-p.ready:
		return true
	case <-p.gone:
		r.fault("not opened", "serve ended before it was ready: %s", tail(p.errs.String()))
	case <-time.After(crashGoOn):
		r.fault("not opened", "serve is not ready after %v", crashGoOn)
		r.s.kill(p, "not ready")
	}
	return false
}

// running reports whether the server has not ended.
func (r *rotRound) running() bool {
	select {
	case <-r.server.gone:
		return false
	default:
		return true
	}
}

// url returns where the server is.
func (r *rotRound) url() (string, bool) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	for _, url := range r.s.urls { // there is one at most
		return url, true
	}
	return "", false
}

// stop asks the server to end.
func (r *rotRound) stop() {
	p := r.server
	if !r.running() {
		if !r.inIndex || !strings.Contains(p.errs.String(), "panic") { // see judge
			r.fault("crash", "serve ended by itself: %v %s", p.cmd.ProcessState, tail(p.errs.String()))
		}
		return
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		r.t.Fatal(err)
	}
	select {
	case <-p.gone:
	case <-time.After(crashGoOn):
		r.fault("process", "serve does not stop")
		r.s.kill(p, "does not stop")
		return
	}
	if code := p.cmd.ProcessState.ExitCode(); code != cli.ExitDone {
		r.fault("process", "serve exited with %d: %s", code, tail(p.errs.String()))
	}
}

// killWhileWriting kills the server while clients write.
func (r *rotRound) killWhileWriting() {
	if !r.running() {
		r.stop()
		return
	}
	r.did("killed")
	pause := r.clients(false)
	until := r.model.writes() + 1 + r.rnd.IntN(20)
	r.await(func() bool { return r.model.writes() >= until })
	r.s.kill(r.server, "writing")
	pause()
}

// await waits until is returns true, and reports whether it did. It fails after 15 seconds, or when the server ends.
func (r *rotRound) await(is func() bool) bool {
	for late := time.Now().Add(15 * time.Second); time.Now().Before(late) && r.running(); time.Sleep(5 * time.Millisecond) {
		if is() {
			return true
		}
	}
	return false
}

// awaitCompaction waits until the current tables are compacted, while clients write much.
func (r *rotRound) awaitCompaction() {
	r.press.Store(true)
	defer r.press.Store(false)
	before := r.tables()
	r.await(func() bool {
		now := r.tables()
		for name := range before {
			if now[name] == nil {
				return true
			}
		}
		return false
	})
}

// remove deletes some campaigns, as a terminal that is attached to the server.
func (r *rotRound) remove() {
	f := r.s.factory()
	defer f.Close()
	svc, err := f.Service(r.t.Context())
	if err != nil {
		r.note("attaching: %v", err)
		return
	}
	for range 5 {
		ids, _ := r.model.living()
		id := ids[r.rnd.IntN(len(ids))]
		r.model.tryDelete(id)
		if err := svc.Delete(r.t.Context(), id); err == nil {
			r.model.deleted(id)
		} else {
			r.note("deleting: %v", err)
		}
	}
}
