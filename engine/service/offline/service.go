package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"bugle/engine"
	"bugle/engine/doc"
)

// uncachedCall makes a call whose response is not cached. While the service is offline it first checks the
// connection, because the user may know that it is back.
func uncachedCall[T any](ctx context.Context, s *Service, operation string, read bool, do func(context.Context) (T, error)) (T, error) {
	if e := s.unreachable(operation); e != nil && !s.checkHealth(ctx, s.opts.HealthTimeout) {
		var none T
		if ctx.Err() != nil {
			return none, ctx.Err()
		}
		return none, e
	}
	return try(ctx, s, operation, read, do)
}

// try makes a call and updates the connection state.
func try[T any](ctx context.Context, s *Service, operation string, read bool, do func(context.Context) (T, error)) (T, error) {
	c := s.begin(ctx, operation, read)
	defer c.cancel(nil)
	out, err := do(c.ctx)
	err, lost := c.ended(err)
	var away *UnreachableError
	switch {
	case lost && errors.As(err, &away):
		s.markOffline(away)
	case err == nil || engine.AsError(err) != nil:
		s.markOnline()
	}
	return out, err
}

// cachedCall makes a read that is cached under key. While the service is offline it returns the cached
// response immediately; without one it tries the call.
func cachedCall[T any](ctx context.Context, s *Service, operation string, f codec[T], key string, do func(context.Context) (T, error)) (out T, old bool, err error) {
	if s.unreachable(operation) != nil {
		if out, ok := cached(s, f, key); ok {
			s.checkNow()
			return out, true, nil
		}
	}
	out, err = uncachedCall(ctx, s, operation, true, do)
	var away *UnreachableError
	switch e := engine.AsError(err); {
	case err == nil:
		_ = s.cache.put(f.kind, key, f.encode(out)) // what cannot be kept is asked for again
	case errors.As(err, &away):
		if out, ok := cached(s, f, key); ok {
			return out, true, nil
		}
	case e != nil && isGone(e):
		_ = s.cache.drop(f.kind, key) // a file that stays is never read while the service answers
	}
	return out, false, err
}

func cached[T any](s *Service, f codec[T], key string) (out T, ok bool) {
	b, ok := s.cache.get(f.kind, key)
	if !ok {
		return out, false
	}
	out, err := f.decode(b)
	return out, err == nil
}

// isGone reports whether a refusal means that the caller cannot read this any more.
func isGone(e *engine.Error) bool {
	return e.HTTP == http.StatusNotFound || e.HTTP == http.StatusForbidden || e.HTTP == http.StatusUnauthorized
}

// Get returns a campaign, from the cache while the service is offline.
func (s *Service) Get(ctx context.Context, id string) (engine.Campaign, error) {
	c, old, err := cachedCall(ctx, s, opGet, campaignForm, id, func(ctx context.Context) (engine.Campaign, error) { return s.remote.Get(ctx, id) })
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if delete(s.fromCache, id); old {
			s.fromCache[id] = c
		}
	}
	return c, err
}

// List returns the campaigns, from the cache while the service is offline.
func (s *Service) List(ctx context.Context, q engine.ListQuery) ([]engine.Summary, error) {
	start := q.Start
	q.Start = engine.DateRange{} // it has no part in what is cached
	out, _, err := cachedCall(ctx, s, opList, listForm, fmt.Sprint(q), func(ctx context.Context) ([]engine.Summary, error) { return s.list(ctx, q) })
	return slices.DeleteFunc(out, func(sum engine.Summary) bool { return !start.Contains(sum.Start) }), err
}

// maxCachedPerList is the number of complete campaigns cached per list; it leaves room for others.
const maxCachedPerList = maxAnswers / 2

