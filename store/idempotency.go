package store

import (
	"time"
)

// IdempotencyRecord is what is remembered of a write that carried an Idempotency-Key (CONTRACT.md,
// Idempotency).
type IdempotencyRecord struct {
	Operation, Key string
	// Fingerprint is of the request: another request with the same key is refused.
	Fingerprint string
	// Running is set from the beginning of the write to its end. It goes on only as long as its process holds the Lease
	// (see [DB]); a process that has lost it cannot store the record any more.
	Running bool
	Lease   string

	At, ExpiresAt time.Time
	Result        []byte // the answer, byte for byte
}

// Expired reports whether the record no longer counts at now.
func (i IdempotencyRecord) Expired(now time.Time) bool { return !now.Before(i.ExpiresAt) }
