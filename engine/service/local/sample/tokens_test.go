package sample

import (
	"testing"
	"time"

	"bugle/engine/doc"
)

func TestTokens(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	// Two days before the clocks of Berlin go forward.
	r := resolver{now: time.Date(2026, 3, 27, 10, 30, 45, 9, time.UTC), zone: berlin}
	for in, want := range map[string]string{
		"@now":                "2026-03-27T10:30:00Z",
		"@now-2h":             "2026-03-27T08:30:00Z",
		"@now+90m":            "2026-03-27T12:00:00Z",
		"@now-2w+1d":          "2026-03-14T10:30:00Z",
		"@now+3d":             "2026-03-30T09:30:00Z", // the same time of day in Berlin
		"@now+3d@09:00":       "2026-03-30T07:00:00Z",
		"@now+1d@09:00":       "2026-03-28T08:00:00Z",
		"@now@23:59":          "2026-03-27T22:59:00Z",
		"@now+3d@09:00:local": "2026-03-30T09:00:00",
		"@now-3h:local":       "2026-03-27T08:30:00",
		"@now-90d:date":       "2025-12-27",
		"@nowhere at all":     "", // begins like a token
		"@now+3x":             "",
		"@now@25:00":          "",
		"at noon, @now":       "at noon, @now",
		"ann@example.com":     "ann@example.com",
		"@id:staff-pick":      idOf("staff-pick"),
		"{{user.first_name}}": "{{user.first_name}}",
	} {
		got, err := r.resolve(doc.NewArray(doc.NewObject(doc.M("at", doc.NewString(in)))))
		if want == "" {
			if err == nil {
				t.Errorf("%s became %s, want an error", in, got.Encode())
			}
			continue
		}
		if text := got.At(0).Get("at").Text(); err != nil || text != want {
			t.Errorf("%s became %q, error %v; want %q", in, text, err, want)
		}
	}
}

func TestResolvingKeepsOtherFields(t *testing.T) {
	v, err := doc.Parse([]byte(`{"a":[1.0,true,null,"@now"],"b":{"c":"x\u00e9"},"d":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := resolver{now: time.Unix(0, 0), zone: time.UTC}.resolve(v)
	const want = `{"a":[1.0,true,null,"1970-01-01T00:00:00Z"],"b":{"c":"x\u00e9"},"d":{}}`
	if string(got.Encode()) != want || err != nil {
		t.Errorf("got %s, error %v; want %s", got.Encode(), err, want)
	}
}

func TestIDsAreObjectIDs(t *testing.T) {
	a, b := idOf("staff-pick"), idOf("staff-pick-run-1")
	if len(a) != 24 || len(b) != 24 || a == b || a != idOf("staff-pick") {
		t.Errorf("got %q and %q", a, b)
	}
}