// list returns the campaigns, last changed first. Search returns complete campaigns, which are cached like
// those opened individually, so that every listed campaign can be opened later.
func (s *Service) list(ctx context.Context, q engine.ListQuery) ([]engine.Summary, error) {
	out := []engine.Summary{}
	for page, err := range engine.Records(ctx, s.remote.Search, q) {
		if err != nil {
			return nil, err
		}
		for _, c := range page {
			if len(out) < maxCachedPerList && c.ID != "" {
				_ = s.cache.put(campaignForm.kind, c.ID, campaignForm.encode(c))
			}
			out = append(out, engine.Summarize(c))
		}
	}
	slices.SortFunc(out, func(a, b engine.Summary) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// Search returns a page of campaigns, from the cache while the service is offline.
func (s *Service) Search(ctx context.Context, r engine.SearchRequest) ([]engine.Campaign, error) {
	asked := r
	asked.Call = engine.Call{}
	out, _, err := cachedCall(ctx, s, opSearch, foundForm, text(asked.Document()), func(ctx context.Context) ([]engine.Campaign, error) { return s.remote.Search(ctx, r) })
	return out, err
}

// Meta returns a page of rows, from the cache while the service is offline.
func (s *Service) Meta(ctx context.Context, r engine.MetaRequest) ([]engine.Meta, error) {
	asked := r
	asked.Call = engine.Call{}
	out, _, err := cachedCall(ctx, s, opMeta, metaForm, text(asked.Document()), func(ctx context.Context) ([]engine.Meta, error) { return s.remote.Meta(ctx, r) })
	return out, err
}

func text(v doc.Value) string { return string(v.Encode()) }

// Create creates a draft.
func (s *Service) Create(ctx context.Context, r engine.CreateRequest) (engine.Created, error) {
	return uncachedCall(ctx, s, opCreate, false, func(ctx context.Context) (engine.Created, error) { return s.remote.Create(ctx, r) })
}

// updateCall makes a call that changes a campaign, and removes the campaign from the cache.
func updateCall[T any](ctx context.Context, s *Service, operation, id string, do func(context.Context) (T, error)) (T, error) {
	out, err := uncachedCall(ctx, s, operation, false, do)
	if err == nil {
		_ = s.cache.drop(campaignForm.kind, id) // the next read overwrites a file that stays
	}
	return out, err
}

// Update changes components. If the campaign was last returned from the cache and has changed since, it fails
// with [engine.BadRequest], HTTP 409, so that unseen changes are not overwritten.
func (s *Service) Update(ctx context.Context, r engine.UpdateRequest) (engine.Updated, error) {
	return updateCall(ctx, s, opUpdate, r.ID, func(ctx context.Context) (engine.Updated, error) {
		if err := s.checkUnchanged(ctx, r.ID); err != nil {
			return engine.Updated{}, err
		}
		return s.remote.Update(ctx, r)
	})
}

// checkUnchanged fails if a campaign was last returned from the cache and has changed since.
func (s *Service) checkUnchanged(ctx context.Context, id string) error {
	s.mu.Lock()
	old, recalled := s.fromCache[id]
	s.mu.Unlock()
	if !recalled {
		return nil
	}
	now, err := try(ctx, s, opCheck, true, func(ctx context.Context) (engine.Campaign, error) { return s.remote.Get(ctx, id) })
	if err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.fromCache, id)
	s.mu.Unlock()
	if len(doc.Diff(old.Body, now.Body)) > 0 {
		return engine.Errorf(engine.BadRequest, http.StatusConflict, "the campaign was changed while the service was offline, so nothing was sent; apply again to choose which version to keep")
	}
	return nil
}

// Publish publishes a campaign.
func (s *Service) Publish(ctx context.Context, r engine.PublishRequest) (engine.Updated, error) {
	return updateCall(ctx, s, opPublish, r.ID, func(ctx context.Context) (engine.Updated, error) { return s.remote.Publish(ctx, r) })
}

// ChangeStatus applies STOP, PAUSE or RESUME.
func (s *Service) ChangeStatus(ctx context.Context, r engine.StatusRequest) (engine.StatusChanged, error) {
	return updateCall(ctx, s, opStatus, r.ID, func(ctx context.Context) (engine.StatusChanged, error) { return s.remote.ChangeStatus(ctx, r) })
}

// Test sends a test.
func (s *Service) Test(ctx context.Context, r engine.TestRequest) (engine.TestResult, error) {
	return uncachedCall(ctx, s, opTest, false, func(ctx context.Context) (engine.TestResult, error) { return s.remote.Test(ctx, r) })
}

// Validate runs the publish-time check. It is not cached.
func (s *Service) Validate(ctx context.Context, id string) (engine.Validation, error) {
	return uncachedCall(ctx, s, opValidate, true, func(ctx context.Context) (engine.Validation, error) { return s.remote.Validate(ctx, id) })
}

// Preview resolves content for one user. It is not cached.
func (s *Service) Preview(ctx context.Context, r engine.PreviewRequest) (engine.Preview, error) {
	return uncachedCall(ctx, s, opPreview, true, func(ctx context.Context) (engine.Preview, error) { return s.remote.Preview(ctx, r) })
}
