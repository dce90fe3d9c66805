//go:build e2e

package e2e

import (
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
	out, err := second.bugle("search", "--status", "DRAFT", "typed here")
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
			there := newServer(t)
			owner := there.run.Process
			term := open(t, 100, 30, there.data)
			term.see("enter open")
			if err := owner.Signal(sig); err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			out, err := term.bugle("create", "--channel", "PUSH", "--name", "While it is suspended")
			if pid := fmt.Sprint(owner.Pid); err == nil || !strings.Contains(out, "("+pid+") does not respond") || !strings.Contains(out, "kill -CONT "+pid) {
				t.Errorf("a command says %s (%v)", out, err)
			}
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("it says so after %v", took)
			}
			if err := owner.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			if out, err := term.bugle("create", "--channel", "PUSH", "--name", "After it goes on"); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			term.see("After it goes on")
		})
	}
}

// The second signal ends a server that waits for a request.
func TestSecondSignal(t *testing.T) {
	there := newServer(t)
	process := there.run
	there.run = nil // it does not end by itself
	conn, err := net.Dial("tcp", there.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	basic, err := http.NewRequest(http.MethodPost, "http://"+there.addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	basic.SetBasicAuth("DEMO", there.key)
	fmt.Fprintf(conn, "POST /v5/campaigns HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", basic.Header.Get("Authorization"))
	eventually(t, "the request is being answered", func() bool {
		res, err := http.Get("http://" + there.addr + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		return err == nil && strings.Contains(string(b), "bugle_api_requests_running 1")
	})
	_ = process.Process.Signal(os.Interrupt)
	eventually(t, "it takes no more requests", func() bool {
		conn, err := net.Dial("tcp", there.addr)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	begun := time.Now()
	_ = process.Process.Signal(os.Interrupt)
	_ = process.Wait()
	if took := time.Since(begun); took > patience {
		t.Errorf("it ended after %v", took)
	}
	if s, ok := process.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() {
		t.Errorf("it ended with %v", process.ProcessState)
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("not so: %s", what)
		}
		time.Sleep(5 * time.Millisecond) // between two looks at other processes
	}
}
