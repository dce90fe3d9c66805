package schema_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// campaign is a push campaign of 4.5 KB, valid for publishing.
func campaign(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "doc", "testdata", "campaign.json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// breaches are ten edits, each of which breaks one rule of another kind.
var breaches = []struct{ path, value string }{
	{`basic_details.name`, `""`},
	{`campaign_content.content.push.ios.basic_details.carousel_content.slider_transition`, `"MANUEL"`},
	{`campaign_content.content.push.android.basic_details.background_color_code`, `"white"`},
	{`campaign_content.content.push.android.basic_details.titel`, `"Three"`},
	{`campaign_content.content.push.ios.template_backup.rich_media_value`, `7`},
	{`segmentation_details.included_filters.filters[0].execution.count`, `"once"`},
	{`scheduling_details.start_time`, `"tomorrow"`},
	{`delivery_controls.bypass_dnd`, `"no"`},
	{`conversion_goal_details.goals[0].revenue_currency`, `7`},
	{`utm_params.medium`, `"push"`},
}

func broken(t testing.TB) []byte {
	t.Helper()
	v, err := doc.Parse(campaign(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range breaches {
		p, err := doc.ParsePath(b.path)
		if err != nil {
			t.Fatal(err)
		}
		to, err := doc.Parse([]byte(b.value))
		if err != nil {
			t.Fatal(err)
		}
		if v, err = v.Set(p, to); err != nil {
			t.Fatal(err)
		}
	}
	return v.Encode()
}

// publishing is the strictest check there is, in a workspace that is known. What reads expressions
// is a library of its own, and is measured with package template.
func publishing() schema.Env {
	return schema.Env{
		Stage: schema.Publish,
		Now:   time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
		Flags: map[string]bool{},
		Lists: func(string) ([]string, bool) { return nil, false },
	}
}

// BenchmarkDecodeValidate measures what every save, publish and request does first: from bytes to
// all problems of a whole campaign.
func BenchmarkDecodeValidate(b *testing.B) {
	table, env := catalog.Campaign(catalog.Push), publishing()
	for _, c := range []struct {
		name     string
		body     []byte
		problems int
	}{
		{"valid", campaign(b), 0},
		{"ten_problems", broken(b), len(breaches)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			for b.Loop() {
				v, err := doc.Parse(c.body)
				if err != nil {
					b.Fatal(err)
				}
				if ps := table.Validate(v, env); len(ps) != c.problems {
					b.Fatalf("%d problems, not %d: %v", len(ps), c.problems, ps)
				}
			}
		})
	}
}

// BenchmarkValidate is the same without the decoding.
func BenchmarkValidate(b *testing.B) {
	table, env := catalog.Campaign(catalog.Push), publishing()
	for name, body := range map[string][]byte{"valid": campaign(b), "ten_problems": broken(b)} {
		b.Run(name, func(b *testing.B) {
			v, err := doc.Parse(body)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				table.Validate(v, env)
			}
		})
	}
}

// A check allocates for what it reports, not for what it looks at. The limits are twice of what was
// measured (34 and 81); before there was one, it was a thousand and more.
func TestFewAllocations(t *testing.T) {
	table, env := catalog.Campaign(catalog.Push), publishing()
	for _, c := range []struct {
		name  string
		body  []byte
		limit float64
	}{{"valid", campaign(t), 70}, {"ten problems", broken(t), 200}} {
		got := testing.AllocsPerRun(50, func() {
			v, err := doc.Parse(c.body)
			if err != nil {
				t.Fatal(err)
			}
			table.Validate(v, env)
		})
		if got > c.limit {
			t.Errorf("%s: %.0f allocations, and %.0f are allowed", c.name, got, c.limit)
		}
	}
}

// Checks at the same time do not see each other's documents.
func TestChecksAtOnce(t *testing.T) {
	table, env := catalog.Campaign(catalog.Push), publishing()
	var all sync.WaitGroup
	for i := range 8 {
		body, want := campaign(t), 0
		if i%2 == 1 {
			body, want = broken(t), len(breaches)
		}
		all.Go(func() {
			for range 50 {
				v, err := doc.Parse(body)
				if err != nil {
					t.Error(err)
					return
				}
				if ps := table.Validate(v, env); len(ps) != want {
					t.Errorf("%d problems, want %d: %v", len(ps), want, ps)
					return
				}
			}
		})
	}
	all.Wait()
}
