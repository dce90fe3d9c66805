package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/doc"
	records "bugle/engine/settings"
)

// newWorkspaceRecords are the commands that work on the records of every section alike.
func newWorkspaceRecords(f *factory) []*cobra.Command {
	return []*cobra.Command{
		listing(everySection, newWorkspaceList(f)), listing(everySection, newWorkspaceGet(f)), listing(everySection, newWorkspacePut(f)),
		listing(severalOf, newWorkspaceDelete(f)), listing(triedSection, newWorkspaceTry(f)),
	}
}

// listing adds the sections to the help of a command when it is asked for: they take a time to make that
// every start would pay.
func listing(keep func(*records.Section) bool, cmd *cobra.Command) *cobra.Command {
	cmd.SetHelpFunc(func(c *cobra.Command, args []string) {
		cmd.Long += "\n\n" + sectionsHelp(keep)
		cmd.SetHelpFunc(nil)
		cmd.HelpFunc()(c, args)
	})
	return cmd
}

// sectionsHelp lists the sections for the help of a command.
func sectionsHelp(keep func(*records.Section) bool) string {
	var b strings.Builder
	b.WriteString("The sections:\n")
	for _, s := range records.Sections() {
		if keep(s) {
			first, _, _ := strings.Cut(s.Help, ". ")
			fmt.Fprintf(&b, "\n  %-16s %s", s.ID, strings.TrimSuffix(first, "."))
		}
	}
	return b.String()
}

func everySection(*records.Section) bool   { return true }
func severalOf(s *records.Section) bool    { return !s.Single }
func triedSection(s *records.Section) bool { return s.Trial != "" }

// section gives the section of that name.
func section(name string) (*records.Section, error) {
	if s, ok := records.Find(name); ok {
		return s, nil
	}
	var ids []string
	for _, s := range records.Sections() {
		ids = append(ids, s.ID)
	}
	return nil, misused("there is no section %q; there are %s", name, strings.Join(ids, ", "))
}

// onSection gives the service and the section that the first argument names.
func (f *factory) onSection(cmd *cobra.Command, args []string) (*records.Section, engine.Service, error) {
	s, err := section(args[0])
	if err != nil {
		return nil, nil, err
	}
	svc, err := f.service(cmd.Context())
	return s, svc, err
}

func newWorkspaceList(f *factory) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "list [SECTION [TEXT]]",
		Short: "List the sections of the workspace, or the records of one",
		Long:  "List how much there is in each section of the workspace; or the records of one, those that hold a text.",
		Example: "  bugle workspace list\n  bugle workspace list segments\n" +
			"  bugle workspace list users berlin --json",
		Args:              between(0, 2, "a section, and a text to look for"),
		ValidArgsFunction: completeSections(everySection),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return misused("--limit must be 0 (all) or more, not %d", limit)
			}
			if len(args) == 0 {
				return f.listSections(cmd.Context())
			}
			s, svc, err := f.onSection(cmd, args)
			if err != nil {
				return err
			}
			vs, err := s.List(cmd.Context(), svc, strings.Join(args[1:], ""), limit)
			if err != nil {
				return err
			}
			return f.printRecords(s, vs)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "at most so many; 0 means all")
	return cmd
}

// countedUsers is how many users are counted before there are simply more.
const countedUsers = 10_000

func (f *factory) listSections(ctx context.Context) error {
	svc, err := f.service(ctx)
	if err != nil {
		return err
	}
	type row struct {
		Section string `json:"section"`
		Records int    `json:"records"`
		More    bool   `json:"more,omitempty"` // there are more than were counted
	}
	var out []row
	var rows [][]string
	for _, s := range records.Sections() {
		limit := 0
		if s.Searched {
			limit = countedUsers + 1
		}
		vs, err := s.List(ctx, svc, "", limit)
		if err != nil {
			return err
		}
		r := row{s.ID, len(vs), s.Searched && len(vs) > countedUsers}
		words := fmt.Sprint(r.Records)
		if r.More {
			r.Records = countedUsers
			words = fmt.Sprintf("%d+", countedUsers)
		}
		if s.Single {
			words = "–"
		}
		out = append(out, r)
		rows = append(rows, []string{s.ID, words, s.Help})
	}
	if f.json {
		return f.printJSON(map[string]any{"sections": out})
	}
	return f.rows([]string{"SECTION", "RECORDS", "WHAT IT IS"}, rows)
}

