package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/terminal"
	"bugle/engine"
	"bugle/engine/service/activity"
	"bugle/engine/service/api"
	"bugle/store/badger"
	"bugle/store/kv"
	"bugle/ui/screen"
)

// spoilSettings changes the record of the settings of a workspace in a store that nobody has open, and their
// copy as well where both is set. spoil returns the value that a record is to have; nil removes it.
func spoilSettings(t *testing.T, dir, workspace string, both bool, spoil func([]byte) []byte) {
	t.Helper()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	prefixes := [][]byte{kv.SettingsKey(workspace)}
	if both {
		prefixes = append(prefixes, []byte("s"+workspace+"\x00\x01n"))
	}
	err = db.Update(t.Context(), func(tx kv.Tx) error {
		for _, key := range prefixes {
			value, err := tx.Get(key)
			if err != nil {
				return err
			}
			if value = spoil(value); value == nil {
				err = tx.Delete(key)
			} else {
				err = tx.Set(key, value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Damaged settings hide no campaigns: each command reports the damage and the remedy, never a missing workspace, and
// after a repair the API keys work as before.
func TestDamagedSettings(t *testing.T) {
	flip := func(b []byte) []byte {
		b = bytes.Clone(b)
		b[len(b)/2] ^= 1
		return b
	}
	gone := func([]byte) []byte { return nil }
	for _, test := range []struct {
		name   string
		damage func([]byte) []byte
		both   bool // their copy is damaged as well
	}{{"gone", gone, false}, {"flipped, with their copy", flip, true}} {
		t.Run(test.name, func(t *testing.T) {
			c := commands{t: t, dir: shortDir(t), env: map[string]string{cli.EnvBackups: "off"}}
			_, key, _ := strings.Cut(c.must("init", "--id", "SHOP"), "API key (shown once): ")
			key, _, _ = strings.Cut(key, "\n")
			c.must("workspace", "put", "general", "publish=enabled")
			c.must("create", "--channel", "PUSH")
			spoilSettings(t, c.dir, "SHOP", test.both, test.damage)
			for _, command := range [][]string{{}, {"search"}, {"create", "--channel", "PUSH"}} {
				code, out, err := c.run(command...)
				if !strings.Contains(err, "the settings of workspace SHOP are damaged") || !strings.Contains(err, "`bugle doctor --repair`") || strings.Contains(out+err, "no workspace") {
					t.Errorf("bugle %q: code %d\n%s%s", command, code, out, err)
				}
				if len(command) == 0 && !strings.Contains(out, "1 campaign") || code != cli.ExitFailed {
					t.Errorf("bugle %q: code %d\n%s%s", command, code, out, err)
				}
			}
			c.wantTerminal("SHOP", 1)
			code, out, err := c.run("init", "--id", "SHOP")
			if code == 0 {
				t.Errorf("a new workspace took the campaigns of the damaged one:\n%s%s", out, err)
			}
			code, out, err = c.run("doctor", "--repair")
			if code != 0 || !strings.Contains(out, "SHOP") || test.name != "gone" && !strings.Contains(out, "Repairs replaced or removed ") {
				t.Errorf("doctor: code %d\n%s%s", code, out, err)
			}
			var w engine.Workspace
			if err := json.Unmarshal([]byte(c.must("workspace", "get", "general")), &w); err != nil {
				t.Fatal(err)
			}
			if want := map[bool]string{false: engine.PublishEnabled, true: engine.PublishBeta}[test.both]; w.Publish != want {
				t.Errorf("publish is %q, want %q", w.Publish, want)
			}
			c.wantKey("SHOP", key)
			if code, out, err := c.run(); code != 0 || err != "" {
				t.Errorf("afterwards: code %d\n%s%s", code, out, err)
			}
		})
	}
}

// wantTerminal checks that the terminal program lists all campaigns of a workspace and reports the damage.
func (c commands) wantTerminal(workspace string, campaigns int) {
	c.t.Helper()
	f := &cli.Factory{Environment: cli.Environment{Getenv: func(name string) string { return c.env[name] }, Data: c.dir}}
	o, err := terminal.Open(c.t.Context(), f, &activity.Log{})
	if err != nil {
		c.t.Fatal(err)
	}
	rows, err := o.Deps.Service.(engine.Lister).List(c.t.Context(), engine.ListQuery{})
	said := strings.Join(f.Notices.Take(), "\n")
	if err != nil || o.First != screen.Campaigns || o.Deps.Workspace != workspace || len(rows) < campaigns || !strings.Contains(said, "are damaged") {
		c.t.Errorf("it opens %s of %q with %d campaigns, %v, and says %s", o.First, o.Deps.Workspace, len(rows), err, said)
	}
	if err := f.Close(); err != nil {
		c.t.Error(err)
	}
}

// wantKey checks that an API key is one of the workspace's.
func (c commands) wantKey(workspace, key string) {
	c.t.Helper()
	db, err := badger.Open(c.t.Context(), badger.Options{Dir: c.dir})
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close()
	err = db.View(c.t.Context(), func(tx kv.Tx) error {
		w, err := kv.NewWorkspaceTx(tx, workspace).Settings()
		if _, ok := api.FindKey(w.Keys, key); !ok {
			c.t.Errorf("the key %q is none of %+v", key, w.Keys)
		}
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

// A URL is refused as a data folder, by every command, and no folder is made of it.
func TestURLAsDataFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	root := newRoot(cli.New(cli.Streams{}, func(string) string { return "" }))
	seen := 0
	for _, cmd := range root.Commands() {
		if cmd.RunE == nil {
			continue
		}
		for _, byFlag := range []bool{true, false} {
			c := commands{t: t, dir: "", env: map[string]string{cli.EnvData: "s3://bucket/x"}}
			if byFlag {
				c.dir = "postgres://ann:secret@db.example.com/bugle"
			}
			args := map[string][]string{"completion": nil, "get": {"X"}, "validate": {"X"}, "check": {"X"}, "publish": {"X"}, "pause": {"X"}, "resume": {"X"}, "stop": {"X"}, "test": {"X", "--to", "a@example.com"},
				"preview": {"X", "--user", "u"}, "diff": {"X", "Y"}, "import": {"X"}, "apply": {"X"}, "lint": {"X"}, "create": {"X"}, "update": {"X"}, "edit": {"X"}, "watch": {"."}}[cmd.Name()]
			code, out, err := c.run(append([]string{cmd.Name()}, args...)...)
			if cmd.Name() == "completion" {
				continue
			}
			seen++
			if code != cli.ExitMisused || !strings.Contains(err, "the store must be a folder") && !strings.Contains(err, "--data must not have a password") || strings.Contains(out+err, "secret") {
				t.Errorf("bugle %s: code %d\n%s%s", cmd.Name(), code, out, err)
			}
		}
	}
	if seen < 40 {
		t.Errorf("%d commands were tried", seen)
	}
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if path != "." {
			t.Errorf("%s was made", path)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}
