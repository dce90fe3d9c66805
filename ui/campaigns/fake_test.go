package campaigns_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// fake is a service with rows in memory that also serves single campaigns, saves and updates.
type fake struct {
	*uitest.Fake

	mu       sync.Mutex
	requests []string         // saves and updates
	broken   map[string]error // errors by campaign ID
}

func newFake(rows ...engine.Summary) *fake {
	return &fake{Fake: uitest.NewFake(rows...), broken: map[string]error{}}
}

func (f *fake) failure(id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.broken[id]
}

// failCampaign makes changes to a campaign fail; nil makes them work again.
func (f *fake) failCampaign(id string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken[id] = err
}

func (f *fake) row(id string) (engine.Summary, bool) {
	var out engine.Summary
	found := false
	f.UpdateRows(func(rows []engine.Summary) []engine.Summary {
		if i := slices.IndexFunc(rows, func(s engine.Summary) bool { return s.ID == id }); i >= 0 {
			out, found = rows[i], true
		}
		return rows
	})
	return out, found
}

func body(s engine.Summary) doc.Value {
	b := engine.WithName(doc.NewObject(), s.Name)
	b, _ = b.Set(doc.P(string(catalog.BasicDetails), "tags"), doc.NewStrings(s.Tags...))
	b, _ = b.Set(doc.P(string(catalog.BasicDetails), "team"), doc.NewString(s.Team))
	return b
}

func (f *fake) Get(_ context.Context, id string) (engine.Campaign, error) {
	s, ok := f.row(id)
	if !ok {
		return engine.Campaign{}, engine.MissingCampaign(id)
	}
	return engine.Campaign{Head: s.Head, Body: body(s)}, nil
}

func (f *fake) Save(_ context.Context, r engine.SaveRequest) (engine.Head, error) {
	return f.put("Save", r.ID, r.Body)
}

func (f *fake) Update(_ context.Context, r engine.UpdateRequest) (engine.Updated, error) {
	_, err := f.put("Update", r.ID, r.Body)
	return engine.Updated{ID: r.ID}, err
}

func (f *fake) put(operation, id string, b doc.Value) (engine.Head, error) {
	if err := f.failure(id); err != nil {
		return engine.Head{}, err
	}
	tags := engine.Summarize(engine.Campaign{Body: b}).Tags
	f.mu.Lock()
	f.requests = append(f.requests, fmt.Sprint(operation, " ", id, " ", tags))
	f.mu.Unlock()
	var head engine.Head
	f.UpdateRows(func(rows []engine.Summary) []engine.Summary {
		i := slices.IndexFunc(rows, func(s engine.Summary) bool { return s.ID == id })
		rows[i].Tags = tags
		rows[i].Revision++
		head = rows[i].Head
		return rows
	})
	return head, nil
}

func (f *fake) Archive(ctx context.Context, id, by string) error {
	if err := f.failure(id); err != nil {
		return err
	}
	return f.Fake.Archive(ctx, id, by)
}

// saved returns the saves and updates, sorted.
func (f *fake) saved() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(slices.Values(f.requests))
}

// without removes a row.
func without(id string) func([]engine.Summary) []engine.Summary {
	return func(rows []engine.Summary) []engine.Summary {
		return slices.DeleteFunc(rows, func(o engine.Summary) bool { return o.ID == id })
	}
}

// manyCampaigns returns n campaigns.
func manyCampaigns(n int) []engine.Summary {
	names := []string{"Spring sale", "Weekly digest", "Cart reminder", "Price drop", "Black Friday teaser", "Order shipped"}
	places := []string{"Berlin", "Lisbon", "Oslo", "Porto", "Turin", "Vienna", "York"}
	rows := make([]engine.Summary, n)
	for i := range rows {
		rows[i] = row(i+1, fmt.Sprintf("%s %s %d", names[i%len(names)], places[i%len(places)], i), catalog.Push, catalog.OneTime,
			catalog.States[i%7], time.Duration(i)*time.Second)
		rows[i].Tags, rows[i].Team = []string{"sale", fmt.Sprint("tag", i%50)}, fmt.Sprint("Team ", i%9)
	}
	return rows
}

// press handles a key as the root model does.
func press(s screen.Screen, key string) tea.Cmd {
	for _, a := range s.Actions() {
		if a.HasKey(key) && a.DisabledReason == "" {
			return a.Run()
		}
	}
	return s.Update(uitest.Key(key))
}
