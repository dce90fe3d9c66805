package browse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/phrase"
	"bugle/engine/search/index"
	"bugle/engine/search/query"
	"bugle/engine/service/remote"
)

// querySearch is a search in the query language of the campaign list, narrowed by flags.
type querySearch struct {
	text        string
	request     engine.SearchRequest // from the flags
	limit, page int
}

// run prints a page of the results, in the order of the query.
func (a querySearch) run(ctx context.Context, f *cli.Factory) error {
	if a.limit < 1 || a.page < 1 {
		return cli.Misused("--limit and --page must be at least 1")
	}
	now := time.Now()
	q, problems := query.Parse(a.text, query.Env{Now: now})
	if len(problems) > 0 {
		return searchError(problems[0])
	}
	if a.request.Archived && !q.Has(query.Is, query.IsArchived) {
		q = q.With(query.Is, query.IsAll)
	}
	svc, err := f.Campaigns(ctx)
	if err != nil {
		return err
	}
	ix, err := index.Complete(ctx, svc, now)
	if err != nil {
		return err
	}
	found, err := ix.Search(ctx, q, index.SearchOptions{Now: now})
	if err != nil {
		return fmt.Errorf("searching: %w", err)
	}
	rows := a.narrowed(found)
	if !f.JSON {
		return printCampaigns(&f.Printer, rows, a.limit, a.page)
	}
	var records []engine.Campaign
	for _, row := range rows {
		c, err := svc.Get(ctx, row.ID)
		if e := engine.AsError(err); e != nil && e.Code == engine.NotFound {
			continue // deleted meanwhile
		}
		if err != nil {
			return err
		}
		records = append(records, c)
	}
	return printRecords(&f.Printer, records)
}

// searchError returns a problem of a query as an error that lists the possible values.
func searchError(p query.Problem) error {
	words := phrase.Uncapitalize(p.String())
	if one, more, _ := strings.Cut(words, ". "); more == "" && len(p.Allowed) > 0 {
		words = strings.TrimSuffix(one, ".") + "; choose from " + strings.Join(p.Allowed, ", ")
	}
	return cli.Misused("%s", words)
}

// narrowed returns the page of the campaigns found that pass the flags.
func (a querySearch) narrowed(found *index.Result) []engine.Summary {
	const stretch = 256
	if a.page-1 > found.Len()/a.limit {
		return nil
	}
	var out []engine.Summary
	skip := (a.page - 1) * a.limit
	for from := 0; from < found.Len() && len(out) < a.limit; from += stretch {
		for _, row := range found.Rows(from, from+stretch) {
			switch {
			case !a.keeps(row) || len(out) == a.limit:
			case skip > 0:
				skip--
			default:
				out = append(out, row)
			}
		}
	}
	return out
}

// keeps reports whether a campaign matches the flags, which mean the same as without a query.
func (a querySearch) keeps(row engine.Summary) bool {
	r := a.request
	name := strings.Contains(strings.ToLower(row.Name), strings.ToLower(r.Name))
	made := (r.Created.From.IsZero() || !row.CreatedAt.Before(r.Created.From)) && (r.Created.To.IsZero() || !row.CreatedAt.After(r.Created.To))
	return name && made && amongst(r.IDs, row.ID) && amongst(r.Channels, row.Channel) && amongst(r.DeliveryTypes, row.DeliveryType) &&
		amongst(r.Status, row.Status) && amongst(r.CreatedBy, row.CreatedBy) && (len(r.Tags) == 0 || row.HasTag(r.Tags)) &&
		(r.Version == 0 || row.Version == r.Version) && (r.Children || row.ParentID == "" && row.FlowID == "")
}

// amongst reports whether list is empty or contains v.
func amongst[T comparable](list []T, v T) bool { return len(list) == 0 || slices.Contains(list, v) }

// oneQuery validates the arguments of a search.
func oneQuery(_ *cobra.Command, args []string) error {
	if len(args) > 1 && slices.Contains(args, cli.Stdin) {
		return cli.Misused("- cannot be combined with words to search for")
	}
	return nil
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
	if _, far := svc.(*remote.Service); far {
		return nil, errors.New("the campaigns are on another machine")
	}
	return index.Complete(ctx, svc, time.Now())
}
