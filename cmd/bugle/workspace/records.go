package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/phrase"
	"bugle/engine/service/activity"
	records "bugle/engine/workspace/settings"
)

// newWorkspaceRecords returns the commands that work on the records of every section.
func newWorkspaceRecords(f *cli.Factory) []*cobra.Command {
	return []*cobra.Command{
		listing(everySection, newWorkspaceList(f)), listing(everySection, newWorkspaceGet(f)), listing(everySection, newWorkspacePut(f)),
		listing(severalOf, newWorkspaceDelete(f)), listing(triedSection, newWorkspaceTest(f)), newWorkspaceImport(f), newWorkspaceKey(f), newWorkspaceAllow(f),
	}
}

// listing adds the sections to the help of a command when it is printed, because collecting them at every start would
// take time.
func listing(keep func(*records.Section) bool, cmd *cobra.Command) *cobra.Command {
	cmd.SetHelpFunc(func(c *cobra.Command, args []string) {
		if c == cmd { // subcommands inherit the help function
			cmd.Long += "\n\n" + sectionsHelp(keep)
		}
		cmd.SetHelpFunc(nil)
		c.HelpFunc()(c, args)
	})
	return cmd
}

// sectionsHelp lists the sections for the help of a command.
func sectionsHelp(keep func(*records.Section) bool) string {
	var b strings.Builder
	b.WriteString("Sections:\n")
	for _, s := range records.Sections() {
		if keep(s) {
			first, _, _ := strings.Cut(s.Help, ". ")
			fmt.Fprintf(&b, "\n  %-16s %s", s.ID, strings.TrimSuffix(first, "."))
		}
	}
	return b.String()
}

func everySection(*records.Section) bool { return true }

func severalOf(s *records.Section) bool { return !s.Single }

func triedSection(s *records.Section) bool { return s.Trial != "" }

// section returns the section of that name.
func section(name string) (*records.Section, error) {
	if s, ok := records.Find(name); ok {
		return s, nil
	}
	var ids []string
	for _, s := range records.Sections() {
		ids = append(ids, s.ID)
	}
	return nil, cli.Misused("unknown section %q; choose from %s", name, strings.Join(ids, ", "))
}

// onSection returns the service and the section that the first argument names.
func onSection(f *cli.Factory, cmd *cobra.Command, args []string) (*records.Section, activity.Service, error) {
	s, err := section(args[0])
	if err != nil {
		return nil, nil, err
	}
	svc, err := f.Service(cmd.Context())
	return s, svc, err
}

func newWorkspaceList(f *cli.Factory) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "list [SECTION [TEXT]]",
		Short: "List sections, or the records of one",
		Long:  "Without a section, lists the sections and how many records each has. With one, lists its records, or\nthose that contain a text.",
		Example: "  bugle workspace list\n  bugle workspace list segments\n" +
			"  bugle workspace list users berlin --json",
		Args:              cli.Between(0, 2, "a section and a text to search for, both optional"),
		ValidArgsFunction: completeListed,
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return cli.Misused("--limit must be at least 0, not %d", limit)
			}
			if len(args) == 0 {
				return listSections(cmd.Context(), f)
			}
			s, svc, err := onSection(f, cmd, args)
			if err != nil {
				return err
			}
			vs, err := s.List(cmd.Context(), svc, strings.Join(args[1:], ""), limit)
			if err != nil {
				return err
			}
			return printRecords(&f.Printer, s, vs)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "maximum `number` of records, 0 for all")
	return cmd
}

// countedUsers is the largest number of users that is shown exactly.
const countedUsers = 10_000

func listSections(ctx context.Context, f *cli.Factory) error {
	svc, err := f.Service(ctx)
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
		if s.SearchOnly {
			limit = countedUsers + 1
		}
		vs, err := s.List(ctx, svc, "", limit)
		if err != nil {
			return err
		}
		r := row{s.ID, len(vs), s.SearchOnly && len(vs) > countedUsers}
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
	if f.JSON {
		return f.PrintJSON(map[string]any{"sections": out})
	}
	return f.Rows([]string{"SECTION", "RECORDS", "DESCRIPTION"}, rows)
}

