// Package browse implements the commands that list campaigns: search and meta.
package browse

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/schema"
)

// filters are the flags that narrow search and meta.
type filters struct {
	status, channels, types, tags, by []string
	name                              string
	from, to                          string
	limit, page                       int
	all                               bool
	children, archived                bool
}

func (s *filters) add(cmd *cobra.Command) {
	cli.ChoiceFlag(cmd, cli.AnyOf(&s.status, cli.ChoicesOf(catalog.States, catalog.State.Label)), "status", "only these `states`, such as DRAFT,ACTIVE")
	cli.ChoiceFlag(cmd, cli.AnyOf(&s.channels, cli.ChoicesOf(catalog.Channels, catalog.Channel.Label)), "channel", "only these `channels`, such as PUSH,EMAIL")
	fl := cmd.Flags()
	fl.StringSliceVar(&s.tags, "tag", nil, "only campaigns with any of these `tags`")
	fl.StringSliceVar(&s.by, "created-by", nil, "only campaigns created by these `email` addresses")
	fl.StringVar(&s.name, "name", "", "only campaigns with this `text` in their name")
	fl.StringVar(&s.from, "created-from", "", "only campaigns created on or after this `date` or time (UTC), such as 2026-03-01")
	fl.StringVar(&s.to, "created-to", "", "only campaigns created on or before this `date` or time (UTC)")
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

// states returns the states to request from the API, which leaves out drafts by default.
func (s *filters) states() []engine.State {
	if len(s.status) == 0 {
		return slices.Clone(catalog.States)
	}
	return words[engine.State](s.status)
}

// created returns the bounds of the creation time. If the last one is a date, that day is included.
func (s *filters) created() (engine.DateRange, error) {
	var r engine.DateRange
	for _, b := range []struct {
		flag, typed string
		at          *time.Time
		wholeDay    time.Duration
	}{{"created-from", s.from, &r.From, 0}, {"created-to", s.to, &r.To, 24*time.Hour - time.Nanosecond}} {
		if b.typed == "" {
			continue
		}
		if day, err := time.Parse(time.DateOnly, b.typed); err == nil {
			*b.at = day.Add(b.wholeDay)
			continue
		}
		t, ok := schema.ParseTime(b.typed, time.UTC)
		if !ok {
			return r, cli.Misused("--%s must be a date or a time, such as 2026-03-01, not %q", b.flag, b.typed)
		}
		*b.at = t.UTC()
	}
	return r, nil
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
	var (
		s       filters
		ids     []string
		version int
	)
	cmd := &cobra.Command{
		Use:     "search [QUERY...]",
		Aliases: []string{"list"},
		Short:   "List and search campaigns",
		Long: "Prints one page of results, or --all, drafts included. The JSON has the number of all results as total, if it is\n" +
			"known, and whether there are more. Words match names, tags, teams and creators. Filters narrow the search:\n\n" +
			"  status:draft,active  channel:push  type:periodic  tag:sale  by:ann  team:growth  platform:ios\n" +
			"  updated:<7d  created:2026-03  start:+7d  version:2  id:65f0  is:archived|all|live  sort:-updated\n\n" +
			"Put ! before a filter to exclude what it matches: '!tag:test'. Flags narrow the results further.\n" +
			"Results are sorted by best match, or by last change without a query.",
		Example: "  bugle list --all\n  bugle search 'status:draft tag:sale'\n" +
			"  bugle search spring channel:email updated:'<7d' sort:name --json\n" +
			"  bugle search --channel EMAIL --status DRAFT,SCHEDULED",
		ValidArgsFunction: completeQuery(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			created, err := s.created()
			if err != nil {
				return err
			}
			w, err := s.window()
			if err != nil {
				return err
			}
			r := engine.SearchRequest{
				IDs: ids, Channels: words[engine.Channel](s.channels), CreatedBy: s.by, Created: created,
				DeliveryTypes: words[engine.DeliveryType](s.types), Name: s.name, Status: words[engine.State](s.status), Tags: s.tags,
				Version: version, Children: s.children, Archived: s.archived,
			}
			text := strings.Join(args, " ")
			svc, err := f.Campaigns(cmd.Context())
			if err != nil {
				return err
			}
			var found results
			if text == "" && engine.IsExternal(svc) {
				r.Status = s.states()
				found, err = searchPages(cmd.Context(), svc, r, w)
			} else {
				found, err = searchIndex(cmd.Context(), svc, text, r, w, f.JSON)
			}
			if err != nil {
				return err
			}
			return found.print(&f.Printer, []string{"ID", "STATUS", "CHANNEL", "TYPE", "NAME"})
		},
	}
	s.add(cmd)
	cli.ChoiceFlag(cmd, cli.AnyOf(&s.types, cli.TypeChoices(cli.Any)), "type", "only these delivery `types`, such as PERIODIC")
	cmd.Flags().StringSliceVar(&ids, "id", nil, "only campaigns with these `ids`")
	cmd.Flags().IntVar(&version, "version-number", 0, "only this version `number`")
	return cmd
}

// searchPages returns what the search of a service finds, page by page.
func searchPages(ctx context.Context, svc engine.Service, r engine.SearchRequest, w window) (results, error) {
	found, total, more, err := pages(w, func(c engine.Campaign) string { return c.ID }, func(limit, page int) ([]engine.Campaign, error) {
		r.Limit, r.Page = limit, page
		return svc.Search(ctx, r)
	})
	out := results{window: w, total: total, more: more}
	for _, c := range found {
		out.rows, out.docs = append(out.rows, row(engine.Summarize(c))), append(out.docs, c.Record())
	}
	return out, cli.AsUsage(err)
}

// row returns the cells of a campaign in the table.
func row(s engine.Summary) []string {
	return []string{s.ID, string(s.Status), string(s.Channel), string(s.DeliveryType), s.Title()}
}
