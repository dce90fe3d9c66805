package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// actionOf reads an action in any case.
func actionOf(s string) catalog.Action { return catalog.Action(strings.ToUpper(s)) }

func newGet(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:   "get ID",
		Short: "Show a campaign as JSON",
		Args:  exactly(1, "the ID of a campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, _, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			c, err := svc.Get(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return f.printDoc(c.Record())
		},
	}
}

func newValidate(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:   "validate ID",
		Short: "Check a campaign as publishing would",
		Args:  exactly(1, "the ID of a campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, _, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			v, err := svc.Validate(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := f.printValidation(v); err != nil {
				return err
			}
			if !v.Valid {
				return silentError(exitInvalid)
			}
			return nil
		},
	}
}

func (f *factory) printValidation(v engine.Validation) error {
	if f.json {
		return f.printDoc(v.Document())
	}
	if v.Valid {
		fmt.Fprintln(f.out, "Valid: this campaign can be published.")
	} else {
		fmt.Fprintf(f.out, "Not valid: %d to mend.\n", len(schema.Errors(v.Problems)))
	}
	f.printProblems("", v.Problems)
	return nil
}

// printProblems writes a line a problem, its path first, as compilers do.
func (f *factory) printProblems(prefix string, ps []schema.Problem) {
	for _, p := range ps {
		kind := ""
		if p.Severity == schema.Notice {
			kind = "note: "
		}
		path := p.Path.String()
		if path == "" {
			path = "campaign"
		}
		fmt.Fprintf(f.out, "%s%s: %s%s\n", prefix, clean(path), kind, clean(p.Message))
	}
}

// searchFlags narrow a search or meta request.
type searchFlags struct {
	status, channels, types, tags, by []string
	name                              string
	limit, page                       int
	children, archived                bool
}

func (s *searchFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringSliceVar(&s.status, "status", nil, "states, such as DRAFT,ACTIVE (drafts are listed only when asked for)")
	fl.StringSliceVar(&s.channels, "channel", nil, "channels")
	fl.StringSliceVar(&s.types, "type", nil, "delivery types")
	fl.StringSliceVar(&s.tags, "tag", nil, "tags, any of them")
	fl.StringSliceVar(&s.by, "by", nil, "creators")
	fl.StringVar(&s.name, "name", "", "part of the name")
	fl.IntVar(&s.limit, "limit", engine.PageSize, "campaigns a page, at most 15")
	fl.IntVar(&s.page, "page", 1, "page, from 1")
	fl.BoolVar(&s.children, "children", false, "periodic children and nodes of flows too")
	fl.BoolVar(&s.archived, "archived", false, "archived campaigns too")
}

func words[T ~string](ss []string) []T {
	var out []T
	for _, s := range ss {
		out = append(out, T(strings.ToUpper(strings.ReplaceAll(s, "-", "_"))))
	}
	return out
}

func newSearch(f *factory) *cobra.Command {
	var s searchFlags
	cmd := &cobra.Command{
		Use:   "search [TEXT | FILE | -]",
		Short: "Search campaigns, a page at a time",
		Long: "Search campaigns. With - the request is read from standard input as the API's body; with\n" +
			"a text, campaigns whose name contains it are listed.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := engine.SearchRequest{
				Channels: words[engine.Channel](s.channels), DeliveryTypes: words[engine.DeliveryType](s.types), Status: words[engine.State](s.status),
				Tags: s.tags, CreatedBy: s.by, Name: s.name, Limit: s.limit, Page: s.page, Children: s.children, Archived: s.archived,
			}
			body := r.Document()
			if len(args) == 1 && args[0] == "-" {
				var err error
				if body, err = f.document("-"); err != nil {
					return err
				}
			} else if len(args) == 1 {
				r.Name = args[0]
				body = r.Document()
			}
			r, err := engine.ParseSearch(body)
			if err != nil {
				return err
			}
			svc, _, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			found, err := svc.Search(cmd.Context(), r)
			if err != nil {
				return err
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
				sum := engine.Summarize(c)
				rows = append(rows, []string{c.ID, string(c.Status), string(c.Channel), string(c.DeliveryType), sum.Name})
			}
			return f.printFound(rows, r.Limit, r.Page)
		},
	}
	s.add(cmd)
	return cmd
}

func (f *factory) printFound(rows [][]string, limit, page int) error {
	if len(rows) == 0 {
		fmt.Fprintln(f.err, "Nothing found. Drafts are listed with --status DRAFT.")
		return nil
	}
	if err := f.rows([]string{"ID", "STATUS", "CHANNEL", "TYPE", "NAME"}, rows); err != nil {
		return err
	}
	if len(rows) == limit {
		fmt.Fprintf(f.err, "More with --page %d\n", page+1)
	}
	return nil
}

func newMeta(f *factory) *cobra.Command {
	var s searchFlags
	cmd := &cobra.Command{
		Use:   "meta [ID | -]",
		Short: "Show light metadata of campaigns, with reachability",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := engine.MetaRequest{
				Channels: words[engine.Channel](s.channels), Status: words[engine.State](s.status), Tags: s.tags, CreatedBy: s.by,
				Name: s.name, Limit: s.limit, Page: s.page, Children: s.children, Archived: s.archived,
			}
			if len(s.types) > 1 {
				return misused("meta takes one delivery type")
			}
			if len(s.types) == 1 {
				r.DeliveryType = words[engine.DeliveryType](s.types)[0]
			}
			body := r.Document()
			if len(args) == 1 && args[0] == "-" {
				var err error
				if body, err = f.document("-"); err != nil {
					return err
				}
			} else if len(args) == 1 {
				r.ID = args[0]
				body = r.Document()
			}
			r, err := engine.ParseMeta(body)
			if err != nil {
				return err
			}
			svc, _, err := f.service(cmd.Context())
			if err != nil {
				return err
			}
			found, err := svc.Meta(cmd.Context(), r)
			if err != nil {
				return err
			}
			if f.json {
				metas := make([]doc.Value, len(found))
				for i, m := range found {
					metas[i] = m.Row()
				}
				return f.printDoc(doc.NewObject(doc.M("campaigns", doc.NewArray(metas...))))
			}
			var rows [][]string
			for _, m := range found {
				rows = append(rows, []string{m.ID, string(m.Status), string(m.Channel), string(m.DeliveryType), m.Name})
			}
			return f.printFound(rows, r.Limit, r.Page)
		},
	}
	s.add(cmd)
	return cmd
}
