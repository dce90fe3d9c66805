package wire

import (
	"reflect"
	"testing"
	"time"

	jsonx "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"bugle/engine"
)

func summaryOfBench() engine.Summary {
	at := time.Date(2026, 6, 1, 12, 30, 15, 123456789, time.UTC)
	id := "65f0a1b2c3d4e5f607182930"
	return engine.Summary{
		Head: engine.Head{ID: id, CampaignID: id, Status: "SCHEDULED", Channel: "EMAIL", DeliveryType: "ONE_TIME", CreatedBy: "ada.lovelace@example.com",
			UpdatedBy: "ada.lovelace@example.com", CreatedAt: at, UpdatedAt: at.Add(time.Hour), Revision: 12},
		Name: "Spring sale, first wave – DE", Team: "growth", Tags: []string{"sale", "spring"}, Platforms: []string{"ANDROID", "IOS"}, Start: at, End: at,
	}
}

// What a row of the index takes to read, a hundred thousand of which are read at a start.
func BenchmarkDecodeRow(b *testing.B) {
	payload, err := Encode(ToSummary(summaryOfBench()))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		var w Summary
		if err := DecodeSummary(payload, &w); err != nil {
			b.Fatal(err)
		}
	}
}

// The quick way to read a row returns what the library does, or leaves it to that.
func TestReadRow(t *testing.T) {
	whole := summaryOfBench()
	whole.FlowID, whole.FlowName, whole.ParentID, whole.RejectionComment = "f", "Flow", "p", "too loud"
	whole.SentTime, whole.AllUsers, whole.Version = whole.Start, true, 3
	for name, c := range map[string]struct {
		row   engine.Summary
		quick bool
	}{
		"usual": {summaryOfBench(), true}, "whole": {whole, true}, "empty": {engine.Summary{}, true},
		"escaped": {engine.Summary{Name: `a "b" \ <c>` + "\n"}, false}, "negative": {engine.Summary{Head: engine.Head{Revision: -1}}, true},
		"zone": {engine.Summary{Start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.FixedZone("", 3600))}, false},
	} {
		payload, err := Encode(ToSummary(c.row))
		if err != nil {
			t.Fatal(err)
		}
		var quick, want Summary
		if ok := readRow(payload, &quick); ok != c.quick {
			t.Errorf("%s: read quickly: %v\n%s", name, ok, payload)
		}
		if err := jsonx.Unmarshal(payload, &want); err != nil {
			t.Fatal(err)
		}
		if c.quick && !reflect.DeepEqual(quick, want) {
			t.Errorf("%s: got %+v\nwant %+v", name, quick, want)
		}
	}
}

// For any input, the fast path agrees with the library or leaves it to the library.
func FuzzReadRow(f *testing.F) {
	payload, err := Encode(ToSummary(summaryOfBench()))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(payload)
	f.Add([]byte(`{"rev":01}`))
	f.Add([]byte(`{"id":"a","tags":[],"all":true}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var quick, want Summary
		if !readRow(b, &quick) {
			return
		}
		if err := jsonx.Unmarshal(b, &want, jsontext.AllowDuplicateNames(true)); err != nil {
			t.Fatalf("%q is read, and is no row: %v", b, err)
		}
		if !reflect.DeepEqual(quick, want) {
			t.Fatalf("%q\ngot  %+v\nwant %+v", b, quick, want)
		}
	})
}
