package remotes_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	gokeyring "github.com/zalando/go-keyring"

	"bugle/cmd/bugle/internal/remotes"
	"bugle/engine"
	"bugle/engine/keyring"
)

func named(name string) remotes.Remote {
	return remotes.Remote{Name: name, BaseURL: "https://api-{dc}.example.com", DC: "02", Workspace: "W1", Key: engine.SecretRef{Env: "KEY"}}
}

func open(t *testing.T, dir string) *remotes.File {
	t.Helper()
	f, err := remotes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestKeys(t *testing.T) {
	gokeyring.MockInit()
	ctx := context.Background()
	getenv := func(n string) string { return map[string]string{"KEY": "from-env"}[n] }
	p := named("p")
	if key, err := p.KeyOf(getenv)(ctx); err != nil || key != "from-env" {
		t.Errorf("environment: %q, %v", key, err)
	}
	p.Key = engine.SecretRef{Command: []string{"echo", "from-command"}}
	if key, err := p.KeyOf(getenv)(ctx); err != nil || key != "from-command" {
		t.Errorf("command: %q, %v", key, err)
	}
	p.Key = engine.SecretRef{Keyring: "p"}
	if _, err := p.KeyOf(getenv)(ctx); err == nil || !strings.Contains(err.Error(), "bugle remote key") {
		t.Errorf("an empty keyring says %v", err)
	}
	if err := keyring.Set("p", "from-keyring"); err != nil {
		t.Fatal(err)
	}
	if key, err := p.KeyOf(getenv)(ctx); err != nil || key != "from-keyring" {
		t.Errorf("keyring: %q, %v", key, err)
	}
	if err := keyring.Delete("p"); err != nil {
		t.Error(err)
	}
	if err := keyring.Delete("p"); err != nil {
		t.Errorf("dropping none: %v", err)
	}
	for _, s := range []engine.SecretRef{{Env: "NOT_SET"}, {Command: []string{"false"}}, {Command: []string{"true"}}} {
		p.Key = s
		if key, err := p.KeyOf(getenv)(ctx); err == nil {
			t.Errorf("%s gave %q", s, key)
		}
	}
}

// Two processes that have read the file add a remote each: both are kept.
func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir)
	if err := errors.Join(a.Put(named("one")), b.Put(named("two")), a.Use("two"), b.Remove("one")); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir)
	if all := f.All(); len(all) != 1 || all[0].Name != "two" || f.Current() != "two" {
		t.Errorf("%+v, current %s", all, f.Current())
	}
}
