package kv

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"bugle/engine"
)

// The kinds of records. They are part of every key and therefore never change.
const (
	kindCampaign   = 'c' // id → head and body
	kindSummary    = 's' // id → summary
	kindRevision   = 'r' // id, number → what is known of a revision
	kindVersion    = 'd' // id, number → the document at that revision
	kindCopy       = 'w' // id → working copy
	kindDismissed  = 'v' // id → dismissed warnings
	kindIdempotent = 'i' // operation, key → answer
	kindRequest    = 'q' // operation, request id → until when
	kindExpiry     = 'e' // time, kind, operation, key → nothing; both of the above, by end
	kindOutbox     = 'o' // id → message
	kindProfile    = 'p' // id → profile
	kindIdentifier = 'x' // identifier kind, value, profile id → nothing
	kindTest       = 't' // time, number → test send
	kindContent    = 'k' // kind of content, name → item; a template has its version after its id
	kindDeleted    = 'z' // id → nothing; the campaign is deleted, and records of its history are left
	kindLook       = 'l' // nothing → when it was last looked which records have expired
)

// The kinds of copies. They lie behind all other records, so that one part of the disk that is lost does not
// take a record and its copy.
const (
	copySettings = 'n' // nothing → settings
	copyKey      = 'k' // id → API key
)

// The first byte of every key.
const (
	rootMeta      = 'm' // about the store itself
	rootWorkspace = 'n' // workspace → settings
	rootRecord    = 'r' // workspace, kind, … → record
	rootCopy      = 's' // workspace, kind of copy, … → copy
	rootKept      = 'q' // time, key → a record that [Repair] replaced or removed, as it was
)

// maxName is the most bytes that an id or an identifier within a key may have. Push tokens
// take up to 4 KB.
const maxName = 8 << 10

// appendName appends a text to a key such that keys sort as their texts do, and no text is
// the beginning of another: NUL ends it, and a NUL within it is written as 00 FF.
func appendName(key []byte, s string) []byte {
	for i := range len(s) {
		key = append(key, s[i])
		if s[i] == 0 {
			key = append(key, 0xFF)
		}
	}
	return append(key, 0, 1)
}

// cutName takes the text at the start of a key off it.
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

// appendTime appends a time, to the microsecond, such that keys sort by it.
func appendTime(key []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(key, uint64(t.UnixMicro())^1<<63)
}

func cutTime(key []byte) (time.Time, []byte, error) {
	if len(key) < 8 {
		return time.Time{}, nil, errKey
	}
	return time.UnixMicro(int64(binary.BigEndian.Uint64(key) ^ 1<<63)).UTC(), key[8:], nil
}

// checkName refuses what cannot be an id.
func checkName(what, s string) error {
	switch {
	case s == "":
		return fmt.Errorf("%s is missing", what)
	case len(s) > maxName:
		return fmt.Errorf("%s is too long: %d bytes, at most %d", what, len(s), maxName)
	}
	return nil
}

// checkWorkspace refuses workspace ids that a header or a command line cannot carry.
func checkWorkspace(id string) error {
	if err := checkName("a workspace id", id); err != nil {
		return err
	}
	if !engine.IsWorkspaceID(id) {
		return fmt.Errorf("the workspace id %q has spaces or unprintable characters; use letters, digits, - and _", id)
	}
	return nil
}
