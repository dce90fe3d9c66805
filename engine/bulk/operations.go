package bulk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
)

// Operation is something that can be done to many campaigns.
type Operation interface {
	// Blocked returns a sentence that says why the operation cannot be applied to a campaign, or "".
	Blocked(svc engine.Service, row engine.Summary) string
	// Do applies the operation. It returns the change that it made, nil if there was nothing to do. The change has no
	// values unless it is one of the campaign's body.
	Do(ctx context.Context, svc engine.Service, row engine.Summary, by string) (*doc.Change, error)
}

// Action is a lifecycle action: stop, pause, resume, archive, restore or delete.
type Action struct{ Name catalog.Action }

// Blocked implements [Operation].
func (a Action) Blocked(svc engine.Service, row engine.Summary) string {
	if why := catalog.Refusal(a.Name, row.Channel, row.DeliveryType, row.Status); why != "" {
		return why
	}
	if _, ok := svc.(engine.CampaignManager); !ok && !slices.Contains(catalog.StatusActions, a.Name) {
		return "This service cannot " + strings.ToLower(a.Name.Label()) + " campaigns; do it in its own dashboard."
	}
	return ""
}

// Do implements [Operation].
func (a Action) Do(ctx context.Context, svc engine.Service, row engine.Summary, by string) (*doc.Change, error) {
	if slices.Contains(catalog.StatusActions, a.Name) {
		_, err := svc.ChangeStatus(ctx, engine.StatusRequest{ID: row.ID, Action: a.Name, By: by})
		return &doc.Change{}, err
	}
	curator, ok := svc.(engine.CampaignManager)
	if !ok {
		return nil, fmt.Errorf("this service cannot %s campaigns", strings.ToLower(a.Name.Label()))
	}
	var err error
	switch a.Name {
	case catalog.Archive:
		err = curator.Archive(ctx, row.ID, by)
	case catalog.Restore:
		err = curator.Restore(ctx, row.ID, by)
	case catalog.Delete:
		err = curator.Delete(ctx, row.ID)
	default:
		err = fmt.Errorf("%s cannot be done to many campaigns", a.Name.Label())
	}
	return &doc.Change{}, err
}

// Tag adds tags to campaigns and removes others.
type Tag struct{ Add, Remove []string }

// Retag returns a campaign's body with its tags changed, or body itself if nothing changes. It fails if the
// tags are not a list.
func (t Tag) Retag(body doc.Value) (doc.Value, error) {
	at := doc.P(string(catalog.BasicDetails), "tags")
	old := body.Lookup(at)
	if old.Exists() && old.Kind() != doc.Array && old.Kind() != doc.Null {
		return body, errors.New("its tags are not a list; open the campaign to repair them")
	}
	had := old.Strings()
	if old.Kind() == doc.Array && len(had) != old.Len() {
		return body, errors.New("some of its tags are not text; open the campaign to repair them")
	}
	tags := slices.DeleteFunc(slices.Clone(had), func(s string) bool { return slices.Contains(t.Remove, s) })
	for _, s := range t.Add {
		if !slices.Contains(tags, s) {
			tags = append(tags, s)
		}
	}
	if slices.Equal(tags, had) {
		return body, nil
	}
	if len(tags) == 0 {
		return body.Delete(at), nil
	}
	return body.Set(at, doc.NewStrings(tags...))
}

// Blocked implements [Operation].
func (t Tag) Blocked(_ engine.Service, row engine.Summary) string {
	if !row.Channel.Writable() {
		return row.Channel.Label() + " campaigns can be read here, not changed."
	}
	if why := catalog.Refusal(catalog.Edit, row.Channel, row.DeliveryType, row.Status); why != "" {
		return why
	}
	before := doc.NewObject()
	after, err := Tag{Add: []string{"a tag"}}.Retag(before)
	if err == nil && len(catalog.LockedChanges(row.Status, before, after)) > 0 {
		return fmt.Sprintf("The tags of a campaign that is %s can no longer be changed.", strings.ToLower(row.Status.Label()))
	}
	return ""
}

