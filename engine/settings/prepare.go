package settings

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"time"

	"bugle/engine"
)

// newID gives an id as the store's are: 24 hexadecimal characters that begin with the time.
func newID(at time.Time) string {
	var b [12]byte
	binary.BigEndian.PutUint32(b[:4], uint32(at.Unix())) //nolint:gosec // wraps in 2106, as every ObjectId
	rand.Read(b[4:])                                     // never fails (crypto/rand, since Go 1.24)
	return hex.EncodeToString(b[:])
}

// prepareSegment gives a new segment its id, and an old one the id that it had.
func prepareSegment(now, was *engine.Segment, _ *Saved) error {
	if now.Members == nil {
		now.Members = []string{}
	}
	now.ID = newID(time.Now())
	if was != nil {
		now.ID = was.ID
	}
	return nil
}

// prepareKey makes a new API key, of which the store keeps the SHA-256 alone (spec.md, Authentication).
// Of an old one only the scopes change.
func prepareKey(now, was *engine.APIKey, saved *Saved) error {
	if was != nil {
		scopes := now.Scopes
		*now = *was
		now.Scopes = scopes
		saved.Name = now.ID
		return nil
	}
	var secret [32]byte
	rand.Read(secret[:]) // never fails
	saved.Secret = base64.RawURLEncoding.EncodeToString(secret[:])
	hash := sha256.Sum256([]byte(saved.Secret))
	now.CreatedAt = time.Now().UTC()
	now.ID, now.Hash = newID(now.CreatedAt), hex.EncodeToString(hash[:])
	saved.Name = now.ID
	saved.Note = "This is the only time that the key is shown: only its hash is kept."
	return nil
}

// withoutHash hides what a key could be guessed from.
func withoutHash(k engine.APIKey) engine.APIKey {
	k.Hash = ""
	return k
}
