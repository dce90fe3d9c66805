//go:build linux || darwin || freebsd

package socket_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/service/local"
	"bugle/store"
	"bugle/store/kv"
	"bugle/store/socket"
)

// A node that yields lets the store go to another, its calls wait, and it takes part again.
func TestYield(t *testing.T) {
	s := newTestFolder(t)
	first, second := s.pair()
	one, two := s.service(first), s.service(second)
	id := create(t, one)
	s.ok(first.Yield(t.Context()))
	s.ok(first.Yield(t.Context()))
	until(t, second, "the owner", owning)
	create(t, two)

	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := one.Get(short, id); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call of a node that yielded: %v", err)
	}
	got := make(chan error)
	go func() { _, err := one.Get(t.Context(), id); got <- err }()
	heard := changes(t, first)
	first.Rejoin()
	first.Rejoin()
	s.ok(<-got)
	next(t, heard, store.Change{})
	if st := until(t, first, "attached", func(s socket.State) bool { return s.Role == socket.Attached }); st.Again {
		t.Errorf("who left and came back is told %q", st)
	}
}

// A handle that was attached returns in the role that is needed.
func TestYieldAttached(t *testing.T) {
	s := newTestFolder(t)
	first, second := s.pair()
	s.ok(second.Yield(t.Context()))
	s.ok(first.Close())
	second.Rejoin()
	svc := s.service(second)
	create(t, svc)
	until(t, second, "the owner", owning)
	s.ok(second.Yield(t.Context()))
	s.ok(second.Close())
	if _, err := svc.Get(t.Context(), "x"); !errors.Is(err, socket.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	second.Rejoin()
	s.ok(second.Yield(t.Context()))
}

// A running transaction of any process prevents the handover, and is not canceled.
func TestYieldRefused(t *testing.T) {
	for _, by := range []socket.Role{socket.Owner, socket.Attached} {
		t.Run(by.String(), func(t *testing.T) {
			s := newTestFolder(t)
			owner, caller := s.pair()
			if by == socket.Owner {
				caller = owner
			}
			running, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error)
			go func() {
				done <- caller.View(t.Context(), func(kv.Tx) error { close(running); <-goOn; return nil })
			}()
			<-running
			short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			if err := owner.Yield(short); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("yielding: %v", err)
			}
			close(goOn)
			s.ok(<-done)
			if role := owner.State().Role; role != socket.Owner {
				t.Errorf("it is %s now", role)
			}
			for _, d := range []*socket.DB{owner, caller} {
				s.ok(d.View(t.Context(), func(kv.Tx) error { return nil }))
			}
		})
	}
}

// A request on the socket does not wait for a process that is suspended.
func TestYieldRefusesRequests(t *testing.T) {
	s := newTestFolder(t)
	running, goOn := make(chan struct{}), make(chan struct{})
	s.handler = func(d *socket.DB) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(running)
			<-goOn
			err := d.View(r.Context(), func(kv.Tx) error { return nil })
			if e := engine.AsError(err); e == nil || e.HTTP != http.StatusServiceUnavailable {
				t.Errorf("the request hears %v", err)
			}
		})
	}
	owner := s.node()
	client := http.Client{Transport: s.transport(t)}
	answered := make(chan error)
	go func() {
		res, err := client.Get("http://localhost/v5/campaigns")
		if err == nil {
			err = res.Body.Close()
		}
		answered <- err
	}()
	<-running
	yielded := make(chan error)
	go func() { yielded <- owner.Yield(t.Context()) }()
	until(t, owner, "gone", func(s socket.State) bool { return s.Role == socket.Searching })
	close(goOn)
	s.ok(<-answered)
	s.ok(<-yielded)
	owner.Rejoin()
}

// If somebody removes the socket, or replaces it with a dead file, it is soon restored.
func TestLostSocket(t *testing.T) {
	for name, lose := range map[string]func(at string) error{
		"removed":  os.Remove,
		"replaced": func(at string) error { return errors.Join(os.Remove(at), os.WriteFile(at, nil, 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestFolder(t)
			owner, attached := s.pair()
			s.ok(lose(socketOf(s.dir)))
			begun := time.Now()
			third := s.node()
			if took := time.Since(begun); third.State().Role != socket.Attached || took > 2*time.Second {
				t.Errorf("a new process is %s after %v", third.State().Role, took)
			}
			create(t, s.service(attached))
			last := s.service(third)
			create(t, last)
			s.ok(owner.Close())
			create(t, last)
		})
	}
}

// A folder recreated under the same name belongs to another owner.
func TestReplacedFolder(t *testing.T) {
	s := newTestFolder(t)
	owner := s.node()
	s.ok(os.Rename(s.dir, s.dir+"-old"))
	t.Cleanup(func() { os.RemoveAll(s.dir + "-old") })
	s.ok(os.Mkdir(s.dir, 0o700))
	if owner.SocketLost() {
		t.Error("the owner would take the new folder")
	}
}

// A process that finds a suspended owner is told which process to continue, and continues when it is.
func TestSuspendedOwner(t *testing.T) {
	dir := shortDir(t)
	foundDisk(t, dir)
	p := startProcess(t, dir)
	p.next(t, "saved")
	open := func() (*socket.DB, error) {
		return socket.Open(t.Context(), socket.Options{Dir: dir, Opener: openDisk(dir)})
	}
	attached, err := open()
	if err != nil {
		t.Fatal(err)
	}
	defer attached.Close()
	svc, err := local.Open(attached, workspace, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer svc.Close()
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// The signal is pending until the kernel reports the process as stopped; until then, it may respond.
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(p.cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("it did not stop: %v, %v", status, err)
	}
	told := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), strconv.Itoa(p.cmd.Process.Pid)) || !strings.Contains(err.Error(), "fg") {
			t.Errorf("%s: %v", what, err)
		}
	}
	called := make(chan error)
	begun := time.Now()
	go func() { _, err := svc.List(t.Context(), engine.ListQuery{}); called <- err }()
	_, err = open()
	told("a new process", err)
	told("a call", <-called)
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("that took %v", took)
	}
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.List(t.Context(), engine.ListQuery{}); err != nil {
		t.Errorf("after it goes on: %v", err)
	}
	var exit *exec.ExitError
	if err := errors.Join(p.in.Close(), p.cmd.Wait()); errors.As(err, &exit) {
		t.Errorf("it ended with %v: %s", err, p.failed)
	}
}
