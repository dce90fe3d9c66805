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

// opMessage separates the ledger's keys from those of operations.
const opMessage = "test message"

// sendLedger records which messages of a test with an Idempotency-Key have been sent, or may have been. If the program
// ends during the test, a repeat sends the remaining messages, and none twice. The entries are deleted once the result
// for the key is stored.
type sendLedger struct {
	s     *Service
	c     call
	lease string // of the store, held since the start

	mu   sync.Mutex
	used []string // keys of the messages sent now
}

// sendRecord is the ledger entry of one message. The zero value, for a test without a key, records nothing.
type sendRecord struct {
	*sendLedger
	key string
}

// errMayHaveBeenSent is why a message is not sent that an earlier process sent without learning the outcome.
var errMayHaveBeenSent = fmt.Errorf("bugle stopped after it began to send this message: %w", delivery.ErrUnknown)

// record returns the entry of a job's message.
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

// sent reports whether an earlier process sent the message; errMayHaveBeenSent if that is unknown.
func (k sendRecord) sent(ctx context.Context) (left bool, err error) {
	if k.sendLedger == nil {
		return false, nil
	}
	err = k.s.view(ctx, func(sp store.WorkspaceTx) error {
		rec, err := sp.IdempotencyRecord(opMessage, k.key)
		switch {
		case errors.Is(err, store.ErrNotFound), err == nil && rec.Expired(k.s.now()):
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

// begin records that the message is being passed to an external provider.
func (k sendRecord) begin(ctx context.Context) error {
	return k.s.update(ctx, func(sp store.WorkspaceTx) error { return k.write(sp, true) })
}

// write records that the message is being sent, or was sent.
func (k sendRecord) write(sp store.WorkspaceTx, leaving bool) error {
	if k.sendLedger == nil {
		return nil
	}
	now := k.s.now()
	return sp.PutIdempotencyRecord(store.IdempotencyRecord{
		Operation: opMessage, Key: k.key, Running: leaving, Lease: k.lease, At: now, ExpiresAt: now.Add(keyLifetime),
	})
}

// abort records that no provider accepted the message.
func (k sendRecord) abort(ctx context.Context) {
	err := k.s.update(ctx, func(sp store.WorkspaceTx) error { return sp.DeleteIdempotencyRecord(opMessage, k.key) })
	if err != nil {
		k.s.log.Warn("a message that was not sent counts as sent", "error", err)
	}
}

// maxRecordsPerDelete is the most ledger entries deleted with the result, to keep the transaction small. The
// others expire.
const maxRecordsPerDelete = 500

// forget deletes the entries, because the stored result replaces them.
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
