package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/report"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/check"
	"bugle/engine/message/template"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// checkFlags are the flags of bugle check.
type checkFlags struct {
	online, strict bool
	selector       string
	dismiss        []string
	restore        []string
	reason, by     string
	format         report.Format
}

// NewCheck returns the command bugle check.
func NewCheck(f *cli.Factory) *cobra.Command {
	var c checkFlags
	cmd := &cobra.Command{
		Use:   "check ID|FILE|-",
		Short: "Check a campaign before it is sent",
		Long: "Lists what is likely wrong with a campaign: an audience of nobody, links that lead nowhere, subjects that\n" +
			"phones cut, emails that Gmail clips, and more. Problems that keep it from being published come first.\n" +
			"Nothing is changed and nothing is sent. With --online, every link and image is asked if it answers, except\n" +
			"for unsubscribe links, and the DNS for the SPF, DKIM and DMARC records of the sender's domain.\n" +
			"A warning can be dismissed with a reason, which is kept beside the campaign. It is shown again once the text\n" +
			"at its place changes.\n" +
			"Exits with 3 if there is a problem, and with --strict also if there is a warning.\n\n" +
			"For a file, what is wrong is printed with its line and column. With --format github, a GitHub workflow shows it\n" +
			"in the pull request.",
		Example: "  bugle check 65f0a1b2c3d4e5f60718293a\n" +
			"  bugle check --online --strict 65f0a1b2c3d4e5f60718293a\n" +
			"  bugle check campaign.yaml\n" +
			"  bugle check --strict --format github campaign.yaml\n" +
			"  bugle check 65f0a1b2c3d4e5f60718293a --dismiss audience-empty@segmentation_details --reason 'Planned'",
		Args:              cli.Exactly(1, "the ID of a campaign, a file, or - for standard input"),
		ValidArgsFunction: f.CompleteIDsOrFiles(),
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), f, args[0]) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&c.online, "online", false, "ask links, images and the DNS")
	flags.BoolVar(&c.strict, "strict", false, "exit with 3 if there is a warning")
	flags.StringVar(&c.selector, "dkim-selector", "", "`name` of the DKIM key of the connector, for --online")
	flags.StringArrayVar(&c.dismiss, "dismiss", nil, "dismiss the warning with this `id`; can be repeated")
	flags.StringArrayVar(&c.restore, "restore", nil, "show the warning with this `id` again; can be repeated")
	flags.StringVar(&c.reason, "reason", "", "`text` that says why the warnings are dismissed")
	cli.AddBy(cmd, &c.by)
	report.AddFormat(cmd, &c.format)
	return cmd
}

func (c *checkFlags) run(ctx context.Context, f *cli.Factory, arg string) error {
	ofCampaign := cli.NamesCampaign(arg)
	switch {
	case !ofCampaign && len(c.dismiss)+len(c.restore) > 0:
		return cli.Misused("warnings are dismissed for saved campaigns; use the ID of one")
	case len(c.dismiss) > 0 && strings.TrimSpace(c.reason) == "":
		return cli.Misused("--dismiss needs a --reason")
	case len(c.dismiss) == 0 && c.reason != "":
		return cli.Misused("--reason is for --dismiss")
	case c.selector != "" && !c.online:
		return cli.Misused("--dkim-selector is for --online")
	}
	if err := c.format.Check(&f.Printer); err != nil {
		return err
	}
	var p preflight
	var err error
	if ofCampaign {
		p, err = c.ofCampaign(ctx, f, arg)
	} else {
		var h campaignfile.Held
		if h = campaignfile.Read(ctx, f.Streams, campaignfile.File{Name: arg}); h.Err != nil && c.format.ForTools() {
			report.Write(&f.Printer, []report.Diagnostic{report.Failure(h)})
			return cli.Silent(cli.ExitCode(h.Err))
		}
		p, err = ofFile(ctx, f, h)
	}
	if err != nil {
		return err
	}
	if c.online {
		p.result, err = check.Online(ctx, p.campaign, p.facts, check.OnlineOptions{Selector: c.selector}, p.result)
		if err != nil {
			return err
		}
	}
	if c.format.ForTools() {
		report.Write(&f.Printer, p.diagnostics())
	} else {
		err = p.print(&f.Printer)
	}
	if err != nil {
		return err
	}
	if len(schema.Errors(p.problems)) > 0 || c.strict && p.result.Count(check.Warning) > 0 {
		return cli.Silent(cli.ExitInvalid)
	}
	return nil
}

// preflight is a campaign and what is wrong with it.
type preflight struct {
	campaign engine.Campaign
	facts    check.Facts
	problems []schema.Problem
	result   check.Result

	root   doc.Value           // of the document that was checked
	source campaignfile.Source // the file that it was read from, if any
}

// diagnostics returns the problems and the findings, with their places if the campaign is in a file.
func (p preflight) diagnostics() []report.Diagnostic {
	return report.All(schema.Errors(p.problems), p.result.Findings, p.root, p.source)
}

