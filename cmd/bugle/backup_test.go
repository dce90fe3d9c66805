package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/kv"
	"bugle/store/socket"
)

// heldOpen keeps a workspace open as a terminal would, with a campaign in it.
func heldOpen(t *testing.T) (dir, id string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "b") // its path leaves room for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	f := &cli.Factory{Environment: cli.Environment{Getenv: func(string) string { return "" }, Data: dir}}
	store, err := f.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, _, err := store.CreateWorkspace(t.Context(), engine.Workspace{ID: "SHOP"}, false); err != nil {
		t.Fatal(err)
	}
	svc, err := store.Service(t.Context(), "SHOP")
	if err != nil {
		t.Fatal(err)
	}
	out, err := svc.Create(t.Context(), engine.CreateRequest{Body: engine.NewDraftBody("PUSH", "ONE_TIME", "ann@example.com", doc.Value{})})
	if err != nil {
		t.Fatal(err)
	}
	if store.Folder().State().Role != socket.Owner {
		t.Fatal("another process has the store")
	}
	return dir, out.ID
}

// While a terminal has the store open, others check it and back it up through it; only a restore of
// the whole store needs it closed.
func TestWhileOpen(t *testing.T) {
	dir, id := heldOpen(t)
	bugle := func(args ...string) (code int, out, err string) {
		var o, e bytes.Buffer
		code = run(t.Context(), append([]string{"--data", dir}, args...), func(string) string { return "" }, cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e})
		return code, o.String(), e.String()
	}
	file := filepath.Join(t.TempDir(), "b"+backup.Suffix)
	if code, out, err := bugle("backup", file); code != 0 || !strings.HasPrefix(out, "Backed up 1 workspace, 1 campaign ") {
		t.Errorf("backup: %d %s%s", code, out, err)
	}
	if code, out, err := bugle("doctor"); code != 0 || !strings.Contains(out, "No problems found") {
		t.Errorf("doctor: %d %s%s", code, out, err)
	}
	if code, _, err := bugle("restore", file); code != 1 || !strings.Contains(err, "is using the store in "+dir+"; quit it first") {
		t.Errorf("restore: %d %s", code, err)
	}
	if code, _, err := bugle("restore", file, "--campaign", id); code != 1 || !strings.Contains(err, "is not damaged; nothing was restored") {
		t.Errorf("restore of a campaign that is whole: %d %s", code, err)
	}
}

// doctor names a damaged campaign and repairs it from its history; otherwise it can be restored from a backup.
func TestDamagedCampaign(t *testing.T) {
	dir := t.TempDir()
	bugle := func(args ...string) (code int, out string) {
		var o, e bytes.Buffer
		code = run(t.Context(), append([]string{"--data", dir}, args...), func(string) string { return "" }, cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e})
		return code, o.String() + e.String()
	}
	must := func(want int, args ...string) string {
		t.Helper()
		code, out := bugle(args...)
		if code != want {
			t.Fatalf("bugle %s: exit code %d\n%s", strings.Join(args, " "), code, out)
		}
		return out
	}
	must(0, "init", "--id", "SHOP")
	must(0, "create", "--channel", "PUSH")
	file := filepath.Join(t.TempDir(), "b"+backup.Suffix)
	must(0, "backup", file)
	var id string
	spoil := func(all bool) {
		db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		err = db.Update(t.Context(), func(tx kv.Tx) error {
			s := kv.NewWorkspaceTx(tx, "SHOP")
			if err := s.Summaries(func(sum engine.Summary) error { id = sum.ID; return nil }); err != nil {
				return err
			}
			return tx.Scan(nil, kv.ScanOptions{}, func(key, value []byte) error {
				if !kv.IsCampaign(key) && (!all || !kv.BelongsTo(key, "SHOP", id)) {
					return nil
				}
				value = bytes.Clone(value)
				value[len(value)-1] ^= 1
				return tx.Set(bytes.Clone(key), value)
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	spoil(false)
	if out := must(1, "get", id); !strings.Contains(out, `campaign "`+id+`" in workspace "SHOP" is damaged in the store`) {
		t.Errorf("get says %s", out)
	}
	if out := must(1, "doctor"); !strings.Contains(out, "possible repair: restore revision 1,") {
		t.Errorf("doctor says %s", out)
	}
	if out := must(0, "doctor", "--repair"); !strings.Contains(out, "repair: restore revision 1,") || !strings.Contains(out, "Repaired 1 of 1.") {
		t.Errorf("repair says %s", out)
	}
	must(0, "get", id)
	spoil(true)
	if out := must(1, "doctor", "--repair"); !strings.Contains(out, "cannot be repaired; restore it from a backup with `bugle restore FILE --campaign ID`") {
		t.Errorf("doctor says %s", out)
	}
	must(0, "restore", file, "--campaign", id)
	must(0, "get", id)
	must(0, "doctor")
}

// If a campaign is lost without a trace, doctor names it if a backup has it, with the command that restores it.
func TestLostCampaignIsFoundInBackup(t *testing.T) {
	dir := t.TempDir()
	must := func(want int, args ...string) string {
		t.Helper()
		var o, e bytes.Buffer
		code := run(t.Context(), append([]string{"--data", dir}, args...), func(string) string { return "" }, cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e})
		if code != want {
			t.Fatalf("bugle %s: exit code %d\n%s%s", strings.Join(args, " "), code, o.String(), e.String())
		}
		return o.String() + e.String()
	}
	tables := func() []string {
		t.Helper()
		names, err := filepath.Glob(filepath.Join(dir, badger.Folder, "*.sst"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	must(0, "init", "--id", "SHOP")
	must(0, "create", "--channel", "PUSH")
	before := tables()
	var created struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(must(0, "create", "--channel", "PUSH", "--json")), &created); err != nil || created.ID == "" {
		t.Fatal(created, err)
	}
	after := slices.DeleteFunc(tables(), func(name string) bool { return slices.Contains(before, name) })
	if len(after) != 1 {
		t.Fatalf("the campaign is in the tables %q", after)
	}
	must(0, "backup")
	if err := os.Truncate(after[0], 100); err != nil {
		t.Fatal(err)
	}
	out := must(1, "doctor")
	_, advice, _ := strings.Cut(out, `campaign "`+created.ID+`" in workspace "SHOP" is missing, but is in the backup of `)
	_, advice, ok := strings.Cut(advice, "`bugle ")
	command, _, _ := strings.Cut(advice, "`")
	if !ok || !strings.Contains(out, "the newest backup of the whole store is "+filepath.Join(dir, backup.Folder)) {
		t.Fatalf("doctor says %s", out)
	}
	must(0, strings.Fields(command)...)
	must(0, "get", created.ID)
	must(0, "doctor", "--repair")
	must(0, "doctor")
}
