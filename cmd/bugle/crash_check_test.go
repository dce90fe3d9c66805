//go:build linux || darwin || freebsd

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/service/activity"
	"bugle/store"
	"bugle/store/backup"
)

// check opens the folder when no process is left, and compares its contents with what was tried and acknowledged:
// everything at the end, and otherwise what was written since the last check.
func (s *crashSite) check(t *testing.T, end bool) {
	t.Helper()
	began := time.Now()
	s.model.count("checks")
	s.settle(t)
	s.doctor(t)
	s.verifyBackups(t)
	f := s.factory()
	svc, err := f.Service(t.Context())
	if err != nil {
		t.Fatalf("after a kill: %v", err)
	}
	for _, text := range f.Notices.Take() {
		t.Errorf("after a kill: %s", text)
	}
	c := &crashCheck{s: s, m: s.model, t: t, svc: svc, end: end}
	c.model(func() {
		c.campaigns()
		c.records()
		c.outbox()
	})
	c.searches()
	if err := f.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
	if end {
		s.repeatAll(t)
	}
	s.leftovers(t)
	s.slow("check", began)
}

func (s *crashSite) slow(what string, began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slowest[what] = max(s.slowest[what], time.Since(began))
}

// settle waits until the database server has ended the sessions of killed processes: it still commits what they sent.
func (s *crashSite) settle(t *testing.T) {
	t.Helper()
	if !strings.HasPrefix(s.store, "postgres:") {
		return
	}
	conn, err := pgx.Connect(t.Context(), s.store)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
		var sessions int
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()").Scan(&sessions); err != nil {
			t.Fatal(err)
		}
		if sessions == 0 {
			return
		}
	}
}

// doctor has another process find nothing wrong.
func (s *crashSite) doctor(t *testing.T) {
	t.Helper()
	began := time.Now()
	r := s.run(t.Context(), &crashProc{kind: crashCommand, slot: "doctor", alone: true, cmd: exec.Command("bugle", "doctor", "--json")}, "")
	s.slow("doctor", began)
	var found struct {
		Sound    bool
		Findings []store.Finding
	}
	if err := json.Unmarshal([]byte(r.out), &found); err != nil || r.code != cli.ExitDone || !found.Sound || len(found.Findings) > 0 {
		t.Errorf("bugle doctor ended with %d and wrote %s %s", r.code, r.out, r.errs)
	}
}

// crashCheck is one look at the folder.
type crashCheck struct {
	s   *crashSite
	m   *crashModel
	t   *testing.T
	svc activity.Service
	end bool

	rows []engine.Summary
	docs map[string]engine.Campaign // of the rows, by id
}

func (c *crashCheck) ctx() context.Context { return c.t.Context() }

func (c *crashCheck) model(look func()) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	look()
}

func (c *crashCheck) campaigns() {
	var err error
	if c.rows, err = c.svc.List(c.ctx(), engine.ListQuery{Archived: true}); err != nil {
		c.t.Fatalf("listing: %v", err)
	}
	c.docs = map[string]engine.Campaign{}
	there := map[string]bool{}
	for _, row := range c.rows {
		k := c.m.campaigns[row.Name]
		switch {
		case k == nil:
			c.m.fault("%q (%s) is there, and nobody tried to make it", row.Name, row.ID)
			continue
		case there[row.Name]:
			c.m.fault("%s is there twice: %s and %s", row.Name, k.id, row.ID)
			continue
		case k.id != "" && k.id != row.ID:
			c.m.fault("%s is %s and was acknowledged as %s", row.Name, row.ID, k.id)
		case k.deleted:
			c.m.fault("%s (%s) was deleted and is there", row.Name, row.ID)
		}
		there[row.Name] = true
		k.id = row.ID
		c.campaign(k, row)
	}
	for name, k := range c.m.campaigns {
		if k.made && !there[name] && !k.deleted && !k.deleting {
			c.m.fault("%s (%s) was acknowledged and is gone", name, k.id)
		}
		if k.deleted && k.dirty && k.id != "" {
			if rs, err := c.svc.Revisions(c.ctx(), k.id); err == nil {
				c.m.fault("%s (%s) was deleted, and %d revisions are there", name, k.id, len(rs))
			}
		}
		k.dirty = false
	}
	c.m.counts["campaigns"] = len(c.rows)
}

