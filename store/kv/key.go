package kv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"bugle/engine"
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
	kindSweep            = 'l' // nothing → time of the last sweep for expired records
)

// The kinds of copies. They sort after all other records, so that one damaged region of the disk does not destroy a
// record and its copy.
const (
	copySettings = 'n' // nothing → settings
	copyKey      = 'k' // id → API key
)

// The first byte of every key.
const (
	rootMeta       = 'm' // metadata of the store
	rootWorkspace  = 'n' // workspace → settings
	rootRecord     = 'r' // workspace, kind, … → record
	rootCopy       = 's' // workspace, kind of copy, … → copy
	rootQuarantine = 'q' // time, key → a record as it was before [Repair] replaced or removed it
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

// checkName returns an error for a string that cannot be an id.
func checkName(what, s string) error {
	switch {
	case s == "":
		return fmt.Errorf("%s is missing", what)
	case len(s) > maxName:
		return fmt.Errorf("%s is too long: %d bytes, at most %d", what, len(s), maxName)
	}
	return nil
}

// checkWorkspace returns an error for a workspace id that could not be used in a header or on a command line.
func checkWorkspace(id string) error {
	if err := checkName("a workspace id", id); err != nil {
		return err
	}
	if !engine.IsWorkspaceID(id) {
		return fmt.Errorf("the workspace id %q has spaces or unprintable characters; use letters, digits, - and _", id)
	}
	return nil
}
