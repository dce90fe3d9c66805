//go:build linux || darwin || freebsd

package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/service/activity"
	"bugle/store"
	"bugle/store/backup"
)

// check compares the store, which no process uses, with what was tried and acknowledged.
func (s *crashSite) check() {
	s.t.Helper()
	s.settle()
	b := newBugle(s.t)
	b.env[cli.EnvData], b.env["XDG_DATA_HOME"] = s.store, filepath.Dir(s.dir)
	out, _ := b.run(cli.ExitDone, "", "doctor", "--json")
	var found struct {
		Sound    bool
		Findings []store.Finding
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil || !found.Sound || len(found.Findings) > 0 {
		s.t.Errorf("bugle doctor wrote %s (%v)", out, err)
	}
	s.checkBackups()
	f := s.factory()
	svc, err := f.Service(s.t.Context())
	if err != nil {
		s.t.Fatalf("after a kill: %v", err)
	}
	for _, text := range f.Notices.Take() {
		s.t.Errorf("after a kill: %s", text)
	}
	s.checkCampaigns(svc)
	s.checkOutbox(svc)
	if err := f.Close(); err != nil {
		s.t.Error(err)
	}
	s.checkLeftovers()
}

// settle waits until the database server has ended the sessions of killed processes: it still commits what they sent.
func (s *crashSite) settle() {
	s.t.Helper()
	if !strings.HasPrefix(s.store, "postgres:") {
		return
	}
	conn, err := pgx.Connect(s.t.Context(), s.store)
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close(s.t.Context())
	for sessions := 1; sessions > 0; time.Sleep(5 * time.Millisecond) {
		if err := conn.QueryRow(s.t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()").Scan(&sessions); err != nil {
			s.t.Fatal(err)
		}
	}
}

// checkCampaigns finds every campaign that was acknowledged once, as it was left, or as a write that was not answered would
// leave it.
func (s *crashSite) checkCampaigns(svc activity.Service) {
	rows, err := svc.List(s.t.Context(), engine.ListQuery{Archived: true})
	if err != nil {
		s.t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, row := range rows {
		claim := s.claims[row.Name]
		switch {
		case claim == nil:
			s.t.Errorf("%q (%s) is there, and nobody tried to make it", row.Name, row.ID)
			continue
		case seen[row.Name]:
			s.t.Errorf("%s is there twice", row.Name)
		case claim.id != "" && claim.id != row.ID:
			s.t.Errorf("%s is %s and was acknowledged as %s", row.Name, row.ID, claim.id)
		}
		seen[row.Name] = true
		c, err := svc.Get(s.t.Context(), row.ID)
		if err != nil {
			s.t.Errorf("%s (%s): %v", row.Name, row.ID, err)
			continue
		}
		if sum := crashSum(c.Status, c.Body); sum != claim.sum && !slices.Contains(claim.open, sum) {
			s.t.Errorf("%s (%s) is %s; acknowledged was %s, then tried %s", row.Name, row.ID, sum, claim.sum, claim.open)
		}
		if fresh := engine.Summarize(c); !reflect.DeepEqual(row, fresh) {
			s.t.Errorf("%s is listed as %+v and is %+v", row.Name, row, fresh)
		}
	}
	for name, claim := range s.claims {
		if claim.sum != "" && !seen[name] {
			s.t.Errorf("%s (%s) was acknowledged and is gone", name, claim.id)
		}
	}
}

// checkOutbox finds each message at most once, and exactly once if it was acknowledged.
func (s *crashSite) checkOutbox(svc activity.Service) {
	messages, err := svc.Outbox(s.t.Context(), 0)
	if err != nil {
		s.t.Fatal(err)
	}
	have := map[[2]string]int{}
	for _, m := range messages {
		if _, tried := s.sends[m.Recipient]; !tried {
			s.t.Errorf("a message went to %q, but no test was sent there", m.Recipient)
		}
		if m.Email != nil && !strings.Contains(m.Email.HTML, crashEnd) {
			s.t.Errorf("the mail to %s is not whole", m.Recipient)
		}
		if have[[2]string{m.Recipient, m.Key}]++; have[[2]string{m.Recipient, m.Key}] > 1 {
			s.t.Errorf("%s got the message %s again", m.Recipient, m.Key)
		}
	}
	for to, keys := range s.sends {
		for _, key := range keys {
			if have[[2]string{to, key}] == 0 {
				s.t.Errorf("the message %s to %s was acknowledged and is not in the outbox", key, to)
			}
		}
	}
}

// checkBackups verifies every backup that was acknowledged, or that has its name, and removes it.
func (s *crashSite) checkBackups() {
	aside, err := filepath.Glob(filepath.Join(s.aside, "*"+backup.Suffix))
	own, err2 := filepath.Glob(filepath.Join(s.dir, backup.Folder, "*"+backup.Suffix))
	if err := errors.Join(err, err2); err != nil {
		s.t.Fatal(err)
	}
	all := append(aside, own...)
	for _, file := range s.backups {
		if !slices.Contains(all, file) {
			s.t.Errorf("the backup %s was acknowledged and is gone", file)
		}
	}
	s.backups = nil
	for _, file := range all {
		if _, _, _, err := backup.Differences(s.t.Context(), nil, file, "", nil); err != nil {
			s.t.Errorf("a backup is not whole: %v", err)
		}
		if err := os.Remove(file); err != nil {
			s.t.Error(err)
		}
	}
}

// checkLeftovers finds what those that were killed left in the data folder and who came after them did not remove.
func (s *crashSite) checkLeftovers() {
	if s.store != s.dir { // nobody owns the folder with the backups of a database
		return
	}
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && (slices.Contains([]string{".tmp", ".partial", ".sock"}, filepath.Ext(path)) || strings.HasPrefix(d.Name(), ".")) {
			s.t.Errorf("%s stays behind", path)
		}
		return err
	})
	if err != nil {
		s.t.Error(err)
	}
}

// repeatAll repeats every call of a client that was acknowledged, which must change nothing.
func (s *crashSite) repeatAll() {
	s.resume()
	ctx, end := context.WithCancel(s.t.Context())
	var server sync.WaitGroup
	server.Go(func() { s.keep(ctx, crashServer) })
	for _, call := range s.calls {
		s.repeat(ctx, call)
	}
	end()
	s.pause()
	server.Wait()
	s.check()
}