// campaign compares an existing campaign with its row and its history.
func (c *crashCheck) campaign(k *crashCampaign, row engine.Summary) {
	doc, err := c.svc.Get(c.ctx(), row.ID)
	if err != nil {
		c.m.fault("%s (%s): %v", k.name, row.ID, err)
		return
	}
	c.docs[row.ID] = doc
	fresh := engine.Summarize(doc)
	if a, b := asJSON(row), asJSON(fresh); a != b {
		c.m.fault("%s (%s) is listed as %s and is %s", k.name, row.ID, a, b)
	}
	if !k.dirty && !c.end {
		return
	}
	n, sum := doc.Revision, sumOf(doc.Body)
	if n < k.low || n > k.high {
		c.m.fault("%s (%s) has %d revisions, and %d to %d were written", k.name, row.ID, n, k.low, k.high)
	}
	if !k.allows(n, sum, doc.Status) {
		c.m.fault("%s (%s) at revision %d of %d to %d is %s with %s, and was acknowledged as %s with %s", k.name, row.ID, n, k.low, k.high, doc.Status, sum, k.state, k.sum)
	}
	c.history(k, doc)
	w, _, err := c.svc.WorkingCopy(c.ctx(), row.ID)
	value := ""
	if w.Body.Exists() {
		value = sumOf(w.Body)
	}
	if err != nil || !k.copy.allows(value) {
		c.m.fault("the working copy of %s (%s) is %q, and %q was acknowledged, then tried %q (%v)", k.name, row.ID, value, k.copy.value, k.copy.open, err)
	}
}

func (c *crashCheck) history(k *crashCampaign, doc engine.Campaign) {
	revisions, err := c.svc.Revisions(c.ctx(), k.id)
	if err != nil || len(revisions) == 0 || revisions[0].N != doc.Revision || revisions[len(revisions)-1].N != 1 {
		c.m.fault("the history of %s (%s) is %v (%v), and its revision %d", k.name, k.id, revisions, err, doc.Revision)
		return
	}
	next := doc.Revision + 1
	for _, r := range revisions {
		for n := next - 1; n > r.N; n-- {
			if !k.joins[n+1] {
				c.m.fault("%s (%s) has no revision %d, and nothing took its place", k.name, k.id, n)
			}
		}
		next = r.N
		old, err := c.svc.Revision(c.ctx(), k.id, r.N)
		c.m.counts["revisions read"]++
		sum := sumOf(old.Body)
		switch want, known := k.saved[r.N]; {
		case err != nil:
			c.m.fault("revision %d of %s (%s): %v", r.N, k.name, k.id, err)
		case known && sum != want, !k.bodies[sum], len(old.Body.Encode()) != r.Size:
			c.m.fault("revision %d of %s (%s) is not what was saved", r.N, k.name, k.id)
		case r.N == doc.Revision && sum != sumOf(doc.Body):
			c.m.fault("%s (%s) is another than its newest revision", k.name, k.id)
		}
	}
}

func (c *crashCheck) records() {
	w, err := c.svc.Workspace(c.ctx())
	if err != nil {
		c.m.fault("the settings: %v", err)
	}
	for name, cell := range c.m.records {
		var have []string
		if slot, ok := strings.CutSuffix(name, "-team"); ok {
			for _, team := range w.Teams {
				if strings.HasPrefix(team, slot+"-team ") {
					have = append(have, team)
				}
			}
		} else if p, err := c.svc.User(c.ctx(), name); err == nil {
			value, _ := p.Attributes["Value"].(string)
			have = append(have, value)
		} else if engine.AsError(err) == nil || engine.AsError(err).Code != engine.NotFound {
			c.m.fault("%s: %v", name, err)
		}
		if len(have) == 0 {
			have = []string{""}
		}
		if len(have) > 1 || !cell.allows(have[0]) {
			c.m.fault("%s is %q, and %q was acknowledged, then tried %q", name, have, cell.value, cell.open)
		}
	}
}

