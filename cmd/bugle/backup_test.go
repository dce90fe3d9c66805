package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/kv"
	"bugle/store/postgres/pgtest"
)

// doctor names a damaged campaign, and the backup that has it. While its newest revision can be read, it is read from that.
func TestDamagedCampaign(t *testing.T) {
	t.Parallel()
	c := newBugle(t).at(t.TempDir(), cli.EnvBackups, "off")
	must := func(code int, args ...string) string {
		t.Helper()
		out, errs := c.run(code, "", args...)
		return out + errs
	}
	must(0, "init", "--id", "SHOP")
	must(0, "create", "--channel", "PUSH")
	must(0, "backup")
	var id string
	spoil := func(kind string) {
		db, err := badger.Open(t.Context(), badger.Options{Dir: c.dir()})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		err = db.Update(t.Context(), func(tx *kv.Tx) error {
			s := tx.Workspace("SHOP")
			if err := s.Summaries(func(sum engine.Summary) error { id = sum.ID; return nil }); err != nil {
				return err
			}
			return tx.Scan([]byte("rSHOP\x00\x01"+kind), kv.ScanOptions{}, func(key, value []byte) error {
				value = bytes.Clone(value)
				value[len(value)-1] ^= 1
				return tx.Set(bytes.Clone(key), value)
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	spoil("c")
	if out := must(1, "get", id); !strings.Contains(out, `"channel": "PUSH"`) || !strings.Contains(out, `campaign "`+id+`" in workspace "SHOP" is damaged in the store`) {
		t.Errorf("get says %s", out)
	}
	spoil("d")
	must(1, "get", id)
	out := must(1, "doctor")
	_, advice, _ := strings.Cut(out, `campaign "`+id+`" in workspace "SHOP" is damaged`)
	if advice == "" || !strings.Contains(out, "the newest backup that can be read is "+filepath.Join(c.dir(), backup.Folder)) {
		t.Fatalf("doctor says %s", out)
	}
	files, err := filepath.Glob(filepath.Join(c.dir(), backup.Folder, "*"+backup.Suffix))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if out := must(0, "restore", file, "--dry-run", "--campaign", id); !strings.Contains(out, "It is damaged in the store.") {
			t.Errorf("restore --dry-run says %s", out)
		}
		must(0, "restore", file, "--yes", "--campaign", id)
	}
	must(0, "get", id)
	must(0, "doctor")
}

// A database and a folder whose backups are in the same place each list their own, whatever the URL of the database looks
// like. A restore to a database adds workspaces, after a question, and never replaces one.
func TestBackupsOfDatabase(t *testing.T) {
	t.Parallel()
	b := newBugle(t)
	url, home := pgtest.URL(t), t.TempDir()
	b.env["XDG_DATA_HOME"], b.env[cli.EnvData] = home, ""
	list := func() (stores, files []string) {
		t.Helper()
		out, _ := b.run(cli.ExitDone, "", "restore", "--json")
		var got struct{ Backups []backup.Info }
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		text, _ := b.run(cli.ExitDone, "", "restore")
		for _, i := range got.Backups {
			stores, files = append(stores, i.Store()), append(files, i.File)
			if !strings.Contains(text, i.Store()) || !strings.Contains(text, i.File) {
				t.Errorf("the list does not have %v:\n%s", i, text)
			}
		}
		return stores, files
	}
	b.run(cli.ExitDone, "", "init", "--id", "HERE")
	b.run(cli.ExitDone, "", "backup")
	folder, files := list()
	if want := []string{filepath.Join(home, "bugle")}; !slices.Equal(folder, want) {
		t.Errorf("the folder lists backups of %q, want %q", folder, want)
	}
	b.env[cli.EnvData] = url
	if stores, _ := list(); len(stores) > 0 {
		t.Errorf("the database lists backups of %q", stores)
	}
	b.run(cli.ExitDone, "", "init", "--id", "THERE")
	b.run(cli.ExitDone, "", "backup")
	database, _ := list()
	if len(database) != 1 || strings.Contains(database[0], home) {
		t.Errorf("the database lists backups of %q", database)
	}
	b.env[cli.EnvData] = url + "&connect_timeout=3"
	if !strings.Contains(url, "?") {
		b.env[cli.EnvData] = url + "?connect_timeout=3"
	}
	if again, _ := list(); !slices.Equal(again, database) {
		t.Errorf("with a parameter in its URL, the database lists backups of %q, not %q", again, database)
	}
	b.run(cli.ExitMisused, "", "restore", files[0])
	if out, _ := b.run(cli.ExitDone, "", "restore", files[0], "--dry-run"); !strings.Contains(out, "of the store in "+folder[0]) || !strings.Contains(out, "HERE       now     -          -\n           backup  0          -\n") || strings.Contains(out, "THERE") || strings.Contains(out, "replaced") {
		t.Errorf("restoring to the database would do this:\n%s", out)
	}
	b.run(cli.ExitDone, "", "restore", files[0], "--yes")
	if _, errs := b.run(cli.ExitFailed, "", "restore", files[0], "--dry-run"); !strings.Contains(errs, `there is already a workspace "HERE" in this store`) {
		t.Errorf("restoring again: %s", errs)
	}
	b.env[cli.EnvData] = ""
	if again, _ := list(); !slices.Equal(again, folder) {
		t.Errorf("the folder lists backups of %q", again)
	}
}
