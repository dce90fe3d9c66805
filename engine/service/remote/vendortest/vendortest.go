// Package vendortest runs a server of the Campaigns V5 API that nobody wrote here: Prism (npm,
// @stoplight/prism-cli), which serves the description of another vendor. It answers with examples,
// whatever is sent, and refuses each request that the description does not allow.
package vendortest

import (
	"bufio"
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Workspace is the id of the vendor's workspace. Any key opens it.
const Workspace = "ACME1"

// Campaigns that the vendor has: an email draft, and a push that runs.
const (
	Email = "65f0a1b2c3d4e5f607182901"
	Push  = "65f0a1b2c3d4e5f607182902"
)

// envPrism names the program to run. Where it is empty it is prism in PATH, and without that the
// test is skipped.
const envPrism = "BUGLE_PRISM"

//go:embed openapi.yaml
var description []byte

// Dialect is the vendor's dialect, as a file has it.
//
//go:embed dialect.json
var Dialect []byte

// Server is the vendor's server.
type Server struct {
	URL string
	log []string // its requests, and what it refused of them; complete when it has ended
}

// Start starts the server on a free port of this machine, and ends it with the test. Where Prism is
// not installed the test is skipped; where the environment names a program that does not start, it
// fails.
func Start(t testing.TB) *Server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "openapi.yaml")
	if err := os.WriteFile(file, description, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program(t), "mock", "--host", "127.0.0.1", "--port", "0", file)
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "FORCE_COLOR=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatalf("Prism does not start: %v", err)
	}
	s := &Server{}
	ready, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		s.read(bufio.NewScanner(out), ready)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		var exit *exec.ExitError
		if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("Prism said:\n%s", strings.Join(s.log, "\n"))
		}
	})
	select {
	case s.URL = <-ready:
	case <-ended:
		t.Fatal("Prism ended before it listened")
	case <-time.After(time.Minute):
		t.Fatal("Prism does not listen after a minute")
	}
	return s
}

func program(t testing.TB) string {
	t.Helper()
	if path := os.Getenv(envPrism); path != "" {
		return path
	}
	path, err := exec.LookPath("prism")
	if err != nil {
		t.Skipf("skipped: Prism is not installed; put prism (npm, @stoplight/prism-cli) into PATH, or name it in %s", envPrism)
	}
	return path
}

var listening = regexp.MustCompile(`listening on (http://[0-9.:]+)`)

// read reads what Prism prints, to its end.
func (s *Server) read(lines *bufio.Scanner, ready chan<- string) {
	started := false
	for lines.Scan() {
		line := lines.Text()
		if m := listening.FindStringSubmatch(line); m != nil && !started {
			started = true
			ready <- m[1]
		}
		if !started || strings.Contains(line, "Request received") || strings.Contains(line, "Violation") {
			s.log = append(s.log, line)
		}
	}
}

// DialectFile returns the name of a file with the vendor's dialect.
func DialectFile(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "dialect.json")
	if err := os.WriteFile(name, Dialect, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
