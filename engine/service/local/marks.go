package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"bugle/engine/message/delivery"
	"bugle/store"
)

// opMessage keeps what is noted of messages apart from the keys of operations.
const opMessage = "test message"

// marks say of each message of a test that carries an Idempotency-Key whether it has left. When the
// program ends in the middle of the test, the repeat sends what had not left, and nothing twice. They go
// when the answer to the key is there.
type marks struct {
	s     *Service
	c     call
	again bool   // an earlier run of the program had begun the test
	lease string // of the store, held since the test began

	mu   sync.Mutex
	used []string // keys of the messages that were sent now
}

// mark is that of one message. The zero mark, of a test without a key, notes nothing.
type mark struct {
	*marks
	key string
}

// errMayHaveLeft is why a message is not sent that another run was sending when it ended.
var errMayHaveLeft = errors.New("bugle stopped while sending this message, so it may have arrived; if it has not, send it again with a new Idempotency-Key")

// of returns the mark of a message of a job.
func (m *marks) of(j *job, msg delivery.Message) mark {
	if m.c.IdempotencyKey == "" {
		return mark{}
	}
	h := sha256.New()
	device := ""
	if msg.Push != nil {
		device = msg.Push.Token
	}
	for _, part := range []string{m.c.IdempotencyKey, m.c.asked, j.key.String(), j.to.name, device} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	k := mark{m, hex.EncodeToString(h.Sum(nil))}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used = append(m.used, k.key)
	return k
}

// left reports whether an earlier run has sent the message; errMayHaveLeft where nobody knows.
func (k mark) left(ctx context.Context) (left bool, err error) {
	if k.marks == nil || !k.again {
		return false, nil
	}
	err = k.s.view(ctx, func(sp store.WorkspaceTx) error {
		rec, err := sp.IdempotencyRecord(opMessage, k.key)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil
		case err == nil && rec.Running:
			return errMayHaveLeft
		}
		left = err == nil
		return err
	})
	if errors.Is(err, errMayHaveLeft) {
		err = errMayHaveLeft
	}
	return left, err
}

// leaving notes that the message is given to a provider which the store knows nothing of.
func (k mark) leaving(ctx context.Context) error {
	return k.s.update(ctx, func(sp store.WorkspaceTx) error { return k.put(sp, true) })
}

// put notes that the message is on its way, or has left.
func (k mark) put(sp store.WorkspaceTx, leaving bool) error {
	if k.marks == nil {
		return nil
	}
	now := k.s.now()
	return sp.PutIdempotencyRecord(store.IdempotencyRecord{
		Operation: opMessage, Key: k.key, Running: leaving, Lease: k.lease, At: now, ExpiresAt: now.Add(keyLife),
	})
}

// stayed notes that no provider has taken the message.
func (k mark) stayed(ctx context.Context) {
	err := k.s.update(ctx, func(sp store.WorkspaceTx) error { return sp.DeleteIdempotencyRecord(opMessage, k.key) })
	if err != nil {
		k.s.log.Warn("a message that was not sent counts as sent", "error", err)
	}
}

// mostForgotten is how many marks go with the answer to the key, which keeps its transaction small.
// Others go when their time is over.
const mostForgotten = 500

// forget removes the marks: the answer to the key stands for them.
func (m *marks) forget(sp store.WorkspaceTx) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range m.used[:min(len(m.used), mostForgotten)] {
		if err := sp.DeleteIdempotencyRecord(opMessage, key); err != nil {
			return err
		}
	}
	return nil
}
