package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"bugle/cmd/bugle/internal/cli"
)

// campaignFiles returns a folder with so many campaign files.
func campaignFiles(t *testing.T, n int) (dir string) {
	dir = t.TempDir()
	for i := range n {
		text := fmt.Sprintf(`{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "basic_details": {"name": "Number %d"}}`, i+1)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%04d.json", i+1)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// An apply that was told to end fails, and says what is left; the next one goes on from there.
func TestApplyIsInterrupted(t *testing.T) {
	t.Parallel()
	const count = 1000
	b, dir := newBugle(t), campaignFiles(t, count)
	b.run(cli.ExitDone, "", "init")
	cmd := exec.Command("bugle", "apply", "--yes", dir)
	cmd.Env = append(os.Environ(), cli.EnvData+"="+b.env[cli.EnvData], cli.EnvAuthor+"="+b.env[cli.EnvAuthor])
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	made := 0
	for lines.Scan() {
		if !strings.Contains(lines.Text(), ": created ") {
			continue
		}
		if made++; made == 1 {
			_ = cmd.Process.Signal(syscall.SIGTERM)
		}
	}
	_ = cmd.Wait() // the code says it
	want := fmt.Sprintf("%d files not applied; run apply again.", count-made)
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitFailed || made == count || !strings.Contains(errs.String(), want) || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("exit code %d after %d drafts, %q is missing in %q", code, made, want, errs.String())
	}
	b.run(cli.ExitDone, "", "apply", "--yes", dir)
	if now, _ := b.run(cli.ExitDone, "", "list", "--json"); !strings.Contains(now, fmt.Sprintf(`"total": %d,`, count)) {
		t.Errorf("after the second run there is %s", now)
	}
}

// A service that fails, or an answer that is lost: nothing is created twice.
func TestApplyToAServiceThatFails(t *testing.T) {
	t.Parallel()
	b := newBugle(t)
	b.env["XDG_CONFIG_HOME"] = t.TempDir()
	b.run(cli.ExitDone, "", "init", "--id", "DEMO")
	b.env["REMOTE_KEY"] = b.key("DEMO", "").key
	target, err := url.Parse(b.serve("--rate-limits", "off").url)
	if err != nil {
		t.Fatal(err)
	}
	var creations, full, lost atomic.Int64
	interrupted, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(res *http.Response) error {
		if res.Request.Method == http.MethodPost && res.Request.URL.Path == "/v5/campaigns" && creations.Load() == lost.Load() {
			interrupt()
			<-res.Request.Context().Done() // nobody waits for the answer anymore
		}
		return nil
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/v5/campaigns" && creations.Add(1) == full.Load() {
			w.WriteHeader(http.StatusInsufficientStorage)
			_, _ = io.WriteString(w, `{"error": {"code": "INTERNAL_ERROR", "message": "the disk is full"}}`)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer server.Close()
	b.run(cli.ExitDone, "", "remote", "add", "far", "--url", server.URL, "--workspace-id", "DEMO", "--key-env", "REMOTE_KEY")
	args := []string{"apply", "--yes", campaignFiles(t, 4), "--remote", "far", "--json"}
	results := func(ctx context.Context, code int) string {
		var out, errs bytes.Buffer
		if got := run(ctx, args, b.getenv, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}); got != code {
			t.Fatalf("exit code %d, want %d: %s%s", got, code, out.String(), errs.String())
		}
		var rows struct{ Plan []struct{ Result string } }
		if err := json.Unmarshal(out.Bytes(), &rows); err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, r := range rows.Plan {
			list = append(list, r.Result)
		}
		return strings.Join(list, ", ")
	}
	want := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("the results are %q, want %q", got, want)
		}
	}
	full.Store(2)
	want(results(t.Context(), cli.ExitFailed), "created, , , ")
	creations.Store(0)
	full.Store(0)
	lost.Store(2) // the first one is found by its name
	want(results(interrupted, cli.ExitFailed), ", created, , ")
	lost.Store(-1)
	want(results(t.Context(), cli.ExitDone), ", , , created")
	if now, _ := b.run(cli.ExitDone, "", "list", "--json"); !strings.Contains(now, `"total": 4,`) {
		t.Errorf("there is %s", now)
	}
}
