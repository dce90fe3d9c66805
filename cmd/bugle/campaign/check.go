package campaign

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/report"
	"bugle/engine"
	"bugle/engine/message/check"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// checkFlags are the flags of bugle check.
type checkFlags struct {
	online, strict bool
	selector       string
}

// NewCheck returns the command bugle check.
func NewCheck(f *cli.Factory) *cobra.Command {
	var c checkFlags
	cmd := &cobra.Command{
		Use:   "check ID",
		Short: "Check a campaign before it is sent",
		Long: "Lists what is likely wrong with a campaign: an audience of nobody, links that lead nowhere, subjects that\n" +
			"phones cut, emails that Gmail clips, and more. Problems that keep it from being published come first.\n" +
			"Nothing is changed and nothing is sent. With --online, every link and image is asked if it answers, except\n" +
			"for unsubscribe links, and the DNS for the SPF, DKIM and DMARC records of the sender's domain.\n" +
			"A warning that was dismissed in the terminal program is shown again once the text at its place changes.\n" +
			"Exits with 3 if there is a problem, and with --strict also if there is a warning. `bugle lint` checks files.",
		Example: "  bugle check 65f0a1b2c3d4e5f60718293a\n" +
			"  bugle check --online --strict 65f0a1b2c3d4e5f60718293a",
		Args:              cli.Exactly(1, "the ID of a campaign"),
		ValidArgsFunction: f.CompleteIDs(),
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd.Context(), f, args[0]) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&c.online, "online", false, "ask links, images and the DNS")
	flags.BoolVar(&c.strict, "strict", false, "exit with 3 if there is a warning")
	flags.StringVar(&c.selector, "dkim-selector", "", "`name` of the DKIM key of the connector, for --online")
	return cmd
}

func (c *checkFlags) run(ctx context.Context, f *cli.Factory, name string) error {
	switch {
	case !cli.NamesCampaign(name):
		return cli.Misused("check is for campaigns; for files, use `bugle lint %s`", name)
	case c.selector != "" && !c.online:
		return cli.Misused("--dkim-selector is for --online")
	}
	svc, id, err := f.Campaign(ctx, name)
	if err != nil {
		return err
	}
	v, err := svc.Validate(ctx, id)
	if err != nil {
		return err
	}
	p, facts, err := load(ctx, f, svc, id)
	if err != nil {
		return err
	}
	p.problems = v.Problems
	if c.online {
		p.result, err = check.Online(ctx, p.campaign, facts, check.OnlineOptions{Selector: c.selector}, p.result)
		if err != nil {
			return err
		}
	}
	if err := p.print(&f.Printer); err != nil {
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
	problems []schema.Problem
	result   check.Result
}

// load reads a campaign and checks it against its workspace.
func load(ctx context.Context, f *cli.Factory, svc engine.Service, id string) (p preflight, facts check.Facts, err error) {
	kept, err := f.Dismissals(svc)
	if err != nil {
		return p, facts, err
	}
	if p.campaign, err = svc.Get(ctx, id); err != nil {
		return p, facts, err
	}
	facts, p.result, err = check.LoadAndRun(ctx, svc, kept, p.campaign, time.Now())
	return p, facts, err
}

// print prints the problems, the warnings and the notes, one on a line with its place and its remedy.
func (p preflight) print(to *cli.Printer) error {
	failed := schema.Errors(p.problems)
	all := report.All(failed, p.result.Findings, p.campaign.Document(), campaignfile.Source{})
	if to.JSON {
		return to.PrintJSON(map[string]any{
			"valid": len(failed) == 0, "errors": all[:len(failed)], "warnings": all[len(failed):], "dismissed": check.Documents(p.result.Dismissed), "skipped": append([]check.Skipped{}, p.result.Skipped...),
		})
	}
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
