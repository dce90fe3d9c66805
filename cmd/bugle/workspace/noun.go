package workspace

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/delivery"
	"bugle/engine/phrase"
	"bugle/engine/service/activity"
	records "bugle/engine/workspace/settings"
)

// noun is the commands for the records of a section.
type noun struct {
	*records.Section
	f *cli.Factory
}

// NewNouns returns the commands for what is in a workspace: one for each section, with the verbs that its records allow.
func NewNouns(f *cli.Factory) (out []*cobra.Command) {
	for _, s := range records.Sections() {
		out = append(out, noun{s, f}.command())
	}
	return out
}

func (n noun) command() *cobra.Command {
	cmd := &cobra.Command{Use: n.ID, Short: "Manage " + phrase.Uncapitalize(n.Title), Long: n.Help}
	switch {
	case n.Single:
		cmd.Short = "Change the " + n.Singular
		cmd.AddCommand(n.newGet(), n.newPut())
		return cmd
	case n.Issued():
		cmd.AddCommand(n.newList(), n.newCreate())
	default:
		cmd.AddCommand(n.newList(), n.newGet(), n.newPut())
	}
	cmd.AddCommand(n.newDelete())
	if n.SearchOnly {
		cmd.AddCommand(newImport(n.f))
	}
	if n.Trial != "" {
		cmd.AddCommand(n.newTest())
	}
	if n.ID == gateways {
		cmd.AddCommand(n.newKey(), n.newAllow())
	}
	return cmd
}

// a returns the singular with its article.
func (n noun) a() string {
	if strings.ContainsRune("AEIOaeio", rune(n.Singular[0])) {
		return "an " + n.Singular
	}
	return "a " + n.Singular
}

// nameOfExample matches the name in the example of a section, as it is typed in a shell.
var nameOfExample = regexp.MustCompile(`^('[^']*'|\S+) ?`)

// example returns the name in the example of the section, if its records have names, and the fields after it.
func (n noun) example() (name, fields string) {
	if !n.Single {
		name = nameOfExample.FindString(n.Example)
	}
	return strings.TrimSpace(name), n.Example[len(name):]
}

// on returns an example of a verb.
func (n noun) on(verb string) string {
	name, _ := n.example()
	return strings.TrimRight("  bugle "+n.ID+" "+verb+" "+name, " ")
}

// run returns the function of a command that works on the record that its first argument names.
func (n noun) run(do func(ctx context.Context, svc activity.Service, name string, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		svc, err := n.f.Service(cmd.Context())
		if err != nil {
			return err
		}
		name, err := n.find(cmd.Context(), svc, args)
		if err != nil {
			return err
		}
		return do(cmd.Context(), svc, name, args)
	}
}

// named requires the name of a record, unless there is only one record.
func (n noun) named(cmd *cobra.Command, args []string) error {
	if n.Single {
		return cli.Exactly(0, "no arguments")(cmd, args)
	}
	return cli.Exactly(1, n.what()+"; `bugle "+n.ID+" list` lists them")(cmd, args)
}

// what describes the argument that names a record.
func (n noun) what() string {
	if n.Issued() {
		return "the id or the name of " + n.a()
	}
	return "the name of " + n.a()
}

// find returns the name of the record that a user has named: by its name, by the beginning of it, or by its label.
func (n noun) find(ctx context.Context, svc activity.Service, args []string) (string, error) {
	if n.Single {
		return "", nil
	}
	_, err := n.Get(ctx, svc, args[0])
	if e := engine.AsError(err); e == nil || e.Code != engine.NotFound || n.SearchOnly {
		return args[0], err
	}
	from, lerr := n.candidates(ctx, svc, "")
	if lerr != nil {
		return "", lerr
	}
	name, ok, perr := cli.Pick(args[0], phrase.Uncapitalize(n.Title), from)
	if perr != nil || ok {
		return name, perr
	}
	return "", err
}

// mostCandidates is how many records are completed or listed as candidates.
const mostCandidates = 200

// candidates returns the records that contain a text.
func (n noun) candidates(ctx context.Context, svc activity.Service, text string) (out []cli.Candidate, err error) {
	limit := 0
	if n.SearchOnly {
		limit = mostCandidates
	}
	all, err := n.List(ctx, svc, text, limit)
	for _, v := range all {
		c := cli.Candidate{ID: n.NameOf(v)}
		for _, column := range n.Columns[min(1, len(n.Columns)):] {
			c.About = strings.Trim(c.About+", "+column.Text(v), ", ")
		}
		if n.Issued() {
			c.Name = v.Get(n.Label).Text()
		}
		out = append(out, c)
	}
	return out, err
}

