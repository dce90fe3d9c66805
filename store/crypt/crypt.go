// Package crypt has the key that a store is encrypted with. The key itself is in no file of the store:
// a store, and a backup of it, only name it by its id.
package crypt

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// Size is the length of a key in bytes.
const Size = 32

// Key is the key of a store. It is never used itself, but what [Key.Derive] makes of it. Printed, it
// shows its id.
type Key [Size]byte

var (
	// ErrNoKey says that a store or a backup is encrypted, and its key is not at hand.
	ErrNoKey = errors.New("its key was not found")
	// ErrWrongKey says that a key is not the one that a store or a backup was encrypted with.
	ErrWrongKey = errors.New("this is the wrong key")
	// ErrNotKey says that a text is no key.
	ErrNotKey = fmt.Errorf("a key must have %d bytes, in base64 or hex, such as the output of `openssl rand -base64 %d`", Size, Size)
)

// New returns a key that nobody has.
func New() (k Key) {
	rand.Read(k[:])
	return k
}

// Parse reads a key from base64, with or without padding and in either alphabet, or hex. Space around
// it does not count. It fails with [ErrNotKey], which holds nothing of the text.
func Parse(text string) (k Key, err error) {
	text = strings.TrimSpace(text)
	if b, err := hex.DecodeString(text); err == nil && len(b) == Size {
		return Key(b), nil
	}
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	if b, err := base64.RawStdEncoding.DecodeString(text); err == nil && len(b) == Size {
		return Key(b), nil
	}
	return k, ErrNotKey
}

// Text returns the key as [Parse] reads it: in base64.
func (k Key) Text() string { return base64.StdEncoding.EncodeToString(k[:]) }

// ID names the key, in 32 hexadecimal digits. It tells nothing about the key, and no other key has it.
func (k Key) ID() string { return hex.EncodeToString(k.Derive("id")[:16]) }

// Derive returns a key of [Size] bytes for one purpose: HKDF (RFC 5869) with SHA-256.
func (k Key) Derive(purpose string) []byte {
	b, err := hkdf.Key(sha256.New, k[:], nil, "bugle store "+purpose, Size)
	if err != nil {
		panic(err) // of lengths that are constants
	}
	return b
}

// Passphrase returns the passphrase that the backups of the store are encrypted with.
func (k Key) Passphrase() string { return base64.RawStdEncoding.EncodeToString(k.Derive("backup")) }

// String keeps the key out of messages and logs.
func (k Key) String() string { return "key " + k.ID() }

// GoString keeps it out of those for programmers, too.
func (k Key) GoString() string { return k.String() }
