package campaign

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/message/assemble"
	"bugle/engine/testsend"
)

// testFlags describe a test send of a draft.
type testFlags struct {
	send         engine.TestSend
	attrs, event []string
	as           []string
	yes          bool
}

// NewTest returns the command bugle test.
func NewTest(f *cli.Factory) *cobra.Command {
	var t testFlags
	cmd := &cobra.Command{
		Use:   "test ID",
		Short: "Send a test message",
		Long: "Sends a draft to the recipients in --to, and prints whether each message was sent. The addresses\n" +
			"in Cc and Bcc get nothing without --with-copies. Exits with 1 if a message failed. A message that\n" +
			"a server got but did not confirm is unknown: it may have been delivered, and is only sent again after a\n" +
			"question, or with --yes.",
		Example: "  bugle test 65f0a1b2c3d4e5f60718293a --to ann@example.com --to bob@example.com\n" +
			"  bugle test 65f0a1b2c3d4e5f60718293a --to USER_1 --platform ANDROID --attr 'First Name=Ann'\n" +
			"  bugle test 65f0a1b2c3d4e5f60718293a --to me@example.com --as USER_7 --as USER_8",
		Args:              cli.Exactly(1, "the ID of a draft"),
		ValidArgsFunction: f.CompleteIDs(catalog.Draft),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(t.send.Values) == 0:
				return cli.Misused("choose who gets the test with --to, up to %d times", catalog.MaxIdentifierValues)
			case len(t.as) > catalog.MaxIdentifierValues:
				return cli.Misused("--as can be repeated up to %d times", catalog.MaxIdentifierValues)
			}
			svc, id, err := f.Campaign(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if t.send.Copies && engine.IsExternal(svc) {
				return cli.Misused("--with-copies is only for workspaces of bugle; the API has no field for it")
			}
			c, w, err := testsend.Read(cmd.Context(), svc, id)
			if err != nil {
				return err
			}
			if err := t.complete(c, w); err != nil {
				return err
			}
			return t.run(cmd.Context(), f, svc, w, c)
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&t.send.Values, "to", nil, fmt.Sprintf("`recipient` of the test; can be repeated, up to %d times", catalog.MaxIdentifierValues))
	cli.ChoiceFlag(cmd, cli.OneOf(&t.send.Identifier, cli.IdentifierChoices()), "identifier", "kind of `identifier` in --to ("+identifierDefaults()+")")
	fl.StringVar(&t.send.Filter.Variation, "variation", "", "send only this `variation`")
	fl.StringVar(&t.send.Filter.Locale, "locale", "", "send only this `locale`")
	cli.ChoiceFlag(cmd, cli.OneOf(&t.send.Filter.Platform, platforms), "platform", "send only to this `platform`: "+strings.Join(platforms.Values(), ", "))
	fl.StringArrayVar(&t.attrs, "attr", nil, "user attribute for this test, as `NAME=VALUE`; can be repeated")
	fl.StringArrayVar(&t.event, "event-attr", nil, "event attribute for this test, as `NAME=VALUE`; can be repeated")
	fl.StringArrayVar(&t.as, "as", nil, "send with the data of this `user`; can be repeated, for one message each")
	fl.BoolVar(&t.send.Copies, "with-copies", false, "also send each email to its addresses in Cc and Bcc")
	cli.AddYes(cmd, &t.yes)
	return cmd
}

// identifierDefaults describes the default identifiers: the first of each table.
func identifierDefaults() string {
	var parts []string
	for _, ch := range catalog.Channels {
		if ch.Writable() {
			parts = append(parts, defaultIdentifier(ch)+" for "+ch.Label())
		}
	}
	return "default " + strings.Join(parts, ", ")
}

func defaultIdentifier(ch engine.Channel) string {
	return engine.NewTestFields(ch).Identifier.Options[0].Value
}

// complete adds what the campaign and its workspace say of the test, and checks it.
func (t *testFlags) complete(c engine.Campaign, w engine.Workspace) error {
	if !c.Channel.Writable() {
		return cli.Misused("only push and email campaigns can be tested; %s is %s", c.ID, c.Channel.Label())
	}
	if t.send.Identifier == "" {
		t.send.Identifier = defaultIdentifier(c.Channel)
	}
	if err := putValues(&t.send, w, false, t.attrs); err != nil {
		return err
	}
	if err := putValues(&t.send, w, true, t.event); err != nil {
		return err
	}
	return t.recipients(c.Channel)
}

