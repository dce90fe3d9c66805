package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"

	"bugle/engine/message/delivery"
	"bugle/store"
)

// The ledger's keys are separate from those of operations.
const (
	opMessage   = "test message"
	opMessageID = "test message id"
)

// sendLedger records which messages of a test with an Idempotency-Key have been sent, or may have been. If the program
// ends during the test, a repeat sends the remaining messages, and none twice. The entries are deleted once the result
// for the key is stored.
//
// It also keeps the Message-ID of every email that may have been delivered, for a day: another test that sends the same
// email has the same one, so that servers and readers see one message where both arrive.
type sendLedger struct {
	s     *Service
	c     call
	lease string // of the store, held since the start

	mu   sync.Mutex
	used []string // keys of the messages sent now
}

// sendRecord is the ledger entry of one message.
type sendRecord struct {
	*sendLedger
	key   string // "" for a test without a key
	email string // key of the Message-ID; "" for push
	id    string // the Message-ID, once it is being sent
	again bool   // an earlier test may have delivered it
}

// errMayHaveBeenSent is why a message is not sent that an earlier process sent without learning the outcome.
var errMayHaveBeenSent = fmt.Errorf("bugle stopped after it began to send this message: %w", delivery.ErrUnknown)

// record returns the entry of a job's message.
func (m *sendLedger) record(p *testPlan, j *job, msg delivery.Message) *sendRecord {
	k := &sendRecord{sendLedger: m}
	device := ""
	if msg.Push != nil {
		device = msg.Push.Token
	} else {
		k.email = hashOf(p.campaignID, p.digest, j.key.String(), delivery.Mailbox(msg.Email.To))
	}
	if m.c.IdempotencyKey == "" {
		return k
	}
	k.key = hashOf(m.c.IdempotencyKey, m.c.fingerprint, j.key.String(), j.to.name, device)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used = append(m.used, k.key)
	return k
}

func hashOf(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// sent reports whether an earlier process sent the message; errMayHaveBeenSent if that is unknown.
func (k *sendRecord) sent(ctx context.Context) (left bool, err error) {
	if k.key == "" {
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

// begin records that the message is being passed to an external provider, and chooses the Message-ID of an email.
func (k *sendRecord) begin(ctx context.Context) error {
	fresh := uuid.NewString()
	return k.s.update(ctx, func(sp store.WorkspaceTx) error {
		if k.email == "" {
			return k.write(sp, true)
		}
		earlier, err := sp.IdempotencyRecord(opMessageID, k.email)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		k.id, k.again = fresh, false
		if err == nil && !earlier.Expired(k.s.now()) {
			k.id, k.again = string(earlier.Result), true
		}
		if err := k.put(sp, store.IdempotencyRecord{Operation: opMessageID, Key: k.email, Result: []byte(k.id)}); err != nil {
			return err
		}
		return k.write(sp, true)
	})
}

// write records that the message is being sent, or was sent.
func (k *sendRecord) write(sp store.WorkspaceTx, leaving bool) error {
	if !leaving && k.id != "" {
		if err := sp.DeleteIdempotencyRecord(opMessageID, k.email); err != nil {
			return err
		}
	}
	if k.key == "" {
		return nil
	}
	return k.put(sp, store.IdempotencyRecord{Operation: opMessage, Key: k.key, Running: leaving, Lease: k.lease})
}

func (k *sendRecord) put(sp store.WorkspaceTx, rec store.IdempotencyRecord) error {
	rec.At = k.s.now()
	rec.ExpiresAt = rec.At.Add(keyLifetime)
	return sp.PutIdempotencyRecord(rec)
}

// abort records that no provider accepted the message.
func (k *sendRecord) abort(ctx context.Context) {
	err := k.s.update(ctx, func(sp store.WorkspaceTx) error {
		if k.id != "" && !k.again {
			if err := sp.DeleteIdempotencyRecord(opMessageID, k.email); err != nil {
				return err
			}
		}
		if k.key == "" {
			return nil
		}
		return sp.DeleteIdempotencyRecord(opMessage, k.key)
	})
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
