package kv_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"bugle/engine"
	"bugle/store"
	"bugle/store/kv"
	"bugle/store/mem"
)

// A summary is read as it was stored, with all of its fields.
func TestSummaryFields(t *testing.T) {
	whole := engine.Summary{Head: engine.Head{ID: "whole"}}
	fill(t, reflect.ValueOf(&whole).Elem())
	whole.ID = "whole"
	for _, want := range []engine.Summary{whole, {Head: engine.Head{ID: "empty"}}} {
		db := mem.New()
		defer db.Close()
		var got engine.Summary
		err := db.Update(t.Context(), func(tx *kv.Tx) (err error) {
			s := tx.Workspace("W")
			err = s.PutRecords([]store.Record{store.WholeCampaign{Campaign: engine.Campaign{Head: want.Head}, Summary: want}})
			err = errors.Join(err, s.SummariesByID([]string{want.ID}, func(sum engine.Summary) error { got = sum; return nil }))
			return errors.Join(err, s.PutSettings(engine.Workspace{ID: "W"}))
		})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: got  %+v\nwant %+v", err, got, want)
		}
	}
}

// fill sets all fields of a struct.
func fill(t *testing.T, v reflect.Value) {
	switch at := v.Addr().Interface().(type) {
	case *string:
		*at = `a "b" \ <c>` + "\n\x00é"
	case *engine.State, *engine.Channel, *engine.DeliveryType:
		v.SetString("X")
	case *int, *int64:
		v.SetInt(-7)
	case *bool:
		*at = true
	case *[]string:
		*at = []string{"one", "", "two"}
	case *time.Time:
		*at = time.Date(2026, 1, 31, 23, 59, 59, 123456789, time.UTC)
	default:
		if v.Kind() != reflect.Struct {
			t.Fatalf("a field of the type %s, which summaries are not stored with yet", v.Type())
		}
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	}
}
