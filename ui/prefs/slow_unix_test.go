//go:build linux || darwin || freebsd

package prefs_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"bugle/ui/prefs"
)

// A key press makes a change while another one waits for a slow disk.
func TestUpdateDoesNotWaitForTheDisk(t *testing.T) {
	dir := t.TempDir()
	p, slow := prefs.New(dir), filepath.Join(dir, "slow.json")
	if err := unix.Mkfifo(slow, 0o600); err != nil { // reading it takes until somebody writes
		t.Fatal(err)
	}
	add := func(n int) int { return n + 1 }
	store, stored := prefs.Update(p, "slow", add), make(chan error)
	go func() { _, err := store(); stored <- err }()
	var disk *os.File
	for disk == nil { // until it is read
		disk, _ = os.OpenFile(slow, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		time.Sleep(time.Millisecond)
	}
	made := make(chan func() (int, error))
	go func() { made <- prefs.Update(p, "slow", add) }()
	var next func() (int, error)
	select {
	case next = <-made:
	case <-time.After(10 * time.Second):
		t.Error("a change waits for the disk")
	}
	if _, err := disk.WriteString("4"); err != nil {
		t.Fatal(err)
	}
	disk.Close()
	if err := <-stored; err != nil {
		t.Fatal(err)
	}
	if next == nil {
		next = <-made
	}
	if n, err := next(); n != 6 || err != nil {
		t.Errorf("the last change made it %d, %v", n, err)
	}
	if n, err := prefs.Read[int](p, "slow"); n != 6 || err != nil {
		t.Errorf("stored is %d, %v", n, err)
	}
}
