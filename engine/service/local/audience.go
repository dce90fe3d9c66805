package local

import (
	"context"
	"iter"
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/personalize"
	"bugle/engine/schema"
	"bugle/store"
)

var _ engine.AudienceReader = (*Service)(nil)

// audiences evaluates filters on the users.
type audiences struct {
	*reader
	content *content
}

// EstimateAudience counts the matching users. It reads all users.
func (au *audiences) EstimateAudience(ctx context.Context, r engine.AudienceRequest) (engine.AudienceCount, error) {
	var out engine.AudienceCount
	err := au.view(ctx, func(sp store.Space) error {
		a, done, err := au.audience(ctx, sp, r)
		defer done()
		if err != nil {
			return err
		}
		out, err = audience.Estimate(ctx, a, everyProfile(sp), r.Progress)
		return err
	})
	return out, err
}

// AudienceMembers returns the matching users, sorted by id.
func (au *audiences) AudienceMembers(ctx context.Context, r engine.AudienceRequest) ([]engine.User, error) {
	var out []engine.User
	err := au.view(ctx, func(sp store.Space) (err error) {
		out, err = au.members(ctx, sp, r)
		return err
	})
	return out, err
}

func (au *audiences) members(ctx context.Context, sp store.Space, r engine.AudienceRequest) ([]engine.User, error) {
	a, done, err := au.audience(ctx, sp, r)
	defer done()
	if err != nil {
		return nil, err
	}
	var out []engine.User
	for p, err := range everyProfile(sp) {
		switch {
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !a.Match(&p):
			continue
		}
		if out = append(out, p); len(out) == r.Limit {
			break
		}
	}
	return out, nil
}

// ExplainAudience returns the result of each filter for one user.
func (au *audiences) ExplainAudience(ctx context.Context, r engine.AudienceRequest) (engine.AudienceResult, error) {
	var out engine.AudienceResult
	err := au.view(ctx, func(sp store.Space) error {
		a, done, err := au.audience(ctx, sp, r)
		defer done()
		if err != nil {
			return err
		}
		p, found, err := profile(sp, r.UserID)
		if err == nil && !found {
			err = missing("there is no user %q in this workspace", r.UserID)
		}
		if err != nil {
			return err
		}
		out = a.Explain(&p)
		return nil
	})
	return out, err
}

// audience compiles filters. Expressions in their values have the same data as those of a message, but no
// event; content APIs are called once for all users. Always call close afterwards.
func (au *audiences) audience(ctx context.Context, sp store.Space, r engine.AudienceRequest) (a *audience.Audience, close func(), err error) {
	close = func() {}
	w, err := au.settings(sp)
	if err != nil {
		return nil, close, err
	}
	m, err := assemble.LoadForText(ctx, spaceSource{au.content, sp}, w, sourcesOf(w, r.Filters))
	if err != nil {
		return nil, close, err
	}
	calls := au.content.calls(m, w)
	apis := calls.Functions()
	a, problems := audience.Compile(r.Filters, audience.Env{
		Workspace: w, Now: au.now(),
		Resolve: func(p *engine.User, expression string) (string, bool) {
			if !schema.HasExpression(expression) {
				expression = "{{ " + expression + " }}"
			}
			text, err := personalize.Render(ctx, expression, m.Data(p.Attributes, nil, apis))
			return text, err == nil && strings.TrimSpace(text) != ""
		},
	})
	return a, calls.Close, invalid("the audience", problems)
}

// sourcesOf returns the filters and those of the segments they can refer to as one text.
func sourcesOf(w engine.Workspace, filters doc.Value) string {
	var b strings.Builder
	b.Write(filters.Encode())
	for _, seg := range w.Segments {
		if group := seg.Group(); group.Exists() {
			b.Write(group.Encode())
		}
	}
	return b.String()
}

// everyProfile iterates over all users by id. An error of the store comes last.
func everyProfile(sp store.Space) iter.Seq2[engine.User, error] {
	return func(yield func(engine.User, error) bool) {
		err := sp.Profiles(func(p engine.User) error {
			if !yield(p, nil) {
				return store.Stop
			}
			return nil
		})
		if err != nil {
			yield(engine.User{}, err)
		}
	}
}
