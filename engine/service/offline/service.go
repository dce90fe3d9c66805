package offline

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"bugle/engine"
	"bugle/engine/doc"
)

// ask makes a call whose answer is not remembered. While the service is away, it is looked for first:
// whoever asks for this may know that it is back.
func ask[T any](ctx context.Context, s *Service, operation string, read bool, do func(context.Context) (T, error)) (T, error) {
	if e := s.away(operation); e != nil && !s.look(ctx, s.opts.Knock) {
		var none T
		if ctx.Err() != nil {
			return none, ctx.Err()
		}
		return none, e
	}
	return try(ctx, s, operation, read, do)
}

// try makes a call, and notes what it says of the way to the service.
func try[T any](ctx context.Context, s *Service, operation string, read bool, do func(context.Context) (T, error)) (T, error) {
	c := s.begin(ctx, operation, read)
	defer s.done(c)
	out, err := do(c.ctx)
	err, lost := c.ended(err)
	var away *UnreachableError
	switch {
	case lost && errors.As(err, &away):
		s.lose(away)
	case err == nil || engine.AsError(err) != nil:
		s.reach()
	}
	return out, err
}

// recall makes a read that is remembered under key. While the service is away it returns what it gave
// before, at once; where that is nothing, it asks again.
func recall[T any](ctx context.Context, s *Service, operation string, f form[T], key string, do func(context.Context) (T, error)) (out T, old bool, err error) {
	if s.away(operation) != nil {
		if out, ok := remembered(s, f, key); ok {
			s.hurry()
			return out, true, nil
		}
	}
	out, err = ask(ctx, s, operation, true, do)
	var away *UnreachableError
	switch e := engine.AsError(err); {
	case err == nil:
		_ = s.memory.put(f.kind, key, f.out(out)) // what cannot be kept is asked for again
	case errors.As(err, &away):
		if out, ok := remembered(s, f, key); ok {
			return out, true, nil
		}
	case e != nil && gone(e):
		_ = s.memory.drop(f.kind, key) // a file that stays is never read while the service answers
	}
	return out, false, err
}

func remembered[T any](s *Service, f form[T], key string) (out T, ok bool) {
	b, ok := s.memory.get(f.kind, key)
	if !ok {
		return out, false
	}
	out, err := f.in(b)
	return out, err == nil
}

// gone reports whether a refusal says that there is nothing here to be read, for this caller.
func gone(e *engine.Error) bool {
	return e.HTTP == http.StatusNotFound || e.HTTP == http.StatusForbidden || e.HTTP == http.StatusUnauthorized
}

// Get returns a campaign, as it was read last while the service is away.
func (s *Service) Get(ctx context.Context, id string) (engine.Campaign, error) {
	c, old, err := recall(ctx, s, opGet, campaignForm, id, func(ctx context.Context) (engine.Campaign, error) { return s.far.Get(ctx, id) })
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if delete(s.recalled, id); old {
			s.recalled[id] = c
		}
	}
	return c, err
}

// List returns the campaigns, as they were listed last while the service is away.
func (s *Service) List(ctx context.Context, q engine.ListQuery) ([]engine.Summary, error) {
	key := "archived=" + strconv.FormatBool(q.Archived)
	out, _, err := recall(ctx, s, opList, listForm, key, func(ctx context.Context) ([]engine.Summary, error) { return s.list(ctx, q) })
	return out, err
}

// maxListed is how many campaigns of one list are remembered whole: as many as leave room for others.
const maxListed = maxAnswers / 2

