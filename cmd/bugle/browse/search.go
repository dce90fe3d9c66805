// Package browse implements the commands that list campaigns: search and meta.
package browse

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// filters are the flags that narrow search and meta.
type filters struct {
	status, channels, types, tags, by []string
	name                              string
	from, to                          string
	limit, page                       int
	children, archived                bool
}

func (s *filters) add(cmd *cobra.Command) {
	cli.ChoiceFlag(cmd, cli.AnyOf(&s.status, cli.StateChoices()), "status", "only these `states`, such as DRAFT,ACTIVE")
	cli.ChoiceFlag(cmd, cli.AnyOf(&s.channels, cli.ChannelChoices(cli.Any)), "channel", "only these `channels`, such as PUSH,EMAIL")
	fl := cmd.Flags()
	fl.StringSliceVar(&s.tags, "tag", nil, "only campaigns with any of these `tags`")
	fl.StringSliceVar(&s.by, "by", nil, "only campaigns created by these `email` addresses")
	fl.StringVar(&s.name, "name", "", "only campaigns with this `text` in their name")
	fl.StringVar(&s.from, "created-from", "", "only campaigns created on or after this `date` or time (UTC), such as 2026-03-01")
	fl.StringVar(&s.to, "created-to", "", "only campaigns created on or before this `date` or time (UTC)")
	fl.IntVar(&s.limit, "limit", engine.PageSize, fmt.Sprintf("`number` of campaigns per page, at most %d", engine.PageSize))
	fl.IntVar(&s.page, "page", 1, "`number` of the page, from 1")
	fl.BoolVar(&s.children, "children", false, "include runs of periodic campaigns and nodes of flows")
	fl.BoolVar(&s.archived, "archived", false, "include archived campaigns")
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
		Use:   "search [QUERY... | -]",
		Short: "Search campaigns",
		Long: "Prints one page of results, drafts included. Words match names, tags, teams and creators. Filters\n" +
			"narrow the search:\n\n" +
			"  status:draft,active  channel:push  type:periodic  tag:sale  by:ann  team:growth  platform:ios\n" +
			"  updated:<7d  created:2026-03  start:+7d  version:2  id:65f0  is:archived|all|live  sort:-updated\n\n" +
			"Put ! before a filter to exclude what it matches: '!tag:test'. Flags narrow the results further.\n" +
			"Results are sorted by best match, or by last change without a query. With - the body of the API's\n" +
			"search request is read from standard input.",
		Example: "  bugle search\n  bugle search 'status:draft tag:sale'\n" +
			"  bugle search spring channel:email updated:'<7d' sort:name --json\n" +
			"  bugle search --channel EMAIL --status DRAFT,SCHEDULED\n" +
			"  echo '{\"limit\": 5, \"page\": 2}' | bugle search - --json",
		Args:              oneQuery,
		ValidArgsFunction: completeQuery(f),
		RunE: func(cmd *cobra.Command, args []string) error {
			created, err := s.created()
			if err != nil {
				return err
			}
			r := engine.SearchRequest{
				IDs: ids, Channels: words[engine.Channel](s.channels), CreatedBy: s.by, Created: created,
				DeliveryTypes: words[engine.DeliveryType](s.types), Name: s.name, Status: words[engine.State](s.status), Tags: s.tags,
				Version: version, Limit: s.limit, Page: s.page, Children: s.children, Archived: s.archived,
			}
			if len(args) > 0 && args[0] != cli.Stdin {
				return querySearch{strings.Join(args, " "), r, s.limit, s.page}.run(cmd.Context(), f)
			}
			r.Status = s.states()
			body, err := request(f, cmd, args, &r.Name, func() doc.Value { return r.Document() })
			if err != nil {
				return err
			}
			if r, err = engine.ParseSearch(body); err != nil {
				return cli.AsUsage(err)
			}
			return runSearch(cmd, f, r)
		},
	}
	s.add(cmd)
	cli.ChoiceFlag(cmd, cli.AnyOf(&s.types, cli.TypeChoices(cli.Any)), "type", "only these delivery `types`, such as PERIODIC")
	cmd.Flags().StringSliceVar(&ids, "id", nil, "only campaigns with these `ids`")
	cmd.Flags().IntVar(&version, "version-number", 0, "only this version `number`")
	return cmd
}

// request returns the body of a search or meta request: from standard input, or from the flags and the argument, which
// it stores in arg.
func request(f *cli.Factory, cmd *cobra.Command, args []string, arg *string, made func() doc.Value) (doc.Value, error) {
	if len(args) == 0 {
		return made(), nil
	}
	if args[0] != cli.Stdin {
		*arg = args[0]
		return made(), nil
	}
	if name := cli.OwnFlag(cmd); name != "" {
		return doc.Value{}, cli.Misused("--%s cannot be combined with -: standard input holds the whole request", name)
	}
	return campaignfile.Object(cmd.Context(), f.Streams, cli.Stdin)
}

func runSearch(cmd *cobra.Command, f *cli.Factory, r engine.SearchRequest) error {
	svc, err := f.Campaigns(cmd.Context())
	if err != nil {
		return err
	}
	found, err := svc.Search(cmd.Context(), r)
	if err != nil {
		return cli.AsUsage(err)
	}
	if f.JSON {
		return printRecords(&f.Printer, found)
	}
	rows := make([]engine.Summary, len(found))
	for i, c := range found {
		rows[i] = engine.Summarize(c)
	}
	return printCampaigns(&f.Printer, rows, r.Limit, r.Page)
}

// printRecords prints campaigns as JSON.
func printRecords(p *cli.Printer, found []engine.Campaign) error {
	records := make([]doc.Value, len(found))
	for i, c := range found {
		records[i] = c.Record()
	}
	return p.PrintDoc(doc.NewObject(doc.M("campaigns", doc.NewArray(records...))))
}

// printCampaigns prints a page of campaigns as a table.
func printCampaigns(p *cli.Printer, found []engine.Summary, limit, page int) error {
	rows := make([][]string, len(found))
	for i, s := range found {
		rows[i] = []string{s.ID, string(s.Status), string(s.Channel), string(s.DeliveryType), s.Title()}
	}
	return printFound(p, []string{"ID", "STATUS", "CHANNEL", "TYPE", "NAME"}, rows, limit, page)
}

// printFound prints a page of results as a table.
func printFound(p *cli.Printer, head []string, rows [][]string, limit, page int) error {
	switch {
	case len(rows) == 0 && page > 1:
		fmt.Fprintf(p.Err, "Page %d is empty.\n", page)
		return nil
	case len(rows) == 0:
		fmt.Fprintln(p.Err, "No campaigns found.")
		return nil
	}
	if err := p.Rows(head, rows); err != nil {
		return err
	}
	if len(rows) == limit {
		fmt.Fprintf(p.Err, "There may be more; see --page %d.\n", page+1)
	}
	return nil
}
