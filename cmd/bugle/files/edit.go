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

// editing holds the flags of edit.
type editing struct {
	id, field, by, keep string
	yes                 bool
}

// NewEdit returns the command bugle edit.
func NewEdit(f *cli.Factory) *cobra.Command {
	var e editing
	cmd := &cobra.Command{
		Use:   "edit ID",
		Short: "Edit a campaign in your editor",
		Long: "Opens the campaign as YAML in the editor of VISUAL or EDITOR, or one of its fields with --field: a path, or a name\n" +
			"that only one field has. If what you save is invalid, the editor opens again with the problems on top. If you\n" +
			"save no change, nothing happens. Your text is never lost: if it cannot be saved, the name of its file is printed.\n\n" +
			"If somebody else changed the campaign meanwhile, both changes are kept. If both of you changed the same\n" +
			"component, you are asked which version to keep; without a terminal, use --keep. Unless the campaign is a draft,\n" +
			"it must stay valid, and you are asked before it is changed; without a terminal, use --yes.",
		Example: "  bugle edit 65f0a1b2c3d4e5f60718293a\n" +
			"  bugle edit 65f0a1b2c3d4e5f60718293a --field html\n" +
			"  EDITOR='code --wait' bugle edit 65f0a1b2c3d4e5f60718293a --field scheduling_details",
		Args:              cli.Exactly(1, "the ID of a campaign"),
		ValidArgsFunction: f.CompleteIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			e.id = args[0]
			return e.run(cmd.Context(), f)
		},
	}
	cmd.Flags().StringVar(&e.field, "field", "", "`path` or name of one field, such as html, subject or scheduling_details")
	cli.AddBy(cmd, &e.by)
	cli.ChoiceFlag(cmd, cli.OneOf(&e.keep, keepChoices), "keep", "`version` to keep if both sides changed a component: mine or theirs")
	cli.AddYes(cmd, &e.yes)
	if err := cmd.RegisterFlagCompletionFunc("field", e.completeFields(f)); err != nil {
		panic(err) // the flag was defined just above
	}
	return cmd
}

