//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
)

// Two terminals and commands use one folder: each shows the changes of the others, and when the owner of the store is
// killed, the other terminal continues with what was typed.
func TestTwoTerminalsOnOneFolder(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	first := open(t, 80, 24, data)
	first.see("Welcome to bugle")
	first.press("Enter")
	first.see("Winter roast launch")
	second := open(t, 80, 24, data)
	second.see("Winter roast launch", "has the store open")

	if out, err := second.bugle("create", "--channel", "PUSH", "--name", "From a command"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	first.see("From a command")
	second.see("From a command")

	first.press("Enter")
	first.see("Sections", "Campaign name")
	first.press("Enter")
	first.write(" typed here")
	first.see("typed here", "saved")
	first.killFirst()
	second.see("this one")
	out, err := second.bugle("search", "--status", "DRAFT", "--name", "typed here")
	if err != nil || !strings.Contains(out, "typed here") {
		t.Errorf("after the kill: %v\n%s", err, out)
	}
	second.press("r", "Home", "Enter")
	second.see("typed here", "Sections")
	second.press("Enter", "End")
	second.write(" and there")
	second.see("and there", "saved")
}

// A suspended owner keeps the store: the others say so at once, and which process to continue. When it continues, nothing
// is lost.
func TestSuspendedOwner(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTSTP, syscall.SIGSTOP} {
		t.Run(sig.String(), func(t *testing.T) {
			c := newLoadTest(t)
			server := c.serve(t)
			pid := fmt.Sprint(server.cmd.Process.Pid)
			term := c.terminal(t)
			term.see("enter open")
			if err := server.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			_, err := c.create("While it is suspended")
			if err == nil || !strings.Contains(err.Error(), "("+pid+") does not respond") || !strings.Contains(err.Error(), "kill -CONT "+pid) {
				t.Errorf("a command says %v", err)
			}
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("it says so after %v", took)
			}
			if err := server.cmd.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			if _, err := c.create("After it goes on"); err != nil {
				t.Error(err)
			}
			term.see("After it goes on")
		})
	}
}

// The second signal ends a server that waits for a request.
func TestSecondSignal(t *testing.T) {
	c := newLoadTest(t)
	server := c.serve(t)
	at := strings.TrimPrefix(c.addr(), "http://")
	conn, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	basic, err := http.NewRequest(http.MethodPost, c.addr(), nil)
	if err != nil {
		t.Fatal(err)
	}
	basic.SetBasicAuth(c.user, c.key)
	fmt.Fprintf(conn, "POST /v5/campaigns HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", basic.Header.Get("Authorization"))
	eventually(t, "the request is being answered", func() bool {
		res, err := http.Get(c.addr() + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		return err == nil && strings.Contains(string(b), "bugle_api_requests_running 1")
	})
	_ = server.cmd.Process.Signal(os.Interrupt)
	eventually(t, "it takes no more requests", func() bool {
		conn, err := net.Dial("tcp", at)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	begun := time.Now()
	_ = server.cmd.Process.Signal(os.Interrupt)
	_ = server.cmd.Wait()
	if took := time.Since(begun); took > goOn {
		t.Errorf("it ended after %v", took)
	}
	if s, ok := server.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() {
		t.Errorf("it ended with %v", server.cmd.ProcessState)
	}
}

// The API is available without a key on the socket of the store's owner.
func TestSocketWithoutAPIKey(t *testing.T) {
	c := newLoadTest(t)
	term := c.terminal(t)
	term.see("enter open")
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(c.data, "bugle.sock"))
	}}}
	req, err := http.NewRequest(http.MethodPost, "http://localhost/v5/campaigns", strings.NewReader(createBody("Through the socket")))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-SVC-Request-Id", "1")
	req.Header.Set("Idempotency-Key", uuid.NewString())
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		b, _ := io.ReadAll(res.Body)
		t.Fatalf("%s\n%s", res.Status, b)
	}
	term.see("Through the socket")
}

// The system that shuts down, or a window that is closed, ends the program as the person does who leaves it:
// what was typed the moment before is kept, and the terminal is as it was.
func TestTerminatedBySignal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			term := open(t, 80, 24, data)
			term.see("Welcome to bugle")
			term.press("Enter")
			term.see("Winter roast launch")
			term.press("Enter")
			term.see("Sections", "Campaign name")
			term.press("Enter", "End")
			term.write(" until the end")
			term.see("until the end")
			if err := syscall.Kill(term.pid(), sig); err != nil {
				t.Fatal(err)
			}
			if s := term.see("EXIT="); !strings.Contains(s, "EXIT=0") || strings.Contains(s, "goroutine") {
				t.Errorf("the program ended with\n%s", s)
			}
			out, err := term.bugle("search", "--status", "DRAFT", "--name", "until the end")
			if err != nil || !strings.Contains(out, "until the end") {
				t.Errorf("what was typed is lost: %v\n%s", err, out)
			}
		})
	}
}