// run sends the test: with the data of each user in --as, or once.
func (t *testFlags) run(ctx context.Context, f *cli.Factory, svc engine.Service, w engine.Workspace, c engine.Campaign) error {
	for _, name := range t.as {
		p, err := testsend.FindPersona(ctx, svc, name)
		if err != nil {
			return err
		}
		t.send.As = append(t.send.As, p)
	}
	draft, err := testsend.New(ctx, svc, w, c)
	if err != nil {
		return err
	}
	if ok, err := t.confirm(ctx, f, svc, engine.DraftTest(c.ID, t.send)); err != nil || !ok {
		return err
	}
	out, err := testsend.Send(ctx, svc, draft, []engine.TestSend{t.send}, func(s testsend.Step) {
		if !s.Done && s.Note != "" { // what it waits for
			fmt.Fprintln(f.Err, cli.Line(s.Recipient+": "+s.Note))
		}
	})
	if len(out.Results) > 0 {
		err = cmp.Or(err, printTests(&f.Printer, out))
	}
	return err
}

// confirm reports whether a test may be sent. Where recipients may have got its messages already, that is asked.
func (t *testFlags) confirm(ctx context.Context, f *cli.Factory, svc engine.Service, body doc.Value) (bool, error) {
	tests, _ := svc.(engine.TestHistory)
	names, err := testsend.Repeated(ctx, tests, body, t.send.As)
	if err != nil || len(names) == 0 || t.yes {
		return err == nil, err
	}
	warning := cli.Line(testsend.RepeatWarning(names))
	if !f.CanAsk() {
		return false, cli.Misused("%s Use --yes to send it again", warning)
	}
	return f.Confirm(ctx, warning+" Send it again?", "to send it again")
}

// printTests prints the results of a test, and fails if a message failed. Several, with the data of others, are a list in JSON.
func printTests(p *cli.Printer, out testsend.Outcome) error {
	failed := false
	var list []doc.Value
	for i, res := range out.Results {
		as := testsend.Persona(out.Requests[i])
		switch {
		case p.JSON && as == nil:
			if err := p.PrintDoc(res.Document()); err != nil {
				return err
			}
		case p.JSON:
			v, err := res.Document().Set(doc.P("as"), doc.NewString(as.ID))
			if err != nil {
				return err
			}
			list = append(list, v)
		case as != nil:
			printResults(p, res, " (as "+as.String()+")")
		default:
			printResults(p, res, "")
			fmt.Fprintln(p.Out, cli.Line(res.Message))
		}
		failed = failed || slices.ContainsFunc(res.Keys, func(k string) bool { return res.Data[k].Status == engine.Failed })
	}
	if len(list) > 0 {
		if err := p.PrintDoc(doc.NewArray(list...)); err != nil {
			return err
		}
	}
	if failed {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// printResults prints the result of each message, with what marks them all.
func printResults(p *cli.Printer, res engine.TestResult, mark string) {
	names := grid.ResultNames(res.Keys)
	for i, k := range res.Keys {
		text := names[i] + mark + " " + res.Data[k].Outcome()
		if why := res.Data[k].FailureReason; why != "" {
			text += ": " + why
		}
		fmt.Fprintln(p.Out, cli.Line(text))
		for said := range strings.Lines(res.Data[k].Detail) {
			fmt.Fprintln(p.Out, cli.Line("  "+said))
		}
	}
}

// putValues adds attributes given as NAME=VALUE, with the types that the workspace defines.
func putValues(to *engine.TestSend, w engine.Workspace, event bool, given []string) error {
	for _, s := range given {
		name, typed, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return cli.Misused("%q must be NAME=VALUE", s)
		}
		a := assemble.Attribute{Event: event, Name: name}
		if err := testsend.SetOverride(to, a, a.DataType(w), typed); err != nil {
			return cli.Misused("attribute %s %w", name, err)
		}
	}
	return nil
}

// recipients reports all problems with the recipients.
func (t *testFlags) recipients(ch engine.Channel) error {
	wrong, others := t.send.CheckRecipients(ch)
	for i, to := range t.send.Values {
		if wrong[i] != "" {
			others = append(others, fmt.Sprintf("--to %q %s", to, wrong[i]))
		}
	}
	if len(others) > 0 {
		return cli.Misused("cannot send the test: %s", strings.Join(others, "; "))
	}
	return nil
}