func printRecords(p *cli.Printer, s *records.Section, vs []doc.Value) error {
	if p.JSON {
		return p.PrintDoc(doc.NewObject(doc.M(strings.ReplaceAll(s.ID, "-", "_"), doc.NewArray(vs...))))
	}
	if len(vs) == 0 {
		fmt.Fprintf(p.Err, "No %s found. Add one with `bugle workspace put %s`.\n", phrase.Uncapitalize(s.Title), s.ID)
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
	return p.Rows(head, rows)
}

func newWorkspaceGet(f *cli.Factory) *cobra.Command {
	var version int
	cmd := &cobra.Command{
		Use:               "get SECTION [NAME]",
		Short:             "Print a record as JSON",
		Long:              "To change the record, edit the output and pass it to `bugle workspace put`. The sections general and\nflags are a single record and take no name.",
		Example:           "  bugle workspace get segments Testers\n  bugle workspace get general",
		Args:              recordArgs,
		ValidArgsFunction: completeRecords(f, everySection),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, svc, err := onSection(f, cmd, args)
			if err != nil {
				return err
			}
			if version > 0 {
				item, err := svc.ContentItem(cmd.Context(), templateVersion(args, version))
				if err != nil {
					return err
				}
				return f.PrintJSON(item.Template)
			}
			v, err := s.Get(cmd.Context(), svc, recordName(args))
			if err != nil {
				return err
			}
			return f.PrintDoc(v)
		},
	}
	addVersion(cmd, &version, "the newest")
	return cmd
}

// sectionTemplates is the section whose records have versions.
const sectionTemplates = "templates"

// addVersion adds the flag for one version of a template. unset describes what the command works on without it.
func addVersion(cmd *cobra.Command, version *int, unset string) {
	cmd.Flags().IntVar(version, "version", 0, "version `number` of a template (default "+unset+")")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if s, err := section(args[0]); cmd.Flags().Changed("version") && (err != nil || s.ID != sectionTemplates || *version < 1) {
			return cli.Misused("--version must be at least 1, and only templates have versions")
		}
		return nil
	}
}

func templateVersion(args []string, version int) engine.ContentRef {
	return engine.ContentRef{Kind: engine.KindTemplate, Name: recordName(args), Version: version}
}

// deleteVersion deletes one version of a template. If something uses it, that takes force.
func deleteVersion(ctx context.Context, svc engine.ContentStore, ref engine.ContentRef, force bool) error {
	uses, err := svc.ContentUses(ctx, ref)
	if err != nil {
		return err
	}
	if len(uses) > 0 && !force {
		return cli.WithRemedy(fmt.Errorf("the %s is used by %s", ref, records.DescribeUse(uses[0])), "Use --force to do it anyway.")
	}
	return svc.DeleteContent(ctx, ref)
}

// recordArgs requires a section, and a name unless the section is a single record.
func recordArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cli.Misused("%s", cli.Takes(cmd, "a section and the name of a record"))
	}
	s, err := section(args[0])
	switch {
	case err != nil:
		return err
	case s.Single && len(args) > 1:
		return cli.Misused("%s is a single record; leave out the name", s.ID)
	case !s.Single && len(args) != 2:
		return cli.Misused("%s; `bugle workspace list %s` lists the records", cli.Takes(cmd, "a section and the name of a record"), s.ID)
	}
	return nil
}

func recordName(args []string) string {
	if len(args) > 1 {
		return args[1]
	}
	return ""
}

// recordFile reads a record from a JSON or YAML file.
func recordFile(ctx context.Context, s cli.Streams, file string) (doc.Value, error) {
	v, err := campaignfile.Object(ctx, s, file)
	if errors.As(err, new(cli.DocumentError)) { // a record is invalid, not a campaign
		err = cli.Misuse(err)
	}
	return v, err
}

