//go:build linux || darwin || freebsd

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/store"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/mem"
)

// rotSuspect is a campaign that was read in a state in which it should not be. The program must have
// reported that by the end of the server's life.
type rotSuspect struct {
	how, id string
	state   rotState
}

// rotReports is what the program has reported in one life of the server.
type rotReports struct {
	loss     []string        // about the store as a whole
	named    map[string]bool // campaigns that doctor has findings about
	healthy  bool            // the last doctor found nothing wrong
	repaired bool            // the store was repaired, so that lost records count as not there
}

// got notes the state in which a campaign was read.
func (r *rotRound) got(how, id string, state rotState) {
	switch r.count("answers: " + string(state)); state {
	case rotRight, rotReported:
	case rotUnnamed:
		r.fault("damage is not named", "%s of %s", how, id)
	case rotLate:
	case rotForeign:
		r.fault("nobody wrote that", "%s of %s", how, id)
	default:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.suspects = append(r.suspects, rotSuspect{how, id, state})
	}
}

// readAll reads every campaign over HTTP.
func (r *rotRound) readAll() map[string]rotState {
	client, out := newRotHTTP(), map[string]rotState{}
	defer client.CloseIdleConnections()
	for _, id := range r.model.ids(time.Now()) {
		state := r.get(client, id)
		if state == "" {
			break // the server has ended, which is reported when it is stopped
		}
		out[id] = state
		r.got("get", id, state)
	}
	r.all = out
	return out
}

// list reads the list of all campaigns, and notes which are missing.
func (r *rotRound) list() {
	client, listed := newRotHTTP(), map[string]bool{}
	defer client.CloseIdleConnections()
	from := time.Now()
	for page := 1; ; page++ {
		q := engine.MetaRequest{Status: []engine.State{catalog.Draft}, Limit: engine.PageSize, Page: page}
		status, answer, err := r.call(client, "POST", "/v5/campaigns/meta", string(q.Document().Encode()))
		if err != nil {
			return // the server has ended
		}
		if status != 200 {
			if !rotDamage.MatchString(answer) {
				r.fault("damage is not named", "the list was answered with %d: %s", status, answer)
			}
			return
		}
		rows := parsed(answer).Get("data").Get("campaigns")
		for _, row := range rows.Elems() {
			listed[engine.ParseMetaRow(row).ID] = true
		}
		if rows.Len() < engine.PageSize {
			break
		}
	}
	for _, id := range r.model.ids(from) {
		if !listed[id] && r.model.judge(id, "", from, time.Now()) != rotRight {
			r.got("list", id, rotMissing)
		}
	}
}

// doctor checks the store while it is served.
func (r *rotRound) doctor() { r.examine("doctor", "--json") }

// repair repairs it.
func (r *rotRound) repair() {
	r.did("repair")
	r.examine("doctor", "--repair", "--json")
	r.reports.repaired = true
}

func (r *rotRound) examine(args ...string) {
	if !r.running() {
		return
	}
	run := r.s.command(r.t.Context(), "", args...)
	r.sawCommand(run, args...)
	var found cli.Checkup
	if err := json.Unmarshal([]byte(run.out), &found); err != nil {
		r.count("doctor failed")
		r.note("doctor failed: %s", run.errs)
		if rotDamage.MatchString(run.errs) {
			r.reports.loss = append(r.reports.loss, run.errs)
		}
		return
	}
	r.reports.healthy = found.Sound && len(found.Findings)+len(found.Notices) == 0
	if r.reports.healthy {
		r.count("doctor: nothing is wrong")
	} else {
		r.count("doctor: something is wrong")
	}
	for _, n := range found.Notices {
		r.notice(n)
	}
	for _, f := range found.Findings {
		if f.Campaign == "" {
			r.reports.loss = append(r.reports.loss, f.What)
		} else {
			r.reports.named[f.Campaign] = true
		}
		if f.Failed != "" {
			r.count("repairs that failed")
			r.note("not repaired: %s: %s", f.What, f.Failed)
		}
	}
}

// notice notes what the program reports about the store as a whole.
func (r *rotRound) notice(text string) {
	if rotDamage.MatchString(text) && !strings.Contains(text, "no changes are missing") {
		r.reports.loss = append(r.reports.loss, text)
	}
}

