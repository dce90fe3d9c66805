package kv

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"
	jsonx "github.com/go-json-experiment/json"

	"bugle/engine/doc"
)

// A value is one byte of format, eight of checksum, and a payload. The checksum is XXH64 over
// key, format and payload, so that a whole value under a foreign key is found as well.
const (
	formatV1  = 1
	headerLen = 1 + 8
)

var (
	errEmpty    = errors.New("it was on a damaged part of the disk")
	errShort    = errors.New("it is cut short")
	errFormat   = errors.New("its format is unknown")
	errChecksum = errors.New("its checksum does not match")
)

// Seal returns the value that stores payload under key: what a [Space] writes, for those who write
// records of their own, or in tests.
func Seal(key, payload []byte) []byte {
	b := make([]byte, headerLen, headerLen+len(payload))
	b[0] = formatV1
	binary.BigEndian.PutUint64(b[1:], checksum(key, formatV1, payload))
	return append(b, payload...)
}

// Sealed returns what is wrong with the value of a record; nil where it is what was written.
func Sealed(key, value []byte) error {
	_, err := unseal(key, value)
	return err
}

// IsCampaign reports whether a key is that of a campaign's document.
func IsCampaign(key []byte) bool {
	if len(key) == 0 || key[0] != rootRecord {
		return false
	}
	_, rest, err := cutName(key[1:])
	return err == nil && len(rest) > 0 && rest[0] == kindCampaign
}

// unseal returns the payload of a value, or what is wrong with it.
func unseal(key, value []byte) ([]byte, error) {
	switch {
	case len(value) == 0:
		return nil, errEmpty
	case len(value) < headerLen:
		return nil, errShort
	}
	payload := value[headerLen:]
	if binary.BigEndian.Uint64(value[1:]) != checksum(key, value[0], payload) {
		return nil, errChecksum
	}
	if value[0] != formatV1 {
		return nil, errFormat
	}
	return payload, nil
}

func checksum(key []byte, format byte, payload []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	var n [9]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(key)))
	n[8] = format
	_, _ = d.Write(n[:]) // a digest takes everything
	_, _ = d.Write(key)
	_, _ = d.Write(payload)
	return d.Sum64()
}

// encode returns v as JSON.
func encode(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot be stored: %w", err)
	}
	return b, nil
}

// decode reads JSON into v. Numbers of no set type become json.Number and keep their spelling.
func decode(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(v)
}

// decodeRow reads JSON into a type of this package, which has no numbers of no set type, several times
// faster than decode.
func decodeRow(b []byte, w any) error { return jsonx.Unmarshal(b, w) }

// encodeWith returns v as JSON with a document after it. The document is kept exactly as it is
// spelled, which encoding/json would not do.
func encodeWith(v any, tree doc.Value) ([]byte, error) { return encodeBefore(v, tree.Encode()) }

// encodeBefore is encodeWith for a document that is encoded already.
func encodeBefore(v any, tree []byte) ([]byte, error) {
	head, err := encode(v)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, binary.MaxVarintLen64+len(head)+len(tree))
	b = binary.AppendUvarint(b, uint64(len(head)))
	return append(append(b, head...), tree...), nil
}

// decodeWith is the reverse of encodeWith.
func decodeWith(b []byte, v any) (doc.Value, error) {
	tree, err := decodeBefore(b, v)
	if err != nil || len(tree) == 0 {
		return doc.Value{}, err
	}
	return doc.Parse(tree)
}

// decodeBefore is the reverse of encodeBefore.
func decodeBefore(b []byte, v any) (tree []byte, err error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, errShort
	}
	head, tree := b[size:size+int(n)], b[size+int(n):]
	return tree, decodeRow(head, v)
}
