//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// server is the program as a remote service, with a sample workspace of its own.
type server struct {
	t    *testing.T
	data string
	env  []string
	addr string // of the API, with its port from the first start on
	key  string
	run  *exec.Cmd // nil while it is stopped
}

// newServer starts `bugle serve` on a new sample workspace.
func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{t: t, addr: "127.0.0.1:0", data: filepath.Join(t.TempDir(), "served")}
	s.env = append(os.Environ(), "BUGLE_DATA="+s.data, "XDG_CONFIG_HOME="+t.TempDir())
	setup := exec.Command(binary, "init", "--sample", "--json")
	setup.Env = s.env
	out, err := setup.Output()
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		Key string `json:"api_key"`
	}
	if err := json.Unmarshal(out, &made); err != nil {
		t.Fatal(err)
	}
	s.key = made.Key
	s.start()
	t.Cleanup(s.stop)
	return s
}

// start starts the server, at the same address as before.
func (s *server) start() {
	s.t.Helper()
	s.run = exec.Command(binary, "serve", "--addr", s.addr, "--json", "--rate-limits", "off")
	s.run.Env = s.env
	s.run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // as in a shell, so that others are not suspended with it
	stdout, err := s.run.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.run.Start(); err != nil {
		s.t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	var said struct{ Addr string }
	if err := json.Unmarshal(line, &said); err != nil || said.Addr == "" {
		s.t.Fatalf("serve said %s", line)
	}
	s.addr = strings.TrimPrefix(said.Addr, "http://")
}

// stop ends the server as a person would.
func (s *server) stop() {
	s.t.Helper()
	if s.run == nil {
		return
	}
	_ = s.run.Process.Signal(os.Interrupt)
	if err := s.run.Wait(); err != nil {
		s.t.Errorf("serve ended with %v", err)
	}
	s.run = nil
}

// profile returns the environment of a program that uses the server as its remote.
func (s *server) profile() []string {
	s.t.Helper()
	config := s.t.TempDir()
	env := []string{"XDG_CONFIG_HOME=" + config, "XDG_STATE_HOME=" + filepath.Join(config, "state"), "REMOTE_KEY=" + s.key}
	add := exec.Command(binary, "remote", "add", "there", "--url", "http://"+s.addr, "--workspace-id", "DEMO", "--key-env", "REMOTE_KEY", "--author", "ann@example.com", "--use")
	add.Env = append(os.Environ(), env...)
	if out, err := add.CombinedOutput(); err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	return env
}
