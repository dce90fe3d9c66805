package kv_test

import (
	"bytes"
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store/kv"
	"bugle/store/mem"
)

// A store may lose any of a campaign's records. The next revision takes no number that an earlier one has all the
// same: it would replace its document, and a repair would take the earlier one for the newest.
func TestRevisionNumbersAreUnique(t *testing.T) {
	for name, lost := range map[string][]string{
		"notes":                  {"r"},
		"notes and the campaign": {"r", "c"},
		"documents":              {"d"},
		"the campaign":           {"c"},
	} {
		t.Run(name, func(t *testing.T) {
			db := mem.New()
			defer db.Close()
			save := func(text string) (n int64) {
				t.Helper()
				err := db.Update(t.Context(), func(tx *kv.Tx) (err error) {
					c := engine.Campaign{Head: engine.Head{ID: "c1", Status: "DRAFT"}, Body: doc.NewObject(doc.M("text", doc.NewString(text)))}
					n, err = tx.Workspace("W").PutCampaign(c, engine.Summary{Head: c.Head}, engine.Revision{}, false)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			save("first")
			save("second")
			save("third")
			err := db.Update(t.Context(), func(tx *kv.Tx) error {
				var keys [][]byte
				err := tx.Scan(nil, kv.ScanOptions{KeysOnly: true}, func(key, _ []byte) error {
					for _, kind := range lost {
						if bytes.Contains(key, []byte("W\x00\x01"+kind+"c1")) {
							keys = append(keys, bytes.Clone(key))
						}
					}
					return nil
				})
				if err != nil || len(keys) == 0 {
					t.Errorf("found %q, %v", keys, err)
				}
				for _, key := range keys {
					if err := tx.Delete(key); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if n := save("fourth"); n != 4 {
				t.Errorf("the revision after the third has the number %d", n)
			}
		})
	}
}
