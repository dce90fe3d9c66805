package remotes_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gokeyring "github.com/zalando/go-keyring"

	"bugle/cmd/bugle/internal/remotes"
	"bugle/engine/keyring"
)

func named(name string) remotes.Remote {
	return remotes.Remote{Name: name, BaseURL: "https://api-{dc}.example.com", DC: "02", Workspace: "W1", Key: remotes.Source{Env: "KEY"}}
}

func open(t *testing.T, dir string) *remotes.File {
	t.Helper()
	f, err := remotes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "config")
	path := filepath.Join(dir, remotes.FileName)
	f := open(t, dir)
	for _, n := range []string{"prod", "dev"} {
		if err := f.Put(named(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Use("prod"); err != nil {
		t.Fatal(err)
	}
	f = open(t, dir)
	if got := f.All(); len(got) != 2 || got[0].Name != "dev" || f.Current() != "prod" {
		t.Errorf("read again: %+v, in use %q", got, f.Current())
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := f.Remove("prod"); err != nil || f.Current() != "" {
		t.Errorf("removing the one in use: %v, %q in use", err, f.Current())
	}
	if _, err := f.Get("prod"); err == nil || !strings.Contains(err.Error(), "choose from dev, local") {
		t.Errorf("an unknown name says %v", err)
	}
}

func TestPutRefuses(t *testing.T) {
	f := open(t, t.TempDir())
	for want, change := range map[string]func(*remotes.Remote){
		"cannot be the name":    func(p *remotes.Remote) { p.Name = "a/b" },
		"store on this machine": func(p *remotes.Remote) { p.Name = remotes.Local },
		"workspace":             func(p *remotes.Remote) { p.Workspace = "" },
		"where the key is":      func(p *remotes.Remote) { p.Key.Keyring = true },
		"https":                 func(p *remotes.Remote) { p.BaseURL = "http://api.example.com" },
		"01":                    func(p *remotes.Remote) { p.DC = "7" },
	} {
		p := named("x")
		change(&p)
		if err := f.Put(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in the refusal, got %v", want, err)
		}
	}
	if len(f.All()) != 0 {
		t.Error("a refused remote was stored")
	}
}

func TestKeys(t *testing.T) {
	gokeyring.MockInit()
	ctx := context.Background()
	getenv := func(n string) string { return map[string]string{"KEY": "from-env"}[n] }
	p := named("p")
	if key, err := p.KeyOf(getenv)(ctx); err != nil || key != "from-env" {
		t.Errorf("environment: %q, %v", key, err)
	}
	p.Key = remotes.Source{Command: []string{"echo", "from-command"}}
	if key, err := p.KeyOf(getenv)(ctx); err != nil || key != "from-command" {
		t.Errorf("command: %q, %v", key, err)
	}
	p.Key = remotes.Source{Keyring: true}
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
	for _, s := range []remotes.Source{{Env: "NOT_SET"}, {Command: []string{"false"}}, {Command: []string{"true"}}} {
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