// completeFields completes the paths of the components and texts of the campaign in the first argument.
func (e *editing) completeFields(f *cli.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		svc, id, err := f.Campaign(cmd.Context(), args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		c, err := svc.Get(cmd.Context(), id)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		table := catalog.Campaign(c.Channel)
		var out []cobra.Completion
		fields(table, nil, c.Document(), func(p doc.Path, n *schema.Node) {
			if n != nil && (len(p) == 1 || n.Template) {
				out = append(out, cobra.CompletionWithDesc(cli.Line(p.String()), strings.Join(table.Trail(p), " › ")))
			}
		})
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// edition is one campaign, or one of its fields, while it is in the editor.
type edition struct {
	editing
	f   *cli.Factory
	svc engine.Service
	env schema.Env

	campaign engine.Campaign // as it was opened
	path     doc.Path        // of the field; empty for the whole campaign
	file     string          // has the text
	note     string          // of the change, for the history
	opened   []byte          // what the editor opened first
	rescued  string          // file that keeps the text after a failure
	text     bool            // the file is the text of a string, not YAML
	doubts   []string        // about HTML of the campaign that may be something else than the MJML that is edited
}

func (e editing) run(ctx context.Context, f *cli.Factory) error {
	d := edition{editing: e, f: f, note: "Edited in an editor"}
	var err error
	if d.svc, d.id, err = f.Campaign(ctx, e.id); err != nil {
		return err
	}
	if d.campaign, err = d.svc.Get(ctx, d.id); err != nil {
		return err
	}
	if d.by, err = f.Signer(ctx, d.svc, e.by); err != nil {
		return err
	}
	if d.env, err = cli.ChangeEnv(ctx, d.svc, d.campaign); err != nil {
		return err
	}
	if why := catalog.Refusal(catalog.Edit, d.campaign.Channel, d.campaign.DeliveryType, d.campaign.Status); why != "" {
		return engine.Errorf(engine.BadRequest, 409, "%s", why)
	}
	if !f.CanAsk() { // before the user writes
		if _, err := f.ConfirmChange(ctx, d.svc, d.campaign, 1, e.yes); err != nil {
			return err
		}
	}
	if e.field != "" {
		if d.path, err = findField(d.campaign, e.field); err != nil {
			return err
		}
	}
	return d.loop(ctx)
}

// open writes the text into a new file.
func (d *edition) open() (text []byte, err error) {
	table := catalog.Campaign(d.campaign.Channel)
	v, suffix := mjml.EditableAll(table, contentOf(d.campaign.Body)), ".yaml"
	if len(d.path) > 0 {
		v = mjml.EditableAll(table, d.campaign.Document()).Lookup(d.path)
		n := table.At(d.path)
		if d.text = v.Kind() == doc.String || !v.Exists() && n != nil && n.Kind == schema.String; d.text {
			suffix = ".txt"
			switch {
			case !mjml.InField(n):
			case mjml.IsSource(v.Text()):
				suffix = ".mjml"
			default:
				suffix = ".html"
			}
			text = []byte(v.Text())
		}
	}
	if !d.text && v.Exists() {
		if text, err = yamldoc.Encode(v); err != nil { // not every text can be written as YAML
			suffix, text = ".json", append(v.Indent(), '\n')
		}
	}
	dir, err := os.MkdirTemp("", "bugle-edit-") // only for the user
	if err != nil {
		return nil, fmt.Errorf("cannot open the editor: %w", cli.Cause(err))
	}
	name := strings.TrimSuffix(files.Name(d.campaign, ""), "-"+strings.ToLower(d.campaign.ID))
	if len(d.path) > 0 && d.path.Last().Name != "" {
		name += "-" + d.path.Last().Name
	}
	d.file = filepath.Join(dir, filepath.Base(name)+suffix)
	return text, nil
}

// loop opens the editor until the text can be saved or the user gives up.
func (d *edition) loop(ctx context.Context) error {
	text, err := d.open()
	if err != nil {
		return err
	}
	defer func() {
		if d.rescued != d.file {
			_ = os.RemoveAll(filepath.Dir(d.file)) // a file that stays does no harm
		}
	}()
	doubts, err := mjml.Doubts(ctx, catalog.Campaign(d.campaign.Channel), doc.Value{}, d.campaign.Body)
	if err != nil {
		return err
	}
	if d.doubts = clauses(doubts); !d.f.JSON {
		for _, l := range d.doubts {
			fmt.Fprintln(d.f.Err, "bugle: note: "+cli.Line(l))
		}
	}
	header := d.header(nil)
	for opened := 0; ; opened++ {
		opens := append([]byte(header), text...)
		if opened == 0 {
			d.opened = opens
		}
		if err := os.WriteFile(d.file, opens, 0o600); err != nil {
			return fmt.Errorf("cannot open the editor: %w", cli.Cause(err))
		}
		if err := d.f.OpenEditor(ctx, d.file); err != nil {
			return d.kept(cmp.Or(ctx.Err(), err))
		}
		b, err := files.Read(d.file, cli.MaxInput)
		if err != nil {
			return fmt.Errorf("cannot read what the editor saved: %w", cli.Cause(err))
		}
		if !bytes.Equal(b, opens) {
			if b, err = files.Decode(b); err != nil {
				return d.kept(fmt.Errorf("cannot use what the editor saved: %w", err))
			}
		}
		after := d.body(b, text)
		if bytes.Equal(after, text) {
			if opened == 0 {
				return d.print(d.campaign.ID, nil)
			}
			return d.kept(cli.Silent(cli.ExitInvalid))
		}
		body, problems := d.read(ctx, after)
		if ctx.Err() != nil {
			return d.kept(ctx.Err())
		}
		if problems != nil {
			text, header = after, d.header(problems)
			if again, err := d.again(ctx, problems, opened); err != nil || !again {
				return d.kept(cmp.Or(err, error(cli.Silent(cli.ExitInvalid))))
			}
			continue
		}
		id, changes, err := d.save(ctx, body)
		if err != nil {
			return d.kept(err)
		}
		return d.print(id, changes)
	}
}

// kept returns an error after which the text of the user is kept, where the system does not clear it away.
func (d *edition) kept(err error) error {
	text, rerr := os.ReadFile(d.file)
	if rerr == nil && bytes.Equal(text, d.opened) {
		fmt.Fprintln(d.f.Err, "Not saved.")
		return err
	}
	if rerr == nil {
		rerr = d.rescue(text)
	}
	if rerr != nil {
		d.rescued = d.file
	}
	fmt.Fprintln(d.f.Err, cli.Line("Not saved. Your text is in "+d.rescued))
	return err
}

// rescue writes the text of the user into the folder for state.
func (d *edition) rescue(text []byte) error {
	unsaved := filepath.Join(d.f.StateDir(), "unsaved")
	if err := os.MkdirAll(unsaved, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(unsaved, "") // only for the user
	if err != nil {
		return err
	}
	file := filepath.Join(dir, filepath.Base(d.file))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	d.rescued = file
	return nil
}

// print prints what was saved.
func (d *edition) print(id string, changes []doc.Change) error {
	if d.f.JSON {
		out := map[string]any{"id": id, "changes": shownChanges(changes)}
		if len(d.doubts) > 0 {
			out["unverified"] = d.doubts
		}
		return d.f.PrintJSON(out)
	}
	if len(changes) == 0 {
		fmt.Fprintln(d.f.Out, "No changes made.")
		return nil
	}
	for _, l := range changeLines(shownChanges(changes)) {
		fmt.Fprintln(d.f.Out, l)
	}
	fmt.Fprintln(d.f.Out, cli.Line("Updated "+id+" "+engine.CampaignName(d.campaign.Body)))
	return nil
}

// problemLine is a problem of the text in the editor.
type problemLine struct {
	line    int // in the text, from 1; 0 if not known
	message string
}

// header returns the comment above the text. A text that is no YAML has none.
func (d *edition) header(problems []problemLine) string {
	if d.text || filepath.Ext(d.file) == ".json" {
		return ""
	}
	c := d.campaign
	lines := []string{fmt.Sprintf("%s: %s, %s, %s", cmp.Or(engine.CampaignName(c.Body), c.ID), c.Channel.Label(), c.DeliveryType.Label(), c.Status.Label())}
	if len(d.path) > 0 {
		lines[0] += ": " + d.path.String()
	}
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

// body returns the text of what the editor saved, without the comment above it. before is the text that it opened.
func (d *edition) body(b, before []byte) []byte {
	if !d.text {
		for len(b) > 0 && b[0] == '#' && filepath.Ext(d.file) != ".json" {
			_, b, _ = bytes.Cut(b, []byte("\n"))
		}
		return b
	}
	// Most editors end a file with a line break, which the text may not have.
	if !bytes.HasSuffix(before, []byte("\n")) {
		b = bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r"))
	}
	return b
}

// read returns the campaign's body with the edited text, or what is wrong with it.
func (d *edition) read(ctx context.Context, text []byte) (doc.Value, []problemLine) {
	if !bytes.Equal(bytes.ToValidUTF8(text, nil), text) {
		return doc.Value{}, []problemLine{{message: "the text is not UTF-8"}}
	}
	v := doc.NewString(string(text))
	if !d.text {
		held, err := campaignfile.Parse(filepath.Base(d.file), text)
		var syntax *doc.SyntaxError
		switch {
		case errors.As(err, &syntax):
			return doc.Value{}, []problemLine{{syntax.Line, syntax.Msg}}
		case err == nil && len(d.path) > 0:
			v, err = yamlValue(text, filepath.Ext(d.file))
		case err == nil && len(held) != 1:
			err = errors.New("write one campaign; to change nothing, close the editor without a change")
		case err == nil && held[0].Err != nil:
			err = held[0].Err
		case err == nil:
			v = held[0].Body
		}
		if err != nil {
			return doc.Value{}, []problemLine{{message: err.Error()}}
		}
	}
	before := d.campaign.Body
	after := yamldoc.Respell(contentOf(before), v)
	if len(d.path) > 0 {
		var err error
		if after, err = before.Set(d.path, yamldoc.Respell(before.Lookup(d.path), v)); err != nil {
			return doc.Value{}, []problemLine{{message: err.Error()}}
		}
	}
	compiled, err := mjml.CompileBody(ctx, d.campaign.Channel, before, after)
	if err != nil {
		return doc.Value{}, d.lines(err, after, text)
	}
	return compiled, d.problems(compiled, text)
}

// yamlValue returns the one value of a text.
func yamlValue(text []byte, ext string) (doc.Value, error) {
	if ext == ".json" {
		return doc.Parse(text)
	}
	all, err := yamldoc.Parse(text)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("write one value, not %d", len(all))
	}
	if err != nil {
		return doc.Value{}, err
	}
	return all[0], nil
}

// problems returns why a body cannot be saved.
func (d *edition) problems(body doc.Value, text []byte) []problemLine {
	for name := range body.Members() {
		if engine.IsHeadField(name) && !d.campaign.Body.Get(name).Exists() {
			return []problemLine{{message: name + ": cannot be changed here; remove it"}}
		}
	}
	changed, removed := engine.ChangedComponents(contentOf(d.campaign.Body), contentOf(body))
	if _, ok := d.draftSaver(); !ok && len(removed) > 0 {
		return []problemLine{{message: "this campaign cannot lose components; add them again: " + strings.Join(removed, ", ")}}
	}
	if len(changed) == 0 {
		return nil
	}
	err := cli.CheckChange(d.campaign, d.campaign.With(body), engine.UpdateBody(d.campaign.Head, d.by, changed...), d.env)
	if err == nil {
		return nil
	}
	return d.lines(err, body, text)
}

// lines returns an error about an edited body with the lines of its text that it is about.
func (d *edition) lines(err error, body doc.Value, text []byte) []problemLine {
	e := engine.AsError(err)
	if e == nil || len(e.Problems) == 0 {
		return []problemLine{{message: err.Error()}}
	}
	var places *yamldoc.Places
	if !d.text && filepath.Ext(d.file) == ".yaml" {
		places = yamldoc.NewPlaces(text, 0)
	}
	var out []problemLine
	for _, p := range e.Problems {
		line := problemLine{message: cli.ProblemLine(p)}
		if places != nil && p.Path.HasPrefix(d.path) {
			at := p.Path[len(d.path):]
			line.line, _ = places.Position(at)
			if p.Line > 0 {
				line.line, _ = places.TextPosition(at, report.LineStart(body.Lookup(p.Path).Text(), p.Line))
			}
		}
		out = append(out, line)
	}
	return out
}

// again reports whether the editor opens again after problems: always for YAML, which shows them on top; a text of one
// field has no place for them, so they are printed, and the user is asked. Without a user, an editor that makes the same
// mistake again and again is not opened forever.
func (d *edition) again(ctx context.Context, problems []problemLine, opened int) (bool, error) {
	_, _, terminal := d.f.Terminal()
	if !d.text && (terminal || opened < mostTries) {
		return true, nil
	}
	for _, p := range problems {
		fmt.Fprintln(d.f.Err, "bugle: "+p.message)
	}
	if !terminal || d.f.JSON {
		return false, nil
	}
	said, err := d.f.Ask(ctx, "Edit the text again? [Y/n] ")
	return said != "n" && said != "no", err
}

// draftSaver returns how a draft is saved in place; false for live campaigns, and for services that only take updates.
func (d *edition) draftSaver() (engine.DraftSaver, bool) {
	saver, ok := d.svc.(engine.DraftSaver)
	return saver, ok && d.campaign.Status == catalog.Draft
}

// mostTries is how often a campaign is saved that others change all the time.
const mostTries = 5

// save saves a body on top of what others saved meanwhile. It returns the id of the saved version, and what changed.
func (d *edition) save(ctx context.Context, body doc.Value) (id string, changes []doc.Change, err error) {
	side := map[string]edit.Resolution{keepMine: edit.Mine, keepTheirs: edit.Theirs}[d.keep]
	for range mostTries {
		now, err := d.svc.Get(ctx, d.id)
		if err != nil {
			return "", nil, err
		}
		merged, conflicts := edit.Merge(d.campaign.Body, body, now.Body, side)
		if len(conflicts) > 0 {
			if side, err = d.resolve(ctx, now, conflicts); err != nil {
				return "", nil, err
			}
			merged, _ = edit.Merge(d.campaign.Body, body, now.Body, side)
		}
		if changes = yamldoc.Changes(now.Body, merged); len(changes) == 0 {
			return now.ID, nil, nil
		}
		if saver, ok := d.draftSaver(); ok && now.Status == catalog.Draft {
			_, err = saver.Save(ctx, engine.SaveRequest{ID: now.ID, Revision: now.Revision, Body: merged, By: d.by, Note: d.note})
			if edit.IsConflict(err) {
				continue // somebody saved between the two calls
			}
			d.campaign.Body = merged
			return now.ID, changes, err
		}
		up, err := d.f.Update(ctx, d.svc, now, merged, d.by, len(changes), d.yes)
		if engine.IsStale(err) {
			d.yes = d.yes || now.Status != catalog.Draft // asked once
			continue
		}
		if err == nil && up.ID == "" {
			err = cli.Silent(cli.ExitFailed)
		}
		d.campaign.Body = merged
		return up.ID, changes, err
	}
	return "", nil, cli.WithRemedy(errors.New("the campaign changes all the time"), "Run the command again.")
}

// resolve asks which version of the components to keep that both sides changed.
func (d *edition) resolve(ctx context.Context, now engine.Campaign, conflicts []string) (edit.Resolution, error) {
	names := strings.Join(conflicts, ", ")
	if !d.f.CanAsk() {
		return edit.Ask, cli.WithRemedy(fmt.Errorf("%s changed %s while you edited", cmp.Or(now.UpdatedBy, "somebody else"), names), "Run the command again, or add --keep mine or --keep theirs.")
	}
	fmt.Fprintln(d.f.Out, cli.Line(fmt.Sprintf("%s changed %s while you edited:", cmp.Or(now.UpdatedBy, "Somebody else"), names)))
	for _, l := range changeLines(shownChanges(yamldoc.Changes(d.campaign.Body, now.Body))) {
		fmt.Fprintln(d.f.Out, "  "+l)
	}
	for {
		said, err := d.f.Ask(ctx, "Which version do you want to keep? [mine/theirs/cancel] ")
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
