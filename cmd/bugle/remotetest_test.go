package main

import (
	"encoding/json"
	"io"
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

// checkRows returns the lines of a report by operation, without the times.
func checkRows(t *testing.T, b bugle, code int, more ...string) map[string]string {
	t.Helper()
	out, _ := b.run(code, "", append([]string{"remote", "test", "there", "--json"}, more...)...)
	var said struct {
		Operations []struct{ Operation, Result, Message string }
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, r := range said.Operations {
		rows[r.Operation] = r.Result + " " + r.Message
	}
	table, _ := b.run(code, "", append([]string{"remote", "test", "there"}, more...)...)
	if got := strings.Count(table, "\n"); got < 1+len(rows) {
		t.Errorf("the report has %d lines, want a head and one for each operation:\n%s", got, table)
	}
	return rows
}

func TestRemoteTest(t *testing.T) {
	t.Parallel()
	home := newBugle(t)
	home.run(cli.ExitDone, "", "init", "--id", "W1")
	key := home.key("W1", "")
	server := home.serve("--rate-limits", "off")
	b := remoteOf(t, server.url)
	b.env["REMOTE_KEY"] = key.key

	rows := checkRows(t, b, cli.ExitDone)
	for op, want := range map[string]string{
		"search": "ok no campaigns", "get": "", "validate": "", "meta": "ok 0 campaigns",
	} {
		if !strings.HasPrefix(rows[op], want) {
			t.Errorf("%s: %q, want %q", op, rows[op], want)
		}
	}

	id := home.create(smtpDraft)
	rows = checkRows(t, b, cli.ExitDone)
	for op, want := range map[string]string{
		"search": "ok found " + id, "get": "ok status draft", "validate": "ok ", "meta": "ok 1 campaign",
	} {
		if !strings.HasPrefix(rows[op], want) {
			t.Errorf("%s: %q, want %q", op, rows[op], want)
		}
	}
}

// Each operation is tried, whatever came of the others.
func TestRemoteTestOfAServiceThatRefuses(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := func(status int, body string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
		switch {
		case strings.HasSuffix(r.URL.Path, "/search"):
			answer(200, `{"response_id":"r","data":{"campaigns":[{"id":"65f0a1b2c3d4e5f60718293a","channel":"EMAIL","status":"DRAFT","created_by":"ann@example.com"}]}}`)
		case strings.HasSuffix(r.URL.Path, "/meta"):
			answer(400, `{"error":{"code":"VALIDATION_FAILED","message":"The request is wrong","details":[{"target":"limit","message":"is too small"}]}}`)
		case strings.HasSuffix(r.URL.Path, "/validate"):
			answer(500, `{"error":{"code":"INTERNAL_ERROR","message":"It broke"}}`)
		default:
			answer(200, `{"response_id":"r","data":{"id":"65f0a1b2c3d4e5f60718293a","status":"SENT"}}`)
		}
	}))
	defer server.Close()
	b := remoteOf(t, server.URL)
	rows := checkRows(t, b, cli.ExitRefused)
	for op, want := range map[string]string{
		"search": "ok found 65f0a1b2c3d4e5f60718293a", "get": "ok status sent",
		"validate": "failed It broke", "meta": "refused 400 VALIDATION_FAILED: The request is wrong\n  limit: is too small",
	} {
		if rows[op] != want {
			t.Errorf("%s: %q, want %q", op, rows[op], want)
		}
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
