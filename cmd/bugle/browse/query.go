package browse

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/phrase"
	"bugle/engine/search/index"
	"bugle/engine/search/query"
)

// searchIndex returns what a query in the language of the campaign list finds, narrowed by the flags, in the order of the
// query. The empty one finds everything. JSON is only made where it is needed.
func (s *filters) searchIndex(ctx context.Context, svc engine.Service, text string, w window, json bool) (results, error) {
	out := results{window: w}
	now := time.Now()
	q, problems := query.Parse(text, query.Env{Now: now})
	if len(problems) > 0 {
		return out, searchError(problems[0])
	}
	for key, values := range map[query.Key][]string{query.Status: s.status, query.Channel: s.channels, query.Type: s.types, query.Tag: s.tags} {
		for _, v := range values {
			q = q.With(key, v)
		}
	}
	if s.archived && !q.Has(query.Is, query.IsArchived) {
		q = q.With(query.Is, query.IsAll)
	}
	ix, err := index.Complete(ctx, svc, now)
	if err != nil {
		return out, err
	}
	found, err := ix.Search(ctx, q, index.SearchOptions{Now: now})
	if err != nil {
		return out, fmt.Errorf("searching: %w", err)
	}
	skip := w.skip()
	for _, found := range found.Rows(0, found.Len()) {
		if !s.children && (found.ParentID != "" || found.FlowID != "") {
			continue
		}
		out.total++
		if out.total <= skip || out.total-skip > w.limit {
			continue
		}
		out.rows = append(out.rows, row(found))
		if !json {
			continue
		}
		c, err := svc.Get(ctx, found.ID)
		if e := engine.AsError(err); e != nil && e.Code == engine.NotFound {
			continue // deleted meanwhile
		}
		if err != nil {
			return out, err
		}
		out.docs = append(out.docs, c.Record())
	}
	out.more = out.total-skip > w.limit
	return out, nil
}

// searchError returns a problem of a query as an error that lists the possible values.
func searchError(p query.Problem) error {
	words := phrase.Uncapitalize(p.String())
	if one, more, _ := strings.Cut(words, ". "); more == "" && len(p.Allowed) > 0 {
		words = strings.TrimSuffix(one, ".") + "; choose from " + strings.Join(p.Allowed, ", ")
	}
	return cli.Misused("%s", words)
}

// completeQuery completes the last word of a query with the values of the campaigns in the store.
func completeQuery(f *cli.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		env := query.Env{Now: time.Now()}
		if ix, err := localIndex(cmd.Context(), f); err == nil {
			env.Values = ix.Values
		}
		directive := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		var out []cobra.Completion
		for _, c := range query.Complete(typed, len(typed), env) {
			label := c.Label
			if c.Count >= 0 {
				label = fmt.Sprintf("%s (%d)", label, c.Count)
			}
			if strings.HasSuffix(c.Text, ":") {
				directive |= cobra.ShellCompDirectiveNoSpace
			}
			out = append(out, cobra.CompletionWithDesc(cli.Line(typed[:c.From]+c.Text+typed[c.To:]), cli.Line(label)))
		}
		return out, directive
	}
}

// localIndex returns an index of the campaigns in the store. It fails for remotes, because a shell must not wait for a
// network.
func localIndex(ctx context.Context, f *cli.Factory) (*index.Index, error) {
	svc, err := f.Campaigns(ctx)
	if err != nil {
		return nil, err
	}
	if engine.IsExternal(svc) {
		return nil, errors.New("the campaigns are on another machine")
	}
	return index.Complete(ctx, svc, time.Now())
}