func (f *factory) printRecords(s *records.Section, vs []doc.Value) error {
	if f.json {
		return f.printDoc(doc.NewObject(doc.M(strings.ReplaceAll(s.ID, "-", "_"), doc.NewArray(vs...))))
	}
	if len(vs) == 0 {
		fmt.Fprintf(f.err, "There is no %s here. `bugle workspace put %s` adds one.\n", s.One, s.ID)
		return nil
	}
	var head []string
	for _, c := range s.Columns {
		head = append(head, strings.ToUpper(c.Title))
	}
	rows := make([][]string, len(vs))
	for i, v := range vs {
		for _, c := range s.Columns {
			rows[i] = append(rows[i], c.Text(v))
		}
	}
	return f.rows(head, rows)
}

func newWorkspaceGet(f *factory) *cobra.Command {
	return &cobra.Command{
		Use:               "get SECTION [NAME]",
		Short:             "Print a record of the workspace as JSON",
		Long:              "Print a record as JSON, as `bugle workspace put` takes it. Sections that are one record take no name.",
		Example:           "  bugle workspace get segments Testers\n  bugle workspace get general",
		Args:              recordArgs,
		ValidArgsFunction: f.completeRecords(everySection),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, svc, err := f.onSection(cmd, args)
			if err != nil {
				return err
			}
			v, err := s.Get(cmd.Context(), svc, recordName(args))
			if err != nil {
				return err
			}
			return f.printDoc(v)
		},
	}
}

// recordArgs wants a section, and a name where it has more than one record.
func recordArgs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return misused("this takes a section and the name of a record")
	}
	s, err := section(args[0])
	switch {
	case err != nil:
		return err
	case s.Single && len(args) > 1:
		return misused("%s is one record, and has no name", s.ID)
	case !s.Single && len(args) != 2:
		return misused("this takes a section and the name of a record; `bugle workspace list %s` lists them", s.ID)
	}
	return nil
}

func recordName(args []string) string {
	if len(args) > 1 {
		return args[1]
	}
	return ""
}

func newWorkspacePut(f *factory) *cobra.Command {
	var was string
	var force bool
	cmd := &cobra.Command{
		Use:   "put SECTION FILE|-",
		Short: "Add a record to the workspace, or change it",
		Long: "Add the record that a JSON or YAML file describes, or change the one of its name. --was gives a\n" +
			"record another name; where campaigns refer to the old one, only with --force. An API key is\n" +
			"shown once, when it is added.",
		Example: "  echo '{\"name\": \"Growth\"}' | bugle workspace put teams -\n" +
			"  bugle workspace put segments loyal.json\n" +
			"  bugle workspace get segments Testers | bugle workspace put segments -",
		Args:              exactly(2, "a section, and a file or - for standard input"),
		ValidArgsFunction: completeSections(everySection),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, svc, err := f.onSection(cmd, args)
			if err != nil {
				return err
			}
			v, err := f.document(cmd.Context(), args[1])
			if errors.As(err, new(documentError)) { // no campaign is invalid for it
				err = usageError{err}
			}
			if err != nil {
				return err
			}
			r := records.PutRequest{Was: was, Value: v, Force: force}
			if was == "" && !s.Single && s.NameOf(v) != "" {
				if _, err := s.Get(cmd.Context(), svc, s.NameOf(v)); err == nil {
					r.Was = s.NameOf(v)
				}
			}
			saved, err := s.Put(cmd.Context(), svc, r)
			if err != nil {
				return asUsage(forced(err))
			}
			return f.printSaved(s, saved)
		},
	}
	cmd.Flags().StringVar(&was, "was", "", "the `name` that the record has had until now")
	cmd.Flags().BoolVar(&force, "force", false, "give it another name though campaigns refer to the old one")
	return cmd
}

// forced says what to do about a name that is in use.
func forced(err error) error {
	var used *records.InUse
	if errors.As(err, &used) {
		return remedied{err, "--force does it all the same."}
	}
	return err
}

