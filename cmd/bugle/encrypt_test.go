package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"bugle/cmd/bugle/internal/cli"
	"bugle/store/badger"
	"bugle/store/crypt"
)

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