// list returns all campaigns, newest change first. A page of search has whole campaigns, which are
// remembered like those that were opened: whoever saw one in the list can open it later on.
func (s *Service) list(ctx context.Context, q engine.ListQuery) ([]engine.Summary, error) {
	out := []engine.Summary{}
	for page, err := range engine.Records(ctx, s.far.Search, q) {
		if err != nil {
			return nil, err
		}
		for _, c := range page {
			if len(out) < maxListed && c.ID != "" {
				_ = s.memory.put(campaignForm.kind, c.ID, campaignForm.out(c))
			}
			out = append(out, engine.Summarize(c))
		}
	}
	slices.SortFunc(out, func(a, b engine.Summary) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// Search returns a page of campaigns, as the same search found them last while the service is away.
func (s *Service) Search(ctx context.Context, r engine.SearchRequest) ([]engine.Campaign, error) {
	asked := r
	asked.Call = engine.Call{}
	out, _, err := recall(ctx, s, opSearch, foundForm, text(asked.Document()), func(ctx context.Context) ([]engine.Campaign, error) { return s.far.Search(ctx, r) })
	return out, err
}

// Meta returns a page of rows, as the same question was answered last while the service is away.
func (s *Service) Meta(ctx context.Context, r engine.MetaRequest) ([]engine.Meta, error) {
	asked := r
	asked.Call = engine.Call{}
	out, _, err := recall(ctx, s, opMeta, metaForm, text(asked.Document()), func(ctx context.Context) ([]engine.Meta, error) { return s.far.Meta(ctx, r) })
	return out, err
}

func text(v doc.Value) string { return string(v.Encode()) }

// Create starts a draft.
func (s *Service) Create(ctx context.Context, r engine.CreateRequest) (engine.Created, error) {
	return ask(ctx, s, opCreate, false, func(ctx context.Context) (engine.Created, error) { return s.far.Create(ctx, r) })
}

// change makes a call that changes a campaign. What is remembered of it is no longer so.
func change[T any](ctx context.Context, s *Service, operation, id string, do func(context.Context) (T, error)) (T, error) {
	out, err := ask(ctx, s, operation, false, do)
	if err == nil {
		_ = s.memory.drop(campaignForm.kind, id) // the next read overwrites a file that stays
	}
	return out, err
}

// Update changes components. Where the campaign was given from memory last, and is another now, it
// refuses with [engine.BadRequest], HTTP 409: nothing is overwritten that nobody has seen.
func (s *Service) Update(ctx context.Context, r engine.UpdateRequest) (engine.Updated, error) {
	return change(ctx, s, opUpdate, r.ID, func(ctx context.Context) (engine.Updated, error) {
		if err := s.unchanged(ctx, r.ID); err != nil {
			return engine.Updated{}, err
		}
		return s.far.Update(ctx, r)
	})
}

// unchanged fails where a campaign was given from memory last, and is another now.
func (s *Service) unchanged(ctx context.Context, id string) error {
	s.mu.Lock()
	old, recalled := s.recalled[id]
	s.mu.Unlock()
	if !recalled {
		return nil
	}
	now, err := try(ctx, s, opCheck, true, func(ctx context.Context) (engine.Campaign, error) { return s.far.Get(ctx, id) })
	if err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.recalled, id)
	s.mu.Unlock()
	if len(doc.Diff(old.Body, now.Body)) > 0 {
		return engine.Errorf(engine.BadRequest, http.StatusConflict, "the campaign was changed while the service was offline, so nothing was sent; apply again to choose which version to keep")
	}
	return nil
}

// Publish asks for the publish action.
func (s *Service) Publish(ctx context.Context, r engine.PublishRequest) (engine.Updated, error) {
	return change(ctx, s, opPublish, r.ID, func(ctx context.Context) (engine.Updated, error) { return s.far.Publish(ctx, r) })
}

// ChangeStatus applies STOP, PAUSE or RESUME.
func (s *Service) ChangeStatus(ctx context.Context, r engine.StatusRequest) (engine.StatusChanged, error) {
	return change(ctx, s, opStatus, r.ID, func(ctx context.Context) (engine.StatusChanged, error) { return s.far.ChangeStatus(ctx, r) })
}

// Test sends a test.
func (s *Service) Test(ctx context.Context, r engine.TestRequest) (engine.TestResult, error) {
	return ask(ctx, s, opTest, false, func(ctx context.Context) (engine.TestResult, error) { return s.far.Test(ctx, r) })
}

// Validate runs the publish-time check, which needs the service.
func (s *Service) Validate(ctx context.Context, id string) (engine.Validation, error) {
	return ask(ctx, s, opValidate, true, func(ctx context.Context) (engine.Validation, error) { return s.far.Validate(ctx, id) })
}

// Preview resolves content for one user, which needs the service.
func (s *Service) Preview(ctx context.Context, r engine.PreviewRequest) (engine.Preview, error) {
	return ask(ctx, s, opPreview, true, func(ctx context.Context) (engine.Preview, error) { return s.far.Preview(ctx, r) })
}
