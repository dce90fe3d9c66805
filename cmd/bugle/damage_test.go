package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/cmd/bugle/internal/cli"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/kv"
)

// damages are what may happen to a table of a store.
var damages = map[string]func(b []byte) []byte{
	"flipped": func(b []byte) []byte {
		for i := range 64 {
			b[len(b)/4+i] ^= 0x55
		}
		return b
	},
	"cut short": func(b []byte) []byte { return b[:len(b)/2] },
	"removed":   func([]byte) []byte { return nil },
}

// damageStore damages the first table of the store in a folder, which nobody has open.
func damageStore(t *testing.T, dir string, how func([]byte) []byte) {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(dir, badger.Folder, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("there are %q, %v", tables, err)
	}
	b, err := os.ReadFile(tables[0])
	if err == nil {
		if b = how(b); b == nil {
			err = os.Remove(tables[0])
		} else {
			err = os.WriteFile(tables[0], b, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// backups returns the backups of a data folder by name.
func backups(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(filepath.Join(dir, backup.Folder), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var b []byte
			b, err = os.ReadFile(path)
			out[d.Name()] = string(b)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sampleStore returns a data folder with the sample, and the id of one of its campaigns.
func sampleStore(t *testing.T) (c commands, id string) {
	t.Helper()
	c = commands{t: t, dir: shortDir(t), env: map[string]string{cli.EnvBackups: "off"}}
	c.must("init", "--sample")
	var listed struct {
		Campaigns []struct {
			ID string `json:"id"`
		} `json:"campaigns"`
	}
	if err := json.Unmarshal([]byte(c.must("search", "--json")), &listed); err != nil {
		t.Fatal(err)
	}
	return c, listed.Campaigns[0].ID
}

// copied returns the same commands on a copy of the data folder.
func (c commands) copied(t *testing.T) commands {
	t.Helper()
	c.t = t
	from := os.DirFS(c.dir)
	c.dir = shortDir(t)
	if err := os.CopyFS(c.dir, from); err != nil {
		t.Fatal(err)
	}
	return c
}

// wantDamage runs a command that must fail because of damage, say so and what helps.
func (c commands) wantDamage(args ...string) (out, errs string) {
	c.t.Helper()
	code, out, errs := c.run(args...)
	if code != cli.ExitFailed || !strings.Contains(errs, "`bugle doctor`") || !strings.Contains(errs, "`bugle restore`") {
		c.t.Errorf("bugle %q: code %d\n%s%s", args, code, out, errs)
	}
	if slices.Contains(args, "--json") {
		failed := false
		for in := json.NewDecoder(strings.NewReader(errs)); ; {
			var doc struct{ Error *cli.Failure }
			if err := in.Decode(&doc); err == io.EOF {
				break
			} else if err != nil {
				c.t.Fatalf("bugle %q: %v in %s", args, err, errs)
			}
			failed = failed || doc.Error != nil && doc.Error.Message != ""
		}
		if !failed {
			c.t.Errorf("bugle %q: no error in %s", args, errs)
		}
	}
	return out, errs
}

// Every command fails on a store of which it is known that it is damaged, each time, and says what is wrong and what helps.
func TestDamageFailsEveryCommand(t *testing.T) {
	whole, id := sampleStore(t)
	for name, how := range damages {
		t.Run(name, func(t *testing.T) {
			damaged := whole.copied(t)
			damageStore(t, damaged.dir, how)
			if code, out, errs := damaged.run("doctor"); code != cli.ExitFailed {
				t.Errorf("bugle doctor: code %d\n%s%s", code, out, errs)
			}
			for _, command := range [][]string{
				{}, {"search"}, {"meta"}, {"get", id}, {"settings", "get"}, {"export", "--all", "--dir", t.TempDir()}, {"create", "--channel", "PUSH"},
				{"backup"}, {"search", "--json"}, {"get", id, "--json"}, {"backup", "--json"},
			} {
				c := damaged.copied(t)
				c.wantDamage(command...)
				c.wantDamage(command...) // finds what the first one has left
			}
		})
	}
}

// So do commands while another process has the store open.
func TestDamageFailsAttachedCommands(t *testing.T) {
	c, id := sampleStore(t)
	damageStore(t, c.dir, damages["flipped"])
	_, _, _ = c.run("doctor")
	f := &cli.Factory{Environment: cli.Environment{Getenv: func(name string) string { return c.env[name] }, Data: c.dir}}
	if _, err := f.Open(t.Context()); err != nil {
		t.Skipf("a damaged store is not opened at all: %v", err)
	}
	defer f.Close()
	for _, command := range [][]string{{"search"}, {"get", id}, {"backup"}, {"settings", "get", "--json"}} {
		c.wantDamage(command...)
	}
}

// A backup of a damaged store is not called good, is not taken for one in the list, and leaves the good ones alone.
func TestBackupOfDamagedStore(t *testing.T) {
	whole, _ := sampleStore(t)
	whole.must("backup")
	for name, how := range damages {
		t.Run(name, func(t *testing.T) {
			c := whole.copied(t)
			good := backups(t, c.dir)
			damageStore(t, c.dir, how)
			for range 3 {
				if out, _ := c.wantDamage("backup"); strings.Contains(out, "verified") {
					t.Errorf("it says %s", out)
				}
			}
			named := filepath.Join(t.TempDir(), "mine"+backup.Suffix)
			c.wantDamage("backup", named)
			if _, err := os.Stat(named); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("there is a backup of a damaged store: %v", err)
			}
			for name, text := range backups(t, c.dir) {
				if was, ok := good[name]; !ok || was != text {
					t.Errorf("%s is not as before, or is new", name)
				}
				delete(good, name)
			}
			if len(good) > 0 {
				t.Errorf("gone are %v", slices.Collect(maps.Keys(good)))
			}
		})
	}
}

// Daily backups of a damaged store leave all that were there before it was damaged.
func TestDailyBackupsOfDamagedStore(t *testing.T) {
	c, _ := sampleStore(t)
	now := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	daily := func(days int) (told []string) {
		f := &cli.Factory{Environment: cli.Environment{Getenv: func(string) string { return "" }, Data: c.dir}}
		db, err := badger.Open(t.Context(), badger.Options{Dir: c.dir})
		if err != nil {
			t.Skipf("a damaged store is not opened at all: %v", err)
		}
		defer db.Close()
		o, ended := f.DailyOptions(db), f.DailyEnded()
		for range days {
			o.Made = now
			ended(backup.Daily(t.Context(), db, c.dir, o))
			now = now.Add(24 * time.Hour)
		}
		return f.Notices.Take()
	}
	if told := daily(40); len(told) > 0 {
		t.Errorf("it says %q", told)
	}
	good := backups(t, c.dir)
	damageStore(t, c.dir, damages["flipped"])
	told := daily(40)
	if len(told) != 1 || !strings.Contains(told[0], "daily backup") || !strings.Contains(told[0], "damaged") {
		t.Errorf("it says %q", told)
	}
	after := backups(t, c.dir)
	for name, text := range good {
		if after[name] != text {
			t.Errorf("%s is gone or changed", name)
		}
		delete(after, name)
	}
	for name := range after {
		t.Errorf("%s is a backup of a damaged store", name)
	}
}

// A campaign that a list leaves out because its record is damaged is not left out in silence.
func TestDamagedRowFailsLists(t *testing.T) {
	c := commands{t: t, dir: shortDir(t), env: map[string]string{cli.EnvBackups: "off"}}
	c.must("init", "--id", "SHOP")
	c.must("create", "--channel", "PUSH")
	db, err := badger.Open(t.Context(), badger.Options{Dir: c.dir})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(t.Context(), func(tx *kv.Tx) error {
		return tx.Scan([]byte("rSHOP\x00\x01s"), kv.ScanOptions{}, func(key, value []byte) error {
			value = bytes.Clone(value)
			value[len(value)-1] ^= 1
			return tx.Set(bytes.Clone(key), value)
		})
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{}, {"search"}, {"search", "push"}, {"export", "--all", "--dir", t.TempDir()}, {"backup"}} {
		c.wantDamage(command...)
	}
}
