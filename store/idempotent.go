package store

import (
	"time"
)

// Idempotent is what is remembered of a write that carried an Idempotency-Key (CONTRACT.md,
// Idempotency).
type Idempotent struct {
	Operation, Key string
	// Fingerprint is of the request: another request with the same key is refused.
	Fingerprint string
	// Running says that the write has begun and not ended. It may go on as long as somebody holds the lease: see
	// [Idempotency].
	Running bool
	Lease   string

	At, ExpiresAt time.Time
	Result        []byte // the answer, byte for byte
}

// Expired reports whether the record no longer counts at now.
func (i Idempotent) Expired(now time.Time) bool { return !now.Before(i.ExpiresAt) }
