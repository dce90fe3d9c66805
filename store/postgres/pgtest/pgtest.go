//go:build unix

// Package pgtest runs PostgreSQL servers for tests, from the programs of a Debian package, on loopback and in folders of
// their own.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
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
	once   sync.Once
	shared *Server
	failed error
	count  atomic.Int64
)

// Main is a package's TestMain: [Run] and the end of the process.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run runs the tests of a package, and ends the server that they shared.
func Run(m *testing.M) int {
	code := m.Run()
	if shared != nil {
		shared.Kill()
		os.RemoveAll(shared.root)
	}
	return code
}

// URL returns the URL of an empty database, on the server that the tests of a package share. The package's TestMain is
// [Main]. It skips the test where PostgreSQL is not installed.
func URL(t testing.TB) string {
	t.Helper()
	Bin(t)
	once.Do(func() {
		root, err := os.MkdirTemp("", "bugle-pg")
		if err != nil {
			failed = err
			return
		}
		if shared, failed = newServer(root, "n1"); failed == nil {
			failed = shared.Start("fsync=off", "full_page_writes=off", "synchronous_commit=off")
		}
	})
	if failed != nil {
		t.Fatalf("PostgreSQL does not start: %v", failed)
	}
	return shared.Database(t)
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
	have := func(dir string) bool {
		for _, name := range []string{"initdb", "postgres", "pg_ctl", "pg_basebackup"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				return false
			}
		}
		return true
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil && have(filepath.Dir(path)) {
			return filepath.Dir(path)
		}
	}
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.Reverse(dirs)
	for _, dir := range dirs {
		if have(dir) {
			return dir
		}
	}
	return ""
}

// Server is one server with its data.
type Server struct {
	Name string
	Port int
	root string // folder of all that belongs to it
	cmd  *exec.Cmd
	done chan struct{} // closed when the process has ended
	who  *syscall.Credential
}

// New makes the data of a server, which ends with the test.
func New(t testing.TB, name string) *Server {
	t.Helper()
	Bin(t)
	s, err := newServer(t.TempDir(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

func prepare(root, name string) (*Server, error) {
	s := &Server{Name: name, root: root}
	for dir := root; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) { // those of a test are for its user alone
		if err := os.Chmod(dir, 0o755); err != nil {
			return nil, err
		}
	}
	if os.Getuid() != 0 {
		return s, nil
	}
	// PostgreSQL refuses to run as root.
	who, err := user.Lookup("postgres")
	if err != nil {
		if who, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err1 := strconv.Atoi(who.Uid)
	gid, err2 := strconv.Atoi(who.Gid)
	if err := errors.Join(err1, err2, os.Chown(root, uid, gid)); err != nil {
		return nil, err
	}
	s.who = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return s, nil
}

func newServer(root, name string) (*Server, error) {
	s, err := prepare(root, name)
	if err != nil {
		return nil, err
	}
	return s, s.run("initdb", "-D", s.data(), "-U", "bugle", "-A", "trust", "--no-locale", "-E", "UTF8", "--no-sync")
}

func (s *Server) data() string { return filepath.Join(s.root, s.Name) }

// command returns a command of a program of PostgreSQL, as its user.
func (s *Server) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(bin(), program), args...)
	cmd.Env = []string{"PATH=" + bin() + ":/usr/bin:/bin", "HOME=" + s.root, "LC_ALL=C.UTF-8"}
	cmd.Dir = s.root
	cmd.SysProcAttr = attributes(s.who)
	return cmd
}

func (s *Server) run(program string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	out, err := s.command(ctx, program, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, out)
	}
	return nil
}

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
	args := []string{"-D", s.data(), "-p", strconv.Itoa(s.Port)}
	for _, set := range append([]string{"listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", "cluster_name=" + s.Name,
		"log_min_messages=warning", "wal_level=replica", "hot_standby=on", "autovacuum_naptime=10s"}, settings...) {
		args = append(args, "-c", set)
	}
	log, err := os.OpenFile(s.data()+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	s.cmd = s.command(context.Background(), "postgres", args...)
	s.cmd.Stdout, s.cmd.Stderr = log, log
	started := make(chan error)
	s.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		runtime.LockOSThread() // the server ends with the thread that has started it
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(done)
	}(s.cmd, s.done)
	if err := <-started; err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-s.done:
			text, _ := os.ReadFile(s.data() + ".log")
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

// Addr returns the address on which the server listens.
func (s *Server) Addr() string { return fmt.Sprintf("127.0.0.1:%d", s.Port) }

// Database makes a database, and returns its URL.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("t%d", count.Add(1))
	s.Exec(t, "postgres", "CREATE DATABASE "+name)
	return s.URL(name)
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

// Kill ends the server and all of its processes at once, as the loss of its machine would. Where it does not run, nothing
// happens.
func (s *Server) Kill() {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	killGroup(s.cmd.Process.Pid)
	<-s.done
	s.cmd = nil
}

// Standby makes a standby of the server, which is not started yet.
func (s *Server) Standby(t testing.TB, name string) *Server {
	t.Helper()
	to, err := prepare(t.TempDir(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(to.Kill)
	to.follow(t, s)
	return to
}

// follow makes the data of a standby of another server.
func (s *Server) follow(t testing.TB, from *Server) {
	t.Helper()
	if err := os.RemoveAll(s.data()); err != nil {
		t.Fatal(err)
	}
	if err := s.run("pg_basebackup", "-h", "127.0.0.1", "-p", strconv.Itoa(from.Port), "-U", "bugle", "-D", s.data(), "-c", "fast", "-X", "stream", "--no-sync"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.data(), "standby.signal"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Follow starts the server anew as a standby of another one; what it had is gone.
func (s *Server) Follow(t testing.TB, from *Server, settings ...string) {
	t.Helper()
	s.Kill()
	s.follow(t, from)
	if err := s.Start(append(s.FollowSettings(from), settings...)...); err != nil {
		t.Fatal(err)
	}
}

// FollowSettings are the settings of a standby of another server.
func (s *Server) FollowSettings(from *Server) []string {
	return []string{
		fmt.Sprintf("primary_conninfo=host=127.0.0.1 port=%d user=bugle application_name=%s", from.Port, s.Name),
		"wal_retrieve_retry_interval=100ms", "wal_receiver_timeout=3s", "recovery_target_timeline=latest",
	}
}

// Promote makes a standby the server that can be written to.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	s.Exec(t, "postgres", "SELECT pg_promote(true, 30)")
}

// Hosts returns a URL with several servers.
func Hosts(database string, servers ...*Server) string {
	var hosts []string
	for _, s := range servers {
		hosts = append(hosts, s.Addr())
	}
	return "postgres://bugle@" + strings.Join(hosts, ",") + "/" + database + "?sslmode=disable"
}
