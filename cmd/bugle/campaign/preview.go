package campaign

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
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
	users              []*previewUser
	event              []string
	nobody             bool
	audience, callAPIs bool
	html, text, open   bool
	message            engine.KeyFilter // of which the first is printed
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
		Short: "Preview a campaign for one user, or its audience",
		Long: "Prints the content as JSON with its expressions resolved for one user. Nothing is sent.\n" +
			"Expressions without a value for the user are left as they are and listed on standard error.\n" +
			"--html and --text print one message as it goes out, the first unless --platform, --locale and\n" +
			"--variation select another. --audience resolves the messages for every user in the audience and\n" +
			"reports missing values and the longest texts. With a file or -, the body of the API's preview\n" +
			"request is read instead.",
		Example: "  bugle preview 65f0a1b2c3d4e5f60718293a --email ann@example.com\n" +
			"  bugle preview 65f0a1b2c3d4e5f60718293a --user USER_1 --event-attr product=Boots\n" +
			"  bugle preview 65f0a1b2c3d4e5f60718293a --user USER_1 --html > mail.html\n" +
			"  bugle preview 65f0a1b2c3d4e5f60718293a --nobody --text\n" +
			"  bugle preview 65f0a1b2c3d4e5f60718293a --audience\n" +
			"  bugle preview - < request.json",
		Args:              cli.Exactly(1, "the ID of a campaign, a file, or - for standard input"),
		ValidArgsFunction: f.CompleteIDsOrFiles(),
		RunE:              func(cmd *cobra.Command, args []string) error { return p.run(cmd, f, args[0]) },
	}
	for _, u := range p.users {
		cmd.Flags().StringVar(&u.value, u.flag, "", fmt.Sprintf("preview for the user with this `%s` (%s)", u.is, u.kind))
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&p.event, "event-attr", nil, "event attribute, as `NAME=VALUE`; can be repeated")
	fl.BoolVar(&p.nobody, "nobody", false, "preview for a user without attributes, with defaults only")
	fl.BoolVar(&p.audience, "audience", false, "report on all users in the audience")
	fl.BoolVar(&p.callAPIs, "call-apis", false, "with --audience: call content APIs, instead of counting the users that need them")
	fl.BoolVar(&p.html, "html", false, "print the HTML of an email")
	fl.BoolVar(&p.text, "text", false, "print the plain text of an email, or the texts of a notification")
	fl.BoolVar(&p.open, "open", false, "open an email in the browser")
	fl.StringVar(&p.message.Variation, "variation", "", "select the message of this `variation`")
	fl.StringVar(&p.message.Locale, "locale", "", "select the message of this `locale`")
	cli.ChoiceFlag(cmd, cli.OneOf(&p.message.Platform, cli.PlatformChoices()), "platform", "select the message on this `platform`: "+strings.Join(cli.PlatformChoices().Values(), ", "))
	cmd.MarkFlagsMutuallyExclusive("html", "text", "open", "audience")
	_ = cmd.RegisterFlagCompletionFunc("user", f.CompleteUsers())
	return cmd
}

func (p *previewFlags) run(cmd *cobra.Command, f *cli.Factory, arg string) error {
	ofDraft, err := p.check(cmd, arg)
	if err != nil {
		return err
	}
	svc, id, err := campaignOrFile(cmd.Context(), f, arg)
	if err != nil {
		return err
	}
	if p.local() {
		return p.resolve(cmd.Context(), f, svc, id)
	}
	var body doc.Value
	if ofDraft {
		body, err = p.body(cmd.Context(), svc, id)
	} else {
		body, err = campaignfile.Document(cmd.Context(), f.Streams, arg)
	}
	if err != nil {
		return err
	}
	shown, err := svc.Preview(cmd.Context(), engine.PreviewRequest{Body: body})
	if err != nil {
		return err
	}
	if shown.UnknownUser && ofDraft { // the API previews for unknown users, as who writes a body can see
		return p.noUser()
	}
	return printPreview(&f.Printer, shown)
}

// campaignOrFile opens the service of the campaigns, and returns it with the id of the campaign that arg names, if it is not
// a file.
func campaignOrFile(ctx context.Context, f *cli.Factory, arg string) (engine.Service, string, error) {
	if cli.NamesCampaign(arg) {
		return f.Campaign(ctx, arg)
	}
	svc, err := f.Campaigns(ctx)
	return svc, "", err
}

// noUser is the error of a user who is not in the workspace.
func (p *previewFlags) noUser() error {
	u := p.users[0]
	e := engine.Errorf(engine.NotFound, http.StatusNotFound, "no user with the %s %q in this workspace", u.is, u.value)
	return cli.WithRemedy(e, "Find users with `bugle users list TEXT`.")
}

// check refuses flags that the argument cannot be combined with, and reports whether it is the id of a campaign.
func (p *previewFlags) check(cmd *cobra.Command, arg string) (ofDraft bool, err error) {
	given := slices.DeleteFunc(slices.Clone(p.users), func(u *previewUser) bool { return !cmd.Flags().Changed(u.flag) })
	if !cli.NamesCampaign(arg) {
		if name := cli.OwnFlag(cmd); name != "" {
			return false, cli.Misused("--%s needs the ID of a campaign; %s has the whole request", name, cli.InputName(arg))
		}
		return false, nil
	}
	alone := p.nobody || p.audience
	switch {
	case p.message != (engine.KeyFilter{}) && !p.one():
		return true, cli.Misused("--platform, --locale and --variation select a message for --html, --text or --open")
	case p.callAPIs && !p.audience:
		return true, cli.Misused("--call-apis needs --audience")
	case p.nobody && p.audience:
		return true, cli.Misused("use only one of --nobody and --audience")
	case alone && len(given) > 0:
		return true, cli.Misused("use only one of --%s and --%s", given[0].flag, map[bool]string{true: "nobody", false: "audience"}[p.nobody])
	case p.audience && len(p.event) > 0:
		return true, cli.Misused("--event-attr is for a preview of one user; an audience has events of its own")
	case alone:
		p.users = nil
		return true, nil
	case len(given) == 0:
		return true, cli.Misused("choose a user with one of %s, or use --nobody or --audience", strings.Join(p.flagNames(), ", "))
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
	user, content := p.users[0], c.Body.Get(string(catalog.CampaignContent))
	return engine.PreviewBodyFor(c.Channel, user.kind, user.value, content, values.EventAttributes), nil
}

// printPreview prints the content, and the expressions without a value for the user.
func printPreview(p *cli.Printer, shown engine.Preview) error {
	for _, u := range shown.Unresolved {
		fmt.Fprintln(p.Err, cli.Line(u.Field+": no value for "+u.Expression))
	}
	return p.PrintDoc(shown.Content)
}
