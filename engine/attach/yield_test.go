//go:build linux || darwin || freebsd

package attach_test

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
	"bugle/engine/attach"
	"bugle/engine/enginetest"
)

// A node that yields lets the store go to another, its calls wait, and it takes part again.
func TestYield(t *testing.T) {
	s := newShed(t)
	first, second := s.pair()
	id := create(t, first.Service(workspace))
	s.ok(first.Yield(t.Context()))
	s.ok(first.Yield(t.Context()))
	until(t, second, "the owner", owning)
	create(t, second.Service(workspace))

	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := first.Service(workspace).Get(short, id); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call of a node that yielded: %v", err)
	}
	got := make(chan error)
	go func() { _, err := first.Service(workspace).Get(t.Context(), id); got <- err }()
	changes := first.Changes(t.Context())
	first.Rejoin()
	first.Rejoin()
	s.ok(<-got)
	next(t, changes, attach.Change{})
	if st := until(t, first, "attached", func(s attach.State) bool { return s.Role == attach.Attached }); st.Again {
		t.Errorf("who left and came back is told %q", st)
	}
}

// One that is attached comes back as what is needed.
func TestYieldAttached(t *testing.T) {
	s := newShed(t)
	first, second := s.pair()
	s.ok(second.Yield(t.Context()))
	s.ok(first.Close())
	second.Rejoin()
	create(t, second.Service(workspace))
	until(t, second, "the owner", owning)
	s.ok(second.Yield(t.Context()))
	s.ok(second.Close())
	if _, err := second.Service(workspace).Get(t.Context(), "x"); !errors.Is(err, attach.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	second.Rejoin()
	s.ok(second.Yield(t.Context()))
}

// A call that goes on, of whichever node, keeps the store where it is, and nothing is cut off.
func TestYieldRefused(t *testing.T) {
	for _, by := range []attach.Role{attach.Owner, attach.Attached} {
		t.Run(by.String(), func(t *testing.T) {
			s := newShed(t)
			running, goOn := make(chan struct{}), make(chan struct{})
			s.wrap = func(svc attach.Service) attach.Service {
				return &faulty{Service: svc, before: func(context.Context) error { running <- struct{}{}; <-goOn; return nil }}
			}
			owner, caller := s.pair()
			if by == attach.Owner {
				caller = owner
			}
			done := make(chan error)
			go func() {
				_, err := caller.Service(workspace).Create(t.Context(), engine.CreateRequest{Body: parse(t, draft)})
				done <- err
			}()
			<-running
			short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			if err := owner.Yield(short); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("yielding: %v", err)
			}
			close(goOn)
			s.ok(<-done)
			if role := owner.State().Role; role != attach.Owner {
				t.Errorf("it is %s now", role)
			}
			for _, n := range []*attach.Node{owner, caller} {
				if _, err := n.Service(workspace).List(t.Context(), engine.ListQuery{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A request on the socket does not wait for a process that is suspended.
func TestYieldRefusesRequests(t *testing.T) {
	s := newShed(t)
	running, goOn := make(chan struct{}), make(chan struct{})
	s.handler = func(n *attach.Node) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(running)
			<-goOn
			_, err := n.Workspaces(r.Context())
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
	until(t, owner, "gone", func(s attach.State) bool { return s.Role == attach.Searching })
	close(goOn)
	s.ok(<-answered)
	s.ok(<-yielded)
	owner.Rejoin()
}

// A socket that somebody removes, or puts something dead in the place of, is there again soon.
func TestLostSocket(t *testing.T) {
	for name, lose := range map[string]func(at string) error{
		"removed":  os.Remove,
		"replaced": func(at string) error { return errors.Join(os.Remove(at), os.WriteFile(at, nil, 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShed(t)
			owner, attached := s.pair()
			s.ok(lose(socketOf(s.dir)))
			begun := time.Now()
			third := s.node()
			if took := time.Since(begun); third.State().Role != attach.Attached || took > 2*time.Second {
				t.Errorf("a new process is %s after %v", third.State().Role, took)
			}
			create(t, attached.Service(workspace))
			create(t, third.Service(workspace))
			s.ok(owner.Close())
			create(t, third.Service(workspace))
		})
	}
}

// A folder that was made anew under the same name is another owner's.
func TestReplacedFolder(t *testing.T) {
	s := newShed(t)
	owner := s.node()
	s.ok(os.Rename(s.dir, s.dir+"-old"))
	t.Cleanup(func() { os.RemoveAll(s.dir + "-old") })
	s.ok(os.Mkdir(s.dir, 0o700))
	if owner.SocketLost() {
		t.Error("the owner would take the new folder")
	}
}

// Who meets an owner that is suspended is told which process to continue, and goes on with it then.
func TestSuspendedOwner(t *testing.T) {
	dir := shortDir(t)
	owned, err := openDisk(dir)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := owned.Create(t.Context(), enginetest.Workspace(), false); err != nil {
		t.Fatal(err)
	}
	if err := owned.Close(); err != nil {
		t.Fatal(err)
	}
	p := startProcess(t, dir)
	p.next(t, "saved")
	open := func() (*attach.Node, error) {
		return attach.Open(t.Context(), attach.Options{Dir: dir, Opener: openDisk(dir)})
	}
	attached, err := open()
	if err != nil {
		t.Fatal(err)
	}
	defer attached.Close()
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	// The signal is on its way until the kernel says that the process has stopped; it may answer till then.
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
	go func() { _, err := attached.Service(workspace).List(t.Context(), engine.ListQuery{}); called <- err }()
	_, err = open()
	told("a new process", err)
	told("a call", <-called)
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("that took %v", took)
	}
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if _, err := attached.Service(workspace).List(t.Context(), engine.ListQuery{}); err != nil {
		t.Errorf("after it goes on: %v", err)
	}
	var exit *exec.ExitError
	if err := errors.Join(p.in.Close(), p.cmd.Wait()); errors.As(err, &exit) {
		t.Errorf("it ended with %v: %s", err, p.failed)
	}
}