// complete completes the first argument with the names of records.
func (n noun) complete(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if n.Single || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	svc, err := n.f.Service(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	from, _ := n.candidates(cmd.Context(), svc, typed) // a shell cannot show errors
	return cli.Complete(args, from)
}

func (n noun) newList() *cobra.Command {
	var limit cli.Limit
	cmd := &cobra.Command{
		Use:     "list [TEXT]",
		Short:   "List " + phrase.Uncapitalize(n.Title),
		Long:    "Lists all " + phrase.Uncapitalize(n.Title) + ", or those that contain a text.",
		Example: "  bugle " + n.ID + " list --json",
		Args:    cli.Between(0, 1, "a text to search for"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := limit.Check(); err != nil {
				return err
			}
			svc, err := n.f.Service(cmd.Context())
			if err != nil {
				return err
			}
			ask := 0
			if n.SearchOnly {
				ask = limit.Ask()
			}
			all, err := n.List(cmd.Context(), svc, strings.Join(args, ""), ask)
			if err != nil {
				return err
			}
			verb := "put"
			if n.Issued() {
				verb = "create"
			}
			l := cli.List{Name: n.ID, Noun: n.Singular, Partly: n.SearchOnly}
			l.Empty = fmt.Sprintf("No %s found. Add one with `bugle %s %s`.", phrase.Uncapitalize(n.Title), n.ID, verb)
			for _, c := range n.Columns {
				l.Head = append(l.Head, strings.ToUpper(c.Title))
			}
			for _, v := range all {
				var row []string
				for _, c := range n.Columns {
					row = append(row, c.Text(v))
				}
				l.Add(v, row...)
			}
			return n.f.PrintList(l, &limit)
		},
	}
	limit.AddTo(cmd, 100)
	return cmd
}

func (n noun) newGet() *cobra.Command {
	version := 0
	cmd := &cobra.Command{
		Use:               "get NAME",
		Short:             "Print " + n.a() + " as JSON",
		Long:              "To change it, edit the output and pass it to `bugle " + n.ID + " put --file -`.",
		Example:           n.on("get"),
		Args:              n.named,
		ValidArgsFunction: n.complete,
		RunE: n.run(func(ctx context.Context, svc activity.Service, name string, _ []string) error {
			if version > 0 {
				item, err := svc.ContentItem(ctx, engine.ContentRef{Kind: engine.KindTemplate, Name: name, Version: version})
				if err != nil {
					return err
				}
				return n.f.PrintJSON(item.Template)
			}
			v, err := n.Get(ctx, svc, name)
			if err != nil {
				return err
			}
			return n.f.PrintDoc(v)
		}),
	}
	if n.Single {
		cmd.Use, cmd.Short = "get", "Print the "+n.Singular+" as JSON"
	}
	if n.ID == "templates" {
		cmd.Flags().IntVar(&version, "version", 0, "`number` of a version (default the newest)")
	}
	return cmd
}

func (n noun) newDelete() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete " + n.a(),
		Long: "What segments, content or campaigns that can still be sent refer to is deleted only with --force. They are\n" +
			"listed.",
		Example:           n.on("delete"),
		Args:              n.named,
		ValidArgsFunction: n.complete,
		RunE: n.run(func(ctx context.Context, svc activity.Service, name string, _ []string) error {
			if err := n.delete(ctx, svc, name, force); err != nil {
				return cli.AsUsage(forced(err))
			}
			return n.f.Done(map[string]any{"section": n.ID, "name": name, "deleted": true}, "Deleted "+n.Singular+" "+name)
		}),
	}
	if n.Issued() {
		cmd.Long = "Requests with the key are refused from now on."
	} else {
		cli.AddForce(cmd, &force, "delete it even if something refers to it")
	}
	return cmd
}

// delete deletes a record, and the key in the keyring of a push gateway.
func (n noun) delete(ctx context.Context, svc activity.Service, name string, force bool) error {
	w, err := svc.Workspace(ctx)
	if err != nil {
		return err
	}
	if err := n.Delete(ctx, svc, name, force); err != nil || n.ID != gateways {
		return err
	}
	g, _ := w.Gateway(name)
	return dropKeyOf(g)
}

// forced adds how to change a name that is in use to an error.
func forced(err error) error {
	if errors.As(err, new(*records.InUse)) {
		return cli.WithRemedy(err, "Use --force to do it anyway.")
	}
	return err
}

func (n noun) newTest() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:               "test NAME [INPUT...]",
		Short:             phrase.Capitalize(n.Trial),
		Long:              n.trialHelp(),
		Example:           n.on("test"),
		ValidArgsFunction: n.complete,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Misused("%s", cli.Takes(cmd, n.what()+", and the inputs of the test"))
			}
			return nil
		},
		RunE: n.run(func(ctx context.Context, svc activity.Service, name string, args []string) error {
			sender, err := n.f.Signer(ctx, svc, from)
			if err != nil {
				return err
			}
			ctx = delivery.WithProgress(ctx, func(sentence string) { fmt.Fprintln(n.f.Err, cli.Line(sentence)) })
			out, err := n.Try(ctx, svc, name, sender, args[1:])
			if err != nil {
				return err
			}
			return n.printTrial(name, out)
		}),
	}
	if n.ID == "connectors" {
		cmd.Flags().StringVar(&from, "from", "", "email `address` of the sender (default the address that signs changes)")
	}
	return cmd
}

// trialHelp describes the inputs of a test.
func (n noun) trialHelp() string {
	var words []string
	for _, in := range n.TrialInputs(doc.Value{}) {
		words = append(words, in.Help)
	}
	switch {
	case len(words) > 0:
		return "The input is " + strings.Join(words, ", ") + ".\nWithout it, only the settings and the key are checked."
	case n.ID == "apis":
		return "The inputs are the arguments of the call. Prints the response."
	}
	return "Prints what the test has found."
}

func (n noun) printTrial(name string, out records.TrialResult) error {
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
	if n.f.JSON {
		ms := []doc.Member{doc.M("section", doc.NewString(n.ID)), doc.M("name", doc.NewString(name)), doc.M("message", doc.NewString(out.Text))}
		if out.Value.Exists() {
			ms = append(ms, doc.M("value", out.Value))
		}
		return n.f.PrintDoc(doc.NewObject(ms...))
	}
	fmt.Fprintln(n.f.Out, cli.Line(out.Text))
	if out.Detail != "" {
		fmt.Fprintln(n.f.Out, cli.Clean(out.Detail))
	}
	return nil
}
