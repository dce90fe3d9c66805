package campaign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/edit/grid"
	"bugle/engine/message/livepage"
	"bugle/engine/message/resolve"
	"bugle/engine/testsend"
)

// previewUsers are the flags that name the user of a preview.
var previewUsers = []struct {
	flag, is string
	kind     string // the type of user_identification
}{
	{"user", "id", "USER_ATTRIBUTE_UNIQUE_ID"}, {"email", "address", "EMAIL"}, {"gaid", "id", "SVC_GAID"}, {"push-id", "token", "PUSH_ID"},
}

// previewing holds the flags of preview.
type previewing struct {
	f                  *cli.Factory
	event              []string
	nobody             bool
	audience, callAPIs bool
	html, text, open   bool
	message            engine.KeyFilter // of which the first is printed
}

// platforms are the platforms of push messages.
var platforms = cli.ChoicesOf(catalog.Platforms, catalog.Platform.Label)

// NewPreview returns the command bugle preview.
func NewPreview(f *cli.Factory) *cobra.Command {
	p := previewing{f: f}
	cmd := &cobra.Command{
		Use:   "preview ID|FILE|-",
		Short: "Preview a campaign for one user, or its audience",
		Long: "Prints the content as JSON with its expressions resolved for one user. Nothing is sent.\n" +
			"Expressions without a value for the user are left as they are and listed on standard error.\n" +
			"--html and --text print one message as it goes out, the first unless --platform, --locale and\n" +
			"--variation select another. --audience resolves the messages for every user in the audience and\n" +
			"reports, as JSON, missing values and the longest texts.",
		Example: "  bugle preview 65f0a1b2c3d4e5f60718293a --email ann@example.com\n" +
			"  bugle preview 65f0a1b2c3d4e5f60718293a --user USER_1 --event-attr product=Boots\n" +
			"  bugle preview 65f0a1b2c3d4e5f60718293a --user USER_1 --html > mail.html\n" +
			"  bugle preview campaign.yaml --nobody --text\n" +
			"  bugle preview 65f0a1b2c3d4e5f60718293a --audience",
		Args:              cli.Exactly(1, "the ID of a campaign, a file, or - for standard input"),
		ValidArgsFunction: f.CompleteIDsOrFiles(),
		RunE: func(cmd *cobra.Command, args []string) error {
			who, err := p.who(cmd)
			if err != nil {
				return err
			}
			return p.run(cmd.Context(), args[0], who)
		},
	}
	fl := cmd.Flags()
	groups := []string{"nobody", "audience"}
	for _, u := range previewUsers {
		fl.String(u.flag, "", fmt.Sprintf("preview for the user with this `%s` (%s)", u.is, u.kind))
		groups = append(groups, u.flag)
	}
	fl.StringArrayVar(&p.event, "event-attr", nil, "event attribute, as `NAME=VALUE`; can be repeated")
	fl.BoolVar(&p.nobody, "nobody", false, "preview for a user without attributes, with defaults only")
	fl.BoolVar(&p.audience, "audience", false, "report on all users in the audience")
	fl.BoolVar(&p.callAPIs, "call-apis", false, "with --audience: call content APIs, instead of counting the users that need them")
	fl.BoolVar(&p.html, "html", false, "print the HTML of an email")
	fl.BoolVar(&p.text, "text", false, "print the plain text of an email")
	fl.BoolVar(&p.open, "open", false, "open an email in the browser")
	fl.StringVar(&p.message.Variation, "variation", "", "select the message of this `variation`")
	fl.StringVar(&p.message.Locale, "locale", "", "select the message of this `locale`")
	cli.ChoiceFlag(cmd, cli.OneOf(&p.message.Platform, platforms), "platform", "select the message on this `platform`: "+strings.Join(platforms.Values(), ", "))
	cmd.MarkFlagsMutuallyExclusive(groups...)
	cmd.MarkFlagsMutuallyExclusive("html", "text", "open", "audience")
	cmd.MarkFlagsMutuallyExclusive("event-attr", "audience")
	return cmd
}

