package campaign

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/engine/testsend"
)

// previewUser is one way to identify the user of a preview.
type previewUser struct {
	flag, is string
	kind     string // the type of user_identification
	value    string // as given
}

// previewFlags describe the preview of a campaign.
type previewFlags struct {
	users []*previewUser
	event []string
}

// NewPreview returns the command bugle preview.
func NewPreview(f *cli.Factory) *cobra.Command {
	p := previewFlags{users: []*previewUser{
		{flag: "user", is: "id", kind: "USER_ATTRIBUTE_UNIQUE_ID"},
		{flag: "email", is: "address", kind: "EMAIL"},
		{flag: "gaid", is: "id", kind: "SVC_GAID"},
		{flag: "push-id", is: "token", kind: "PUSH_ID"},
	}}
	cmd := &cobra.Command{
		Use:   "preview ID|FILE|-",
		Short: "Preview the content of a campaign for one user",
		Long: "Prints the content as JSON with its expressions resolved for one user. Nothing is sent.\n" +
			"Expressions without a value for the user are left as they are and listed on standard error. With a\n" +
			"file or -, the body of the API's preview request is read instead.",
		Example: "  bugle preview 65f0a1b2c3d4e5f60718293a --email ann@example.com\n" +
			"  bugle preview 65f0a1b2c3d4e5f60718293a --user USER_1 --event-attr product=Boots\n" +
			"  bugle preview - < request.json",
		Args: cli.Exactly(1, "the ID of a campaign, a file, or - for standard input"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			ids, _ := f.CompleteIDs()(cmd, args, typed)
			return ids, cobra.ShellCompDirectiveDefault // or a file
		},
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(cmd, f, args[0]) },
	}
	for _, u := range p.users {
		cmd.Flags().StringVar(&u.value, u.flag, "", fmt.Sprintf("preview for the user with this `%s` (%s)", u.is, u.kind))
	}
	cmd.Flags().StringArrayVar(&p.event, "event-attr", nil, "event attribute, as `NAME=VALUE`; can be repeated")
	return cmd
}

func (p *previewFlags) run(cmd *cobra.Command, f *cli.Factory, arg string) error {
	ofDraft, err := p.check(cmd, arg)
	if err != nil {
		return err
	}
	svc, err := f.Campaigns(cmd.Context())
	if err != nil {
		return err
	}
	var body doc.Value
	if ofDraft {
		body, err = p.body(cmd.Context(), svc, arg)
	} else {
		body, err = f.Document(cmd.Context(), arg)
	}
	if err != nil {
		return err
	}
	shown, err := svc.Preview(cmd.Context(), engine.PreviewRequest{Body: body})
	if err != nil {
		return err
	}
	if shown.UnknownUser && ofDraft { // the API previews for unknown users, which helps whoever writes the body
		u := p.users[0]
		e := engine.Errorf(engine.NotFound, http.StatusNotFound, "no user with the %s %q in this workspace", u.is, u.value)
		return cli.WithRemedy(e, "Find users with `bugle workspace list users TEXT`.")
	}
	return printPreview(&f.Printer, shown)
}

// check returns an error for flags that cannot be combined with the argument, and reports whether the argument is the
// id of a campaign.
func (p *previewFlags) check(cmd *cobra.Command, arg string) (ofDraft bool, err error) {
	given := slices.DeleteFunc(slices.Clone(p.users), func(u *previewUser) bool { return !cmd.Flags().Changed(u.flag) })
	if !schema.ObjectID.Matches(arg) {
		if name := cli.OwnFlag(cmd); name != "" {
			return false, cli.Misused("--%s needs the ID of a campaign; %s has the whole request", name, cli.InputName(arg))
		}
		return false, nil
	}
	switch {
	case len(given) == 0:
		return true, cli.Misused("choose a user with one of %s", strings.Join(p.flagNames(), ", "))
	case len(given) > 1:
		return true, cli.Misused("a preview is for one user; use only one of %s", strings.Join(p.flagNames(), ", "))
	case given[0].value == "":
		return true, cli.Misused("--%s is empty", given[0].flag)
	}
	p.users = given
	return true, nil
}

func (p *previewFlags) flagNames() (out []string) {
	for _, u := range p.users {
		out = append(out, "--"+u.flag)
	}
	return out
}

// body returns the request for a preview of a campaign (CONTRACT.md, Preview).
func (p *previewFlags) body(ctx context.Context, svc engine.Service, id string) (doc.Value, error) {
	c, w, err := testsend.Read(ctx, svc, id)
	if err != nil {
		return doc.Value{}, err
	}
	var values engine.TestSend
	if err := putValues(&values, w, true, p.event); err != nil {
		return doc.Value{}, err
	}
	user := p.users[0]
	ms := []doc.Member{
		doc.M("channel", doc.NewString(string(c.Channel))),
		doc.M("user_identification", doc.NewObject(doc.M("type", doc.NewString(user.kind)), doc.M("value", doc.NewString(user.value)))),
		doc.M(string(catalog.CampaignContent), c.Body.Get(string(catalog.CampaignContent))),
	}
	if len(values.EventAttributes) > 0 {
		ms = append(ms, doc.M("event_attributes", doc.NewObject(values.EventAttributes...)))
	}
	return doc.NewObject(ms...), nil
}

// printPreview prints the content, and the expressions without a value for the user.
func printPreview(p *cli.Printer, shown engine.Preview) error {
	for _, u := range shown.Unresolved {
		fmt.Fprintln(p.Err, cli.Line(u.Field+": no value for "+u.Expression))
	}
	return p.PrintDoc(shown.Content)
}
