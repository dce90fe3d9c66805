package storetest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
)

// tree has spellings that no encoder would produce.
const tree = `{"a":1.0,"b":1e2,"c":"\u00e9\/<&>\t","name":{"z":null,"y":[],"x":12345678901234567890.10},"":"\ud83d\ude00"}`

// fill sets every field that v points to, at any depth, to a non-zero value.
func fill(t testing.TB, v any) { n := 0; fillValue(t, reflect.ValueOf(v).Elem(), &n) }

func fillValue(t testing.TB, v reflect.Value, n *int) {
	t.Helper()
	*n++
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		*at = time.Date(2025, 3, 4, 5, 6, *n%60, 789000+*n, time.UTC)
		return
	case *doc.Value:
		*at = parse(t, tree)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text <%d> é", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Interface:
		v.Set(reflect.ValueOf(json.Number(fmt.Sprintf("%d.50", *n))))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(t, v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fillValue(t, v.Index(i), n)
		}
	case reflect.Map:
		key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillValue(t, key, n)
		fillValue(t, elem, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, elem)
	case reflect.Struct:
		for i := range v.NumField() {
			fillValue(t, v.Field(i), n)
		}
	case reflect.Uint8:
		v.SetUint(uint64(*n % 256))
	default:
		t.Fatalf("storetest cannot fill a %s", v.Type())
	}
}

// filled returns a record of every kind, with every field set, that round-trips unchanged, in the order of
// [store.Transfer].
func filled(t testing.TB) []store.Record {
	var r struct {
		Settings   engine.Workspace
		Campaign   store.WholeCampaign
		Version    store.Version
		Idempotent store.IdempotencyRecord
		Mail, Push engine.OutboxMessage
		Profile    engine.User
		Test       engine.TestRecord
	}
	fill(t, &r)
	r.Settings.ID = space
	c := &r.Campaign
	c.Campaign.Revision, c.Summary.Revision, c.Summary.ID = 1, 1, c.Campaign.ID
	c.Campaign.ETag = "" // only set by a client of another service
	r.Version.Campaign = c.Campaign
	r.Version.Revision.N, r.Version.Revision.Size = 1, len(tree)
	c.History = []store.Version{r.Version}
	r.Mail.ID, r.Mail.Push = "01", nil
	r.Push.ID, r.Push.Email = "02", nil
	r.Test.Result.Calls = nil // only set in a running program
	for _, at := range []*time.Time{&r.Idempotent.At, &r.Idempotent.ExpiresAt} {
		*at = at.Truncate(time.Microsecond) // not part of a document, and databases store no more precision
	}
	r.Profile.Attributes[engine.AttrEmail] = "Ada@Example.com"
	r.Profile.Attributes[engine.AttrMobile] = json.Number("4791234567")
	return []store.Record{r.Settings, r.Profile, products("p", "<é>"), template("t", 2, "<é>"), r.Mail, r.Push, r.Test, r.Idempotent, *c}
}

// Fill stores a record of every kind, with every field set and with unusual spellings of numbers and strings, and a campaign
// with several revisions.
func Fill(t testing.TB, db store.DB) {
	t.Helper()
	in(t, db, func(s store.WorkspaceTx) error { return s.PutRecords(filled(t)) })
	for n := range 4 {
		in(t, db, func(s store.WorkspaceTx) error {
			_, err := save(s, "revised", fmt.Sprintf(`{"n":%d.0,"text":"\u0041"}`, n), t, n == 2)
			return err
		})
	}
	write(t, db, func(tx store.Tx) error { return tx.Workspace("SECOND").PutSettings(engine.Workspace{ID: "SECOND"}) })
}
