package record

import (
	"bytes"
	"encoding/json"
	"fmt"

	jsonx "github.com/go-json-experiment/json"
)

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
