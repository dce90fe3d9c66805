package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/storekey"
	"bugle/store/backup"
	"bugle/store/badger"
	"bugle/store/crypt"
)

// Nothing of what somebody writes is in any file of an encrypted store or its backups, whatever key it has: the word of this
// test is long and random, so that compression without encryption would leave it as it is.
func TestEncryptedStoreHasNoReadableText(t *testing.T) {
	const word = "qzvxkwjpyb"
	keyring.MockInit()
	c := newBugle(t).at(t.TempDir(), cli.EnvBackups, "off")
	readable := func() (files []string) {
		t.Helper()
		err := fs.WalkDir(os.DirFS(c.dir()), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			b, err := os.ReadFile(filepath.Join(c.dir(), name))
			if bytes.Contains(b, []byte(word)) {
				files = append(files, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	c.must("init", "--id", "SHOP", "--sample", "--encrypt")
	id := strings.Fields(c.must("create", "--channel", "PUSH", "--name", word))
	c.must("tag", id[len(id)-1], "--add", word)
	c.must("backup")
	for _, command := range []string{"doctor", "rotate --yes", "decrypt --yes", "encrypt --yes"} {
		c.must(strings.Fields(command)...)
		if files := readable(); (len(files) == 0) == strings.HasPrefix(command, "decrypt") {
			t.Errorf("after bugle %s the word is in %q", command, files)
		}
	}
	if out := c.must("search", word, "--json"); !strings.Contains(out, word) {
		t.Errorf("the campaign is not found: %s", out)
	}
}

// The key is in the keyring under its id, so the folder can be moved and the key can be copied to another machine.
func TestKeyring(t *testing.T) {
	keyring.MockInit()
	c := newBugle(t).at(filepath.Join(t.TempDir(), "a"))
	if out := c.must("init", "--id", "SHOP", "--encrypt"); !strings.Contains(out, "The key is in the system keyring.") {
		t.Errorf("init says %s", out)
	}
	moved := filepath.Join(t.TempDir(), "b")
	if err := os.Rename(c.dir(), moved); err != nil {
		t.Fatal(err)
	}
	c = c.at(moved)
	c.must("workspace", "list")
	text := strings.TrimSpace(c.must("key", "show"))
	key, err := crypt.Parse(text)
	if err != nil {
		t.Fatal(err)
	}

	keyring.MockInit() // another machine
	code, _, said := c.try("", "workspace", "list")
	if code != cli.ExitFailed || strings.Count(said, "\n") != 1 || !strings.Contains(said, "the system keyring does not have key "+key.ID()+"; store it with `bugle key keep`") {
		t.Errorf("without the key: %d %s", code, said)
	}
	c.run(cli.ExitDone, text+"\n", "key", "keep")
	c.must("workspace", "list")

	// Where there is no keyring, nothing is made.
	keyring.MockInitWithError(os.ErrNotExist)
	defer keyring.MockInit()
	c = c.at(filepath.Join(t.TempDir(), "c"))
	code, _, said = c.try("", "init", "--encrypt")
	if code != cli.ExitFailed || !strings.Contains(said, "openssl rand -base64 32") {
		t.Errorf("without a keyring: %d %s", code, said)
	}
	if _, err := os.Stat(filepath.Join(c.dir(), badger.Folder)); !os.IsNotExist(err) {
		t.Errorf("there is a store: %v", err)
	}
}

// A key that was made for a store which was not encrypted does not stay in the keyring, and a backup
// that was not completed does not stay in the folder.
func TestEncryptLeftovers(t *testing.T) {
	keyring.MockInit()
	dir, _ := heldOpen(t)
	c := newBugle(t).at(dir)
	if code, _, said := c.try("", "encrypt", "--yes"); code != cli.ExitFailed || !strings.Contains(said, "quit it first") {
		t.Errorf("while it is open: %d %s", code, said)
	}
	c = c.at(t.TempDir())
	c.must("init", "--id", "SHOP")
	c.must("backup")
	partial := filepath.Join(c.dir(), backup.Folder, ".bugle-20260304-120000"+backup.Suffix+"-123.partial")
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
	late := filepath.Join(c.dir(), backup.Folder, "late"+backup.Suffix)
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
	c := newBugle(t).at(dir, storekey.Env, key)
	c.must("init", "--id", "SHOP", "--sample", "--encrypt")

	delete(c.env, storekey.Env)
	if code, _, said := c.try("", "search"); code != cli.ExitFailed || !strings.Contains(said, "cannot open the encrypted store") {
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
	if code, _, said := c.try("", "backup", file); code != cli.ExitFailed || !strings.Contains(said, "key") {
		t.Errorf("backup without the key of the store: %d %s", code, said)
	}
	c.env[storekey.Env] = key
	if out := c.must("backup", file); !strings.Contains(out, "encrypted with the key of the store") {
		t.Errorf("backup says %s", out)
	}
	delete(c.env, storekey.Env)
	if out := c.must("doctor", "--json"); !strings.Contains(out, `"encrypted": true`) {
		t.Errorf("doctor says %s", out)
	}
	id := strings.TrimSpace(c.must("create", "--channel", "PUSH"))
	id = id[strings.LastIndex(id, " ")+1:]
	if code, _, said := c.try("", "restore", file, "--yes", "--campaign", id); code != cli.ExitFailed || !strings.Contains(said, "cannot open backup "+file) {
		t.Errorf("a campaign from an encrypted backup: %d %s", code, said)
	}
}