// judge is called when the server has ended: every suspect must have been reported.
func (r *rotRound) judge() {
	p := r.server
	text := p.errs.String()
	for line := range strings.Lines(text) {
		var said struct{ Notice string }
		if json.Unmarshal([]byte(line), &said) == nil && said.Notice != "" {
			r.count("notices of serve")
			r.notice(said.Notice)
		}
		if strings.Contains(line, `"status":500`) {
			r.note("the server logs: %s", line)
		}
	}
	if r.control && len(r.reports.loss)+len(r.reports.named) > 0 {
		r.fault("false alarm", "reported: %v, of campaigns %v", r.reports.loss, r.reports.named)
	}
	if strings.Contains(text, "panic") && r.inIndex {
		// Badger reads the index of a table where it is mapped, without a checksum, in goroutines of its own.
		r.counts["ended by a damaged index"]++
	} else if strings.Contains(text, "panic") {
		r.fault("crash", "serve panicked: %s", text[strings.Index(text, "panic"):])
	}
	seen := map[rotSuspect]bool{}
	lists := 0
	for _, x := range r.suspects {
		if x.how == "search" {
			x.how = "list"
		}
		if seen[x] {
			continue
		}
		seen[x] = true
		switch {
		case r.reports.named[x.id]:
			r.counts["not found or older, and named by doctor"]++
		case x.how == "list" && x.state == rotMissing && len(r.reports.loss) > 0: // a list cannot say which rows it has lost
			lists++
		case r.inIndex && len(r.reports.loss) > 0:
			r.counts["not found or older, where an index was hit and a loss was reported"]++
		case r.all[x.id] == rotRight && x.state == rotOlder && len(r.reports.loss) > 0: // it was written again since
			r.counts["older until it was written again, and a loss was reported"]++
		case r.all[x.id] == rotRight: // it was put right, or written again
			r.fault("wrong for a moment", "%s of %s: %s; when all were read, it was right", x.how, x.id, x.state)
		case len(r.reports.loss) == 0:
			r.fault("silent loss", "%s of %s: %s", x.how, x.id, x.state)
		default:
			r.fault("loss reported only in part", "%s of %s: %s; the report is: %.200s", x.how, x.id, x.state, r.reports.loss[0])
		}
	}
	r.counts["not listed, and a loss was reported"] += lists
	if bad := r.notRight(); len(bad) > 0 && r.reports.healthy && !r.reports.repaired {
		r.fault("silent loss", "doctor says that nothing is wrong, and %d campaigns are not right: %v", len(bad), bad[:min(3, len(bad))])
	}
}

