package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/muesli/cancelreader"
	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/yamldoc"
	"bugle/engine"
)

// applying says how files are applied.
type applying struct {
	by          string
	yes, dryRun bool
}

func newApply(f *factory) *cobra.Command {
	var a applying
	cmd := &cobra.Command{
		Use:   "apply FILE…|DIR",
		Short: "Create and change campaigns to be as files say",
		Long: "Make campaigns what files say. The campaign of a file is the one with its id; where there is\n" +
			"none of that id, the one with its channel and name; and where there is none of these, a draft is\n" +
			"created. Of a campaign that is there, the components that differ are changed; what the file does\n" +
			"not have stays. The plan is shown first, and carried out when you say so, or with --yes. Where a\n" +
			"file is not valid, or a campaign may not be changed so, nothing is applied.",
		Example: "  bugle apply campaigns\n  bugle apply --dry-run campaigns/*.yaml\n  bugle apply --yes - < campaign.json",
		Args:    someFiles("or the folder to apply"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.yes && a.dryRun {
				return misused("--dry-run shows the plan alone; leave out --yes")
			}
			return a.run(cmd.Context(), f, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&a.by, "by", "", "`e-mail` address of who changes them (default: the workspace's author)")
	fl.BoolVar(&a.yes, "yes", false, "carry the plan out without asking")
	fl.BoolVar(&a.dryRun, "dry-run", false, "show the plan alone")
	return cmd
}

func (a applying) run(ctx context.Context, f *factory, args []string) error {
	svc, err := f.campaigns(ctx)
	if err != nil {
		return err
	}
	p, err := newPlanner(ctx, f, svc, a.by)
	if err != nil {
		return err
	}
	for _, arg := range args {
		for _, file := range campaignFiles(arg) {
			for _, h := range f.readCampaigns(ctx, file) {
				p.add(ctx, h)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return a.carryOut(ctx, f, p)
}

// carryOut shows the plan, and does it where it can be done and is wanted.
func (a applying) carryOut(ctx context.Context, f *factory, p *planner) error {
	code := p.exitCode()
	if !f.json {
		p.print(f)
	}
	todo := code == exitDone && !a.dryRun && p.count(actionCreate)+p.count(actionUpdate) > 0
	if todo && !a.yes {
		agreed, err := f.agrees(ctx)
		if err != nil {
			return err
		}
		if !agreed {
			fmt.Fprintln(f.out, "Nothing was applied.")
			return nil
		}
	}
	if todo {
		code = p.apply(ctx, f)
	}
	if f.json {
		if err := f.printJSON(map[string]any{"applied": todo && code == exitDone, "plan": p.steps}); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return silentlyIf(code)
}

// agrees asks on the terminal; without one there is nobody to ask.
func (f *factory) agrees(ctx context.Context) (bool, error) {
	in, _, ok := f.terminal()
	if !ok || f.json {
		return false, misused("say --yes to carry the plan out, or --dry-run to see it alone")
	}
	fmt.Fprint(f.out, "Carry it out? [y/N] ")
	r, err := cancelreader.NewReader(in)
	if err != nil {
		return false, fmt.Errorf("reading the answer: %w", err)
	}
	defer func() { _ = r.Close() }()
	defer context.AfterFunc(ctx, func() { r.Cancel() })()
	var answer []byte
	for b := make([]byte, 1); len(answer) < 16; {
		n, err := r.Read(b)
		if n == 0 || err != nil || b[0] == '\n' {
			break
		}
		answer = append(answer, b[0])
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	said := strings.ToLower(strings.TrimSpace(string(answer)))
	return said == "y" || said == "yes", nil
}

// campaignFiles gives the files below a folder that hold campaigns, in order; what is no folder is
// given itself. What begins with a dot is left out.
func campaignFiles(arg string) []string {
	if info, err := os.Stat(arg); arg == stdin || err != nil || !info.IsDir() {
		return []string{arg}
	}
	var out []string
	err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			out = append(out, path) // reading it says why
		case path != arg && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return filepath.SkipDir
			}
		case !d.IsDir() && isCampaignFile(path):
			out = append(out, path)
		}
		return nil
	})
	if err != nil || len(out) == 0 {
		return []string{arg} // reading it says that it is a folder
	}
	return out
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

// exitCode gives what the plan says of itself: done where all of it can be carried out.
func (p *planner) exitCode() int {
	code := exitDone
	for _, s := range p.steps {
		switch {
		case s.err == nil:
		case s.Action == actionRefused && exitCode(s.err) == exitMisused:
			code = worse(code, exitRefused)
		default:
			code = worse(code, exitCode(s.err))
		}
	}
	return code
}

// marks are what the lines of a plan begin with.
var marks = map[string]string{actionCreate: "+", actionUpdate: "~", actionUnchanged: "=", actionRefused: "!", actionInvalid: "!"}

func (p *planner) print(f *factory) {
	for _, s := range p.steps {
		fmt.Fprintln(f.out, line(marks[s.Action]+" "+s.told(s.Action)))
		for _, l := range changeLines(s.diff) {
			fmt.Fprintln(f.out, "    "+l)
		}
		if len(s.Stays) > 0 && s.err == nil {
			fmt.Fprintln(f.out, line("    stays, not in the file: "+strings.Join(s.Stays, ", ")))
		}
		if s.Error != nil {
			fmt.Fprintln(f.err, "bugle: "+clean(ofFile(s.File, *s.Error)))
		}
	}
	counts := make([]string, 0, len(marks))
	for _, c := range []struct{ action, words string }{
		{actionCreate, "to create"}, {actionUpdate, "to change"}, {actionUnchanged, "unchanged"}, {actionRefused, "refused"}, {actionInvalid, "invalid"},
	} {
		if n := p.count(c.action); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, c.words))
		}
	}
	fmt.Fprintln(f.out, "Plan: "+strings.Join(counts, ", ")+".")
	if p.exitCode() != exitDone {
		fmt.Fprintln(f.err, "Nothing is applied.")
	}
}

// apply carries the plan out, in its order, up to the first step that fails.
func (p *planner) apply(ctx context.Context, f *factory) int {
	for i, s := range p.steps {
		err := p.step(ctx, s)
		if err == nil {
			if s.Result != "" && !f.json {
				fmt.Fprintln(f.out, line(s.told(s.Result)))
			}
			continue
		}
		fail := failureOf(err)
		s.Error = &fail
		if !f.json {
			fmt.Fprintln(f.err, "bugle: "+clean(ofFile(s.File, fail)))
			left := slices.DeleteFunc(slices.Clone(p.steps[i+1:]), func(s *step) bool { return s.Action == actionUnchanged })
			if len(left) > 0 {
				fmt.Fprintf(f.err, "%s after it not applied; apply again.\n", counted(len(left), "file"))
			}
		}
		return exitCode(err)
	}
	return exitDone
}

// errMoved says that a campaign is not what the plan was made for.
var errMoved = errors.New("the campaign was changed after the plan was made; apply again to see what is to do now")

func (p *planner) step(ctx context.Context, s *step) error {
	switch s.Action {
	case actionCreate:
		made, err := p.svc.Create(ctx, engine.CreateRequest{Body: s.body})
		if err != nil {
			return err
		}
		s.ID, s.Result = made.ID, "created"
	case actionUpdate:
		now, err := p.svc.Get(ctx, s.ID)
		if err != nil {
			return err
		}
		if !yamldoc.Same(now.Body, s.before.Body) {
			return errMoved
		}
		up, err := p.svc.Update(ctx, engine.UpdateRequest{ID: s.ID, Body: s.body})
		if err != nil {
			return err
		}
		s.ID, s.Result = up.ID, "updated"
	}
	return nil
}
