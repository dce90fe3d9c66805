package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// filters narrow a search or a meta request; both take most of them.
type filters struct {
	status, channels, types, tags, by []string
	name                              string
	from, to                          string
	limit, page                       int
	children, archived                bool
}

func (s *filters) add(cmd *cobra.Command) {
	choiceFlag(cmd, several{&s.status, stateChoices()}, "status", "`states`, such as DRAFT,ACTIVE (drafts are listed only when asked for)")
	choiceFlag(cmd, several{&s.channels, channelChoices(anyChannel)}, "channel", "`channels`, such as PUSH,EMAIL")
	fl := cmd.Flags()
	fl.StringSliceVar(&s.tags, "tag", nil, "`tags`, any of them")
	fl.StringSliceVar(&s.by, "by", nil, "creators, by `e-mail` address")
	fl.StringVar(&s.name, "name", "", "`part` of the name")
	fl.StringVar(&s.from, "created-from", "", "first `day` or time of creation, such as 2026-03-01 (UTC)")
	fl.StringVar(&s.to, "created-to", "", "last `day` or time of creation")
	fl.IntVar(&s.limit, "limit", engine.PageSize, fmt.Sprintf("campaigns a page, at most %d", engine.PageSize))
	fl.IntVar(&s.page, "page", 1, "page, from 1")
	fl.BoolVar(&s.children, "children", false, "periodic children and nodes of flows too")
	fl.BoolVar(&s.archived, "archived", false, "archived campaigns too")
}

// created gives the bounds of the time of creation. A last day counts to its end.
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
			return r, misused("--%s is a day or a time, such as 2026-03-01, not %q", b.flag, b.typed)
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

func newSearch(f *factory) *cobra.Command {
	var (
		s       filters
		ids     []string
		version int
	)
	cmd := &cobra.Command{
		Use:   "search [QUERY… | -]",
		Short: "Search campaigns, a page at a time",
		Long: "Search campaigns as the list of the terminal program does, the best match first: words are looked\n" +
			"for in name, tags, team and creator, and these narrow:\n\n" +
			"  status:draft,active  channel:push  type:periodic  tag:sale  by:ann  team:growth  platform:ios\n" +
			"  updated:<7d  created:2026-03  start:+7d  version:2  id:65f0  is:archived|all|live  sort:-updated\n\n" +
			"A sign of negation leaves out: '!tag:test' (or -tag:test behind --). Flags narrow further. Without a\n" +
			"query it is the API's search that all flags match, newest change first. With - the body of that\n" +
			"request is read from standard input.",
		Example: "  bugle search 'status:draft tag:sale'\n" +
			"  bugle search spring channel:email updated:'<7d' sort:name --json\n" +
			"  bugle search --channel EMAIL --status DRAFT,SCHEDULED\n" +
			"  echo '{\"limit\": 5, \"page\": 2}' | bugle search - --json",
		Args:              oneQuery,
		ValidArgsFunction: f.completeQuery,
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
			if len(args) > 0 && args[0] != stdin {
				return asked{strings.Join(args, " "), r, s.limit, s.page}.run(cmd.Context(), f)
			}
			body, err := f.request(cmd, args, &r.Name, func() doc.Value { return r.Document() })
			if err != nil {
				return err
			}
			if r, err = engine.ParseSearch(body); err != nil {
				return asUsage(err)
			}
			return f.search(cmd, r)
		},
	}
	s.add(cmd)
	choiceFlag(cmd, several{&s.types, typeChoices()}, "type", "delivery `types`, such as PERIODIC")
	cmd.Flags().StringSliceVar(&ids, "id", nil, "`ids` of campaigns")
	cmd.Flags().IntVar(&version, "version-number", 0, "only this version of each campaign")
	return cmd
}

// request gives the body of a search or meta request: from standard input, or made of the flags
// and of the argument, which is put into arg.
func (f *factory) request(cmd *cobra.Command, args []string, arg *string, made func() doc.Value) (doc.Value, error) {
	if len(args) == 0 {
		return made(), nil
	}
	if args[0] != stdin {
		*arg = args[0]
		return made(), nil
	}
	if name := ownFlag(cmd); name != "" {
		return doc.Value{}, misused("standard input holds the whole request; leave out --%s", name)
	}
	return f.document(cmd.Context(), stdin)
}

func (f *factory) search(cmd *cobra.Command, r engine.SearchRequest) error {
	svc, err := f.campaigns(cmd.Context())
	if err != nil {
		return err
	}
	found, err := svc.Search(cmd.Context(), r)
	if err != nil {
		return asUsage(err)
	}
	if f.json {
		records := make([]doc.Value, len(found))
		for i, c := range found {
			records[i] = c.Record()
		}
		return f.printDoc(doc.NewObject(doc.M("campaigns", doc.NewArray(records...))))
	}
	var rows [][]string
	for _, c := range found {
		rows = append(rows, []string{c.ID, string(c.Status), string(c.Channel), string(c.DeliveryType), engine.Summarize(c).Name})
	}
	return f.printFound([]string{"ID", "STATUS", "CHANNEL", "TYPE", "NAME"}, rows, paged{r.Limit, r.Page, len(r.Status) > 0})
}

// paged is what of a list was asked for.
type paged struct {
	limit, page int
	byStatus    bool // some states were asked for
}

func (f *factory) printFound(head []string, rows [][]string, asked paged) error {
	switch {
	case len(rows) == 0 && asked.page > 1:
		fmt.Fprintf(f.err, "Nothing on page %d.\n", asked.page)
		return nil
	case len(rows) == 0 && asked.byStatus:
		fmt.Fprintln(f.err, "Nothing found.")
		return nil
	case len(rows) == 0:
		fmt.Fprintln(f.err, "Nothing found. Drafts are listed with --status DRAFT.")
		return nil
	}
	if err := f.rows(head, rows); err != nil {
		return err
	}
	if len(rows) == asked.limit {
		fmt.Fprintf(f.err, "There may be more: --page %d\n", asked.page+1)
	}
	return nil
}
