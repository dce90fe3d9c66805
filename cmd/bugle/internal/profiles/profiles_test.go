package profiles_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"bugle/cmd/bugle/internal/profiles"
)

func profile(name string) profiles.Profile {
	return profiles.Profile{Name: name, BaseURL: "https://api-{dc}.example.com", DC: "02", Workspace: "W1", Key: profiles.Source{Env: "KEY"}}
}

func open(t *testing.T, path string) *profiles.File {
	t.Helper()
	f, err := profiles.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config", "profiles.json")
	f := open(t, path)
	for _, n := range []string{"prod", "dev"} {
		if err := f.Put(profile(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Use("prod"); err != nil {
		t.Fatal(err)
	}
	f = open(t, path)
	if got := f.All(); len(got) != 2 || got[0].Name != "dev" || f.Current() != "prod" {
		t.Errorf("read again: %+v, in use %q", got, f.Current())
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := f.Remove("prod"); err != nil || f.Current() != "" {
		t.Errorf("removing the one in use: %v, %q in use", err, f.Current())
	}
	if _, err := f.Get("prod"); err == nil || !strings.Contains(err.Error(), "there is dev") {
		t.Errorf("an unknown name says %v", err)
	}
}

func TestPutRefuses(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), "profiles.json"))
	for want, change := range map[string]func(*profiles.Profile){
		"no name":            func(p *profiles.Profile) { p.Name = "a/b" },
		"this machine's own": func(p *profiles.Profile) { p.Name = profiles.Local },
		"workspace":          func(p *profiles.Profile) { p.Workspace = "" },
		"where the key is":   func(p *profiles.Profile) { p.Key.Keyring = true },
		"https":              func(p *profiles.Profile) { p.BaseURL = "http://api.example.com" },
		"01":                 func(p *profiles.Profile) { p.DC = "7" },
	} {
		p := profile("x")
		change(&p)
		if err := f.Put(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in the refusal, got %v", want, err)
		}
	}
	if len(f.All()) != 0 {
		t.Error("a refused profile was stored")
	}
}

func TestKeys(t *testing.T) {
	keyring.MockInit()
	ctx := context.Background()
	getenv := func(n string) string { return map[string]string{"KEY": "from-env"}[n] }
	p := profile("p")
	if key, err := p.KeyOf(getenv)(ctx); err != nil || key != "from-env" {
		t.Errorf("environment: %q, %v", key, err)
	}
	p.Key = profiles.Source{Command: []string{"echo", "from-command"}}
	if key, err := p.KeyOf(getenv)(ctx); err != nil || key != "from-command" {
		t.Errorf("command: %q, %v", key, err)
	}
	p.Key = profiles.Source{Keyring: true}
	if _, err := p.KeyOf(getenv)(ctx); err == nil || !strings.Contains(err.Error(), "bugle profile key") {
		t.Errorf("an empty keyring says %v", err)
	}
	if err := profiles.StoreKey("p", "from-keyring"); err != nil {
		t.Fatal(err)
	}
	if key, err := p.KeyOf(getenv)(ctx); err != nil || key != "from-keyring" {
		t.Errorf("keyring: %q, %v", key, err)
	}
	if err := profiles.DropKey("p"); err != nil {
		t.Error(err)
	}
	if err := profiles.DropKey("p"); err != nil {
		t.Errorf("dropping none: %v", err)
	}
	for _, s := range []profiles.Source{{Env: "NOT_SET"}, {Command: []string{"false"}}, {Command: []string{"true"}}} {
		p.Key = s
		if key, err := p.KeyOf(getenv)(ctx); err == nil {
			t.Errorf("%s gave %q", s, key)
		}
	}
}
