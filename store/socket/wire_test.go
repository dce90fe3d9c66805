//go:build linux || darwin || freebsd

package socket_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"testing"

	"bugle/store"
	"bugle/store/kv"
	"bugle/store/mem"
	"bugle/store/socket"
)

// An error arrives with its text, and as what callers ask for.
func TestErrors(t *testing.T) {
	for _, want := range []error{store.ErrTooLarge, store.ErrDiskFull, store.ErrClosed, kv.ErrConflict} {
		for _, err := range []error{want, fmt.Errorf("reading: %w", want)} {
			if got := socket.Fault(err); !errors.Is(got, want) || got.Error() != err.Error() {
				t.Errorf("%v arrives as %v", err, got)
			}
		}
	}
	if got := socket.Fault(fmt.Errorf("writing: %w", syscall.ENOSPC)); !store.IsDiskFull(got) {
		t.Errorf("a full disk arrives as %v", got)
	}
	if got := socket.Fault(fmt.Errorf("writing: %w", &store.DamagedError{Dir: "d"})); !errors.As(got, new(*store.DamagedError)) {
		t.Errorf("damage arrives as %v", got)
	}
}

// A transaction is canceled with its context, and its connection does no harm to the next one.
func TestCancel(t *testing.T) {
	s := newTestFolder(t)
	_, attached := s.pair()
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		err := attached.View(ctx, func(tx kv.Tx) error {
			return tx.Scan(nil, kv.ScanOptions{}, func(_, _ []byte) error { cancel(); return nil })
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
		s.ok(attached.View(t.Context(), func(tx kv.Tx) error {
			_, err := tx.Get([]byte("none"))
			if !errors.Is(err, store.ErrNotFound) {
				return fmt.Errorf("got %w", err)
			}
			return nil
		}))
	}
}

// Whatever another process of the person sends on a connection, the owner survives it.
func FuzzRequests(f *testing.F) {
	near, far := net.Pipe()
	var seed []byte
	var read sync.WaitGroup
	read.Go(func() { seed, _ = io.ReadAll(far) })
	if err := errors.Join(socket.Requests(near), near.Close()); err != nil {
		f.Fatal(err)
	}
	read.Wait()
	f.Add(seed)
	for _, n := range []int{1, 7, len(seed) / 2} {
		f.Add(seed[:n])
		f.Add(seed[n:])
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, in []byte) {
		db := mem.New()
		defer db.Close()
		near, far := net.Pipe()
		var all sync.WaitGroup
		all.Go(func() { _, _ = io.Copy(io.Discard, near) })
		all.Go(func() {
			_, _ = near.Write(in) // it ends early where the other end hangs up
			_ = near.Close()
		})
		open := func(context.Context, func(string)) (kv.Driver, error) { return db.Driver(), nil }
		if err := socket.Serve(socket.Options{Dir: dir, Opener: open}, far); err != nil {
			t.Fatal(err)
		}
		all.Wait()
		if err := db.View(t.Context(), func(kv.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
	})
}