func (f *factory) printSaved(s *records.Section, saved records.Saved) error {
	if f.json {
		return f.printJSON(struct {
			Section string `json:"section"`
			Name    string `json:"name"`
			Secret  string `json:"api_key,omitempty"`
		}{s.ID, saved.Name, saved.Secret})
	}
	words := "Stored " + s.One + " " + saved.Name
	if s.Single {
		words = "Stored the " + s.One
	}
	fmt.Fprintln(f.out, line(words))
	if saved.Secret != "" {
		fmt.Fprintln(f.out, saved.Secret)
	}
	if saved.Note != "" {
		fmt.Fprintln(f.err, line(saved.Note))
	}
	return nil
}

func newWorkspaceDelete(f *factory) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:               "delete SECTION NAME",
		Short:             "Delete a record of the workspace",
		Long:              "Delete a record. Where campaigns that still can be sent, segments or content refer to it, they are\nnamed, and it is deleted only with --force.",
		Example:           "  bugle workspace delete teams Growth\n  bugle workspace delete content-blocks footer --force",
		Args:              recordArgs,
		ValidArgsFunction: f.completeRecords(severalOf),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, svc, err := f.onSection(cmd, args)
			if err != nil {
				return err
			}
			if err := s.Delete(cmd.Context(), svc, recordName(args), force); err != nil {
				return asUsage(forced(err))
			}
			if f.json {
				return f.printJSON(map[string]any{"section": s.ID, "name": args[1], "deleted": true})
			}
			fmt.Fprintln(f.out, line("Deleted "+s.One+" "+args[1]))
			return nil
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "delete it though something refers to it")
	return cmd
}

func newWorkspaceTry(f *factory) *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "try SECTION NAME [INPUT…]",
		Short: "Try a record out: send a hello, call a content API, see who is in a segment",
		Long: "Try a record out. A connector and a push gateway send a hello to the recipient that is named, an\n" +
			"e-mail address, a user's id or a device's token; without one, settings and key are checked. A\n" +
			"content API is called with the arguments that follow. Of a segment it is told who is in it.",
		Example: "  bugle workspace try connectors Marketing ann@example.com\n" +
			"  bugle workspace try content-apis weather Oslo\n" +
			"  bugle workspace try segments Testers",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return misused("this takes a section, the name of a record, and what its trial asks for")
			}
			return nil
		},
		ValidArgsFunction: f.completeRecords(triedSection),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, svc, err := f.onSection(cmd, args)
			if err != nil {
				return err
			}
			if s.Trial == "" {
				return misused("there is nothing to try of %s", s.ID)
			}
			sender, err := f.signer(cmd.Context(), svc, from)
			if err != nil {
				return err
			}
			out, err := s.Try(cmd.Context(), svc, args[1], sender, args[2:])
			if err != nil {
				return err
			}
			return f.printTrial(s, args[1], out)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "sender's e-mail `address` (default: who signs changes)")
	return cmd
}

func (f *factory) printTrial(s *records.Section, name string, out records.Outcome) error {
	if out.Failed {
		words := strings.TrimSuffix(out.Words, ".")
		if out.Detail != "" {
			words += "\n" + out.Detail
		}
		return errors.New(words)
	}
	if f.json {
		ms := []doc.Member{doc.M("section", doc.NewString(s.ID)), doc.M("name", doc.NewString(name)), doc.M("message", doc.NewString(out.Words))}
		if out.Value.Exists() {
			ms = append(ms, doc.M("value", out.Value))
		}
		return f.printDoc(doc.NewObject(ms...))
	}
	fmt.Fprintln(f.out, line(out.Words))
	if out.Detail != "" {
		fmt.Fprintln(f.out, clean(out.Detail))
	}
	return nil
}

// completeSections completes the first argument with sections.
func completeSections(keep func(*records.Section) bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		var out []cobra.Completion
		for _, s := range records.Sections() {
			if keep(s) {
				out = append(out, cobra.CompletionWithDesc(s.ID, cmp.Or(s.Title, s.ID)))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// completeRecords completes the first argument with sections, the second with the names of records.
func (f *factory) completeRecords(keep func(*records.Section) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return completeSections(keep)(cmd, args, typed)
		}
		s, err := section(args[0])
		if err != nil || len(args) > 1 || s.Single || !keep(s) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		svc, err := f.service(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		const most = 200
		vs, err := s.List(cmd.Context(), svc, typed, most)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var out []cobra.Completion
		for _, v := range vs {
			out = append(out, line(s.NameOf(v)))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
