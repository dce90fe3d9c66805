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

// records is one record of every kind, with every field set.
type records struct {
	Settings   engine.Workspace
	Campaign   engine.Campaign
	Summary    engine.Summary
	Revision   engine.Revision
	Copy       engine.WorkingCopy
	Dismissed  []engine.Dismissal
	Idempotent store.IdempotencyRecord
	Mail, Push engine.OutboxMessage
	Profile    engine.User
	Test       engine.TestRecord
	Until      time.Time
}

// filled returns records that round-trip unchanged.
func filled(t testing.TB) records {
	var r records
	fill(t, &r)
	r.Settings.ID = space
	r.Campaign.Revision, r.Summary.Revision, r.Revision.N = 1, 1, 1
	r.Summary.ID, r.Revision.Size = r.Campaign.ID, len(tree)
	r.Mail.ID, r.Mail.Push = "01", nil
	r.Push.ID, r.Push.Email = "02", nil
	r.Campaign.ETag = ""      // only set by a client of another service
	r.Test.Result.Calls = nil // only set in a running program
	for _, at := range []*time.Time{&r.Idempotent.At, &r.Idempotent.ExpiresAt, &r.Until} {
		*at = at.Truncate(time.Microsecond) // not part of a document, and databases store no more precision
	}
	r.Profile.Attributes[engine.AttrEmail] = "Ada@Example.com"
	r.Profile.Attributes[engine.AttrMobile] = json.Number("4791234567")
	return r
}

// put stores all records.
func (r records) put(tx store.Tx) error {
	s := tx.Workspace(space)
	for _, step := range []func() error{
		func() error { return s.PutSettings(r.Settings) },
		func() error { _, err := s.PutCampaign(r.Campaign, r.Summary, r.Revision, false); return err },
		func() error { return s.PutWorkingCopy(r.Campaign.ID, r.Copy) },
		func() error { return s.PutDismissals(r.Campaign.ID, r.Dismissed) },
		func() error { return s.PutIdempotencyRecord(r.Idempotent) },
		func() error { return s.PutOutbox(r.Push) },
		func() error { return s.PutOutbox(r.Mail) },
		func() error { return s.PutProfile(r.Profile) },
		func() error { return s.PutTestSend(r.Test) },
		func() error { return s.PutRequestID("create", "r1", r.Until) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// outcome is the actual and the expected result of a read.
type outcome struct {
	got, want any
	err       error
}

// read reads every record. The keys are the names of the methods.
func (r records) read(s store.WorkspaceTx) map[string]outcome {
	id := r.Campaign.ID
	out := map[string]outcome{}
	add := func(what string, want any) func(got any, err error) {
		return func(got any, err error) { out[what] = outcome{got, want, err} }
	}
	add("Settings", r.Settings)(wide(s.Settings()))
	add("Campaign", r.Campaign)(wide(s.Campaign(id)))
	add("Revision", r.Campaign)(wide(s.Revision(id, 1)))
	add("Revisions", []engine.Revision{r.Revision})(wide(s.Revisions(id)))
	add("Summary", r.Summary)(wide(s.Summary(id)))
	add("Summaries", []engine.Summary{r.Summary})(all(s.Summaries))
	add("Copy", r.Copy)(wide(s.WorkingCopy(id)))
	add("Dismissals", r.Dismissed)(wide(s.Dismissals(id)))
	add("Idempotent", r.Idempotent)(wide(s.IdempotencyRecord(r.Idempotent.Operation, r.Idempotent.Key)))
	add("Outbox", []engine.OutboxMessage{r.Push, r.Mail})(wide(s.Outbox(0)))
	add("Profile", r.Profile)(wide(s.Profile(r.Profile.ID)))
	add("Profiles", []engine.User{r.Profile})(all(func(fn func(engine.User) error) error { return s.Profiles("", fn) }))
	add("FindProfiles", []string{r.Profile.ID})(wide(s.FindProfiles(store.ByEmail, " ada@EXAMPLE.com ")))
	add("Tests", []engine.TestRecord{r.Test})(all(func(fn func(engine.TestRecord) error) error { return s.TestSends(0, fn) }))
	add("RequestID", r.Until)(wide(s.RequestID("create", "r1")))
	return out
}

func wide[T any](v T, err error) (any, error) { return v, err }

func all[T any](walk func(func(T) error) error) (any, error) {
	var out []T
	err := walk(func(v T) error { out = append(out, v); return nil })
	return out, err
}

// Fill stores one record of every kind, with every field set and with unusual spellings of numbers and strings, and a
// campaign with several revisions.
func Fill(t testing.TB, db store.DB) {
	t.Helper()
	write(t, db, filled(t).put)
	for n := range 4 {
		in(t, db, func(s store.WorkspaceTx) error {
			_, err := save(s, "revised", fmt.Sprintf(`{"n":%d.0,"text":"\u0041"}`, n), t, n == 2)
			return err
		})
	}
	write(t, db, func(tx store.Tx) error { return tx.Workspace("SECOND").PutSettings(engine.Workspace{ID: "SECOND"}) })
}