// who returns whose data fills the messages, and refuses flags that cannot be combined.
func (p *previewing) who(cmd *cobra.Command) (who resolve.Person, err error) {
	var names []string
	for _, u := range previewUsers {
		names = append(names, "--"+u.flag)
		if cmd.Flags().Changed(u.flag) {
			who.Kind, who.ID = u.kind, cmd.Flag(u.flag).Value.String()
		}
	}
	switch {
	case p.message != (engine.KeyFilter{}) && !p.one():
		return who, cli.Misused("--platform, --locale and --variation select a message for --html, --text or --open")
	case p.callAPIs && !p.audience:
		return who, cli.Misused("--call-apis needs --audience")
	case p.nobody:
		who.Kind = resolve.Nobody
	case !p.audience && who.ID == "":
		return who, cli.Misused("choose a user with one of %s, or use --nobody or --audience", strings.Join(names, ", "))
	}
	return who, nil
}

// one reports whether one message is printed, in place of the content as JSON.
func (p *previewing) one() bool { return p.html || p.text || p.open }

func (p *previewing) run(ctx context.Context, arg string, who resolve.Person) error {
	svc, w, c, err := p.campaign(ctx, arg)
	if err != nil {
		return err
	}
	if !c.Channel.Writable() {
		return cli.Misused("only push and email campaigns can be previewed; this one is %s", c.Channel.Label())
	}
	ready, err := resolve.Prepare(ctx, svc, w, c.Channel, c.Document())
	if err != nil {
		return err
	}
	if len(ready.Written()) == 0 {
		return errors.New("there is no message to show; write it first")
	}
	if p.audience {
		return p.survey(ctx, svc, ready)
	}
	v, err := resolve.Find(ctx, svc, who)
	if e := engine.AsError(err); e != nil && e.Code == engine.NotFound {
		err = noUser(who)
	}
	if err != nil {
		return err
	}
	var values engine.TestSend
	if err := putValues(&values, w, true, p.event); err != nil {
		return err
	}
	v.EventAttributes = values.EventAttributes
	if !p.one() {
		r, err := p.resolve(ctx, ready, v)
		if err != nil {
			return err
		}
		if r.Answer.Content.Exists() {
			return p.f.PrintDoc(r.Answer.Content)
		}
		return p.f.PrintDoc(r.Document.Get(string(catalog.CampaignContent)))
	}
	if _, why, ok := p.message.Missing(ready.Channel, ready.Document); !ok {
		return cli.Misused("there is no such message: %s", why)
	}
	for _, key := range engine.TestKeys(ready.Channel, ready.Document, p.message) {
		if ready.Bare(key) {
			continue
		}
		r, err := p.resolve(ctx, ready, v, key)
		if err != nil {
			return err
		}
		return p.print(ctx, r, key)
	}
	return errors.New("there is no message to show; write it first")
}

// resolve resolves messages for a viewer, and prints what has no value to standard error.
func (p *previewing) resolve(ctx context.Context, c *resolve.Campaign, v resolve.Viewer, keys ...engine.TestKey) (*resolve.Result, error) {
	r, err := c.Resolve(ctx, v, keys...)
	if err != nil {
		return nil, err
	}
	if r.Answer.UnknownUser {
		return nil, noUser(v.Person)
	}
	for _, m := range r.Missing {
		text := m.Path.String() + ": no value for " + m.Expression
		if m.Expression == "" {
			text = m.Path.String() + ": cannot be resolved"
		}
		fmt.Fprintln(p.f.Err, cli.Line(text+": "+m.Reason))
	}
	return r, nil
}

// noUser is the error of a user who is not in the workspace.
func noUser(who resolve.Person) error {
	return cli.WithRemedy(engine.Errorf(engine.NotFound, http.StatusNotFound, "no user %q in this workspace", who.ID), "Find users with `bugle users list TEXT`.")
}

