package local

import (
	"context"
	"iter"
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/personalize"
	"bugle/engine/schema"
	"bugle/store"
)

var _ engine.AudienceReader = (*Service)(nil)

// EstimateAudience counts who of the workspace's profiles filters pick. It reads all of them.
func (s *Service) EstimateAudience(ctx context.Context, r engine.AudienceRequest) (engine.AudienceCount, error) {
	var out engine.AudienceCount
	err := s.view(ctx, func(sp store.Space) error {
		a, err := s.audience(ctx, sp, r)
		if err != nil {
			return err
		}
		out, err = audience.Estimate(ctx, a, everyProfile(sp), r.Progress)
		return err
	})
	return out, err
}

// AudienceMembers gives the profiles that filters pick, by id.
func (s *Service) AudienceMembers(ctx context.Context, r engine.AudienceRequest) ([]engine.Profile, error) {
	var out []engine.Profile
	err := s.view(ctx, func(sp store.Space) error {
		out = nil
		a, err := s.audience(ctx, sp, r)
		if err != nil {
			return err
		}
		for p, err := range everyProfile(sp) {
			switch {
			case err != nil:
				return err
			case ctx.Err() != nil:
				return ctx.Err()
			case !a.Match(&p):
				continue
			}
			if out = append(out, p); len(out) == r.Limit {
				return nil
			}
		}
		return nil
	})
	return out, err
}

// ExplainAudience tells what each filter says of one profile.
func (s *Service) ExplainAudience(ctx context.Context, r engine.AudienceRequest) (engine.AudienceResult, error) {
	var out engine.AudienceResult
	err := s.view(ctx, func(sp store.Space) error {
		a, err := s.audience(ctx, sp, r)
		if err != nil {
			return err
		}
		p, found, err := profile(sp, r.ProfileID)
		if err == nil && !found {
			err = missing("there is no profile %q in this workspace", r.ProfileID)
		}
		if err != nil {
			return err
		}
		out = a.Explain(&p)
		return nil
	})
	return out, err
}

// audience makes filters ready, with what the workspace knows.
func (s *Service) audience(ctx context.Context, sp store.Space, r engine.AudienceRequest) (*audience.Audience, error) {
	w, err := s.settings(sp)
	if err != nil {
		return nil, err
	}
	blocks := contentBlocks(w)
	a, problems := audience.Compile(r.Filters, audience.Env{
		Workspace: w, Now: s.now(),
		Resolve: func(p *engine.Profile, expression string) (string, bool) {
			if !schema.HasExpression(expression) {
				expression = "{{ " + expression + " }}"
			}
			text, err := personalize.Render(ctx, expression, personalize.Data{UserAttributes: p.Attributes, ContentBlocks: blocks})
			return text, err == nil && strings.TrimSpace(text) != ""
		},
	})
	return a, invalid("the audience", problems)
}

// everyProfile gives all profiles, by id; an error of the store is the last it gives.
func everyProfile(sp store.Space) iter.Seq2[engine.Profile, error] {
	return func(yield func(engine.Profile, error) bool) {
		err := sp.Profiles(func(p engine.Profile) error {
			if !yield(p, nil) {
				return store.Stop
			}
			return nil
		})
		if err != nil {
			yield(engine.Profile{}, err)
		}
	}
}
