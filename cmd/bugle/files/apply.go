package files

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/phrase"
)

// applying holds the flags of apply.
type applying struct {
	by, plan                    string
	yes, dryRun, force, partial bool
}

// NewApply returns the command bugle apply.
func NewApply(f *cli.Factory) *cobra.Command {
	var a applying
	cmd := &cobra.Command{
		Use:   "apply FILE...|DIR",
		Short: "Apply campaign files",
		Long: "A file updates the campaign with its id, or else the one with\n" +
			"its channel and name; if there is neither, it creates a draft, and the id is written into the file. Components that\n" +
			"are not in the file stay as they are. The workspace and the plan are printed first, and the plan is applied after\n" +
			"you confirm it, or with --yes. If one file is invalid or refused, no changes are made, or with --partial those of\n" +
			"the other files; a campaign that is not a draft must be valid as for publishing.\n\n" +
			"The output of --dry-run --json is a plan that --plan applies later, without a question and whatever the files have\n" +
			"then, unless a campaign of the plan was changed since.\n\n" +
			"A file with a revision, as `bugle export` writes it, is not applied if somebody changed the content of the campaign\n" +
			"since then: export it again, or use --force. The new revision is written into the file. Files without one\n" +
			"are applied in any case. Run it again if it is interrupted: no draft is created twice within 24 hours.\n\n" +
			"To promote campaigns, export from one workspace and apply to another one or to a remote. The ids in the files stay;\n" +
			"the file .bugle-promoted.json beside them notes the ids there, so a campaign that you rename is renamed there, too.\n" +
			"Without a note, a campaign is found by its name.",
		Example: "  bugle apply campaigns\n  bugle apply --dry-run campaigns/*.yaml\n  bugle apply --yes - < campaign.json\n" +
			"  bugle apply --dry-run --json campaigns > plan.json && bugle apply --plan plan.json\n" +
			"  bugle --workspace TEST export --all --dir campaigns && bugle --remote prod apply campaigns",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case a.plan != "" && len(args) > 0:
				return cli.Misused("--plan has its files; leave out %s", args[0])
			case a.plan != "":
				return nil
			}
			return someFiles("files or a folder")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), f, args) },
	}
	cli.AddBy(cmd, &a.by)
	cli.AddYes(cmd, &a.yes)
	cli.AddDryRun(cmd, &a.dryRun)
	cli.AddForce(cmd, &a.force, "overwrite what somebody else changed since the files were written")
	cmd.Flags().BoolVar(&a.partial, "partial", false, "apply what is valid, if not all of it is")
	cmd.Flags().StringVar(&a.plan, "plan", "", "apply the plan in a `file`, which --dry-run --json printed")
	cmd.MarkFlagsMutuallyExclusive("yes", "dry-run")
	for _, other := range []string{"dry-run", "by", "force"} {
		cmd.MarkFlagsMutuallyExclusive("plan", other)
	}
	return cmd
}

// someFiles requires at least one file.
func someFiles(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cli.Misused("%s", cli.Takes(cmd, what+", or - for standard input"))
		}
		return nil
	}
}

// plan is what would be applied, in the output of --json.
type plan struct {
	Target  cli.Target `json:"target"`
	Files   []string   `json:"files"` // the arguments
	Applied bool       `json:"applied"`
	Steps   []*step    `json:"plan"`
}

func (a applying) run(ctx context.Context, f *cli.Factory, args []string) error {
	svc, err := f.Campaigns(ctx)
	if err != nil {
		return err
	}
	target, err := f.Target(ctx)
	if err != nil {
		return err
	}
	p, err := newPlanner(ctx, f, svc, a.by, a.force)
	if err != nil {
		return err
	}
	if a.plan != "" {
		args, err = p.load(ctx, a.plan, target)
	} else if err = p.list(ctx); err == nil {
		err = p.read(ctx, args)
	}
	if err != nil {
		return err
	}
	return a.carryOut(ctx, p, plan{Target: target, Files: args, Steps: p.steps})
}

// carryOut prints the plan, and applies it if it can be applied and is confirmed.
func (a applying) carryOut(ctx context.Context, p *planner, out plan) error {
	f, code := p.f, p.exitCode()
	if !f.JSON {
		p.print(out.Target)
	}
	todo := !a.dryRun && (a.partial || code == cli.ExitDone) && p.count(actionCreate)+p.count(actionUpdate) > 0
	if todo && !a.yes && a.plan == "" {
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
		applied := p.apply(ctx, a.partial)
		out.Applied, code = applied == cli.ExitDone, worse(code, applied)
		left := 0
		for _, s := range p.steps {
			if s.Action != actionUnchanged && s.Result == "" {
				left++
			}
		}
		if left > 0 && !f.JSON {
			fmt.Fprintf(f.Err, "%s not applied; run apply again.\n", phrase.Count(left, "file"))
		}
	} else if code != cli.ExitDone && !f.JSON {
		fmt.Fprintln(f.Err, "No changes made.")
	}
	if f.JSON {
		for _, s := range p.steps {
			if !a.dryRun {
				s.Request, s.Revision = doc.Value{}, ""
			}
		}
		if err := f.PrintJSON(out); err != nil {
			return err
		}
	}
	return cli.Silent(code)
}

