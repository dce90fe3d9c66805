package kv

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"time"

	"bugle/store"
)

// The first byte of every key.
const (
	rootHidden    = 0   // name → what only a driver or this package uses
	rootMeta      = 'm' // metadata of the store
	rootWorkspace = 'n' // workspace → settings
	rootRecord    = 'r' // workspace, kind, … → record
)

// cutKind returns the workspace and the kind of a record, and the rest of its key. Records outside of workspaces have the
// workspace "" and their first byte as their kind.
func cutKind(key []byte) (workspace string, id byte, rest []byte) {
	if len(key) == 0 {
		return "", 0, nil
	}
	if key[0] == rootRecord {
		if name, rest, err := cutName(key[1:]); err == nil && len(rest) > 0 {
			return name, rest[0], rest[1:]
		}
	}
	return "", key[0], key[1:]
}

// ChangeFor returns the change to publish when the record with that key is written. It returns false for records whose
// changes are not published.
func ChangeFor(key []byte) (c store.Change, ok bool) {
	workspace, id, rest := cutKind(key)
	if workspace == "" {
		workspace, _, err := cutName(rest)
		return store.Change{Workspace: workspace, Kind: store.ChangedSettings}, id == rootWorkspace && err == nil
	}
	k := kindOf(id)
	parts, _ := cut(k, rest)
	return k.Changed(workspace, parts)
}

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
	return appendNumber(key, t.UnixMicro()^math.MinInt64)
}

func cutTime(key []byte) (time.Time, []byte, error) {
	n, rest, err := cutNumber(key)
	return time.UnixMicro(n ^ math.MinInt64).UTC(), rest, err
}

// HiddenKey returns the key of an internal record. Scans of transactions do not return such records, so they are neither
// checked nor backed up.
func HiddenKey(name string) []byte { return append([]byte{rootHidden}, name...) }

func isHidden(key []byte) bool { return len(key) > 0 && key[0] == rootHidden }
