// Package wire has the JSON in which stores keep records, whatever they keep it in.
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

// ErrShort says that bytes end before what they say that they hold.
var ErrShort = errors.New("it is cut short")

// Encode returns v as JSON.
func Encode(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot be stored: %w", err)
	}
	return b, nil
}

// Decode reads JSON into v. Numbers of no set type become json.Number and keep their spelling.
func Decode(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(v)
}

// DecodeRow reads JSON into a type of this package, which has no numbers of no set type, several times
// faster than decode.
func DecodeRow(b []byte, w any) error { return jsonx.Unmarshal(b, w) }

// EncodeWith returns v as JSON with a document after it. The document is kept exactly as it is
// spelled, which encoding/json would not do.
func EncodeWith(v any, tree doc.Value) ([]byte, error) { return EncodeWithRaw(v, tree.Encode()) }

// EncodeWithRaw is encodeWith for a document that is encoded already.
func EncodeWithRaw(v any, tree []byte) ([]byte, error) {
	head, err := Encode(v)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, binary.MaxVarintLen64+len(head)+len(tree))
	b = binary.AppendUvarint(b, uint64(len(head)))
	return append(append(b, head...), tree...), nil
}

// DecodeWith is the reverse of encodeWith.
func DecodeWith(b []byte, v any) (doc.Value, error) {
	tree, err := DecodeWithRaw(b, v)
	if err != nil || len(tree) == 0 {
		return doc.Value{}, err
	}
	return doc.Parse(tree)
}

// DecodeWithRaw is the reverse of encodeBefore.
func DecodeWithRaw(b []byte, v any) (tree []byte, err error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, ErrShort
	}
	head, tree := b[size:size+int(n)], b[size+int(n):]
	return tree, DecodeRow(head, v)
}
