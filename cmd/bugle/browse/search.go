// Package browse implements the command that lists campaigns.
package browse

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
)

// filters are the flags that narrow search.
type filters struct {
	status, channels, types, tags []string
	limit, page                   int
	all                           bool
	children, archived            bool
}

func (s *filters) add(cmd *cobra.Command) {
	cli.ChoiceFlag(cmd, cli.AnyOf(&s.status, cli.ChoicesOf(catalog.States, catalog.State.Label)), "status", "only these `states`, such as DRAFT,ACTIVE")
	cli.ChoiceFlag(cmd, cli.AnyOf(&s.channels, cli.ChoicesOf(catalog.Channels, catalog.Channel.Label)), "channel", "only these `channels`, such as PUSH,EMAIL")
	cli.ChoiceFlag(cmd, cli.AnyOf(&s.types, cli.TypeChoices(cli.Any)), "type", "only these delivery `types`, such as PERIODIC")
	fl := cmd.Flags()
	fl.StringSliceVar(&s.tags, "tag", nil, "only campaigns with any of these `tags`")
	fl.IntVarP(&s.limit, "limit", "l", engine.PageSize, "`number` of campaigns per page")
	fl.IntVar(&s.page, "page", 1, "`number` of the page, from 1")
	fl.BoolVarP(&s.all, "all", "a", false, "print all campaigns, on one page")
	cmd.MarkFlagsMutuallyExclusive("all", "limit")
	cmd.MarkFlagsMutuallyExclusive("all", "page")
	fl.BoolVar(&s.children, "children", false, "include runs of periodic campaigns and nodes of flows")
	fl.BoolVar(&s.archived, "archived", false, "include archived campaigns")
}

// window returns the part of the results that the flags ask for.
func (s *filters) window() (window, error) {
	switch {
	case s.all:
		return everything, nil
	case s.limit < 1 || s.page < 1:
		return window{}, cli.Misused("--limit and --page must be at least 1")
	}
	return window{s.limit, s.page}, nil
}

// request returns what to ask a service for. Its search leaves out drafts unless their state is among the requested ones.
func (s *filters) request() engine.SearchRequest {
	states := catalog.States
	if len(s.status) > 0 {
		states = words[engine.State](s.status)
	}
	return engine.SearchRequest{
		Channels: words[engine.Channel](s.channels), DeliveryTypes: words[engine.DeliveryType](s.types), Status: states, Tags: s.tags,
		Children: s.children, Archived: s.archived,
	}
}

func words[T ~string](ss []string) []T {
	out := make([]T, len(ss))
	for i, s := range ss {
		out[i] = T(s)
	}
	return out
}

// NewSearch returns the command bugle search.
func NewSearch(f *cli.Factory) *cobra.Command {
	var s filters
	cmd := &cobra.Command{
		Use:     "search [QUERY...]",
		Aliases: []string{"list"},
		Short:   "List and search campaigns",
		Long: "Prints one page of results, or --all, drafts included. The JSON has the number of all results as total, if it is\n" +
			"known, and whether there are more. Words match names, tags, teams and creators. Filters narrow the search:\n\n" +
			"  status:draft,active  channel:push  type:periodic  tag:sale  by:ann  team:growth  platform:ios\n" +
			"  updated:<7d  created:2026-03  start:+7d  version:2  id:65f0  is:archived|all|live  sort:-updated\n\n" +
			"Put ! before a filter to exclude what it matches: '!tag:test'. Flags are filters, too.\n" +
			"Results are sorted by best match, or by last change without a query.",
		Example: "  bugle list --all\n  bugle search 'status:draft tag:sale'\n" +
			"  bugle search spring channel:email updated:'<7d' sort:name --json\n" +
			"  bugle search --channel EMAIL --status DRAFT,SCHEDULED",
		ValidArgsFunction: completeQuery(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := s.window()
			if err != nil {
				return err
			}
			svc, err := f.Campaigns(cmd.Context())
			if err != nil {
				return err
			}
			var found results
			if len(args) == 0 && engine.IsExternal(svc) {
				found, err = searchPages(cmd.Context(), svc, s.request(), w)
			} else {
				found, err = s.searchIndex(cmd.Context(), svc, strings.Join(args, " "), w, f.JSON)
			}
			if err != nil {
				return err
			}
			return found.print(&f.Printer)
		},
	}
	s.add(cmd)
	return cmd
}

// searchPages returns a window of what the search of a service finds. It reads up to [engine.PageSize] at once, and one more
// than the window has, to know whether there are more. A page without anything new is the last one, whatever its size.
func searchPages(ctx context.Context, svc engine.Service, r engine.SearchRequest, w window) (results, error) {
	out := results{window: w, total: -1}
	r.Limit = min(w.limit, engine.PageSize)
	seen := map[string]bool{}
	skip := w.skip()
	before := skip / r.Limit * r.Limit // results on the pages that are not read
	for r.Page = skip/r.Limit + 1; ; r.Page++ {
		page, err := svc.Search(ctx, r)
		if err != nil {
			return out, cli.AsUsage(err)
		}
		fresh := 0
		for _, c := range page {
			if seen[c.ID] {
				continue
			}
			seen[c.ID] = true
			if fresh++; before+len(seen) > skip {
				out.rows, out.docs = append(out.rows, row(engine.Summarize(c))), append(out.docs, c.Record())
			}
		}
		switch {
		case len(out.rows) > w.limit:
			out.rows, out.docs, out.more = out.rows[:w.limit], out.docs[:w.limit], true
			return out, nil
		case len(page) == r.Limit && fresh > 0:
		case len(seen) == 0 && before > 0:
			return out, nil // an empty page is anywhere behind the last one
		default:
			out.total = before + len(seen)
			return out, nil
		}
	}
}

// row returns the cells of a campaign in the table.
func row(s engine.Summary) []string {
	return []string{s.ID, string(s.Status), string(s.Channel), string(s.DeliveryType), s.Title()}
}