// ofCampaign checks a campaign of the service, after it has dismissed and restored warnings.
func (c *checkFlags) ofCampaign(ctx context.Context, f *cli.Factory, name string) (preflight, error) {
	var p preflight
	svc, id, err := f.Campaign(ctx, name)
	if err != nil {
		return p, err
	}
	kept, err := f.Dismissals(svc)
	if err != nil {
		return p, err
	}
	v, err := svc.Validate(ctx, id)
	if err != nil {
		return p, err
	}
	p.problems = v.Problems
	if err := p.load(ctx, svc, kept, id); err != nil {
		return p, err
	}
	if len(c.dismiss)+len(c.restore) == 0 {
		return p, nil
	}
	by, err := f.Signer(ctx, svc, c.by)
	if err != nil {
		return p, err
	}
	for _, warning := range c.dismiss {
		found, ok := p.result.Find(warning)
		if !ok {
			return p, cli.Misused("this campaign has no warning %q; `bugle check %s` lists them", warning, id)
		}
		if err := kept.PutDismissal(ctx, id, found.Dismiss(by, strings.TrimSpace(c.reason), time.Now())); err != nil {
			return p, err
		}
	}
	for _, warning := range c.restore {
		if found, ok := p.result.Find(warning); !ok || found.Dismissed == nil {
			return p, cli.Misused("the warning %q is not dismissed", warning)
		}
		if err := kept.DeleteDismissal(ctx, id, warning); err != nil {
			return p, err
		}
	}
	return p, p.load(ctx, svc, kept, id)
}

// load reads a campaign, and checks it.
func (p *preflight) load(ctx context.Context, svc engine.Service, kept engine.DismissalStore, id string) (err error) {
	if p.campaign, err = svc.Get(ctx, id); err != nil {
		return err
	}
	p.root = p.campaign.Document()
	p.facts, p.result, err = check.LoadAndRun(ctx, svc, kept, p.campaign, time.Now())
	return err
}

// ofFile checks a campaign of a file: against the workspace, where there is one.
func ofFile(ctx context.Context, f *cli.Factory, h campaignfile.Held) (preflight, error) {
	if h.Err != nil {
		return preflight{}, h.Err
	}
	p := preflight{campaign: engine.ParseRecord(h.Body), source: h.Source, root: h.Body}
	if !p.campaign.Channel.Writable() {
		return p, cli.DocumentError{Err: fmt.Errorf("%s has no channel that can be checked; it must be PUSH or EMAIL", h.Where)}
	}
	env := schema.Env{Stage: schema.Publish, Now: time.Now(), Expression: template.Check}
	svc, err := f.Campaigns(ctx)
	switch {
	case errors.Is(err, cli.ErrNoWorkspace):
		p.facts = check.Facts{Now: time.Now()}
	case err != nil:
		return p, err
	default:
		if p.facts, err = check.Load(ctx, svc, nil, p.campaign, time.Now()); err != nil {
			return p, err
		}
		if w := p.facts.Workspace; w != nil {
			env.Flags, env.Lists = w.Flags, w.Lists
		}
	}
	p.problems = catalog.Campaign(p.campaign.Channel).Validate(p.campaign.Document(), env)
	p.result, err = check.Run(ctx, p.campaign, p.facts)
	return p, err
}

// print prints the problems, the warnings and the notes, one on a line with its place and its remedy.
func (p preflight) print(to *cli.Printer) error {
	if to.JSON {
		type skipped struct {
			Check string `json:"check"`
			Why   string `json:"why"`
		}
		failed, skips := len(schema.Errors(p.problems)), []skipped{}
		for _, s := range p.result.Skipped {
			skips = append(skips, skipped{s.Check, s.Why})
		}
		all := p.diagnostics()
		return to.PrintJSON(map[string]any{
			"valid": failed == 0, "errors": all[:failed], "warnings": all[failed:], "dismissed": check.Documents(p.result.Dismissed), "skipped": skips,
		})
	}
	all := p.diagnostics()
	for _, s := range []struct {
		level       report.Level
		noun, after string
	}{{report.Error, "problem", " to fix"}, {report.Warning, "warning", ""}, {report.Note, "note", ""}} {
		list := slices.DeleteFunc(slices.Clone(all), func(d report.Diagnostic) bool { return d.Level != s.level })
		if len(list) > 0 {
			fmt.Fprintf(to.Out, "%s%s:\n", phrase.Count(len(list), s.noun), s.after)
		}
		for _, d := range list {
			fmt.Fprintln(to.Out, "  "+d.String())
		}
	}
	if n := len(p.result.Dismissed); n > 0 {
		fmt.Fprintf(to.Out, "%s dismissed:\n", phrase.Count(n, "warning"))
		for _, found := range p.result.Dismissed {
			d := found.Dismissed
			fmt.Fprintln(to.Out, cli.Line(fmt.Sprintf("  %s: %s (%s) [%s]", found.Place(), d.Reason, cmp.Or(d.By, "unknown"), found.ID())))
		}
	}
	if len(all) == 0 {
		fmt.Fprintln(to.Out, "No warnings.")
	}
	for _, line := range p.result.NotChecked() {
		fmt.Fprintln(to.Out, cli.Line(line))
	}
	return nil
}
