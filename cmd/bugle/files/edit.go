package files

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/doc/yamldoc"
	"bugle/engine/files"
	"bugle/engine/message/mjml"
	"bugle/engine/phrase"
)

// editing is the change of one campaign in an editor.
type editing struct {
	f        *cli.Factory
	plan     *planner
	campaign engine.Campaign // that the change is made from
	by       string
	yes      bool
}

// NewEdit returns the command bugle edit.
func NewEdit(f *cli.Factory) *cobra.Command {
	e := editing{f: f}
	cmd := &cobra.Command{
		Use:   "edit ID",
		Short: "Edit a campaign in your editor",
		Long: "Opens the campaign as YAML in the editor of VISUAL or EDITOR. If what you save is invalid, the editor opens again\n" +
			"with the problems on top. If you save no change, nothing happens. Your text is never lost: if it cannot be saved,\n" +
			"the name of its file is printed.\n\n" +
			"If somebody else changed the campaign meanwhile, both changes are kept. If both of you changed the same\n" +
			"component, nothing is saved. Unless the campaign is a draft, it must stay valid, and you are asked before it is\n" +
			"changed; without a terminal, use --yes.\n\n" +
			"To edit long texts in files of their own, use `bugle export --folders` and `bugle watch`.",
		Example:           "  bugle edit 65f0a1b2c3d4e5f60718293a\n  EDITOR='code --wait' bugle edit 65f0a1b2c3d4e5f60718293a",
		Args:              cli.Exactly(1, "the ID of a campaign"),
		ValidArgsFunction: f.CompleteIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := e.open(cmd.Context(), args[0]); err != nil {
				return err
			}
			return e.edit(cmd.Context())
		},
	}
	cli.AddBy(cmd, &e.by)
	cli.AddYes(cmd, &e.yes)
	return cmd
}

// open reads the campaign that a user has named.
func (e *editing) open(ctx context.Context, name string) error {
	svc, id, err := e.f.Campaign(ctx, name)
	if err != nil {
		return err
	}
	if e.campaign, err = svc.Get(ctx, id); err != nil {
		return err
	}
	if e.plan, err = newPlanner(ctx, e.f, svc, e.by, false); err != nil {
		return err
	}
	e.plan.agreed = map[string]agreed{id: {body: e.campaign.Body}}
	return nil
}

// mostTries is how often an editor is opened without a terminal.
const mostTries = 5

// edit opens the editor until the text can be saved, or the user gives up.
func (e *editing) edit(ctx context.Context) error {
	c := e.campaign
	if why := catalog.Refusal(catalog.Edit, c.Channel, c.DeliveryType, c.Status); why != "" {
		return engine.Errorf(engine.BadRequest, 409, "%s", why)
	}
	if !e.f.CanAsk() { // before the user writes
		if _, err := e.f.ConfirmChange(ctx, e.plan.svc, c, 1, e.yes); err != nil {
			return err
		}
	}
	doubts, err := mjml.Doubts(ctx, catalog.Campaign(c.Channel), doc.Value{}, c.Body)
	if err != nil {
		return err
	}
	if !e.f.JSON {
		for _, l := range clauses(doubts) {
			fmt.Fprintln(e.f.Err, "bugle: note: "+cli.Line(l))
		}
	}
	text, err := yamldoc.Encode(mjml.EditableAll(catalog.Campaign(c.Channel), contentOf(c.Body)))
	if err != nil {
		return cli.WithRemedy(fmt.Errorf("campaign %s: %w", c.ID, err), "Use `bugle get` and `bugle update`.")
	}
	file, err := e.newFile()
	if err != nil {
		return fmt.Errorf("cannot open the editor: %w", cli.Cause(err))
	}
	kept := false
	defer func() {
		if !kept {
			_ = os.RemoveAll(filepath.Dir(file)) // a file that stays does no harm
		}
	}()
	first := []byte(e.header(nil) + string(text))
	keep := func(err error) error {
		if now, rerr := os.ReadFile(file); rerr == nil && bytes.Equal(now, first) {
			fmt.Fprintln(e.f.Err, "Not saved.")
			return err
		}
		kept = true
		fmt.Fprintln(e.f.Err, cli.Line("Not saved. Your text is in "+file))
		fmt.Fprintln(e.f.Err, cli.Line("To save it in any case: bugle update "+c.ID+" "+file))
		return err
	}
	_, _, terminal := e.f.Terminal()
	var problems []problemLine
	for try := 1; ; try++ {
		if err := os.WriteFile(file, []byte(e.header(problems)+string(text)), 0o600); err != nil {
			return fmt.Errorf("cannot open the editor: %w", cli.Cause(err))
		}
		if err := e.f.OpenEditor(ctx, file); err != nil {
			return keep(cmp.Or(ctx.Err(), err))
		}
		saved, err := files.Read(file, cli.MaxInput)
		if err == nil {
			saved, err = files.Decode(saved)
		}
		if err != nil {
			return keep(fmt.Errorf("cannot use what the editor saved: %w", cli.Cause(err)))
		}
		after := withoutComments(saved)
		switch {
		case bytes.Equal(after, text) && try == 1:
			return printChanged(&e.f.Printer, &step{ID: c.ID, Unverified: clauses(doubts)})
		case bytes.Equal(after, text):
			return keep(cli.Silent(cli.ExitInvalid))
		}
		text = after
		var s *step
		if s, problems = e.read(ctx, text); ctx.Err() != nil {
			return keep(ctx.Err())
		}
		if s != nil && s.Action == actionConflict {
			return keep(s.err)
		}
		if len(problems) == 0 {
			agreed, err := e.plan.carryOut(ctx, s, e.yes)
			switch {
			case err != nil:
				return keep(err)
			case !agreed:
				return keep(cli.Silent(cli.ExitFailed))
			}
			return nil
		}
		if !terminal && try == mostTries {
			for _, p := range problems {
				fmt.Fprintln(e.f.Err, "bugle: "+p.message)
			}
			return keep(cli.Silent(cli.ExitInvalid))
		}
	}
}

