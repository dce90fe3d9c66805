//go:build linux || darwin || freebsd

package socket_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/enginetest"
	"bugle/engine/service/local"
	"bugle/store/badger"
	"bugle/store/kv"
	"bugle/store/socket"
)

// The test binary runs itself as other processes; this variable contains their folder.
const envDir = "BUGLE_SOCKET_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(envDir); dir != "" {
		if err := work(dir); err != nil {
			fmt.Println("failed", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// openDisk opens a store on disk.
func openDisk(dir string) socket.Opener {
	return func(ctx context.Context, _ func(string)) (kv.Driver, error) {
		db, err := badger.Open(ctx, badger.Options{Dir: dir})
		if err != nil {
			return nil, err
		}
		return db.Driver(), nil
	}
}

// foundDisk makes a store on disk with a workspace.
func foundDisk(t *testing.T, dir string) {
	t.Helper()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	_, err = local.CreateWorkspace(t.Context(), db, enginetest.Workspace())
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// work creates campaigns and saves one of them, one after another, and prints what is done, until its input ends.
func work(dir string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n, err := socket.Open(ctx, socket.Options{Dir: dir, Opener: openDisk(dir)})
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	go n.FollowState(ctx, func(s socket.State) { fmt.Println("role", s.Role) })
	svc, err := local.Open(n, workspace, local.Options{})
	if err != nil {
		return err
	}
	for i := 0; ctx.Err() == nil; i++ {
		if err := createAndRename(ctx, svc, fmt.Sprintf("%d-%d", os.Getpid(), i)); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return errors.Join(svc.Close(), n.Close())
}

// createAndRename makes one campaign and renames it.
func createAndRename(ctx context.Context, svc *local.Service, name string) error {
	body, err := doc.Parse([]byte(draft))
	if err != nil {
		return err
	}
	made, err := svc.Create(ctx, engine.CreateRequest{Body: engine.WithName(body, name)})
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	c, err := svc.Get(ctx, made.ID)
	if err != nil {
		return fmt.Errorf("get: %w", err)
	}
	_, err = svc.Save(ctx, engine.SaveRequest{ID: c.ID, Revision: c.Revision, Body: engine.WithName(c.Body, name+"!"), By: ann})
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	fmt.Println("saved", name)
	return nil
}

// process is a worker under way.
type process struct {
	cmd   *exec.Cmd
	in    io.Closer
	saves chan struct{} // an element for each save; closed at the end

	mu   sync.Mutex
	last map[string]string // the last line of a kind
	done []string          // the names of the campaigns that were saved
}

func startProcess(t *testing.T, dir string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.CommandContext(t.Context(), exe), saves: make(chan struct{}, 100_000), last: map[string]string{}}
	p.cmd.Env = append(os.Environ(), envDir+"="+dir)
	p.cmd.Stderr = os.Stderr
	in, err1 := p.cmd.StdinPipe()
	out, err2 := p.cmd.StdoutPipe()
	if err := errors.Join(err1, err2, p.cmd.Start()); err != nil {
		t.Fatal(err)
	}
	p.in = in
	go func() { // ends with the process
		defer close(p.saves)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			kind, text, _ := strings.Cut(lines.Text(), " ")
			p.mu.Lock()
			p.last[kind] = text
			if kind == "saved" {
				p.done = append(p.done, text)
				p.saves <- struct{}{}
			}
			p.mu.Unlock()
		}
	}()
	return p
}

// said returns the last line of a kind.
func (p *process) said(kind string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last[kind]
}

// round returns how long it takes until each process has begun something and saved it.
func round(t *testing.T, all ...*process) time.Duration {
	t.Helper()
	begun := time.Now()
	for _, p := range all {
		for range len(p.saves) {
			<-p.saves
		}
		late := time.After(20 * time.Second)
		for range 2 { // the first may have begun before
			select {
			case _, ok := <-p.saves:
				if !ok {
					t.Fatalf("a process ended: %s", p.said("failed"))
				}
			case <-late:
				t.Fatal("a process saves nothing")
			}
		}
	}
	return time.Since(begun)
}

// The owner is killed again and again: the others continue within two seconds, and nothing acknowledged is lost or
// duplicated.
func TestKill(t *testing.T) {
	const rounds = 4
	dir := shortDir(t)
	foundDisk(t, dir)
	var all, living []*process
	add := func() {
		p := startProcess(t, dir)
		all, living = append(all, p), append(living, p)
		round(t, p)
	}
	add()
	add()
	for range rounds {
		add()
		owner := slices.IndexFunc(living, func(p *process) bool { return p.said("role") == "owner" })
		if owner < 0 {
			t.Fatal("nobody owns the store")
		}
		dead := living[owner]
		living = slices.Delete(slices.Clone(living), owner, owner+1)
		if err := dead.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = dead.cmd.Wait()
		took := round(t, living...) // one that began after the owner was dead
		usual := round(t, living...)
		if took > 2*time.Second+10*usual { // a busy machine is slow at everything
			t.Errorf("the rest went on after %v, and a round takes %v", took, usual)
		}
	}
	for _, p := range living {
		if err := errors.Join(p.in.Close(), p.cmd.Wait()); err != nil {
			t.Errorf("a process ended with %v: %s", err, p.said("failed"))
		}
	}
	checkWork(t, dir, all)
}

// checkWork compares the store with what the processes printed.
func checkWork(t *testing.T, dir string, all []*process) {
	t.Helper()
	n, err := socket.Open(t.Context(), socket.Options{Dir: dir, Opener: openDisk(dir)})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	svc, err := local.Open(n, workspace, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer svc.Close()
	rows, err := svc.List(t.Context(), engine.ListQuery{})
	if err != nil {
		t.Fatal(err)
	}
	there, saved := map[string]int{}, map[string]bool{}
	acknowledged, lost, twice := 0, 0, 0
	for _, r := range rows {
		name, renamed := strings.CutSuffix(r.Name, "!")
		there[name]++
		saved[name] = renamed
		if there[name] > 1 || r.Revision > 2 {
			twice++
			t.Errorf("%s is there %d times, in revision %d", name, there[name], r.Revision)
		}
	}
	for _, p := range all {
		for range p.saves { // to the end
		}
		acknowledged += len(p.done)
		for _, name := range p.done {
			if !saved[name] {
				lost++
				t.Errorf("%s was saved and is gone", name)
			}
		}
	}
	t.Logf("%d campaigns are acknowledged, %d lost, %d there twice", acknowledged, lost, twice)
	if acknowledged < 20 {
		t.Errorf("only %d campaigns were made", acknowledged)
	}
}