// outbox compares the delivered messages with the test sends: each message at most once, and exactly once if it was
// acknowledged.
func (c *crashCheck) outbox() {
	messages, err := c.svc.Outbox(c.ctx(), 0)
	if err != nil {
		c.m.fault("the outbox: %v", err)
	}
	have := map[[2]string]int{}
	for _, d := range messages {
		if c.m.tests[d.Recipient] == nil {
			c.m.fault("a message went to %q, whom no test was for", d.Recipient)
		}
		if d.Email != nil && (!strings.Contains(d.Email.HTML, crashEnd) || !strings.HasPrefix("News of "+d.Campaign, d.Email.Subject)) {
			c.m.fault("the mail to %s is not whole: %q", d.Recipient, d.Email.Subject)
		}
		have[[2]string{d.Recipient, d.Key}]++
	}
	for at, n := range have {
		if n > 1 {
			c.m.fault("%s got the message %s %d times", at[0], at[1], n)
		}
	}
	recorded := map[string]int{}
	records, err := c.svc.Tests(c.ctx(), "", 0)
	if err != nil {
		c.m.fault("the test sends: %v", err)
	}
	for _, r := range records {
		recorded[r.Result.ResponseID]++
	}
	tests := map[*crashTest]bool{}
	for _, k := range c.m.tests {
		tests[k] = true
	}
	for k := range tests {
		for key := range k.keys {
			for _, to := range k.to {
				if have[[2]string{to, key}] == 0 {
					c.m.fault("the message %s to %s was acknowledged and is not in the outbox", key, to)
				}
			}
		}
		if n := recorded[k.request]; k.request != "" && (n > 1 || n == 0 && k.answered) {
			c.m.fault("the test of %s is recorded %d times", k.to[0], n)
		}
	}
	c.m.counts["messages"] = len(messages)
}

// verifyBackups verifies every backup, and removes it.
func (s *crashSite) verifyBackups(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	files := s.backups
	s.backups = nil
	s.mu.Unlock()
	for _, file := range files {
		s.model.count("backups proved")
		if _, _, _, err := backup.Differences(t.Context(), nil, file, "", nil); err != nil {
			t.Errorf("a backup that was acknowledged: %v", err)
		}
	}
	// Those that nobody heard of are whole as well, or have no name yet.
	all, err := filepath.Glob(filepath.Join(s.aside, "*"+backup.Suffix))
	own, err2 := filepath.Glob(filepath.Join(s.dir, backup.Folder, "*"+backup.Suffix))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	for _, file := range append(all, own...) {
		if !slices.Contains(files, file) {
			if _, _, _, err := backup.Differences(t.Context(), nil, file, "", nil); err != nil {
				t.Errorf("a backup that was not acknowledged has its name and is not whole: %v", err)
			}
		}
		if err := os.Remove(file); err != nil {
			t.Error(err)
		}
	}
	partial, err := filepath.Glob(filepath.Join(s.aside, ".*"))
	if s.store != s.dir && err == nil { // a folder's are removed by its next owner; a database has none
		var others []string
		others, err = filepath.Glob(filepath.Join(s.dir, backup.Folder, ".*"))
		partial = append(partial, others...)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range partial { // of a backup whose maker was killed
		if err := os.RemoveAll(file); err != nil {
			t.Error(err)
		}
	}
}

// leftovers finds what those that were killed left in the data folder and who came after them did not
// remove.
func (s *crashSite) leftovers(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a test with a database that has made no backup
		}
		if err != nil {
			return err
		}
		name := d.Name()
		if strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, ".partial") || strings.HasSuffix(name, ".sock") || strings.HasPrefix(name, ".") {
			t.Errorf("%s stays behind", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(b)
}
