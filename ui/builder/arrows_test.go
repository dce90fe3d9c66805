package builder_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/store/mem"
	"bugle/ui/builder"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// placesIn returns the paths of the objects, the lists and the filters' fields in v.
func placesIn(p doc.Path, v doc.Value) []doc.Path {
	if v.Kind() != doc.Object && v.Kind() != doc.Array {
		if len(p) > 3 && p[len(p)-2].IsIndex {
			return []doc.Path{p} // opens the filter
		}
		return nil
	}
	out := []doc.Path{p}
	for name, m := range v.Members() {
		out = append(out, placesIn(p.Child(name), m)...)
	}
	for i, e := range v.Elems() {
		out = append(out, placesIn(p.Elem(i), e)...)
	}
	return out
}

// Arrows never change a value: in no row of any section, form, filter or grid of the sample's campaigns. From the list of
// sections they go into the form, and there they move.
func TestArrowsChangeNothing(t *testing.T) {
	ctx, db := context.Background(), mem.New()
	t.Cleanup(func() { db.Close() })
	if _, err := sample.Install(ctx, db, sample.Options{Author: "ann@example.com", Now: uitest.Now}); err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, sample.ID, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := svc.List(ctx, engine.ListQuery{})
	if err != nil {
		t.Fatal(err)
	}
	arrows, random := []string{"up", "down", "left", "right"}, rand.New(rand.NewPCG(1, 2))
	seen := map[string]bool{}
	for _, r := range rows {
		// One draft of each kind is enough.
		if kind := string(r.Channel) + string(r.DeliveryType); r.Status != catalog.Draft || seen[kind] {
			continue
		} else {
			seen[kind] = true
		}
		before, err := svc.Get(ctx, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		places := placesIn(nil, before.Body)
		for _, c := range catalog.Components(before.Channel) {
			places = append(places, doc.P(string(c.Name)))
		}
		for _, p := range places {
			h := uitest.New(t, builder.New(uitest.Deps(svc), screen.Route{Name: screen.Builder, ID: r.ID, Path: p}), 120, 40)
			if len(p) == 1 { // from the list of sections
				h.Press("esc", "right", "right", "right")
			}
			for range 20 {
				h.Press("down", "right", "left")
			}
			for range 10 {
				h.Press(arrows[random.IntN(4)])
			}
			after, err := svc.Get(ctx, r.ID)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(before.Body.Encode(), after.Body.Encode()) {
				t.Fatalf("%s: arrows at %s changed %v:\n%s", r.Title(), p, doc.Diff(before.Body, after.Body), h.Text())
			}
		}
	}
	if len(seen) == 0 {
		t.Error("the sample has no draft")
	}
}
