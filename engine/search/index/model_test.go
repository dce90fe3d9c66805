package index_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/search/index"
	"bugle/engine/search/query"
)

var noon = time.Date(2026, 6, 15, 12, 0, 0, 0, time.FixedZone("", 2*3600))

func pick[T any](t *rapid.T, name string, list ...T) T { return rapid.SampledFrom(list).Draw(t, name) }

func drawRow(t *rapid.T) engine.Summary {
	id := fmt.Sprintf("%024x", rapid.IntRange(0, 60).Draw(t, "id"))
	if rapid.IntRange(0, 9).Draw(t, "odd id") == 0 {
		id = "X-" + id[20:]
	}
	when := func(name string) time.Time {
		if rapid.IntRange(0, 3).Draw(t, name+" none") == 0 {
			return time.Time{}
		}
		return noon.Add(time.Duration(rapid.IntRange(-60*24, 60*24).Draw(t, name)) * time.Hour).UTC()
	}
	names := []string{
		"Summer Sale", "summer", "Black Friday — DE", "back_to_school v2", "Été: Größte Rabatte", "SALE", "Летняя распродажа лето", "", "x",
		"Welcome to the summer sale of all summer sales, with more than sixty-four letters", "wlcm", "12:30 sale", "sumsale-ümlaut",
	}
	return engine.Summary{
		Head: engine.Head{
			ID: id, CampaignID: id, Status: pick(t, "status", catalog.States...), Channel: pick(t, "channel", catalog.Push, catalog.Email, catalog.SMS),
			DeliveryType: pick(t, "type", catalog.OneTime, catalog.Periodic), CreatedBy: pick(t, "by", "ann@example.com", "Anna@example.com", "bob@x.org", ""),
			CreatedAt: when("created"), UpdatedAt: when("updated"), Revision: int64(rapid.IntRange(0, 3).Draw(t, "revision")),
			FlowName: pick(t, "flow", "", "", "flow one"),
		},
		Name: pick(t, "name", names...), Team: pick(t, "team", "growth", "Growth EU", ""),
		Tags:      rapid.SliceOfN(rapid.SampledFrom([]string{"sale", "Big Sale", "test", "été"}), 0, 3).Draw(t, "tags"),
		Platforms: pick(t, "platforms", nil, []string{"IOS"}, []string{"ANDROID", "IOS"}),
		Start:     when("start"), End: when("end"),
	}
}

func drawQuery(t *rapid.T) string {
	words := []string{
		"s", "su", "sum", "summ", "summer", "sale", "smsl", "bts", "ete", "größ", "лет", "лтн", `"summer sale"`, "-sale", "!test", "ann", "wlc", "wlcm", "smmr", "ssale", "ummer", "bfr", "5",
		"status:draft", "status:active,sent", "-status:draft", "channel:push", "type:periodic", "tag:sale", `tag:"big sale"`, "tag:b", "-tag:test", "tag:nope",
		"by:ann", "by:bob@x.org", "team:growth", "team:g", "platform:ios", "updated:<7d", "created:>2026-06-01", "-updated:today", "start:+2w", "created:this-month",
		"is:archived", "is:all", "is:live", "-is:archived", "sort:name", "sort:-updated", "sort:status", "sort:by", "staus:x", "status:nope", "000000000000000000000007",
	}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 4).Draw(t, "query"), " ")
}

// An index finds and counts what going through all rows does, whatever was put, removed and looked
// for before, and wherever the clock is.
func TestSameAsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := noon
		ix := index.New(index.Options{Now: func() time.Time { return now }})
		rows := map[string]engine.Summary{}
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				var put []engine.Summary
				for range rapid.IntRange(1, 20).Draw(t, "n") {
					row := drawRow(t)
					rows[row.ID] = row
					put = append(put, row)
				}
				ix.Put(put...)
			},
			"remove": func(t *rapid.T) {
				id := drawRow(t).ID
				delete(rows, id)
				ix.Remove(id)
			},
			"load": func(t *rapid.T) {
				clear(rows)
				for range rapid.IntRange(0, 20).Draw(t, "n") {
					row := drawRow(t)
					rows[row.ID] = row
				}
				if err := ix.Load(context.Background(), each(sorted(rows))); err != nil {
					t.Fatal(err)
				}
			},
			"clock": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(-300, 500).Draw(t, "hours")) * time.Hour)
			},
			"": func(t *rapid.T) { check(t, ix, sorted(rows), now) },
		})
	})
}

func each(rows []engine.Summary) func(func(engine.Summary, error) bool) {
	return func(yield func(engine.Summary, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

func sorted(rows map[string]engine.Summary) []engine.Summary {
	var out []engine.Summary
	for _, row := range rows {
		out = append(out, row)
	}
	slices.SortFunc(out, func(a, b engine.Summary) int { return strings.Compare(a.ID, b.ID) })
	return out
}

func check(t *rapid.T, ix *index.Index, rows []engine.Summary, now time.Time) {
	text := drawQuery(t)
	q, _ := query.Parse(text, query.Env{Now: now, Values: ix.Values})
	r, err := ix.Search(context.Background(), q, index.SearchOptions{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	n := naive{rows, q, now}
	want := map[string]engine.Summary{}
	for _, row := range rows {
		if n.matches(row, "none") {
			row.Head = engine.HeadAt(row, now)
			want[row.ID] = row
		}
	}
	got := map[string]engine.Summary{}
	for i, row := range r.Rows(0, r.Len()) {
		got[row.ID] = row
		if r.Find(row.ID) != i || r.ID(i) != row.ID {
			t.Fatalf("%q: %s is at %d, not %d", text, row.ID, r.Find(row.ID), i)
		}
	}
	if a, b := fmt.Sprint(sorted(got)), fmt.Sprint(sorted(want)); a != b || r.Len() != len(want) {
		t.Fatalf("%q at %s finds %d\n%s\nnot %d\n%s", text, now, r.Len(), a, len(want), b)
	}
	facets, err := r.Facets(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range facets {
		counts, all := map[string]int{}, 0
		for _, row := range rows {
			if n.matches(row, f.Key) {
				all++
				has := slices.Clone(n.values(row, f.Key))
				slices.Sort(has)
				for _, v := range slices.Compact(has) {
					counts[v]++
				}
			}
		}
		if f.All != all {
			t.Fatalf("%q: %s has %d of all, not %d", text, f.Key, f.All, all)
		}
		for _, v := range f.Values {
			if v.Count != counts[v.Wire] {
				t.Fatalf("%q: %s %s counts %d, not %d", text, f.Key, v.Wire, v.Count, counts[v.Wire])
			}
			delete(counts, v.Wire)
		}
		delete(counts, "")
		if len(counts) > 0 {
			t.Fatalf("%q: %s lacks %v", text, f.Key, counts)
		}
	}
}
