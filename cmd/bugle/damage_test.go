package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/cli"
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

// damageStore damages a table of the store in a folder, which nobody has open.
func damageStore(t *testing.T, dir string, how func([]byte) []byte) {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(dir, badger.Folder, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("there are %q, %v", tables, err)
	}
	file := tables[len(tables)-1]
	info, err1 := os.Stat(file)
	b, err2 := os.ReadFile(file)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if b = how(b); b == nil {
		err = os.Remove(file)
	} else {
		err = errors.Join(os.WriteFile(file, b, 0o600), os.Chtimes(file, info.ModTime(), info.ModTime())) // as a disk would
	}
	if err != nil {
		t.Fatal(err)
	}
}

// sampleStore returns a data folder with the sample, and the id of one of its campaigns.
func sampleStore(t *testing.T) (c bugle, id string) {
	t.Helper()
	c = newBugle(t).at(shortDir(t), cli.EnvBackups, "off")
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
func (c bugle) copied(t *testing.T) bugle {
	t.Helper()
	c.t = t
	from := os.DirFS(c.dir())
	c = c.at(shortDir(t))
	if err := os.CopyFS(c.dir(), from); err != nil {
		t.Fatal(err)
	}
	return c
}

// wantDamage runs a command that must fail because of damage, say so and what helps.
func (c bugle) wantDamage(args ...string) (out, errs string) {
	c.t.Helper()
	code, out, errs := c.try("", args...)
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
	needSlow(t)
	t.Parallel()
	whole, id := sampleStore(t)
	for name, how := range damages {
		t.Run(name, func(t *testing.T) {
			damaged := whole.copied(t)
			damageStore(t, damaged.dir(), how)
			if code, out, errs := damaged.try("", "doctor"); code != cli.ExitFailed {
				t.Errorf("bugle doctor: code %d\n%s%s", code, out, errs)
			}
			for _, command := range [][]string{
				{"search"}, {"get", id}, {"settings", "get"}, {"export", "--all", "--dir", t.TempDir()}, {"create", "--channel", "PUSH"},
				{"backup"}, {"search", "--json"}, {"get", id, "--json"}, {"backup", "--json"},
			} {
				c := damaged.copied(t)
				c.wantDamage(command...)
				c.wantDamage(command...) // finds what the first one has left
			}
		})
	}
}

// A campaign that a list leaves out because its record is damaged is not left out in silence.
func TestDamagedRowFailsLists(t *testing.T) {
	t.Parallel()
	c := newBugle(t).at(shortDir(t), cli.EnvBackups, "off")
	c.must("init", "--id", "SHOP")
	c.must("create", "--channel", "PUSH")
	db, err := badger.Open(t.Context(), badger.Options{Dir: c.dir()})
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
	for _, command := range [][]string{{"search"}, {"search", "push"}, {"export", "--all", "--dir", t.TempDir()}, {"backup"}} {
		c.wantDamage(command...)
	}
}
