package kv

import (
	"encoding/binary"
	"errors"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/s2"

	"bugle/store/internal/record"
)

// A value is one byte of format, eight bytes of checksum, and a payload. The checksum is XXH64 over key, format, and
// payload, so that it also detects an intact value under a wrong key.
const (
	formatV1  = 1
	headerLen = 1 + 8
)

var (
	errShort    = errors.New("it is cut short")
	errEmpty    = errors.New("it was on a damaged part of the disk")
	errChecksum = errors.New("its checksum does not match")
)

// EncodeValue returns the value that stores payload under key. It is meant for drivers that store records of their own,
// and for tests.
func EncodeValue(key, payload []byte) []byte {
	b := make([]byte, headerLen, headerLen+len(payload))
	b[0] = formatV1
	binary.BigEndian.PutUint64(b[1:], checksum(key, formatV1, payload))
	return append(b, payload...)
}

// decodeValue returns the payload of a value after checking the value.
func decodeValue(key, value []byte) ([]byte, error) {
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
	return payload, nil
}

func checksum(key []byte, format byte, payload []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	var n [9]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(key)))
	n[8] = format
	_, _ = d.Write(n[:]) // Write never fails
	_, _ = d.Write(key)
	_, _ = d.Write(payload)
	return d.Sum64()
}

// payloadOf returns the payload of a record: the length of its JSON, that, and the document as S2, if its kind has one.
func payloadOf(k *record.Kind, r record.Row) []byte {
	if !k.Body {
		return r.Record
	}
	b := binary.AppendUvarint(nil, uint64(len(r.Record)))
	return append(append(b, r.Record...), s2.Encode(nil, r.Body)...)
}

// rowOf returns the record that has a value, after checking the value.
func rowOf(k *record.Kind, key, value []byte) (record.Row, error) {
	payload, err := decodeValue(key, value)
	if err != nil || !k.Body {
		return record.Row{Record: payload}, err
	}
	n, size := binary.Uvarint(payload)
	if size <= 0 || n > uint64(len(payload)-size) {
		return record.Row{}, errShort
	}
	body, err := s2.Decode(nil, payload[size+int(n):])
	return record.Row{Record: payload[size : size+int(n)], Body: body}, err
}
