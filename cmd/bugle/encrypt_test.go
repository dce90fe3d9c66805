package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/storekey"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
)

// commands runs commands on one data folder.
type commands struct {
	t   *testing.T
	dir string
	env map[string]string
}

func (c commands) run(args ...string) (code int, out, err string) {
	var o, e bytes.Buffer
	code = run(c.t.Context(), append([]string{"--data", c.dir}, args...), func(name string) string { return c.env[name] }, cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e})
	return code, o.String(), e.String()
}

func (c commands) must(args ...string) string {
	c.t.Helper()
	code, out, err := c.run(args...)
	if code != 0 {
		c.t.Fatalf("bugle %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, err)
	}
	return out
}

// clearText returns the files below a folder that contain one of some words, or a stream of compressed text: Zstandard,
// gzip, or framed Snappy.
func clearText(t *testing.T, dir string, words ...string) (out []string) {
	t.Helper()
	words = append(words, "\x28\xb5\x2f\xfd", "\x1f\x8b\x08", "sNaPpY")
	n := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Type()&fs.ModeSocket != 0 {
			return err
		}
		b, err := os.ReadFile(name)
		n++
		for _, w := range words {
			if len(w) > 3 && bytes.Contains(b, []byte(w)) || bytes.HasPrefix(b, []byte(w)) {
				out = append(out, fmt.Sprintf("%s holds %q", name, w))
			}
		}
		return err
	})
	if err != nil || n == 0 {
		t.Fatalf("%d files in %s: %v", n, dir, err)
	}
	return out
}

