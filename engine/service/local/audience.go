package local

import (
	"context"
	"iter"
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/template"
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
	err := au.view(ctx, func(sp store.WorkspaceTx) error {
		a, done, err := au.audience(ctx, sp, r)
		defer done()
		if err != nil {
			return err
		}
		out, err = audience.Estimate(ctx, a, everyProfile(sp, ""), r.Progress)
		return err
	})
	return out, err
}

// AudienceMembers returns the matching users, sorted by id.
func (au *audiences) AudienceMembers(ctx context.Context, r engine.AudienceRequest) ([]engine.User, error) {
	var out []engine.User
	err := au.view(ctx, func(sp store.WorkspaceTx) (err error) {
		out, err = au.members(ctx, sp, r)
		return err
	})
	return out, err
}

func (au *audiences) members(ctx context.Context, sp store.WorkspaceTx, r engine.AudienceRequest) ([]engine.User, error) {
	a, done, err := au.audience(ctx, sp, r)
	defer done()
	if err != nil {
		return nil, err
	}
	var out []engine.User
	for p, err := range everyProfile(sp, r.After) {
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

// streamPage is how many profiles a stream holds at once.
const streamPage = 576

// StreamAudience returns the profiles that filters match, by id. Between two pages it holds no transaction, so that
// those that are stored meanwhile may be among them.
func (au *audiences) StreamAudience(ctx context.Context, r engine.AudienceRequest) iter.Seq2[engine.User, error] {
	return func(yield func(engine.User, error) bool) {
		s := audienceStream{audiences: au, request: r, last: r.After, close: func() {}}
		defer func() { s.close() }()
		for more := true; more; {
			var err error
			more, err = s.page(ctx)
			for _, p := range s.found {
				if s.given++; !yield(p, nil) || s.given == r.Limit {
					return
				}
			}
			if err != nil {
				yield(engine.User{}, err)
				return
			}
			if r.Progress != nil {
				r.Progress(s.count)
			}
		}
	}
}

// audienceStream is how far a stream is.
type audienceStream struct {
	*audiences
	request engine.AudienceRequest
	filters *audience.Audience // nil until the first page
	close   func()             // ends what the filters asked for
	last    string             // the id of the newest profile
	found   []engine.User      // of the page
	count   engine.AudienceCount
	given   int
}

// page reads the next page, and reports whether there may be more.
func (s *audienceStream) page(ctx context.Context) (more bool, err error) {
	var count engine.AudienceCount
	last := s.last
	err = s.view(ctx, func(sp store.WorkspaceTx) error {
		count, last, s.found = engine.AudienceCount{}, s.last, s.found[:0] // a transaction may be run again
		if s.filters == nil {
			a, done, err := s.audience(ctx, sp, s.request)
			if err != nil {
				done()
				return err
			}
			s.filters, s.close = a, done
		}
		for p, err := range everyProfile(sp, s.last) {
			if err != nil {
				return err
			}
			count.Total++
			if last = p.ID; s.filters.Match(&p) {
				count.Matched++
				s.found = append(s.found, p)
			}
			if count.Total == streamPage {
				break
			}
		}
		return nil
	})
	if err == nil {
		err = ctx.Err()
	}
	s.last = last
	s.count.Total, s.count.Matched = s.count.Total+count.Total, s.count.Matched+count.Matched
	return count.Total == streamPage, err
}

// ExplainAudience returns what each filter says of one profile.
func (au *audiences) ExplainAudience(ctx context.Context, r engine.AudienceRequest) (engine.AudienceResult, error) {
	var out engine.AudienceResult
	err := au.view(ctx, func(sp store.WorkspaceTx) error {
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
func (au *audiences) audience(ctx context.Context, sp store.WorkspaceTx, r engine.AudienceRequest) (a *audience.Audience, close func(), err error) {
	close = func() {}
	w, err := au.settings(sp)
	if err != nil {
		return nil, close, err
	}
	m, err := assemble.LoadForText(ctx, spaceSource{au.content, sp}, w, sourcesOf(w, r.Filters))
	if err != nil {
		return nil, close, err
	}
	m.Now = au.now()
	calls := au.content.calls(m, w)
	apis := calls.Functions()
	a, problems := audience.Compile(r.Filters, audience.Env{
		Workspace: w, Now: au.now(),
		Resolve: func(p *engine.User, expression string) (string, bool) {
			if !schema.HasExpression(expression) {
				expression = "{{ " + expression + " }}"
			}
			text, err := template.Render(ctx, expression, m.Data(p.Attributes, nil, apis))
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
func everyProfile(sp store.WorkspaceTx, after string) iter.Seq2[engine.User, error] {
	return func(yield func(engine.User, error) bool) {
		err := sp.Profiles(after, func(p engine.User) error {
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
