package secret_test

import (
	"os"
	"path/filepath"
	"testing"

	"bugle/engine"
	"bugle/engine/message/delivery/secret"
)

// A key in a file or a command is allowed for one gateway of one workspace, as long as it is sent to the same place.
func TestTrust(t *testing.T) {
	trust := secret.Trust{Path: filepath.Join(t.TempDir(), "new", secret.TrustFile)}
	g := engine.Gateway{Provider: engine.ProviderFCM, Key: engine.SecretRef{Command: []string{"pass", "show fcm"}}, FCM: &engine.FCM{Project: "a"}}
	with := func(change func(*engine.Gateway)) engine.Gateway {
		out := g
		fcm := *g.FCM
		out.FCM = &fcm
		change(&out)
		return out
	}
	if trust.Check("SHOP", g) == nil || (secret.Trust{}).Check("SHOP", g) == nil {
		t.Error("it is allowed before anybody has allowed it")
	}
	for range 2 {
		if err := trust.Allow("SHOP", g); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		workspace string
		gateway   engine.Gateway
		ok        bool
	}{
		"the same":          {"SHOP", g, true},
		"another project":   {"SHOP", with(func(g *engine.Gateway) { g.FCM.Project = "b" }), true},
		"a variable":        {"DEMO", with(func(g *engine.Gateway) { g.Key = engine.SecretRef{Env: "KEY"} }), true},
		"another workspace": {"DEMO", g, false},
		"another command":   {"SHOP", with(func(g *engine.Gateway) { g.Key.Command = []string{"pass", "show", "fcm"} }), false},
		"a file":            {"SHOP", with(func(g *engine.Gateway) { g.Key = engine.SecretRef{File: "/pass"} }), false},
		"another endpoint":  {"SHOP", with(func(g *engine.Gateway) { g.FCM.Endpoint = "https://example.com" }), false},
		"its tokens":        {"SHOP", with(func(g *engine.Gateway) { g.FCM.TokenEndpoint = "https://example.com" }), false},
	} {
		if err := trust.Check(tt.workspace, tt.gateway); (err == nil) != tt.ok {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, key := range []engine.SecretRef{{File: "key.json"}, {Command: []string{"./getkey"}}} { // another one in each folder
		if g := with(func(g *engine.Gateway) { g.Key = key }); trust.Allow("SHOP", g) == nil || trust.Check("SHOP", g) == nil {
			t.Errorf("%v is allowed", key)
		}
	}
	if err := os.WriteFile(trust.Path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if trust.Check("SHOP", g) == nil || trust.Allow("SHOP", g) == nil {
		t.Error("a damaged list allows a command")
	}
}
