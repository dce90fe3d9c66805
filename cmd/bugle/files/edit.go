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
	"bugle/cmd/bugle/internal/report"
	"bugle/cmd/bugle/internal/yamldoc"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/files"
	"bugle/engine/message/mjml"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// The versions that --keep takes.
const (
	keepMine   = "mine"
	keepTheirs = "theirs"
)

var keepChoices = cli.Choices{{Value: keepMine, Help: "your version"}, {Value: keepTheirs, Help: "the version that was saved meanwhile"}}

// editing is the change of one campaign by its content.
type editing struct {
	f        *cli.Factory
	svc      engine.Service
	campaign engine.Campaign // that the change is made from
	note     string          // of the change, for the history
	by, keep string
	yes      bool
}

// NewEdit returns the command bugle edit.
func NewEdit(f *cli.Factory) *cobra.Command {
	e := editing{f: f, note: "Edited in an editor"}
	cmd := &cobra.Command{
		Use:   "edit ID",
		Short: "Edit a campaign in your editor",
		Long: "Opens the campaign as YAML in the editor of VISUAL or EDITOR. If what you save is invalid, the editor opens again\n" +
			"with the problems on top. If you save no change, nothing happens. Your text is never lost: if it cannot be saved,\n" +
			"the name of its file is printed.\n\n" +
			"If somebody else changed the campaign meanwhile, both changes are kept. If both of you changed the same\n" +
			"component, you are asked which version to keep; without a terminal, use --keep. Unless the campaign is a draft,\n" +
			"it must stay valid, and you are asked before it is changed; without a terminal, use --yes.\n\n" +
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
	cli.ChoiceFlag(cmd, cli.OneOf(&e.keep, keepChoices), "keep", "`version` to keep if both sides changed a component: mine or theirs")
	cli.AddYes(cmd, &e.yes)
	return cmd
}

// open reads the campaign that a user has named.
func (e *editing) open(ctx context.Context, name string) (err error) {
	var id string
	if e.svc, id, err = e.f.Campaign(ctx, name); err != nil {
		return err
	}
	if e.campaign, err = e.svc.Get(ctx, id); err != nil {
		return err
	}
	e.by, err = e.f.Signer(ctx, e.svc, e.by)
	return err
}

// mostTries is how often an editor is opened without a terminal, and how often a campaign is saved that others change all the
// time.
const mostTries = 5

// edit opens the editor until the text can be saved, or the user gives up.
func (e *editing) edit(ctx context.Context) error {
	c := e.campaign
	if why := catalog.Refusal(catalog.Edit, c.Channel, c.DeliveryType, c.Status); why != "" {
		return engine.Errorf(engine.BadRequest, 409, "%s", why)
	}
	if !e.f.CanAsk() { // before the user writes
		if _, err := e.f.ConfirmChange(ctx, e.svc, c, 1, e.yes); err != nil {
			return err
		}
	}
	env, err := cli.ChangeEnv(ctx, e.svc, c)
	if err != nil {
		return err
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
	first, opened := []byte(e.header(nil)+string(text)), []byte(nil)
	keep := func(err error) error {
		if now, rerr := os.ReadFile(file); rerr == nil && bytes.Equal(now, first) {
			fmt.Fprintln(e.f.Err, "Not saved.")
			return err
		}
		kept = true
		fmt.Fprintln(e.f.Err, cli.Line("Not saved. Your text is in "+file))
		return err
	}
	_, _, terminal := e.f.Terminal()
	var problems []problemLine
	for try := 1; ; try++ {
		opened = []byte(e.header(problems) + string(text))
		if err := os.WriteFile(file, opened, 0o600); err != nil {
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
			return e.print(c.ID, nil, doubts)
		case bytes.Equal(after, text):
			return keep(cli.Silent(cli.ExitInvalid))
		}
		text = after
		var body doc.Value
		if body, problems = e.read(ctx, text, env); ctx.Err() != nil {
			return keep(ctx.Err())
		}
		if len(problems) > 0 {
			if terminal || try < mostTries {
				continue
			}
			for _, p := range problems {
				fmt.Fprintln(e.f.Err, "bugle: "+p.message)
			}
			return keep(cli.Silent(cli.ExitInvalid))
		}
		id, changes, err := e.save(ctx, body)
		if err != nil {
			return keep(err)
		}
		return e.print(id, changes, doubts)
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

// print prints what was saved.
func (e *editing) print(id string, changes []doc.Change, doubts []mjml.Doubt) error {
	if e.f.JSON {
		out := map[string]any{"id": id, "changes": shownChanges(changes)}
		if len(doubts) > 0 {
			out["unverified"] = clauses(doubts)
		}
		return e.f.PrintJSON(out)
	}
	if len(changes) == 0 {
		fmt.Fprintln(e.f.Out, "No changes made.")
		return nil
	}
	for _, l := range changeLines(shownChanges(changes)) {
		fmt.Fprintln(e.f.Out, l)
	}
	fmt.Fprintln(e.f.Out, cli.Line("Updated "+id+" "+engine.CampaignName(e.campaign.Body)))
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

// read returns the campaign's body with the edited text, or what is wrong with it.
func (e *editing) read(ctx context.Context, text []byte, env schema.Env) (doc.Value, []problemLine) {
	held, err := campaignfile.Parse("text.yaml", text)
	var syntax *doc.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return doc.Value{}, []problemLine{{syntax.Line, syntax.Msg}}
	case err == nil && len(held) != 1:
		err = errors.New("write one campaign; to change nothing, close the editor without a change")
	case err == nil:
		err = held[0].Err
	}
	if err != nil {
		return doc.Value{}, []problemLine{{message: err.Error()}}
	}
	before := e.campaign.Body
	body, err := mjml.CompileBody(ctx, e.campaign.Channel, before, yamldoc.Respell(contentOf(before), held[0].Body))
	if err == nil {
		err = e.check(body, env)
	}
	failed := engine.AsError(err)
	switch {
	case err == nil:
		return body, nil
	case failed == nil || len(failed.Problems) == 0:
		return body, []problemLine{{message: err.Error()}}
	}
	var out []problemLine
	for _, d := range report.All(failed.Problems, nil, body, held[0].Source) {
		line := d.Line
		d.File = "" // the header has only the line
		out = append(out, problemLine{line, d.String()})
	}
	return body, out
}

// check returns why a body cannot be saved.
func (e *editing) check(body doc.Value, env schema.Env) error {
	for name := range body.Members() {
		if engine.IsHeadField(name) && !e.campaign.Body.Get(name).Exists() {
			return errors.New(name + ": cannot be changed here; remove it")
		}
	}
	changed, removed := engine.ChangedComponents(contentOf(e.campaign.Body), contentOf(body))
	if _, ok := e.draftSaver(); !ok && len(removed) > 0 {
		return errors.New("this campaign cannot lose components; add them again: " + strings.Join(removed, ", "))
	}
	if len(changed) == 0 {
		return nil
	}
	return cli.CheckChange(e.campaign, e.campaign.With(body), engine.UpdateBody(e.campaign.Head, e.by, changed...), env)
}

// draftSaver returns how a draft is saved in place; false for live campaigns, and for services that only take updates.
func (e *editing) draftSaver() (engine.DraftSaver, bool) {
	saver, ok := e.svc.(engine.DraftSaver)
	return saver, ok && e.campaign.Status == catalog.Draft
}

// save saves a body on top of what others saved meanwhile. It returns the id of the saved version, and what changed.
func (e *editing) save(ctx context.Context, body doc.Value) (id string, changes []doc.Change, err error) {
	side := map[string]edit.Resolution{keepMine: edit.Mine, keepTheirs: edit.Theirs}[e.keep]
	for range mostTries {
		now, err := e.svc.Get(ctx, e.campaign.ID)
		if err != nil {
			return "", nil, err
		}
		merged, conflicts := edit.Merge(e.campaign.Body, body, now.Body, side)
		if len(conflicts) > 0 {
			if side, err = e.resolve(ctx, now, conflicts); err != nil {
				return "", nil, err
			}
			merged, _ = edit.Merge(e.campaign.Body, body, now.Body, side)
		}
		if changes = yamldoc.Changes(now.Body, merged); len(changes) == 0 {
			return now.ID, nil, nil
		}
		if saver, ok := e.draftSaver(); ok && now.Status == catalog.Draft {
			_, err = saver.Save(ctx, engine.SaveRequest{ID: now.ID, Revision: now.Revision, Body: merged, By: e.by, Note: e.note})
			if edit.IsConflict(err) {
				continue // somebody saved between the two calls
			}
			e.campaign.Body = merged
			return now.ID, changes, err
		}
		up, err := e.f.Update(ctx, e.svc, now, merged, e.by, len(changes), e.yes)
		if engine.IsStale(err) {
			e.yes = e.yes || now.Status != catalog.Draft // asked once
			continue
		}
		if err == nil && up.ID == "" {
			err = cli.Silent(cli.ExitFailed)
		}
		e.campaign.Body = merged
		return up.ID, changes, err
	}
	return "", nil, cli.WithRemedy(errors.New("the campaign changes all the time"), "Run the command again.")
}

// resolve asks which version of the components to keep that both sides changed.
func (e *editing) resolve(ctx context.Context, now engine.Campaign, conflicts []string) (edit.Resolution, error) {
	names := strings.Join(conflicts, ", ")
	if !e.f.CanAsk() {
		return edit.Ask, cli.WithRemedy(fmt.Errorf("%s changed %s while you edited", cmp.Or(now.UpdatedBy, "somebody else"), names), "Run the command again, or add --keep mine or --keep theirs.")
	}
	fmt.Fprintln(e.f.Out, cli.Line(fmt.Sprintf("%s changed %s while you edited:", cmp.Or(now.UpdatedBy, "Somebody else"), names)))
	for _, l := range changeLines(shownChanges(yamldoc.Changes(e.campaign.Body, now.Body))) {
		fmt.Fprintln(e.f.Out, "  "+l)
	}
	for {
		said, err := e.f.Ask(ctx, "Which version do you want to keep? [mine/theirs/cancel] ")
		switch {
		case err != nil:
			return edit.Ask, err
		case said == "m" || said == keepMine:
			return edit.Mine, nil
		case said == "t" || said == keepTheirs:
			return edit.Theirs, nil
		case said == "" || strings.HasPrefix("cancel", said):
			return edit.Ask, cli.Silent(cli.ExitFailed)
		}
	}
}
