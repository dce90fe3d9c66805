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

// sendLedger say of each message of a test that carries an Idempotency-Key whether it has left. When the
// program ends in the middle of the test, the repeat sends what had not left, and nothing twice. They go
// when the answer to the key is there.
type sendLedger struct {
	s       *Service
	c       call
	resumed bool   // an earlier run of the program had begun the test
	lease   string // of the store, held since the test began

	mu   sync.Mutex
	used []string // keys of the messages that were sent now
}

// sendRecord is that of one message. The zero mark, of a test without a key, notes nothing.
type sendRecord struct {
	*sendLedger
	key string
}

// errMayHaveBeenSent is why a message is not sent that another run was sending when it ended.
var errMayHaveBeenSent = errors.New("bugle stopped while sending this message, so it may have arrived; if it has not, send it again with a new Idempotency-Key")

// record returns the mark of a message of a job.
func (m *sendLedger) record(j *job, msg delivery.Message) sendRecord {
	if m.c.IdempotencyKey == "" {
		return sendRecord{}
	}
	h := sha256.New()
	device := ""
	if msg.Push != nil {
		device = msg.Push.Token
	}
	for _, part := range []string{m.c.IdempotencyKey, m.c.fingerprint, j.key.String(), j.to.name, device} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	k := sendRecord{m, hex.EncodeToString(h.Sum(nil))}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used = append(m.used, k.key)
	return k
}

// sent reports whether an earlier run has sent the message; errMayHaveLeft where nobody knows.
func (k sendRecord) sent(ctx context.Context) (left bool, err error) {
	if k.sendLedger == nil || !k.resumed {
		return false, nil
	}
	err = k.s.view(ctx, func(sp store.WorkspaceTx) error {
		rec, err := sp.IdempotencyRecord(opMessage, k.key)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil
		case err == nil && rec.Running:
			return errMayHaveBeenSent
		}
		left = err == nil
		return err
	})
	if errors.Is(err, errMayHaveBeenSent) {
		err = errMayHaveBeenSent
	}
	return left, err
}

// begin notes that the message is given to a provider which the store knows nothing of.
func (k sendRecord) begin(ctx context.Context) error {
	return k.s.update(ctx, func(sp store.WorkspaceTx) error { return k.write(sp, true) })
}

// write notes that the message is on its way, or has left.
func (k sendRecord) write(sp store.WorkspaceTx, leaving bool) error {
	if k.sendLedger == nil {
		return nil
	}
	now := k.s.now()
	return sp.PutIdempotencyRecord(store.IdempotencyRecord{
		Operation: opMessage, Key: k.key, Running: leaving, Lease: k.lease, At: now, ExpiresAt: now.Add(keyLifetime),
	})
}

// abort notes that no provider has taken the message.
func (k sendRecord) abort(ctx context.Context) {
	err := k.s.update(ctx, func(sp store.WorkspaceTx) error { return sp.DeleteIdempotencyRecord(opMessage, k.key) })
	if err != nil {
		k.s.log.Warn("a message that was not sent counts as sent", "error", err)
	}
}

// maxRecordsPerDelete is how many marks go with the answer to the key, which keeps its transaction small.
// Others go when their time is over.
const maxRecordsPerDelete = 500

// forget removes the marks: the answer to the key stands for them.
func (m *sendLedger) forget(sp store.WorkspaceTx) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range m.used[:min(len(m.used), maxRecordsPerDelete)] {
		if err := sp.DeleteIdempotencyRecord(opMessage, key); err != nil {
			return err
		}
	}
	return nil
}