// load reads a plan for the same target, and finds its files again, into which ids and revisions are written.
func (p *planner) load(ctx context.Context, file string, target cli.Target) ([]string, error) {
	b, err := p.f.Read(ctx, file)
	if err != nil {
		return nil, err
	}
	var saved plan
	if err := json.Unmarshal(b, &saved); err != nil || saved.Target.Workspace == "" {
		return nil, cli.DocumentError{Err: fmt.Errorf("%s is not a plan that `bugle apply --dry-run --json` printed", cli.InputName(file))}
	}
	if saved.Target != target {
		return nil, cli.Misused("the plan is for %s, not for %s", saved.Target, target)
	}
	p.steps = saved.Steps
	for _, s := range p.steps {
		if s.Error != nil {
			s.err = engine.Errorf(s.Error.Code, 0, "%s", s.Error.Message)
		}
	}
	for _, file := range campaignfile.Files(saved.Files...) {
		if file.Name == cli.Stdin {
			continue
		}
		h := campaignfile.Read(ctx, p.f.Streams, file)
		if i := slices.IndexFunc(p.steps, func(s *step) bool { return s.File == h.Where }); i >= 0 && h.Err == nil {
			p.steps[i].held, p.steps[i].ours = h, strings.EqualFold(engine.ParseRecord(h.Body).ID, p.steps[i].ID)
		}
	}
	return saved.Files, ctx.Err()
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

// actions are what a plan can do with files, with the mark of the lines and the words that count them.
var actions = []struct{ name, mark, words string }{
	{actionCreate, "+", "to create"}, {actionUpdate, "~", "to update"}, {actionUnchanged, "=", "unchanged"}, {actionConflict, "!", "in conflict"},
	{actionRefused, "!", "refused"}, {actionInvalid, "!", "invalid"}, {actionUnread, "!", "unreadable"},
}

// print prints where and what the plan changes, and what is wrong with it.
func (p *planner) print(target cli.Target) {
	f := p.f
	fmt.Fprintln(f.Out, cli.Line("Apply to "+target.String()+":"))
	for _, s := range p.steps {
		for _, a := range actions {
			if a.name == s.Action {
				fmt.Fprintln(f.Out, cli.Line(a.mark+" "+s.describe(s.Action)))
			}
		}
		for _, l := range s.lines() {
			fmt.Fprintln(f.Out, l)
		}
		if s.Reach != "" && s.err == nil {
			fmt.Fprintln(f.Out, cli.Line(fmt.Sprintf("    %s, reaches %s", strings.ToLower(s.Status.Label()), s.Reach)))
		}
		if len(s.Stays) > 0 && s.err == nil {
			fmt.Fprintln(f.Out, cli.Line("    not in the file, unchanged: "+strings.Join(s.Stays, ", ")))
		}
	}
	p.printErrors()
	var counts []string
	for _, a := range actions {
		if n := p.count(a.name); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, a.words))
		}
	}
	fmt.Fprintln(f.Out, "Plan: "+strings.Join(counts, ", ")+".")
}

// printErrors prints why files cannot be applied.
func (p *planner) printErrors() {
	for _, s := range p.steps {
		if s.Error != nil {
			fmt.Fprintln(p.f.Err, "bugle: "+cli.Clean(s.failure()))
		}
	}
}

// The results of a step.
const (
	resultCreated  = "created"
	resultExisting = "already created" // by an earlier run
	resultUpdated  = "updated"
)

// apply carries out the steps that change something, in order, and writes new revisions into the files. After one that fails
// it goes on only with others, and if the error is about that campaign alone.
func (p *planner) apply(ctx context.Context, others bool) (code int) {
	for _, s := range p.steps {
		if s.Action != actionCreate && s.Action != actionUpdate || s.err != nil {
			continue
		}
		err := p.step(ctx, s)
		if engine.IsStale(err) {
			err = cli.WithRemedy(err, "Make a new plan: run apply again.")
		}
		switch {
		case err != nil:
			s.fail(s.Action, err)
			code = worse(code, cli.ExitCode(err))
			if !p.f.JSON {
				fmt.Fprintln(p.f.Err, "bugle: "+cli.Clean(s.failure()))
			}
		case s.Action == actionCreate && s.held.Body.Exists():
			s.held.NoteID(p.f.Streams, s.ID)
		case s.Action == actionUpdate && s.ours:
			s.held.NoteRevision(ctx, p.f.Streams, p.svc, s.updated)
		}
		if err == nil && !p.f.JSON {
			fmt.Fprintln(p.f.Out, cli.Line(s.describe(s.Result)))
		}
		if err != nil && (!others || stops(err)) {
			break
		}
	}
	p.notePromoted()
	return code
}

// stops reports whether an error is not about one campaign, so that the others need not be tried.
func stops(err error) bool {
	e := engine.AsError(err)
	return e == nil || cli.ExitCode(err) == cli.ExitFailed && !engine.IsStale(err) || e.HTTP >= http.StatusInternalServerError ||
		slices.Contains([]engine.Code{engine.RateLimited, engine.Unauthorized, engine.Forbidden}, e.Code)
}

// step carries out one step.
func (p *planner) step(ctx context.Context, s *step) error {
	if s.Action == actionCreate {
		from := s.held.Body
		if !from.Exists() {
			from = s.Request
		}
		made, err := p.creator.Create(ctx, from, s.Request)
		if err != nil {
			return err
		}
		if s.ID, s.Result = made.ID, resultCreated; made.Replayed {
			s.Result = resultExisting
		}
		return nil
	}
	now, err := p.svc.Get(ctx, s.ID)
	if err != nil {
		return err
	}
	if now.StateRevision() != s.Revision {
		return engine.Stale(now.Head)
	}
	up, err := p.svc.Update(ctx, engine.UpdateRequest{ID: s.ID, IfMatch: now.Tag(), Body: s.Request})
	if err != nil {
		return err
	}
	s.ID, s.Result, s.updated = up.ID, resultUpdated, up
	return nil
}

// worse returns the more severe of two exit codes: failure, then invalid input, then refusal.
func worse(a, b int) int {
	order := []int{cli.ExitDone, cli.ExitRefused, cli.ExitInvalid, cli.ExitMisused, cli.ExitFailed}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}