// Do implements [Operation].
func (t Tag) Do(ctx context.Context, svc engine.Service, row engine.Summary, by string) (*doc.Change, error) {
	return change(ctx, svc, row, by, t.note(), func(c engine.Campaign) (doc.Value, error) { return t.Retag(c.Body) }, doc.P(string(catalog.BasicDetails), "tags"))
}

// change changes the body of a campaign, and returns what was at the place at before and after. If the service can save
// invalid drafts, a draft is saved as it is. If it was changed concurrently, edit is called with the new version.
func change(ctx context.Context, svc engine.Service, row engine.Summary, by, note string, edit func(engine.Campaign) (doc.Value, error), at doc.Path) (*doc.Change, error) {
	for tries := 0; ; tries++ {
		c, err := svc.Get(ctx, row.ID)
		if err != nil {
			return nil, err
		}
		body, err := edit(c)
		if err != nil || body.Same(c.Body) {
			return nil, err
		}
		err = save(ctx, svc, c, body, by, note)
		if e := engine.AsError(err); e != nil && (e.HTTP == http.StatusConflict || engine.IsStale(err)) && tries < 2 {
			continue
		}
		return &doc.Change{Path: at, Before: c.Body.Lookup(at), After: body.Lookup(at)}, err
	}
}

func save(ctx context.Context, svc engine.Service, c engine.Campaign, body doc.Value, by, note string) error {
	if d, ok := svc.(engine.DraftSaver); ok && c.Status == catalog.Draft {
		_, err := d.Save(ctx, engine.SaveRequest{ID: c.ID, Revision: c.Revision, Body: body, By: by, Note: note})
		return err
	}
	changed, _ := engine.ChangedComponents(c.Body, body)
	_, err := svc.Update(ctx, engine.UpdateRequest{ID: c.ID, IfMatch: c.Tag(), Body: engine.UpdateBody(c.Head, by, changed...)})
	return err
}

// note returns the note for the history.
func (t Tag) note() string {
	var parts []string
	if len(t.Add) > 0 {
		parts = append(parts, "tagged "+strings.Join(t.Add, ", "))
	}
	if len(t.Remove) > 0 {
		parts = append(parts, "no longer tagged "+strings.Join(t.Remove, ", "))
	}
	return strings.Join(parts, "; ")
}

// Undo undoes a change of campaigns, or redoes it, on top of what others have changed since.
type Undo struct {
	History *edit.History
	Steps   []*edit.Step
	As      []edit.Step // the steps as [edit.History.Copies] returned them, which the user's next change does not change
	Note    string      // for the history
	Drafts  bool        // only drafts may be changed, because nobody was asked
}

// ConflictError reports that a change cannot be undone or redone, because somebody else has changed that place since.
type ConflictError struct{ Place string }

func (e *ConflictError) Error() string { return "someone else has changed " + e.Place + " since" }

// Blocked implements [Operation].
func (u Undo) Blocked(_ engine.Service, row engine.Summary) string {
	return catalog.Refusal(catalog.Edit, row.Channel, row.DeliveryType, row.Status)
}

// Do implements [Operation].
func (u Undo) Do(ctx context.Context, svc engine.Service, row engine.Summary, by string) (*doc.Change, error) {
	if err := u.History.Wait(ctx, row.ID); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(u.As, func(s edit.Step) bool { return s.ID == row.ID })
	return change(ctx, svc, row, by, u.Note, func(c engine.Campaign) (doc.Value, error) {
		body, conflicts := u.As[i].Patch(c.Body)
		switch {
		case u.Drafts && c.Status != catalog.Draft:
			return c.Body, fmt.Errorf("it is %s; open it to change it", strings.ToLower(c.Status.Label()))
		case len(conflicts) > 0:
			return c.Body, &ConflictError{edit.PlaceName(catalog.Campaign(c.Channel), conflicts[0])}
		case len(catalog.LockedChanges(c.Status, c.Body, body)) > 0:
			return c.Body, fmt.Errorf("this can no longer be changed, because the campaign is %s", strings.ToLower(c.Status.Label()))
		}
		return body, nil
	}, nil)
}
