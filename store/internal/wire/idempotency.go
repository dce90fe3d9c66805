package wire

import (
	"time"
)

// IdempotencyRecord is a [store.IdempotencyRecord].
type IdempotencyRecord struct {
	Operation   string    `json:"op"`
	Key         string    `json:"key"`
	Fingerprint string    `json:"fp,omitempty"`
	Running     bool      `json:"running,omitempty"`
	Lease       string    `json:"boot,omitempty"`
	At          time.Time `json:"at,omitzero"`
	ExpiresAt   time.Time `json:"expires_at,omitzero"`
	Result      []byte    `json:"result,omitempty"`
}

// RequestWindow is the time until which a request id is in use.
type RequestWindow struct {
	Until time.Time `json:"until"`
}