// campaign returns the campaign that arg names, or that of a file, with its service and workspace.
func (p *previewing) campaign(ctx context.Context, arg string) (svc engine.Service, w engine.Workspace, c engine.Campaign, err error) {
	if cli.NamesCampaign(arg) {
		var id string
		if svc, id, err = p.f.Campaign(ctx, arg); err == nil {
			c, w, err = testsend.Read(ctx, svc, id)
		}
		return svc, w, c, err
	}
	h := campaignfile.Read(ctx, p.f.Streams, campaignfile.File{Name: arg})
	if h.Err != nil {
		return nil, w, c, h.Err
	}
	if svc, err = p.f.Campaigns(ctx); err != nil {
		return nil, w, c, err
	}
	if keeper, ok := svc.(engine.WorkspaceStore); ok {
		w, err = keeper.Workspace(ctx)
	}
	return svc, w, engine.ParseRecord(h.Body), err
}

// print prints one message, or opens it in the browser.
func (p *previewing) print(ctx context.Context, r *resolve.Result, key engine.TestKey) error {
	switch {
	case key.Platform != string(catalog.Email):
		return cli.Misused("--html, --text and --open show emails; without them, a notification is printed as JSON")
	case r.HTML(key) == "":
		return errNoHTML
	case p.text:
		return write(p.f, r.Text(key)+"\n")
	case p.html:
		return write(p.f, r.HTML(key))
	}
	return open(ctx, p.f, r.Content(key).Get(catalog.EmailSubject).Text(), r.HTML(key))
}

var errNoHTML = errors.New("the message has no HTML content")

// write writes a message to standard output: byte for byte, except to a terminal.
func write(f *cli.Factory, text string) error {
	if file, ok := cli.FileOf(f.Out); ok && cli.IsTerminal(file) {
		text = cli.Clean(text)
	}
	_, err := io.WriteString(f.Out, text)
	return err
}

// open shows an email in the browser. The files stay, since the browser may read it at any time.
func open(ctx context.Context, f *cli.Factory, subject, html string) error {
	file, err := livepage.WriteFiles(subject, html)
	if err != nil {
		return fmt.Errorf("cannot write the file for the browser: %w", cli.Cause(err))
	}
	if err := livepage.OpenBrowser(ctx, file); err != nil {
		return fmt.Errorf("no browser could be opened: %w; the page is in %s", err, file)
	}
	fmt.Fprintln(f.Out, cli.Line("Opened "+file))
	return nil
}

// survey prints a report on the audience of a campaign.
func (p *previewing) survey(ctx context.Context, svc engine.Service, c *resolve.Campaign) error {
	reader, ok := svc.(engine.AudienceReader)
	if !ok {
		return errors.New("only a local workspace knows who is in an audience; a remote service does not show its users")
	}
	show := cli.Progress(p.f.Streams, "Looked at", "user")
	s, err := c.Survey(ctx, reader, resolve.SurveyOptions{CallAPIs: p.callAPIs, Progress: func(users, _ int) { show(users) }})
	show(-1)
	if err != nil {
		return err
	}
	unused := []string{} // platforms and variations that nobody gets
	platforms, variations := s.Unused()
	for _, name := range platforms {
		unused = append(unused, grid.CellName(name, "", ""))
	}
	for _, name := range variations {
		unused = append(unused, grid.VariationName(name))
	}
	longest := []map[string]any{} // the longest text of each field, and for how many users a place cuts it
	for _, l := range s.Longest {
		for _, cut := range l.Cuts {
			longest = append(longest, map[string]any{
				"message": grid.CellName(l.Platform, "", ""), "field": l.What, "characters": l.Characters, "user": l.User,
				"shown": cut.Words(), "users_cut": cut.Users,
			})
		}
	}
	return p.f.PrintJSON(map[string]any{
		"users": s.Users, "audience": s.Audience, "unreachable": s.Unreachable, "missing_value": s.Lacking, "deferred": s.Deferred,
		"content_apis": append([]string{}, s.APIs...), "unused": unused, "expressions": append([]resolve.Gap{}, s.Expressions...), "longest": longest,
	})
}
