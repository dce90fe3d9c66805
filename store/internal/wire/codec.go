// Package wire defines the JSON encoding of stored records, which all stores share.
package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	jsonx "github.com/go-json-experiment/json"

	"bugle/engine/doc"
)

// ErrShort reports that a value ends before the length that it declares.
var ErrShort = errors.New("it is cut short")

// Encode returns v as JSON.
func Encode(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot be stored: %w", err)
	}
	return b, nil
}

// Decode reads JSON into v. Numbers without a fixed type become json.Number and keep their spelling.
func Decode(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(v)
}

// DecodeRow reads JSON into a type of this package. It is several times faster than [Decode] and does not support
// numbers without a fixed type.
func DecodeRow(b []byte, w any) error { return jsonx.Unmarshal(b, w) }

// EncodeWith returns v as JSON followed by a document. The document keeps its exact spelling, which encoding/json would
// not preserve.
func EncodeWith(v any, tree doc.Value) ([]byte, error) { return EncodeWithRaw(v, tree.Encode()) }

// EncodeWithRaw is [EncodeWith] for a document that is already encoded.
func EncodeWithRaw(v any, tree []byte) ([]byte, error) {
	head, err := Encode(v)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, binary.MaxVarintLen64+len(head)+len(tree))
	b = binary.AppendUvarint(b, uint64(len(head)))
	return append(append(b, head...), tree...), nil
}

// DecodeWith is the reverse of [EncodeWith].
func DecodeWith(b []byte, v any) (doc.Value, error) {
	tree, err := DecodeWithRaw(b, v)
	if err != nil || len(tree) == 0 {
		return doc.Value{}, err
	}
	return doc.Parse(tree)
}

// DecodeWithRaw is the reverse of [EncodeWithRaw].
func DecodeWithRaw(b []byte, v any) (tree []byte, err error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, ErrShort
	}
	head, tree := b[size:size+int(n)], b[size+int(n):]
	return tree, DecodeRow(head, v)
}
