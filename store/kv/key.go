package kv

import (
	"encoding/binary"
	"errors"
	"strings"
	"time"
)

// The kinds of records. They are part of every key and must never change.
const (
	kindCampaign         = 'c' // id → head and body
	kindSummary          = 's' // id → summary
	kindRevision         = 'r' // id, number → metadata of a revision
	kindRevisionDocument = 'd' // id, number → the document at that revision
	kindCopy             = 'w' // id → working copy
	kindDismissed        = 'v' // id → dismissed warnings
	kindIdempotency      = 'i' // operation, key → response
	kindRequest          = 'q' // operation, request id → expiry time
	kindExpiry           = 'e' // time, kind, operation, key → nothing; the expiry index of the two above
	kindOutbox           = 'o' // id → message
	kindProfile          = 'p' // id → profile
	kindIdentifier       = 'x' // identifier kind, value, profile id → nothing
	kindTest             = 't' // time, number → test send
	kindContent          = 'k' // kind of content, name → item; a template has its version after its id
	kindDeleted          = 'z' // id → nothing; marks a deleted campaign whose history is not fully removed yet
	kindSettings         = 'n' // nothing → the number of changes of the settings
	kindSweep            = 'l' // nothing → time of the last sweep for expired records
)

// The first byte of every key.
const (
	rootHidden    = 0   // name → what only a driver or this package uses
	rootMeta      = 'm' // metadata of the store
	rootWorkspace = 'n' // workspace → settings
	rootRecord    = 'r' // workspace, kind, … → record
)

// maxName is the most bytes of an id or identifier in a key. Push tokens have up to 4 KB.
const maxName = 8 << 10

// appendName appends a string to a key so that keys sort like their strings and no string is a prefix of another: a NUL
// ends the string, and a NUL within it is written as 00 FF.
func appendName(key []byte, s string) []byte {
	for i := range len(s) {
		key = append(key, s[i])
		if s[i] == 0 {
			key = append(key, 0xFF)
		}
	}
	return append(key, 0, 1)
}

// cutName returns the string at the start of a key, and the rest of the key.
func cutName(key []byte) (s string, rest []byte, err error) {
	var b strings.Builder
	for i := 0; i < len(key); i++ {
		if key[i] != 0 {
			b.WriteByte(key[i])
			continue
		}
		if i++; i == len(key) {
			break
		}
		switch key[i] {
		case 1:
			return b.String(), key[i+1:], nil
		case 0xFF:
			b.WriteByte(0)
		default:
			return "", nil, errKey
		}
	}
	return "", nil, errKey
}

var errKey = errors.New("its key is malformed")

func appendNumber(key []byte, n int64) []byte { return binary.BigEndian.AppendUint64(key, uint64(n)) }

func cutNumber(key []byte) (int64, []byte, error) {
	if len(key) < 8 {
		return 0, nil, errKey
	}
	return int64(binary.BigEndian.Uint64(key)), key[8:], nil
}

// appendTime appends a time with microseconds so that keys sort by time.
func appendTime(key []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(key, uint64(t.UnixMicro())^1<<63)
}

func cutTime(key []byte) (time.Time, []byte, error) {
	if len(key) < 8 {
		return time.Time{}, nil, errKey
	}
	return time.UnixMicro(int64(binary.BigEndian.Uint64(key) ^ 1<<63)).UTC(), key[8:], nil
}

// HiddenKey returns the key of an internal record. Scans of transactions do not return such records, so they are neither
// checked nor backed up.
func HiddenKey(name string) []byte { return append([]byte{rootHidden}, name...) }

func isHidden(key []byte) bool { return len(key) > 0 && key[0] == rootHidden }
