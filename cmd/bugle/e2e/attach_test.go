//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
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
			c := newFolder(t)
			server := c.serve(t)
			pid := fmt.Sprint(server.Process.Pid)
			term := c.terminal(t)
			term.see("enter open")
			if err := server.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			err := c.create("While it is suspended")
			if err == nil || !strings.Contains(err.Error(), "("+pid+") does not respond") || !strings.Contains(err.Error(), "kill -CONT "+pid) {
				t.Errorf("a command says %v", err)
			}
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("it says so after %v", took)
			}
			if err := server.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			if err := c.create("After it goes on"); err != nil {
				t.Error(err)
			}
			term.see("After it goes on")
		})
	}
}

// The second signal ends a server that waits for a request.
func TestSecondSignal(t *testing.T) {
	c := newFolder(t)
	server := c.serve(t)
	at := strings.TrimPrefix(c.serving, "http://")
	conn, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	basic, err := http.NewRequest(http.MethodPost, c.serving, nil)
	if err != nil {
		t.Fatal(err)
	}
	basic.SetBasicAuth(c.user, c.key)
	fmt.Fprintf(conn, "POST /v5/campaigns HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", basic.Header.Get("Authorization"))
	eventually(t, "the request is being answered", func() bool {
		res, err := http.Get(c.serving + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		return err == nil && strings.Contains(string(b), "bugle_api_requests_running 1")
	})
	_ = server.Process.Signal(os.Interrupt)
	eventually(t, "it takes no more requests", func() bool {
		conn, err := net.Dial("tcp", at)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	begun := time.Now()
	_ = server.Process.Signal(os.Interrupt)
	_ = server.Wait()
	if took := time.Since(begun); took > patience {
		t.Errorf("it ended after %v", took)
	}
	if s, ok := server.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() {
		t.Errorf("it ended with %v", server.ProcessState)
	}
}

// The API is available without a key on the socket of the store's owner.
func TestSocketWithoutAPIKey(t *testing.T) {
	c := newFolder(t)
	term := c.terminal(t)
	term.see("enter open")
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(c.data, "bugle.sock"))
	}}}
	req, err := http.NewRequest(http.MethodPost, "http://localhost/v5/campaigns", strings.NewReader(`{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com","basic_details":{"name":"Through the socket"}}`))
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

// folder is a folder that several processes use.
type folder struct {
	data, config string
	user, key    string
	serving      string // the server's address
}

func newFolder(t *testing.T) *folder {
	c := &folder{data: filepath.Join(t.TempDir(), "data"), config: t.TempDir()}
	var made struct {
		ID  string `json:"workspace_id"`
		Key string `json:"api_key"`
	}
	if err := c.run(&made, "init", "--sample", "--json"); err != nil {
		t.Fatal(err)
	}
	c.user, c.key = made.ID, made.Key
	return c
}

func (c *folder) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(os.Environ(), "BUGLE_DATA="+c.data, "BUGLE_AUTHOR=ann@example.com", "XDG_CONFIG_HOME="+c.config)
	return cmd
}

// run runs a command to its end, and decodes what it writes into out, unless that is nil.
func (c *folder) run(out any, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := c.command(ctx, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) } // show where it hangs
	var errs bytes.Buffer
	cmd.Stderr = &errs
	b, err := cmd.Output()
	if err == nil && out != nil {
		err = json.Unmarshal(b, out)
	}
	if err != nil {
		return fmt.Errorf("bugle %s: %w\n%s%s", strings.Join(args, " "), err, b, &errs)
	}
	return nil
}

// create makes a campaign with a command.
func (c *folder) create(name string) error {
	return c.run(nil, "create", "--channel", "PUSH", "--name", name)
}

func (c *folder) terminal(t *testing.T) *terminal {
	return open(t, 100, 30, c.data, "XDG_CONFIG_HOME="+c.config)
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

// serve starts a server, and has the clients use it.
func (c *folder) serve(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := c.command(context.Background(), "serve", "--addr", "127.0.0.1:0", "--json", "--rate-limits", "off")
	out, err := cmd.StdoutPipe()
	// In a process group of its own, as in a shell, so that others are not suspended.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState != nil { // it was killed
			return
		}
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("serve ended with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var said struct{ URL string }
	if err == nil {
		err = json.Unmarshal(line, &said)
	}
	if err != nil {
		t.Fatalf("serve said %q: %v", line, err)
	}
	c.serving = said.URL
	return cmd
}
