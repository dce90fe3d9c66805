package local

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/doc"
)

// idSource generates ObjectIds: 4 bytes of seconds, 5 of this process, and a counter of 3.
type idSource struct {
	process [5]byte
	count   atomic.Uint32
}

func newIDSource() *idSource {
	var seed [9]byte
	rand.Read(seed[:]) // never fails (crypto/rand, since Go 1.24)
	s := &idSource{process: [5]byte(seed[:5])}
	s.count.Store(binary.BigEndian.Uint32(seed[5:]))
	return s
}

func (s *idSource) next(at time.Time) string {
	var id [12]byte
	binary.BigEndian.PutUint32(id[:4], uint32(at.Unix()))
	copy(id[4:9], s.process[:])
	n := s.count.Add(1)
	id[9], id[10], id[11] = byte(n>>16), byte(n>>8), byte(n)
	return hex.EncodeToString(id[:])
}

// withIDs returns the ids of a call: the request id of the call or of the body, which must agree
// (CONTRACT.md, Requests), or a new one.
func withIDs(c engine.Call, body doc.Value) (engine.Call, error) {
	inBody := body.Get("request_id").Text()
	switch {
	case c.RequestID == "":
		c.RequestID = inBody
	case inBody != "" && inBody != c.RequestID:
		e := engine.Errorf(engine.ValidationFailed, http.StatusBadRequest, "request_id and the X-SVC-Request-Id header differ; send only one, or the same value in both")
		e.Target, e.RequestID = "request_id", c.RequestID
		return c, e
	}
	if c.RequestID == "" {
		c.RequestID = uuid.NewString()
	}
	if c.IdempotencyKey != "" {
		if id, err := uuid.Parse(c.IdempotencyKey); err != nil || len(c.IdempotencyKey) != 36 || id.Version() != 4 {
			e := engine.Errorf(engine.ValidationFailed, http.StatusBadRequest, "the Idempotency-Key must be a UUID v4, such as 2b1f0c3e-8f6a-4c1d-9b7e-5a4d3c2b1a09")
			e.Target, e.RequestID = "Idempotency-Key", c.RequestID
			return c, e
		}
	}
	return c, nil
}