// Nothing of what somebody writes is in any file of an encrypted store: the words of this test are long
// and random, so that compression without encryption would leave them as they are.
func TestEncryptedStoreHasNoReadableText(t *testing.T) {
	const word, name, mail, key = "qzvxkwjpyb", "Wintersqhzkv", "kqzxjv@example.com", "utmqzkvxw"
	keyring.MockInit()
	c := commands{t: t, dir: t.TempDir(), env: map[string]string{"BUGLE_BACKUPS": "off"}}
	c.must("init", "--id", "SHOPQZKV", "--sample", "--encrypt", "--author", mail)
	work := filepath.Join(t.TempDir(), "c.json")
	body := fmt.Sprintf(`{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":%q,
		"basic_details":{"name":%q,"tags":[%q],"platforms":["ANDROID"]},
		"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":%q,"message":%q}}}}}}`,
		mail, name, word, word, strings.Repeat(word+" ", 100))
	if err := os.WriteFile(work, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(c.must("create", work))
	id = id[strings.LastIndex(id, " ")+1:]
	if out := c.must("search", name, "--json"); !strings.Contains(out, name) {
		t.Fatalf("the campaign is not found: %s", out)
	}
	c.must("test", id, "--to", "USER_1") // into the outbox, and the history of tests
	c.must("backup")
	c.must("export", "--all", "--dir", filepath.Join(t.TempDir(), "out"))
	c.must("doctor")
	daily(t, c)
	words := []string{word, name, mail, key, "SHOPQZKV", "basic_details", "campaign_delivery_type"}
	if wrong := clearText(t, c.dir, words...); len(wrong) > 0 {
		t.Errorf("encrypted: %s", strings.Join(wrong, "\n"))
	}

	// A killed process leaves its log: that is not readable either.
	db, err := badger.Open(t.Context(), badger.Options{Dir: c.dir, Key: storekey.New(func(string) string { return "" }).Find})
	if err != nil {
		t.Fatal(err)
	}
	if wrong := clearText(t, c.dir, words...); len(wrong) > 0 {
		t.Errorf("while it is open: %s", strings.Join(wrong, "\n"))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	c.must("rotate", "--yes")
	if wrong := clearText(t, c.dir, words...); len(wrong) > 0 {
		t.Errorf("with another key: %s", strings.Join(wrong, "\n"))
	}
	c.must("decrypt", "--yes")
	if clear := clearText(t, c.dir, words...); len(clear) < 4 {
		t.Errorf("decrypted, only this can be read, so the test proves little: %q", clear)
	}
	c.must("encrypt", "--yes")
	if wrong := clearText(t, c.dir, words...); len(wrong) > 0 {
		t.Errorf("encrypted again: %s", strings.Join(wrong, "\n"))
	}
	if out := c.must("search", name, "--json"); !strings.Contains(out, name) {
		t.Errorf("then the campaign is not found: %s", out)
	}
}

// daily has the daily backup made, as a program that keeps running does.
func daily(t *testing.T, c commands) {
	t.Helper()
	f := &cli.Factory{Environment: cli.Environment{Getenv: func(string) string { return "" }, Data: c.dir}}
	db, err := badger.Open(t.Context(), badger.Options{Dir: c.dir, Key: f.Keys().Find})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := backup.Daily(t.Context(), db, c.dir, f.DailyOptions(db)); err != nil {
		t.Fatal(err)
	}
	list, err := backup.List(c.dir, "")
	if err != nil || !slices.ContainsFunc(list, func(b backup.Info) bool { return b.Key != "" && strings.Contains(b.File, "daily-") }) {
		t.Errorf("there is no daily backup with the key of the store in %+v, %v", list, err)
	}
}

// The key is in the keyring under its id, so the folder can be moved and the key can be copied to another machine.
func TestKeyring(t *testing.T) {
	keyring.MockInit()
	c := commands{t: t, dir: filepath.Join(t.TempDir(), "a"), env: map[string]string{}}
	if out := c.must("init", "--id", "SHOP", "--encrypt"); !strings.Contains(out, "The key is in the system keyring.") {
		t.Errorf("init says %s", out)
	}
	moved := filepath.Join(t.TempDir(), "b")
	if err := os.Rename(c.dir, moved); err != nil {
		t.Fatal(err)
	}
	c.dir = moved
	c.must("workspace", "list")
	text := strings.TrimSpace(c.must("key", "show"))
	key, err := crypt.Parse(text)
	if err != nil {
		t.Fatal(err)
	}

	keyring.MockInit() // another machine
	code, _, said := c.run("workspace", "list")
	if code != cli.ExitFailed || strings.Count(said, "\n") != 1 || !strings.Contains(said, "the system keyring does not have key "+key.ID()+"; store it with `bugle key keep`") {
		t.Errorf("without the key: %d %s", code, said)
	}
	var o, e bytes.Buffer
	if code := run(t.Context(), []string{"--data", c.dir, "key", "keep"}, func(string) string { return "" }, cli.Streams{In: strings.NewReader(text + "\n"), Out: &o, Err: &e}); code != 0 {
		t.Fatalf("keeping the key: %s", e.String())
	}
	c.must("workspace", "list")

	// Where there is no keyring, nothing is made.
	keyring.MockInitWithError(os.ErrNotExist)
	defer keyring.MockInit()
	c.dir = filepath.Join(t.TempDir(), "c")
	code, _, said = c.run("init", "--encrypt")
	if code != cli.ExitFailed || !strings.Contains(said, "openssl rand -base64 32") {
		t.Errorf("without a keyring: %d %s", code, said)
	}
	if _, err := os.Stat(filepath.Join(c.dir, badger.Folder)); !os.IsNotExist(err) {
		t.Errorf("there is a store: %v", err)
	}
}

// A key that was made for a store which was not encrypted does not stay in the keyring, and a backup
// that was not completed does not stay in the folder.
func TestEncryptLeftovers(t *testing.T) {
	keyring.MockInit()
	dir, _ := heldOpen(t)
	c := commands{t: t, dir: dir, env: map[string]string{}}
	if code, _, said := c.run("encrypt", "--yes"); code != cli.ExitFailed || !strings.Contains(said, "quit it first") {
		t.Errorf("while it is open: %d %s", code, said)
	}
	c.dir = t.TempDir()
	c.must("init", "--id", "SHOP")
	c.must("backup")
	partial := filepath.Join(c.dir, backup.Folder, ".bugle-20260304-120000"+backup.Suffix+"-123.partial")
	if err := os.WriteFile(partial, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(t.TempDir(), "p"+backup.Suffix)
	c.must("backup", plain)
	c.must("encrypt", "--yes")
	if _, err := os.Stat(partial); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", partial, err)
	}
	// A backup from elsewhere is reported, and encrypted with the others.
	late := filepath.Join(c.dir, backup.Folder, "late"+backup.Suffix)
	if err := os.Rename(plain, late); err != nil {
		t.Fatal(err)
	}
	if out := c.must("doctor"); !strings.Contains(out, "this backup is not: "+late) {
		t.Errorf("doctor says %s", out)
	}
	c.must("encrypt", "--yes")
	if out := c.must("doctor"); strings.Contains(out, late) {
		t.Errorf("then doctor says %s", out)
	}
}

// Only the process that opens the store needs its key: an attached process works without it, and can back up the store. To
// restore a campaign from an encrypted backup, it needs the key.
func TestAttachedNeedNoKey(t *testing.T) {
	keyring.MockInit()
	dir, err := os.MkdirTemp("", "e") // its path leaves room for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	key := crypt.New().Text()
	env := func(name string) string { return map[string]string{storekey.Env: key, cli.EnvBackups: "off"}[name] }
	c := commands{t: t, dir: dir, env: map[string]string{storekey.Env: key}}
	c.must("init", "--id", "SHOP", "--sample", "--encrypt")

	c.env = nil
	if code, _, said := c.run("search"); code != cli.ExitFailed || !strings.Contains(said, "cannot open the encrypted store") {
		t.Errorf("alone, without the key: %d %s", code, said)
	}
	owner := &cli.Factory{Environment: cli.Environment{Getenv: env, Data: dir}}
	if _, err := owner.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := owner.Close(); err != nil {
			t.Error(err)
		}
	}()
	c.must("search")
	file := filepath.Join(t.TempDir(), "b"+backup.Suffix)
	if code, _, said := c.run("backup", file); code != cli.ExitFailed || !strings.Contains(said, "key") {
		t.Errorf("backup without the key of the store: %d %s", code, said)
	}
	c.env = map[string]string{storekey.Env: key}
	if out := c.must("backup", file); !strings.Contains(out, "encrypted with the key of the store") {
		t.Errorf("backup says %s", out)
	}
	c.env = nil
	if out := c.must("doctor", "--json"); !strings.Contains(out, `"encrypted": true`) {
		t.Errorf("doctor says %s", out)
	}
	id := strings.TrimSpace(c.must("create", "--channel", "PUSH"))
	id = id[strings.LastIndex(id, " ")+1:]
	if code, _, said := c.run("restore", file, "--yes", "--campaign", id); code != cli.ExitFailed || !strings.Contains(said, "cannot open backup "+file) {
		t.Errorf("a campaign from an encrypted backup: %d %s", code, said)
	}
}