func newWorkspacePut(f *cli.Factory) *cobra.Command {
	var was string
	var force bool
	cmd := &cobra.Command{
		Use:   "put SECTION [FILE|-] [FIELD=VALUE...]",
		Short: "Add or change a record",
		Long: "Changes the record with the same name, if there is one. Describe it in a JSON or YAML file, or set\n" +
			"fields with FIELD=VALUE: a path such as smtp.host, on or off for switches, commas between the items\n" +
			"of a list, @FILE to read the value from a file, and nothing to clear the field. Fields that you do\n" +
			"not set stay as they are. `bugle schema workspace SECTION` lists the fields.",
		Example: "  bugle workspace put general publish=enabled timezone=Europe/Berlin\n" +
			"  bugle workspace put flags queuing=on\n" +
			"  bugle workspace put teams name=Growth\n" +
			"  bugle workspace put teams name=CRM --was Growth\n" +
			"  bugle workspace put connectors connector_name=Marketing provider=smtp smtp.host=mail.example.com \\\n" +
			"    smtp.port=587 smtp.tls=starttls smtp.auth=plain smtp.user=bugle smtp.password_env=SMTP_PASSWORD\n" +
			"  bugle workspace put gateways provider=fcm key.file=/home/ann/shop-1.json fcm.project=shop-1\n" +
			"  bugle workspace put content-blocks name=footer source=@footer.html\n" +
			"  bugle workspace get segments Testers | bugle workspace put segments -",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return cli.Misused("%s", cli.Takes(cmd, "a section, and a file, - for standard input, or FIELD=VALUE"))
			}
			return nil
		},
		ValidArgsFunction: completeFields,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, svc, err := onSection(f, cmd, args)
			if err != nil {
				return err
			}
			v, err := describedRecord(cmd.Context(), f, s, svc, was, args[1:])
			if err != nil {
				return err
			}
			r := records.PutRequest{Name: was, Value: v, Force: force}
			if was == "" && !s.Single && s.NameOf(v) != "" {
				if _, err := s.Get(cmd.Context(), svc, s.NameOf(v)); err == nil {
					r.Name = s.NameOf(v)
				}
			}
			saved, err := s.Put(cmd.Context(), svc, r)
			if err != nil {
				return cli.AsUsage(forced(err))
			}
			if s.ID == sectionGateways && sets(args[1:], "key") {
				var g engine.Gateway
				if err := json.Unmarshal(v.Encode(), &g); err != nil {
					return err
				}
				if err := allowKey(cmd.Context(), f, g); err != nil {
					return err
				}
			}
			return printSaved(&f.Printer, s, saved)
		},
	}
	cmd.Flags().StringVar(&was, "was", "", "current `name` of the record, to rename it")
	cmd.Flags().BoolVar(&force, "force", false, "rename it even if something refers to the old name")
	return cmd
}

// forced adds how to change a name that is in use to an error.
func forced(err error) error {
	var used *records.InUse
	if errors.As(err, &used) {
		return cli.WithRemedy(err, "Use --force to do it anyway.")
	}
	return err
}

func printSaved(p *cli.Printer, s *records.Section, saved records.Saved) error {
	if p.JSON {
		return p.PrintJSON(struct {
			Section string `json:"section"`
			Name    string `json:"name"`
			Secret  string `json:"api_key,omitempty"`
		}{s.ID, saved.Name, saved.Secret})
	}
	words := "Saved " + s.Singular + " " + saved.Name
	if s.Single {
		words = "Saved the " + s.Singular
	}
	fmt.Fprintln(p.Out, cli.Line(words))
	if saved.Secret != "" {
		fmt.Fprintln(p.Out, saved.Secret)
	}
	if saved.Note != "" {
		fmt.Fprintln(p.Err, cli.Line(saved.Note))
	}
	return nil
}

// gatewayKey returns the push gateway of that name if its key is in the keyring, because the key is removed with it.
func gatewayKey(ctx context.Context, f *cli.Factory, s *records.Section, name string) (engine.Gateway, error) {
	svc, err := f.Service(ctx)
	if err != nil || s.ID != sectionGateways {
		return engine.Gateway{}, err
	}
	w, err := svc.Workspace(ctx)
	g, _ := w.Gateway(name)
	return g, err
}

func newWorkspaceDelete(f *cli.Factory) *cobra.Command {
	var force bool
	var version int
	cmd := &cobra.Command{
		Use:               "delete SECTION NAME",
		Short:             "Delete a record",
		Long:              "A record is deleted only with --force if segments, content or campaigns that can still be sent\nrefer to it. They are listed.",
		Example:           "  bugle workspace delete teams Growth\n  bugle workspace delete content-blocks footer --force",
		Args:              recordArgs,
		ValidArgsFunction: completeRecords(f, severalOf),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, svc, err := onSection(f, cmd, args)
			if err != nil {
				return err
			}
			key, err := gatewayKey(cmd.Context(), f, s, recordName(args))
			if err != nil {
				return err
			}
			if version > 0 {
				err = deleteVersion(cmd.Context(), svc, templateVersion(args, version), force)
			} else {
				err = s.Delete(cmd.Context(), svc, recordName(args), force)
			}
			if err != nil {
				return cli.AsUsage(forced(err))
			}
			if err := dropKeyOf(key); err != nil {
				return err
			}
			return f.Done(map[string]any{"section": s.ID, "name": args[1], "deleted": true}, "Deleted "+s.Singular+" "+args[1])
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "delete it even if something refers to it")
	addVersion(cmd, &version, "all of them")
	return cmd
}

