package files

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/report"
	"bugle/cmd/bugle/internal/yamldoc"
	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/phrase"
)

// applying holds the flags of apply.
type applying struct {
	by                 string
	yes, dryRun, force bool
	format             report.Format
}

// NewApply returns the command bugle apply.
func NewApply(f *cli.Factory) *cobra.Command {
	var a applying
	cmd := &cobra.Command{
		Use:   "apply FILE...|DIR",
		Short: "Apply campaign files",
		Long: "A file updates the campaign with its id, or else the one with\n" +
			"its channel and name; if there is neither, it creates a draft. Components that are not in the file stay\n" +
			"as they are. The plan is printed first and applied after you confirm it, or with --yes. If one file is\n" +
			"invalid or refused, no changes are made; a campaign that is not a draft must be valid as for publishing. With\n" +
			"--dry-run --format github, a GitHub workflow shows in the pull request why.\n\n" +
			"A file with a revision, as `bugle export` writes it, is not applied if somebody changed the content of the campaign\n" +
			"since then: export it again, or use --force. The new revision is written into the file. Files without one\n" +
			"are applied in any case. Run it again if it is interrupted: no draft is created twice within 24 hours.",
		Example: "  bugle apply campaigns\n  bugle apply --dry-run campaigns/*.yaml\n  bugle apply --yes - < campaign.json\n" +
			"  bugle apply --dry-run --format github campaigns",
		Args: someFiles("files or a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.yes && a.dryRun {
				return cli.Misused("--dry-run and --yes cannot be combined")
			}
			if a.format.ForTools() && !a.dryRun {
				return cli.Misused("--format github and --format sarif are for --dry-run")
			}
			if err := a.format.Check(&f.Printer); err != nil {
				return err
			}
			return a.run(cmd.Context(), f, args)
		},
	}
	cli.AddBy(cmd, &a.by)
	cli.AddYes(cmd, &a.yes)
	cli.AddDryRun(cmd, &a.dryRun)
	cli.AddForce(cmd, &a.force, "overwrite what somebody else changed since the files were written")
	report.AddFormat(cmd, &a.format)
	return cmd
}

