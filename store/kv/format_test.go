package kv_test

import (
	"bytes"
	"strings"
	"testing"

	"bugle/store"
	"bugle/store/kv"
	"bugle/store/mem"
)

// A store of another format is refused, with a sentence that says what to do.
func TestOtherFormats(t *testing.T) {
	for format, want := range map[string]string{"2": "export its campaigns with the program that wrote it", "9": "update bugle to open it"} {
		db := mem.New()
		err := db.Update(t.Context(), func(tx *kv.Tx) error {
			var at []byte
			err := tx.Scan(nil, kv.ScanOptions{}, func(key, value []byte) error {
				if bytes.Contains(value, []byte(`"format"`)) {
					at = bytes.Clone(key)
					return store.Stop
				}
				return nil
			})
			if err != nil {
				return err
			}
			return tx.Set(at, kv.EncodeValue(at, []byte(`{"format":`+format+`}`)))
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := kv.Prepare(t.Context(), db.Store, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("format %s: %v, want %q", format, err, want)
		}
	}
}
