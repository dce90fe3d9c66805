package uitest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// Fake is a service with rows in memory, as far as the lists of campaigns need one. It implements Lister and
// CampaignManager; WithoutCapabilities removes them. Operations that it does not have panic.
type Fake struct {
	engine.Service

	mu    sync.Mutex
	rows  []engine.Summary
	calls []string
	fail  map[string]error
}

// NewFake returns a service with those campaigns, the last changed first.
func NewFake(rows ...engine.Summary) *Fake { return &Fake{rows: rows, fail: map[string]error{}} }

// WithoutCapabilities returns the service with none but [engine.Lister].
func (f *Fake) WithoutCapabilities() engine.Service {
	return struct {
		engine.Service
		engine.Lister
	}{f, f}
}

// Fail makes an operation fail, such as "Publish", or one call of it, as [Fake.Calls] names it; nil makes it work again.
func (f *Fake) Fail(operation string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail[operation] = err
}

// Calls returns the calls to the service, each as its operation and arguments.
func (f *Fake) Calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

// Called reports whether that call was made.
func (f *Fake) Called(call string) bool { return slices.Contains(f.Calls(), call) }

// UpdateRows replaces the rows.
func (f *Fake) UpdateRows(change func([]engine.Summary) []engine.Summary) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows = change(slices.Clone(f.rows))
}

// begin records a call and returns the error that it should fail with.
func (f *Fake) begin(operation string, about ...any) error {
	call := strings.TrimSpace(operation + " " + fmt.Sprintln(about...))
	f.calls = append(f.calls, call)
	return cmp.Or(f.fail[call], f.fail[operation])
}

func (f *Fake) at(id string) int {
	return slices.IndexFunc(f.rows, func(s engine.Summary) bool { return s.ID == id })
}

// List implements engine.Lister.
func (f *Fake) List(_ context.Context, q engine.ListQuery) ([]engine.Summary, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin("List", q.Archived); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(f.rows), func(s engine.Summary) bool { return s.Status == catalog.Archived && !q.Archived }), nil
}

// Get returns a row as a campaign that has only a name.
func (f *Fake) Get(_ context.Context, id string) (engine.Campaign, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := f.at(id)
	if i < 0 {
		return engine.Campaign{}, engine.Errorf(engine.NotFound, http.StatusNotFound, "there is no campaign %s", id)
	}
	return engine.Campaign{Head: f.rows[i].Head, Body: engine.WithName(doc.NewObject(), f.rows[i].Name)}, nil
}

// Save implements engine.Saver and stores nothing.
func (f *Fake) Save(context.Context, engine.SaveRequest) (engine.Head, error) {
	return engine.Head{}, nil
}

// Validate finds every campaign valid.
func (f *Fake) Validate(context.Context, string) (engine.Validation, error) {
	return engine.Validation{Valid: true}, nil
}

// Publish makes a draft active.
func (f *Fake) Publish(_ context.Context, r engine.PublishRequest) (engine.Updated, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin("Publish", r.ID, r.Console); err != nil {
		return engine.Updated{}, err
	}
	f.rows[f.at(r.ID)].Status = catalog.Active
	return engine.Updated{ID: r.ID}, nil
}

// ChangeStatus follows the life cycle.
func (f *Fake) ChangeStatus(_ context.Context, r engine.StatusRequest) (engine.StatusChanged, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin("ChangeStatus", r.ID, r.Action); err != nil {
		return engine.StatusChanged{}, err
	}
	row := &f.rows[f.at(r.ID)]
	row.Status = catalog.Next(r.Action, row.Status, row.StartsAfter(Now))
	return engine.StatusChanged{ID: r.ID, Action: r.Action, Status: row.Status}, nil
}

// Create adds a draft.
func (f *Fake) Create(_ context.Context, r engine.CreateRequest) (engine.Created, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin("Create", string(r.Body.Encode())); err != nil {
		return engine.Created{}, err
	}
	return f.add(engine.Summarize(engine.ParseRecord(r.Body))), nil
}

func (f *Fake) add(s engine.Summary) engine.Created {
	s.ID, s.Status, s.UpdatedAt = fmt.Sprintf("%024x", 0xf000+len(f.rows)), catalog.Draft, Now
	f.rows = append([]engine.Summary{s}, f.rows...)
	return engine.Created{ID: s.ID, Status: catalog.Draft}
}

// Archive implements engine.CampaignManager.
func (f *Fake) Archive(_ context.Context, id, _ string) error {
	return f.move("Archive", id, catalog.Archived)
}

// Restore implements engine.CampaignManager.
func (f *Fake) Restore(_ context.Context, id, _ string) error {
	return f.move("Restore", id, catalog.Stopped)
}

func (f *Fake) move(operation, id string, to engine.State) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin(operation, id); err != nil {
		return err
	}
	f.rows[f.at(id)].Status = to
	return nil
}

// Delete implements engine.CampaignManager.
func (f *Fake) Delete(_ context.Context, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin("Delete", id); err != nil {
		return err
	}
	at := f.at(id)
	f.rows = slices.Delete(f.rows, at, at+1)
	return nil
}

// Clone implements engine.CampaignManager.
func (f *Fake) Clone(_ context.Context, id, by string) (engine.Created, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.begin("Clone", id); err != nil {
		return engine.Created{}, err
	}
	s := f.rows[f.at(id)]
	s.Name, s.CreatedBy, s.UpdatedBy = s.Name+" (copy)", by, by
	return f.add(s), nil
}
