package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/cli"
)

// remoteOf returns a bugle with a remote "there" for a service.
func remoteOf(t *testing.T, url string, more ...string) bugle {
	t.Helper()
	b := newBugle(t)
	b.env["XDG_CONFIG_HOME"], b.env["REMOTE_KEY"] = t.TempDir(), "s3cret"
	b.run(cli.ExitDone, "", append([]string{"remote", "add", "there", "--url", url, "--workspace-id", "W1", "--key-env", "REMOTE_KEY"}, more...)...)
	return b
}

// A remote answers, refuses, or is not there.
func TestRemoteTest(t *testing.T) {
	t.Parallel()
	home := newBugle(t)
	home.run(cli.ExitDone, "", "init", "--id", "W1")
	server := home.serve("--rate-limits", "off")
	b := remoteOf(t, server.url)
	_, errs := b.run(cli.ExitRefused, "", "remote", "test", "there")
	if !strings.Contains(errs, "key") {
		t.Errorf("of a wrong key it says %q", errs)
	}
	b.env["REMOTE_KEY"] = home.key("W1", "").key
	if out, _ := b.run(cli.ExitDone, "", "remote", "test", "there"); !strings.HasPrefix(out, "Remote there answers (") {
		t.Errorf("it says %q", out)
	}
}

func TestRemoteTestOfNoService(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, errs := remoteOf(t, server.URL).run(cli.ExitFailed, "", "remote", "test", "there")
	if want := strings.TrimPrefix(server.URL, "http://"); !strings.Contains(errs, want) {
		t.Errorf("it says %q, want %q in it", errs, want)
	}
}
