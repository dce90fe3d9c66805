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
	"os/user"
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

// limit is how long a program or a statement may take. One that commits would wait for ever for a standby that is gone.
const limit = 2 * time.Minute

var (
	shared = sync.OnceValues(func() (*Server, error) {
		s, err := newServer("n1")
		if err == nil {
			err = errors.Join(s.Init(), s.Start("fsync=off", "full_page_writes=off", "synchronous_commit=off"))
		}
		return s, err
	})
	used  atomic.Bool // the shared server
	count atomic.Int64
)

// Main is a package's TestMain: [Run] and the end of the process.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run runs the tests of a package, and ends the server that they shared.
func Run(m *testing.M) int {
	code := m.Run()
	if used.Load() {
		if s, _ := shared(); s != nil {
			s.remove()
		}
	}
	return code
}

// URL returns the URL of an empty database, on the server that the tests of a package share. The package's TestMain is
// [Main]. It skips the test where PostgreSQL is not installed.
func URL(t testing.TB) string {
	t.Helper()
	Bin(t)
	used.Store(true)
	s, err := shared()
	if err != nil {
		t.Fatalf("PostgreSQL does not start: %v", err)
	}
	name := fmt.Sprintf("t%d", count.Add(1))
	s.Exec(t, "postgres", "CREATE DATABASE "+name)
	return s.URL(name)
}

// Bin returns the folder with the programs of PostgreSQL. It skips the test if PostgreSQL is not installed.
func Bin(t testing.TB) string {
	t.Helper()
	dir := bin()
	switch {
	case dir != "":
	case os.Getenv(Need) != "":
		t.Fatalf("PostgreSQL is not installed, and %s says that it must be", Need)
	default:
		t.Skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
	}
	return dir
}

func bin() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path)
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(found[len(found)-1])
}

// Server is one server with its data.
type Server struct {
	Name string
	Port int
	root string // folder of all that belongs to it
	who  *syscall.Credential
	hold io.Closer     // ends the server when it is closed, or the test is gone
	done chan struct{} // closed when the server has ended
}

// New returns a server without data, which ends with the test.
func New(t testing.TB, name string) *Server {
	t.Helper()
	Bin(t)
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
	s := &Server{Name: name, root: root}
	if os.Getuid() != 0 {
		return s, nil
	}
	// PostgreSQL refuses to run as root.
	who, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err1 := strconv.Atoi(who.Uid)
	gid, err2 := strconv.Atoi(who.Gid)
	s.who = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return s, errors.Join(err1, err2, os.Chown(root, uid, gid))
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
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	out, err := s.command(ctx, filepath.Join(bin(), program), args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, out)
	}
	return nil
}

// command returns a command that runs as the user of the server.
func (s *Server) command(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + s.root, "LC_ALL=C.UTF-8"}
	cmd.Dir = s.root
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.who, Setpgid: true} // ctrl+c is for the test
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
	cmd := s.command(context.Background(), "/bin/sh", args...)
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
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-s.done:
			text, _ := os.ReadFile(s.Data() + ".log")
			return fmt.Errorf("it has ended: %s", text)
		case <-ctx.Done():
			return err
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
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL(database))
	if err == nil {
		_, err = conn.Exec(ctx, sql)
		err = errors.Join(err, conn.Close(ctx))
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
