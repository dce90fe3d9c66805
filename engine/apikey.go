package engine

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// NewID returns a new id in the format of the store: 24 hexadecimal characters that start with the time.
func NewID(at time.Time) string {
	var b [12]byte
	binary.BigEndian.PutUint32(b[:4], uint32(at.Unix())) //nolint:gosec // wraps in 2106, as every ObjectId
	rand.Read(b[4:])                                     // never fails (crypto/rand, since Go 1.24)
	return hex.EncodeToString(b[:])
}

// NewAPIKey returns a new credential of the HTTP API (CONTRACT.md, Authentication). Show the key to the user
// once: the record only has its SHA-256 hash.
func NewAPIKey(at time.Time, scopes []string) (key string, record APIKey) {
	var secret [32]byte
	rand.Read(secret[:]) // never fails
	key = base64.RawURLEncoding.EncodeToString(secret[:])
	hash := sha256.Sum256([]byte(key))
	return key, APIKey{ID: NewID(at), Hash: hex.EncodeToString(hash[:]), Scopes: scopes, CreatedAt: at}
}
