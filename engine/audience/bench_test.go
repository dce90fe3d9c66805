package audience

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"bugle/engine"
)

// distinct profiles are generated, and counted over and over until a million have been.
const (
	distinct = 50_000
	million  = 1_000_000
)

// BenchmarkEstimate counts an audience of five filters among a million profiles of six attributes and
// up to eight events each.
func BenchmarkEstimate(b *testing.B) {
	profiles := generated()
	a := compiled(b, fiveFilters, Env{Now: noon, Workspace: engine.Workspace{Timezone: "Europe/Berlin", Segments: []engine.Segment{staff(profiles)}}})
	all := func(yield func(engine.User, error) bool) {
		for i := range million {
			if !yield(profiles[i%distinct], nil) {
				return
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		n, err := Estimate(context.Background(), a, all, nil)
		if err != nil || n.Total != million || n.Matched == 0 || n.Matched == million {
			b.Fatalf("%+v, %v", n, err)
		}
		b.ReportMetric(float64(n.Matched), "matched")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/million, "ns/profile")
}

// Counting a profile allocates nothing.
func TestMatchDoesNotAllocate(t *testing.T) {
	profiles := generated()[:200]
	a := compiled(t, fiveFilters, Env{Now: noon, Workspace: engine.Workspace{Timezone: "Europe/Berlin", Segments: []engine.Segment{staff(profiles)}}})
	i, matched := 0, 0
	per := testing.AllocsPerRun(1000, func() {
		if a.Match(&profiles[i%len(profiles)]) {
			matched++
		}
		i++
	})
	if per > 0 {
		t.Errorf("%v allocations for each profile", per)
	}
	if matched == 0 {
		t.Error("nobody matched: the test proves nothing")
	}
}

const fiveFilters = `{
	"included_filters": {"filter_operator": "and", "filters": [
		{"filter_type": "user_attributes", "data_type": "string", "name": "Country", "operator": "in", "value": ["india", "Nepal", "Österreich"]},
		{"filter_type": "user_attributes", "data_type": "double", "name": "Orders", "operator": "between", "value": [2, 40]},
		{"filter_type": "user_attributes", "data_type": "datetime", "name": "Last Purchase", "operator": "inTheLast", "value": 60},
		{"filter_type": "actions", "action_name": "Added To Cart", "executed": true, "execution": {"type": "atleast", "count": 2},
			"attributes": {"filter_operator": "and", "filters": [
				{"filter_type": "user_attributes", "data_type": "double", "name": "price", "operator": "greaterThan", "value": 20}]}}
	]},
	"excluded_filters": {"filter_operator": "or", "filters": [{"filter_type": "custom_segments", "name": "Staff"}]}
}`

func staff(profiles []engine.User) engine.Segment {
	s := engine.Segment{ID: "S1", Name: "Staff"}
	for i := 0; i < len(profiles); i += 50 {
		s.Members = append(s.Members, profiles[i].ID)
	}
	return s
}

func generated() []engine.User {
	r := rand.New(rand.NewPCG(1, 2))
	countries := []string{"India", "Nepal", "Germany", "France", "Brasil", "österreich"}
	out := make([]engine.User, distinct)
	for i := range out {
		p := engine.User{ID: fmt.Sprintf("USER_%d", i), OptedOut: r.IntN(10) == 0, Attributes: map[string]any{
			"Country": countries[r.IntN(len(countries))], "Orders": float64(r.IntN(60)), "Newsletter": r.IntN(2) == 0,
			"Last Purchase":  noon.Add(-time.Duration(r.IntN(120*24)) * time.Hour).Format(time.RFC3339),
			engine.AttrEmail: fmt.Sprintf("user%d@example.com", i), "First Name": "Ann",
		}}
		for range r.IntN(9) {
			p.Events = append(p.Events, engine.Event{
				Name: []string{"Added To Cart", "Product Viewed"}[r.IntN(2)], At: noon.Add(-time.Duration(r.IntN(2000)) * time.Hour),
				Attributes: map[string]any{"price": float64(r.IntN(80)), "product": "Yirgacheffe"},
			})
		}
		if r.IntN(3) == 0 {
			p.Devices = []engine.Device{{Platform: "ANDROID", Token: "t"}}
		}
		out[i] = p
	}
	return out
}
