//go:build linux || darwin || freebsd

package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"bugle/cmd/bugle/internal/cli"
)

// Connections that do nothing leave the store the descriptors that it needs: campaigns are made and read
// while there are more of them than the process may have files open, and it stops in order.
func TestServeReservesDescriptorsForStore(t *testing.T) {
	t.Parallel()
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	c := b.key("MAIN", "")
	const descriptors = 96
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "ulimit -n 96 && exec bugle serve --addr 127.0.0.1:0 --rate-limits off --json")
	cmd.Env = os.Environ()
	for name, value := range b.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	defer func() {
		if !ended {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}()
	var said struct{ Addr, URL string }
	if err := json.NewDecoder(out).Decode(&said); err != nil {
		t.Fatal(err)
	}
	s := &serving{t: t, url: said.URL, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	var idle []net.Conn
	defer func() {
		for _, c := range idle {
			c.Close()
		}
	}()
	for range 5 {
		for range descriptors / 2 {
			c, err := net.DialTimeout("tcp", said.Addr, 10*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			idle = append(idle, c)
		}
		id := idIn(t, s.do(201, "POST", "/v5/campaigns", servedDraft, c))
		if got := s.do(200, "GET", "/v5/campaigns/"+id, "", c); !strings.Contains(got, "Flat white hour") {
			t.Errorf("the campaign is %s", got)
		}
		s.do(200, "GET", "/healthz", "", credentials{})
	}
	for _, c := range idle { // net/http waits five seconds for those that have said nothing yet
		c.Close()
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out)
	ended = true
	if err := cmd.Wait(); err != nil || strings.Contains(log.String(), "too many open files") || strings.Contains(log.String(), "damaged") {
		t.Errorf("%v\n%s", err, log.String())
	}
}