// notRight returns the campaigns that were not right when all were read last.
func (r *rotRound) notRight() (ids []string) {
	for id, state := range r.all {
		if state != rotRight {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

var rotPanic = regexp.MustCompile(`(?m)^panic:|^goroutine \d+`)

// sawCommand checks that a command has not crashed.
func (r *rotRound) sawCommand(run commandRun, args ...string) {
	if rotPanic.MatchString(run.errs) || run.code < 0 || run.code == 2 {
		r.fault("crash", "bugle %s exited with %d: %s", strings.Join(args, " "), run.code, run.errs)
	}
}

// rotBackup is a backup that calls itself sound. It was made between two times.
type rotBackup struct {
	file     string
	from, to time.Time
}

// backup makes a backup while the store is served.
func (r *rotRound) backup() {
	if !r.running() {
		return
	}
	r.mu.Lock() // the clients count too
	file := filepath.Join(r.s.aside, fmt.Sprintf("%d%s", r.counts["backups"], backup.Suffix))
	r.counts["backups"]++
	r.mu.Unlock()
	b := rotBackup{file: file, from: time.Now()}
	run := r.s.command(r.t.Context(), "", "backup", "--json", file)
	b.to = time.Now()
	r.sawCommand(run, "backup")
	var info backup.Info
	switch err := json.Unmarshal([]byte(run.out), &info); {
	case run.out == "":
		r.count("backups refused")
		r.note("backup: %s", run.errs)
	case err != nil:
		r.fault("process", "bugle backup wrote %s (%v)", run.out, err)
	default:
		r.count("backups called sound")
		r.backups = append(r.backups, b)
	}
}

// placeDailies puts daily backups of the days before into the data folder, so that one is due.
func (r *rotRound) placeDailies() {
	folder := filepath.Join(r.s.dir, backup.Folder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		r.t.Fatal(err)
	}
	for day := 1; day <= backup.KeptDays; day++ {
		at := time.Now().UTC().Add(-time.Duration(day)*24*time.Hour - time.Hour)
		name := filepath.Join(folder, "daily-"+at.Format("20060102-150405")+backup.Suffix)
		if err := os.WriteFile(name, r.image.whole, 0o600); err != nil {
			r.t.Fatal(err)
		}
		r.placed[name] = true
	}
	r.did("daily backup")
}

// dailies returns the daily backups.
func (r *rotRound) dailies() []string {
	names, err := filepath.Glob(filepath.Join(r.s.dir, backup.Folder, "daily-*"+backup.Suffix))
	if err != nil {
		r.t.Fatal(err)
	}
	return names
}

// awaitDaily waits until the daily backup was made, which begins some seconds after the server.
func (r *rotRound) awaitDaily() {
	r.await(func() bool {
		return slices.ContainsFunc(r.dailies(), func(name string) bool { return !r.placed[name] })
	})
}

// judgeDailies adds the new daily backups that are called sound to those that are judged. One that is called
// damaged must not have replaced a sound one.
func (r *rotRound) judgeDailies() {
	left, fresh := 0, 0
	for _, name := range r.dailies() {
		switch {
		case r.placed[name]:
			left++
		case strings.Contains(filepath.Base(name), "damaged"):
			r.count("daily backups called damaged")
		default:
			r.count("daily backups called sound")
			fresh++
			info, err := backup.ReadHeader(name)
			if err != nil {
				r.fault("backup", "%s: %v", name, err)
				continue
			}
			r.backups = append(r.backups, rotBackup{name, info.Made, time.Now()})
		}
	}
	if gone := len(r.placed) - left; gone > fresh {
		r.fault("backup", "%d sound daily backups are gone, and %d new ones are there", gone, fresh)
	}
}

// judgeBackups compares every backup that calls itself sound with what was acknowledged when it was made.
func (r *rotRound) judgeBackups() {
	r.judgeDailies()
	for i, b := range r.backups {
		info, err := backup.Verify(r.t.Context(), b.file, "")
		if err != nil {
			r.fault("backup", "%s, which was called sound, is not: %+v, %v", b.file, info.Contents, err)
			continue
		}
		db := r.loaded(b, i == len(r.backups)-1 && r.chance(3))
		if db == nil {
			continue
		}
		r.judgeBackup(b, db)
		if err := db.Close(); err != nil {
			r.fault("backup", "closing what was made of %s: %v", b.file, err)
		}
	}
}

// loaded returns a store with the records of a backup: in memory, or restored into a new folder by
// `bugle restore`.
func (r *rotRound) loaded(b rotBackup, restore bool) store.DB {
	if !restore {
		db := mem.New()
		if _, err := backup.Load(r.t.Context(), db, b.file, "", nil); err != nil {
			r.fault("backup", "%s cannot be loaded: %v", b.file, err)
			return nil
		}
		return db
	}
	r.count("backups restored")
	dir := filepath.Join(r.base, "r")
	run := r.s.command(r.t.Context(), "", "restore", b.file, "--yes", "--data", dir, "--json")
	if run.code != cli.ExitDone {
		r.fault("backup", "bugle restore %s exited with %d: %s", b.file, run.code, run.errs)
		return nil
	}
	db, err := badger.Open(r.t.Context(), badger.Options{Dir: dir})
	if err != nil {
		r.fault("backup", "what was restored from %s cannot be opened: %v", b.file, err)
		return nil
	}
	return db
}

func (r *rotRound) judgeBackup(b rotBackup, db store.DB) {
	bad, first := map[rotState]int{}, ""
	err := db.Read(r.t.Context(), func(tx store.Tx) error {
		for _, id := range r.model.ids(b.from.Add(time.Second)) { // the header of a daily backup has whole seconds
			c, err := tx.Workspace(crashWorkspace).Campaign(id)
			sum := ""
			switch {
			case err == nil:
				sum = sumOf(c.Body)
			case !errors.Is(err, store.ErrNotFound):
				return err
			}
			r.count("campaigns in backups looked at")
			if state := r.model.judge(id, sum, b.from, b.to); state != rotRight {
				if bad[state]++; first == "" {
					first = id
				}
			}
		}
		return nil
	})
	if err != nil {
		r.fault("backup", "%s: %v", b.file, err)
	}
	if len(bad) > 0 {
		r.fault("backup", "%s calls itself sound, and of its campaigns are %v, such as %s", b.file, bad, first)
	}
}