func (a applying) run(ctx context.Context, f *cli.Factory, args []string) error {
	svc, err := f.Campaigns(ctx)
	if err != nil {
		return err
	}
	p, err := newPlanner(ctx, f, svc, a.by, a.force)
	if err != nil {
		return err
	}
	for _, file := range campaignfile.Files(args...) {
		for _, h := range campaignfile.ReadAll(ctx, f.Streams, file) {
			p.add(ctx, h)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return a.carryOut(ctx, f, p)
}

// carryOut prints the plan, and applies it if it can be applied and is confirmed.
func (a applying) carryOut(ctx context.Context, f *cli.Factory, p *planner) error {
	code := p.exitCode()
	if a.format.ForTools() {
		if err := a.format.Write(&f.Printer, p.diagnostics()); err != nil {
			return err
		}
		return silentlyIf(code)
	}
	if !f.JSON {
		p.print(ctx, f)
	}
	todo := code == cli.ExitDone && !a.dryRun && p.count(actionCreate)+p.count(actionUpdate) > 0
	if todo && !a.yes {
		agreed, err := f.Confirm(ctx, "Apply this plan?", "to apply the plan, or --dry-run to only print it")
		if err != nil {
			return err
		}
		if !agreed {
			fmt.Fprintln(f.Out, "No changes made.")
			return nil
		}
	}
	if todo {
		code = p.apply(ctx, f)
	}
	if f.JSON {
		if err := f.PrintJSON(map[string]any{"applied": todo && code == cli.ExitDone, "plan": p.steps}); err != nil {
			return err
		}
	}
	return silentlyIf(code)
}

func (p *planner) count(action string) int {
	n := 0
	for _, s := range p.steps {
		if s.Action == action {
			n++
		}
	}
	return n
}

// exitCode returns exitDone if the whole plan can be applied.
func (p *planner) exitCode() int {
	code := cli.ExitDone
	for _, s := range p.steps {
		switch {
		case s.err == nil:
		case s.Action == actionRefused && cli.ExitCode(s.err) == cli.ExitMisused:
			code = worse(code, cli.ExitRefused)
		default:
			code = worse(code, cli.ExitCode(s.err))
		}
	}
	return code
}

// marks are the prefixes of the lines of a plan.
var marks = map[string]string{actionCreate: "+", actionUpdate: "~", actionUnchanged: "=", actionConflict: "!", actionRefused: "!", actionInvalid: "!", actionUnread: "!"}

func (p *planner) print(ctx context.Context, f *cli.Factory) {
	for _, s := range p.steps {
		fmt.Fprintln(f.Out, cli.Line(marks[s.Action]+" "+s.describe(s.Action)))
		for _, l := range append(changeLines(s.diff), doubtLines(s.Unverified)...) {
			fmt.Fprintln(f.Out, "    "+l)
		}
		if s.err == nil && s.Action == actionUpdate && s.Status != catalog.Draft {
			fmt.Fprintln(f.Out, cli.Line(fmt.Sprintf("    %s, reaches %s", strings.ToLower(s.Status.Label()), audience.EstimateReach(ctx, p.svc, s.after))))
		}
		if len(s.Stays) > 0 && s.err == nil {
			fmt.Fprintln(f.Out, cli.Line("    not in the file, unchanged: "+strings.Join(s.Stays, ", ")))
		}
		if s.Error != nil {
			fmt.Fprintln(f.Err, "bugle: "+cli.Clean(ofFile(s.File, s.located())))
		}
	}
	counts := make([]string, 0, len(marks))
	for _, c := range []struct{ action, words string }{
		{actionCreate, "to create"}, {actionUpdate, "to update"}, {actionUnchanged, "unchanged"}, {actionConflict, "in conflict"}, {actionRefused, "refused"}, {actionInvalid, "invalid"}, {actionUnread, "unreadable"},
	} {
		if n := p.count(c.action); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, c.words))
		}
	}
	fmt.Fprintln(f.Out, "Plan: "+strings.Join(counts, ", ")+".")
	if p.exitCode() != cli.ExitDone {
		fmt.Fprintln(f.Err, "No changes made.")
	}
}

// apply applies the plan in order until a step fails.
func (p *planner) apply(ctx context.Context, f *cli.Factory) int {
	for i, s := range p.steps {
		err := p.step(ctx, s)
		if err == nil && s.Action == actionUpdate {
			s.held.NoteRevision(ctx, f.Streams, p.svc, s.updated)
		}
		if err == nil {
			if s.Result != "" && !f.JSON {
				fmt.Fprintln(f.Out, cli.Line(s.describe(s.Result)))
			}
			continue
		}
		fail := cli.FailureOf(err)
		s.Error = &fail
		if !f.JSON {
			fmt.Fprintln(f.Err, "bugle: "+cli.Clean(ofFile(s.File, fail)))
			left := slices.DeleteFunc(slices.Clone(p.steps[i+1:]), func(s *step) bool { return s.Action == actionUnchanged })
			if len(left) > 0 {
				fmt.Fprintf(f.Err, "%s after it not applied; run apply again.\n", phrase.Count(len(left), "file"))
			}
		}
		return cli.ExitCode(err)
	}
	return cli.ExitDone
}

func (p *planner) step(ctx context.Context, s *step) error {
	switch s.Action {
	case actionCreate:
		made, err := p.creator.Create(ctx, s.held.Body, s.body)
		if err != nil {
			return err
		}
		if s.ID, s.Result = made.ID, resultCreated; made.Replayed {
			s.Result = resultExisting
		}
	case actionUpdate:
		now, err := p.svc.Get(ctx, s.ID)
		if err != nil {
			return err
		}
		if !yamldoc.Same(now.Body, s.before.Body) || now.Status != s.before.Status {
			return cli.WithRemedy(engine.Stale(now.Head), "Run apply again for a new plan.")
		}
		up, err := p.svc.Update(ctx, engine.UpdateRequest{ID: s.ID, IfMatch: now.Tag(), Body: s.body})
		if err != nil {
			return err
		}
		s.ID, s.Result, s.updated = up.ID, "updated", up
	}
	return nil
}
