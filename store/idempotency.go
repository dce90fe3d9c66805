package store

import (
	"time"
)

// IdempotencyRecord is the stored outcome of a write with an Idempotency-Key (CONTRACT.md, Idempotency).
type IdempotencyRecord struct {
	Operation, Key string
	// Fingerprint identifies the request. Another request with the same key is refused.
	Fingerprint string
	// Running is true while the write is in progress. The write stays in progress only while its process holds the
	// Lease (see [DB]); a process whose lease has expired can no longer store the record.
	Running bool
	Lease   string

	At, ExpiresAt time.Time
	Result        []byte // the response body, byte for byte
}

// Expired reports whether the record has expired at now.
func (i IdempotencyRecord) Expired(now time.Time) bool { return !now.Before(i.ExpiresAt) }
