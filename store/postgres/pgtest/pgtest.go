//go:build unix

// Package pgtest runs PostgreSQL servers for tests, from the programs of a Debian package, on loopback and in folders of
// their own.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Need is the environment variable that makes tests fail instead of skip if PostgreSQL is not installed.
const Need = "BUGLE_NEED_POSTGRES"

var (
	// shared returns the server that the tests of a package share.
	shared = sync.OnceValues(func() (*Server, error) {
		s, err := newServer("n1")
		if err != nil {
			return nil, err
		}
		started.Store(s)
		return s, errors.Join(s.Init(), s.Start("fsync=off", "full_page_writes=off", "synchronous_commit=off"))
	})
	started atomic.Pointer[Server] // that one, or nil
	count   atomic.Int64
)

// Run runs the tests of a package, and ends the server that they shared. TestMain returns its result.
func Run(m *testing.M) (code int) {
	code = m.Run()
	if s := started.Load(); s != nil {
		s.remove()
	}
	return code
}

// URL returns the URL of an empty database, on the server that the tests of a package share, whose TestMain calls [Run]. It
// skips the test where PostgreSQL is not installed.
func URL(t testing.TB) string {
	t.Helper()
	Require(t)
	s, err := shared()
	if err != nil {
		t.Fatalf("PostgreSQL does not start: %v", err)
	}
	name := fmt.Sprintf("t%d", count.Add(1))
	s.Exec(t, "postgres", "CREATE DATABASE "+name)
	return s.URL(name)
}

// Require skips the test if PostgreSQL is not installed.
func Require(t testing.TB) {
	t.Helper()
	switch {
	case bin() != "":
	case os.Getenv(Need) != "":
		t.Fatalf("PostgreSQL is not installed, and %s says that it must be", Need)
	default:
		t.Skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
	}
}

// bin returns the folder with the programs of PostgreSQL, or "".
var bin = sync.OnceValue(func() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		return ""
	}
	path, err := filepath.EvalSymlinks(found[len(found)-1])
	if err != nil {
		return ""
	}
	return filepath.Dir(path)
})

// Server is one server with its data.
type Server struct {
	Name string
	Port int
	root string        // folder of all that belongs to it
	hold io.Closer     // ends the server when it is closed, or the test is gone
	done chan struct{} // closed when the server has ended
}

// New returns a server without data, which ends with the test.
func New(t testing.TB, name string) *Server {
	t.Helper()
	Require(t)
	s, err := newServer(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.remove)
	return s
}

func newServer(name string) (*Server, error) {
	root, err := os.MkdirTemp("", "bugle-pg")
	if err != nil {
		return nil, err
	}
	return &Server{Name: name, root: root}, os.Chmod(root, 0o777)
}

func (s *Server) remove() {
	s.Stop()
	os.RemoveAll(s.root)
}

// Data returns the folder of its data.
func (s *Server) Data() string { return filepath.Join(s.root, s.Name) }

// Init makes the data of an empty server.
func (s *Server) Init() error {
	return s.Run("initdb", "-D", s.Data(), "-U", "bugle", "-A", "trust", "--no-locale", "-E", "UTF8", "--no-sync")
}

// Run runs a program of PostgreSQL to its end.
func (s *Server) Run(program string, args ...string) error {
	if out, err := s.command(filepath.Join(bin(), program), args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, out)
	}
	return nil
}

// command returns a command, which runs as another user than root: PostgreSQL refuses to run as that.
func (s *Server) command(path string, args ...string) *exec.Cmd {
	args = append([]string{path}, args...)
	if os.Getuid() == 0 {
		args = append([]string{"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + s.root, "LC_ALL=C.UTF-8"}
	cmd.Dir = s.root
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // ctrl+c is for the test
	return cmd
}

// untilClosed runs a program, and ends it at once when standard input ends: with the test, however that ends.
const untilClosed = `exec 3<&0; "$@" 3<&- </dev/null & server=$!; (read end; kill -QUIT $server) <&3 & wait $server`

// Start starts the server with settings, and waits until it answers.
func (s *Server) Start(settings ...string) error {
	if s.Port == 0 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		s.Port = l.Addr().(*net.TCPAddr).Port
		l.Close()
	}
	args := []string{"-c", untilClosed, "sh", filepath.Join(bin(), "postgres"), "-D", s.Data(), "-p", strconv.Itoa(s.Port)}
	for _, set := range append([]string{"listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", "cluster_name=" + s.Name,
		"log_min_messages=warning", "wal_level=replica", "hot_standby=on", "autovacuum_naptime=10s"}, settings...) {
		args = append(args, "-c", set)
	}
	log, err := os.OpenFile(s.Data()+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := s.command("/bin/sh", args...)
	cmd.Stdout, cmd.Stderr = log, log
	hold, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	s.hold, s.done = hold, done
	for ctx := context.Background(); ; {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-s.done:
			text, _ := os.ReadFile(s.Data() + ".log")
			return fmt.Errorf("it has ended: %s", text)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// URL returns the URL of a database on the server.
func (s *Server) URL(database string) string {
	return fmt.Sprintf("postgres://bugle@127.0.0.1:%d/%s?sslmode=disable", s.Port, database)
}

// Exec does a statement in a database.
func (s *Server) Exec(t testing.TB, database, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.URL(database))
	if err == nil {
		_, err = conn.Exec(t.Context(), sql)
		err = errors.Join(err, conn.Close(t.Context()))
	}
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// Stop ends the server at once, as a crash would: it writes nothing more. Where it does not run, nothing happens.
func (s *Server) Stop() {
	if s.hold != nil {
		s.hold.Close()
		<-s.done
		s.hold = nil
	}
}