func newWorkspaceTest(f *cli.Factory) *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "test SECTION NAME [INPUT...]",
		Short: "Test a connector, gateway, content API or segment",
		Long: "A connector or push gateway sends a test message to an email address, a user id or a\n" +
			"device token; without one, only its settings and key are checked. A content API is called with the\n" +
			"arguments that follow. A segment lists the users in it.",
		Example: "  bugle workspace test connectors Marketing ann@example.com\n" +
			"  bugle workspace test gateways fcm USER_1\n" +
			"  bugle workspace test content-apis weather Oslo\n" +
			"  bugle workspace test segments Testers",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return cli.Misused("%s", cli.Takes(cmd, "a section, the name of a record, and the inputs of the test"))
			}
			return nil
		},
		ValidArgsFunction: completeRecords(f, triedSection),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, svc, err := onSection(f, cmd, args)
			if err != nil {
				return err
			}
			if s.Trial == "" {
				return cli.Misused("%s cannot be tested", s.ID)
			}
			sender, err := f.Signer(cmd.Context(), svc, from)
			if err != nil {
				return err
			}
			ctx := delivery.WithProgress(cmd.Context(), func(sentence string) { fmt.Fprintln(f.Err, cli.Line(sentence)) })
			out, err := s.Try(ctx, svc, args[1], sender, args[2:])
			if err != nil {
				return err
			}
			return printTrial(&f.Printer, s, args[1], out)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "email `address` of the sender (default the address that signs changes)")
	return cmd
}

func printTrial(p *cli.Printer, s *records.Section, name string, out records.TrialResult) error {
	if out.Failed {
		words := strings.TrimSuffix(out.Text, ".")
		if out.Detail != "" {
			words += "\n" + out.Detail
		}
		if e := (*delivery.Error)(nil); errors.As(out.Err, &e) && e.Reason == delivery.NoSecret {
			return cli.Misused("%s", words)
		}
		return errors.New(words)
	}
	if p.JSON {
		ms := []doc.Member{doc.M("section", doc.NewString(s.ID)), doc.M("name", doc.NewString(name)), doc.M("message", doc.NewString(out.Text))}
		if out.Value.Exists() {
			ms = append(ms, doc.M("value", out.Value))
		}
		return p.PrintDoc(doc.NewObject(ms...))
	}
	fmt.Fprintln(p.Out, cli.Line(out.Text))
	if out.Detail != "" {
		fmt.Fprintln(p.Out, cli.Clean(out.Detail))
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

// completeListed completes the first argument with sections, and nothing after it.
func completeListed(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeSections(everySection)(cmd, args, typed)
}

// completeFields completes the first argument with sections, the others with the fields of the section or a file.
func completeFields(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return completeSections(everySection)(cmd, args, typed)
	}
	s, err := section(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	name, _, valued := strings.Cut(typed, "=")
	var out []cobra.Completion
	for path, n := range s.Schema().All() {
		switch {
		case strings.ContainsAny(path, "[*") || len(n.Children) > 0 || s.Fixed[path] != "":
		case !valued:
			out = append(out, cobra.CompletionWithDesc(path+"=", n.Help))
		case path == name:
			for _, o := range n.Options {
				out = append(out, cobra.CompletionWithDesc(name+"="+o.Value, o.Label))
			}
		}
	}
	if len(out) == 0 {
		return nil, cobra.ShellCompDirectiveDefault // a file
	}
	return out, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
}

// completeRecords completes the first argument with sections, the second with the names of records.
func completeRecords(f *cli.Factory, keep func(*records.Section) bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return completeSections(keep)(cmd, args, typed)
		}
		s, err := section(args[0])
		if err != nil || len(args) > 1 || s.Single || !keep(s) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		svc, err := f.Service(cmd.Context())
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
			out = append(out, cli.Line(s.NameOf(v)))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
