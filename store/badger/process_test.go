package badger_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/badger"
	"bugle/store/kv"
)

// The test binary runs itself as another process: these say as what, and where.
const (
	envRole = "BUGLE_STORE_TEST_ROLE"
	envDir  = "BUGLE_STORE_TEST_DIR"
)

func TestMain(m *testing.M) {
	switch os.Getenv(envRole) {
	case "hold":
		os.Exit(hold(os.Getenv(envDir)))
	case "write", "merge":
		os.Exit(write(os.Getenv(envDir), os.Getenv(envRole) == "merge"))
	}
	os.Exit(m.Run())
}

// hold keeps the store open until its standard input ends.
func hold(dir string) int {
	db, err := badger.Open(context.Background(), badger.Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("open")
	_, _ = io.Copy(io.Discard, os.Stdin)
	if db.Close() != nil {
		return 1
	}
	return 0
}

// write saves campaigns from several goroutines and prints which are saved, until it is killed. It may merge all the time.
func write(dir string, merge bool) int {
	db, err := badger.Open(context.Background(), badger.Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	failed := make(chan error)
	go func() {
		for merge {
			db.Merge()
		}
	}()
	for w := range 3 {
		go func() {
			for n := 0; ; n++ {
				id := fmt.Sprintf("%d-%d-%d", os.Getpid(), w, n)
				err := db.Update(context.Background(), func(tx *kv.Tx) error { return save(tx, id) })
				if err != nil {
					failed <- err
					return
				}
				fmt.Println("saved", id) // one write to a pipe
			}
		}()
	}
	fmt.Println(<-failed)
	return 1
}

// text is the body that belongs to an id; bodies are of many sizes.
func text(id string) string {
	return fmt.Sprintf(`{"name":%q,"html":%q}`, id, strings.Repeat(id, len(id)*int(id[len(id)-1])))
}

func save(tx *kv.Tx, id string) error {
	v, err := doc.Parse([]byte(text(id)))
	if err != nil {
		return err
	}
	h := engine.Head{ID: id}
	_, err = tx.Workspace("DEMO").PutCampaign(engine.Campaign{Head: h, Body: v}, engine.Summary{Head: h, Name: id}, engine.Revision{}, false)
	return err
}

// startProcess runs this binary in a role. Its lines come from the scanner.
func startProcess(t *testing.T, role, dir string) (*exec.Cmd, io.WriteCloser, *bufio.Scanner) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), envRole+"="+role, envDir+"="+dir)
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	return cmd, in, bufio.NewScanner(out)
}

func TestSecondProcess(t *testing.T) {
	dir := t.TempDir()
	cmd, in, out := startProcess(t, "hold", dir)
	if !out.Scan() || out.Text() != "open" {
		t.Fatalf("the other process says %q", out.Text())
	}
	_, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	var locked *store.LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("error = %v, want a LockedError", err)
	}
	if locked.PID != cmd.Process.Pid || locked.Dir != dir {
		t.Errorf("got %+v, want process %d and %s", *locked, cmd.Process.Pid, dir)
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Fatalf("the other process ended with %v", err)
	}
	open(t, dir)
	if _, err := badger.Open(t.Context(), badger.Options{Dir: dir}); !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("opened twice by one process: %v", err)
	}
}

// Everything saved still exists after the process was killed at any moment.
func TestKill(t *testing.T) {
	const rounds = 20
	dir := t.TempDir()
	var saved []string
	for range rounds {
		cmd, _, out := startProcess(t, "write", dir)
		for n := rand.IntN(40); out.Scan(); n-- {
			id, ok := strings.CutPrefix(out.Text(), "saved ")
			if !ok {
				t.Fatalf("the writer says %q", out.Text())
			}
			saved = append(saved, id)
			if n == 0 { // what it prints meanwhile still counts
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the writer ended by itself")
		}
		checkSaved(t, dir, saved)
	}
	t.Logf("%d saves are acknowledged after %d kills", len(saved), rounds) // and each that is lost is an error
	if len(saved) < rounds {
		t.Errorf("only %d saves in %d rounds", len(saved), rounds)
	}
}

// checkSaved opens the store and reads everything that was saved, and other records.
func checkSaved(t *testing.T, dir string, saved []string) {
	t.Helper()
	db, err := badger.Open(t.Context(), badger.Options{Dir: dir})
	if err != nil {
		t.Fatalf("after a kill: %v", err)
	}
	err = db.View(t.Context(), func(tx *kv.Tx) error {
		s := tx.Workspace("DEMO")
		there := map[string]bool{}
		err := s.Summaries(func(sum engine.Summary) error { there[sum.ID] = true; return nil })
		for _, id := range saved {
			if !there[id] {
				t.Errorf("%s was saved and is gone", id)
			}
		}
		for id := range there { // those that nobody heard of are whole as well
			c, err1 := s.Campaign(id)
			old, err2 := s.Revision(id, 1)
			if want := text(id); err1 != nil || err2 != nil || string(c.Body.Encode()) != want || string(old.Body.Encode()) != want {
				t.Errorf("%s is not whole: %v, %v", id, err1, err2)
			}
		}
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}
