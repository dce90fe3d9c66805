package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"bugle/engine"
	"bugle/engine/operation"
	"bugle/store"
)

// keyLifetime is how long an Idempotency-Key is remembered (CONTRACT.md, Idempotency).
const keyLifetime = 24 * time.Hour

// The operations with idempotency keys.
var (
	opCreate = operation.Create.Name
	opUpdate = operation.Update.Name
	opStatus = operation.Status.Name
	opTest   = operation.Test.Name
	// The keys of opRequest are the request ids of creates.
	opRequest = "request ids of " + operation.Create.Name
)

// call is a request with an idempotency key.
type call struct {
	engine.Call
	op          string
	fingerprint string // hash of what a repeat must have in common
}

func newCall(c engine.Call, op string, parts ...[]byte) call {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		h.Write(p)
	}
	return call{Call: c, op: op, fingerprint: hex.EncodeToString(h.Sum(nil))}
}

// storedResult is a stored result, or a refusal with HTTP 409, the only failure that is stored (CONTRACT.md,
// Idempotency).
type storedResult struct {
	Result  json.RawMessage `json:"result,omitempty"`
	Refusal *refusal        `json:"refusal,omitempty"`
}

type refusal struct {
	Code      engine.Code     `json:"code"`
	HTTP      int             `json:"http"`
	Message   string          `json:"message"`
	Target    string          `json:"target,omitempty"`
	Details   []engine.Detail `json:"details,omitempty"`
	RequestID string          `json:"request_id,omitempty"`
}

// errKey marks a refusal because of the key itself, not by the operation.
var errKey = errors.New("the key is taken")

// idempotency stores the results of calls with a key, in the transaction that does the work (CONTRACT.md,
// Idempotency).
type idempotency struct {
	*writer
	sweeper *sweeper
}

// runOnce runs do in one transaction, or returns the stored result for the call's key. answer returns a
// pointer into a result.
func runOnce[T any](ctx context.Context, i *idempotency, c call, answer func(*T) *engine.ResponseInfo, do func(store.WorkspaceTx) (T, error)) (T, error) {
	var out T
	var earlier []byte
	err := i.update(ctx, func(sp store.WorkspaceTx) error {
		out, earlier = *new(T), nil
		found, err := i.lookup(sp, c)
		if err != nil {
			return err
		}
		if found != nil {
			earlier = found
			return nil
		}
		if out, err = do(sp); err != nil {
			return err
		}
		answer(&out).ResponseID = c.RequestID
		return i.store(sp, c, out)
	})
	if err == nil && earlier != nil {
		return replay(c, earlier, answer)
	}
	if err != nil {
		out = *new(T)
		i.storeRefusal(ctx, c, err)
	}
	return out, withRequestID(err, c.RequestID)
}

// lookup returns the stored result for the call's key, nil if there is none, and 409 if the key belongs to
// another body or to a running call.
func (i *idempotency) lookup(sp store.WorkspaceTx, c call) ([]byte, error) {
	if c.IdempotencyKey == "" {
		return nil, nil
	}
	rec, err := sp.IdempotencyRecord(c.op, c.IdempotencyKey)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the idempotency key: %w", err)
	}
	if rec.Expired(i.now()) {
		return nil, nil
	}
	if rec.Running { // what a process that has died left behind holds no key
		if held, err := sp.LeaseHeld(rec.Lease); err != nil || !held {
			return nil, err
		}
	}
	switch {
	case rec.Fingerprint != c.fingerprint:
		return nil, keyConflict("the Idempotency-Key was already used with a different body; use a new key")
	case rec.Running:
		return nil, keyConflict("a send for this Idempotency-Key is still in progress; retry with a new key")
	}
	return rec.Result, nil
}

func keyConflict(message string) error {
	return &engine.Error{Code: engine.BadRequest, HTTP: http.StatusConflict, Message: message, Target: "Idempotency-Key", Err: errKey}
}

func (i *idempotency) store(sp store.WorkspaceTx, c call, result any) error {
	return i.storeWithLease(sp, c, result, "")
}

// storeWithLease is store for work that is marked with a lease: the result is only stored while the lease is
// held.
func (i *idempotency) storeWithLease(sp store.WorkspaceTx, c call, result any, lease string) error {
	b, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("storing the response: %w", err)
	}
	return i.putBytes(sp, c, slices.Concat([]byte(`{"result":`), b, []byte(`}`)), lease) // as remembered is spelled
}

func (i *idempotency) put(sp store.WorkspaceTx, c call, r storedResult) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("storing the response: %w", err)
	}
	return i.putBytes(sp, c, b, "")
}

func (i *idempotency) putBytes(sp store.WorkspaceTx, c call, answer []byte, lease string) error {
	if c.IdempotencyKey == "" {
		return nil
	}
	i.sweeper.soon()
	now := i.now()
	return sp.PutIdempotencyRecord(store.IdempotencyRecord{
		Operation: c.op, Key: c.IdempotencyKey, Fingerprint: c.fingerprint, Lease: lease,
		At: now, ExpiresAt: now.Add(keyLifetime), Result: answer,
	})
}

// storeRefusal stores a 409 of the operation itself, so that a repeat returns it again.
func (i *idempotency) storeRefusal(ctx context.Context, c call, err error) {
	e := engine.AsError(err)
	if c.IdempotencyKey == "" || e == nil || e.HTTP != http.StatusConflict || errors.Is(err, errKey) {
		return
	}
	r := refusal{Code: e.Code, HTTP: e.HTTP, Message: e.Message, Target: e.Target, Details: e.Details, RequestID: c.RequestID}
	err = i.update(ctx, func(sp store.WorkspaceTx) error {
		if found, err := i.lookup(sp, c); err != nil || found != nil {
			return err
		}
		return i.put(sp, c, storedResult{Refusal: &r})
	})
	if err != nil {
		i.log.Warn("a refusal was not stored", "operation", c.op, "error", err)
	}
}

func replay[T any](c call, stored []byte, answer func(*T) *engine.ResponseInfo) (T, error) {
	var r storedResult
	var out T
	err := json.Unmarshal(stored, &r)
	if err == nil && r.Refusal == nil {
		err = json.Unmarshal(r.Result, &out)
	}
	if err != nil {
		return *new(T), withRequestID(internal(err, "the stored response for this Idempotency-Key cannot be read; retry with a new key"), c.RequestID)
	}
	if f := r.Refusal; f != nil {
		return out, &engine.Error{Code: f.Code, HTTP: f.HTTP, Message: f.Message, Target: f.Target, Details: f.Details, RequestID: f.RequestID}
	}
	answer(&out).Replayed = true
	return out, nil
}
