// Package crypt defines the encryption key of a store. The key is never written to the store's files: a store and its
// backups only record the key's id.
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

// Key is the encryption key of a store. It is not used for encryption directly: [Key.Derive] derives a key for each
// purpose. When printed, it shows only its id.
type Key [Size]byte

var (
	// ErrNoKey reports that a store or a backup is encrypted and its key was not found.
	ErrNoKey = errors.New("its key was not found")
	// ErrWrongKey reports that a key is not the one that a store or a backup was encrypted with.
	ErrWrongKey = errors.New("this is the wrong key")
	// ErrNotKey reports that a text is not a key.
	ErrNotKey = fmt.Errorf("a key must have %d bytes, in base64 or hex, such as the output of `openssl rand -base64 %d`", Size, Size)
)

// New returns a new random key.
func New() (k Key) {
	rand.Read(k[:])
	return k
}

// Parse reads a key in base64 (with or without padding, standard or URL alphabet) or hex, and ignores surrounding white
// space. It fails with [ErrNotKey], which never contains any of the text.
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

// Text returns the key in base64, which [Parse] reads.
func (k Key) Text() string { return base64.StdEncoding.EncodeToString(k[:]) }

// ID returns an identifier of the key, in 32 hexadecimal digits. It reveals nothing about the key.
func (k Key) ID() string { return hex.EncodeToString(k.Derive("id")[:16]) }

// Derive returns a key of [Size] bytes for one purpose, with HKDF (RFC 5869) and SHA-256.
func (k Key) Derive(purpose string) []byte {
	b, err := hkdf.Key(sha256.New, k[:], nil, "bugle store "+purpose, Size)
	if err != nil {
		panic(err) // cannot happen: the lengths are constants
	}
	return b
}

// Passphrase returns the passphrase that encrypts backups of the store.
func (k Key) Passphrase() string { return base64.RawStdEncoding.EncodeToString(k.Derive("backup")) }

// String returns the key's id, so that the key itself does not appear in messages or logs.
func (k Key) String() string { return "key " + k.ID() }

// GoString returns the same as String, for %#v.
func (k Key) GoString() string { return k.String() }