// newFile returns the name of a file for the text of the user, where the system does not clear it away if possible.
func (e *editing) newFile() (string, error) {
	unsaved := filepath.Join(e.f.StateDir(), "unsaved")
	if os.MkdirAll(unsaved, 0o700) != nil {
		unsaved = ""
	}
	dir, err := os.MkdirTemp(unsaved, "") // only for the user
	if err != nil {
		dir, err = os.MkdirTemp("", "bugle-edit-")
	}
	name := strings.TrimSuffix(files.Name(e.campaign, ""), "-"+strings.ToLower(e.campaign.ID))
	return filepath.Join(dir, filepath.Base(name)+".yaml"), err
}

// printChanged prints what was changed in a campaign.
func printChanged(p *cli.Printer, s *step) error {
	if p.JSON {
		out := map[string]any{"id": s.ID, "changes": append([]doc.Change{}, s.Changes...)}
		if len(s.Unverified) > 0 {
			out["unverified"] = s.Unverified
		}
		return p.PrintJSON(out)
	}
	if len(s.Changes) == 0 {
		fmt.Fprintln(p.Out, "No changes made.")
		return nil
	}
	for _, l := range changeLines(s.Changes) {
		fmt.Fprintln(p.Out, l)
	}
	fmt.Fprintln(p.Out, cli.Line("Updated "+s.ID+" "+s.Name))
	return nil
}

// problemLine is a problem of the text in the editor.
type problemLine struct {
	line    int // in the text, from 1; 0 if not known
	message string
}

// header returns the comment above the text.
func (e *editing) header(problems []problemLine) string {
	c := e.campaign
	lines := []string{fmt.Sprintf("%s: %s, %s, %s", cmp.Or(engine.CampaignName(c.Body), c.ID), c.Channel.Label(), c.DeliveryType.Label(), c.Status.Label())}
	if len(problems) == 0 {
		lines = append(lines, "Save and close to apply your changes. Close without a change to cancel. Comments are not kept.")
	} else {
		lines = append(lines, "", phrase.Count(len(problems), "problem")+". Nothing was saved yet. Close without a change to give up; your text stays in this file.")
		before := len(lines) + len(problems)
		for _, p := range problems {
			place := ""
			if p.line > 0 {
				place = fmt.Sprintf("line %d: ", p.line+before)
			}
			lines = append(lines, "  "+place+p.message)
		}
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight("# "+cli.Line(l), " ") + "\n")
	}
	return b.String()
}

// withoutComments returns a text without the comments above it.
func withoutComments(b []byte) []byte {
	for len(b) > 0 && b[0] == '#' {
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	return b
}

// read plans the change to the edited text, or returns what is wrong with it.
func (e *editing) read(ctx context.Context, text []byte) (*step, []problemLine) {
	h := campaignfile.Parse("text.yaml", text)
	var syntax *doc.SyntaxError
	switch {
	case errors.As(h.Err, &syntax):
		return nil, []problemLine{{syntax.Line, syntax.Msg}}
	case h.Err != nil:
		return nil, []problemLine{{message: h.Err.Error()}}
	}
	for name := range contentOf(e.campaign.Body).Members() {
		if !h.Body.Get(name).Exists() {
			return nil, []problemLine{{message: "a campaign cannot lose components; add " + name + " again"}}
		}
	}
	s := e.plan.change(ctx, h, e.campaign.ID)
	var problems []problemLine
	for _, d := range s.Problems {
		line := d.Line
		d.File = "" // the header has only the line
		problems = append(problems, problemLine{line, d.String()})
	}
	return s, problems
}
