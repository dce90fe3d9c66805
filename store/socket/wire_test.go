//go:build linux || darwin || freebsd

package socket_test

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"bugle/store"
	"bugle/store/kv"
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
		err := attached.View(ctx, func(tx *kv.Tx) error {
			return tx.Scan(nil, kv.ScanOptions{}, func(_, _ []byte) error { cancel(); return nil })
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
		s.ok(attached.View(t.Context(), func(tx *kv.Tx) error {
			_, err := tx.Get([]byte("none"))
			if !errors.Is(err, store.ErrNotFound) {
				return fmt.Errorf("got %w", err)
			}
			return nil
		}))
	}
}
