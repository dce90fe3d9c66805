package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/cli"
)

// No command prints a secret, with or without --json, when it works and when it fails: not the passwords
// and keys that settings lead to, not API keys after they were made, nor what they are known by.
func TestNoCommandPrintsASecret(t *testing.T) {
	b := newBugle(t)
	dir := t.TempDir()
	b.env["XDG_CONFIG_HOME"], b.env["XDG_STATE_HOME"] = dir, dir
	secrets := map[string]string{"SMTP_PASSWORD": "canary-smtp", "FCM_KEY": "canary-fcm", "PUSH_KEY": "canary-vapid", "API_TOKEN": "canary-token", "FAR_KEY": "canary-far"}
	for name, value := range secrets {
		t.Setenv(name, value)
		b.env[name] = value
	}
	// A service that echoes the request in its refusal.
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		user, key, _ := r.BasicAuth()
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"code": "FORBIDDEN", "message": r.Header.Get("Authorization") + " is " + user + " with " + key, "target": key}})
	}))
	defer far.Close()
	keyFile := filepath.Join(dir, "key.sh")
	if err := os.WriteFile(keyFile, []byte("#!/bin/sh\necho canary-stderr >&2\nexit 1\n"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	made, _ := b.run(cli.ExitDone, "", "init", "--sample", "--json")
	var first struct {
		Key string `json:"api_key"`
	}
	if err := json.Unmarshal([]byte(made), &first); err != nil || first.Key == "" {
		t.Fatalf("%s: %v", made, err)
	}
	second, _ := b.run(cli.ExitDone, "", "keys", "create", "--json")
	if err := json.Unmarshal([]byte(second), &first); err != nil || strings.Contains(second, hashOf(first.Key)) {
		t.Fatalf("%s: %v", second, err)
	}
	b.run(cli.ExitDone, "", "connectors", "put", "Post", "provider=smtp", "smtp.host=127.0.0.1", "smtp.port=1", "smtp.tls=none", "smtp.auth=plain", "smtp.user=ann", "smtp.password_env=SMTP_PASSWORD")
	b.run(cli.ExitDone, "", "gateways", "put", "fcm", "key.env=FCM_KEY", "fcm.project=shop")
	b.run(cli.ExitDone, "", "gateways", "put", "webpush", "key.env=PUSH_KEY", "webpush.subject=push@example.com")
	b.run(cli.ExitDone, "", "settings", "put", "content_apis.hosts=127.0.0.1:1")
	b.run(cli.ExitDone, "", "apis", "put", "weather", "url=http://127.0.0.1:1/", `headers=[{"name":"X-Key","env":"API_TOKEN"}]`)
	b.run(cli.ExitDone, "", "remote", "add", "far", "--url", far.URL, "--workspace-id", "W", "--key-env", "FAR_KEY")
	b.run(cli.ExitDone, "", "remote", "add", "sh", "--url", far.URL, "--workspace-id", "W", "--key-command", keyFile)
	values := append([]string{"canary", first.Key, hashOf(first.Key)}, secretHashes(t, b)...)
	for _, command := range []string{
		"", "workspace list", "keys list", "connectors list", "gateways list", "settings get", "connectors get Post",
		"gateways get fcm", "apis list", "connectors test Post a@example.com", "gateways test fcm x", "gateways test webpush",
		"apis list", "apis get weather", "apis test weather", "keys list", "keys delete " + first.Key, "doctor", "backup", "restore",
		"remote list", "remote test far", "remote test sh", "--remote far search", "--remote far get x", "--remote sh meta", "search",
	} {
		for _, args := range [][]string{strings.Fields(command), append(strings.Fields(command), "--json")} {
			var out bytes.Buffer
			run(t.Context(), args, b.getenv, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out})
			text := strings.ReplaceAll(out.String(), "revoke "+first.Key, "")
			for _, secret := range values {
				if strings.Contains(text, secret) && !(strings.HasPrefix(command, "keys delete") && secret == first.Key) {
					t.Errorf("bugle %s tells %q:\n%s", strings.Join(args, " "), secret, text)
				}
			}
		}
	}
}

func hashOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// secretHashes are what the keys of the workspace are known by.
func secretHashes(t *testing.T, b bugle) (out []string) {
	t.Helper()
	f := cli.New(cli.Streams{In: strings.NewReader("")}, b.getenv)
	svc, err := f.Service(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w, err := svc.Workspace(t.Context())
	if err != nil || len(w.Keys) != 2 {
		t.Fatalf("%v, %v", w.Keys, err)
	}
	for _, k := range w.Keys {
		out = append(out, k.Hash)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}
