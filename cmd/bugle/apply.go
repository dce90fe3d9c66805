package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/muesli/cancelreader"
	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/yamldoc"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
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

// What is to become of a file's campaign.
const (
	actionCreate    = "create"
	actionUpdate    = "update"
	actionUnchanged = "unchanged"
	actionRefused   = "refused"
	actionInvalid   = "invalid"
)

// step is the plan for one campaign.
type step struct {
	File    string        `json:"file"`
	Action  string        `json:"action"`
	ID      string        `json:"id,omitempty"`
	Name    string        `json:"name,omitempty"`
	Changes []shownChange `json:"changes,omitempty"`
	Stays   []string      `json:"stays,omitempty"`  // components that the file does not have
	Result  string        `json:"result,omitempty"` // created or updated, once that is done
	Error   *failure      `json:"error,omitempty"`

	err    error
	diff   []doc.Change
	before engine.Campaign // an update's campaign as the plan saw it
	body   doc.Value       // of the request
}

func (s *step) fail(action string, err error) {
	fail := failureOf(err)
	s.Action, s.err, s.Error = action, err, &fail
}

// told gives the file, what is or was done, and the campaign as far as it is known.
func (s *step) told(what string) string {
	for _, known := range []string{s.ID, s.Name} {
		if known != "" {
			what += " " + known
		}
	}
	return s.File + ": " + what
}

// planner finds out what is to be done.
type planner struct {
	svc   engine.Service
	env   schema.Env
	by    string
	rows  []engine.Summary // the current version of each campaign that is there
	byID  map[string]engine.Summary
	taken map[string]string // the file of a campaign, by id or by channel and name
	steps []*step
}

func newPlanner(ctx context.Context, f *factory, svc engine.Service, by string) (*planner, error) {
	p := &planner{svc: svc, byID: map[string]engine.Summary{}, taken: map[string]string{}, steps: []*step{}}
	all, err := listAll(ctx, svc, true)
	if err != nil {
		return nil, err
	}
	current := map[string]engine.Summary{} // by campaign_id
	key := func(s engine.Summary) string {
		if s.CampaignID == "" {
			return s.ID
		}
		return s.CampaignID
	}
	for _, s := range all {
		if have, ok := current[key(s)]; !ok || s.Version > have.Version {
			current[key(s)] = s
		}
	}
	for _, s := range all {
		p.byID[s.ID] = current[key(s)]
		if current[key(s)].ID == s.ID {
			p.rows = append(p.rows, s)
		}
	}
	if p.env, err = checkEnv(ctx, svc); err != nil {
		return nil, err
	}
	p.by, err = f.signer(ctx, svc, by)
	return p, err
}

// add plans for one campaign of a file.
func (p *planner) add(ctx context.Context, h heldCampaign) {
	s := &step{File: h.where}
	p.steps = append(p.steps, s)
	if h.err != nil {
		s.fail(actionInvalid, h.err)
		return
	}
	rec := engine.ParseRecord(h.body)
	rec.Body = contentOf(rec.Body)
	s.Name = engine.NameOf(rec.Body)
	id, err := p.find(rec, s.Name)
	if err != nil {
		s.fail(actionRefused, err)
		return
	}
	s.ID = id
	mark := id
	if mark == "" {
		mark = string(rec.Channel) + " " + s.Name
	}
	if other, twice := p.taken[mark]; twice {
		s.fail(actionRefused, misused("it is the same campaign as that of %s", other))
		return
	}
	p.taken[mark] = s.File
	if id == "" {
		p.create(s, rec)
		return
	}
	p.update(ctx, s, rec)
}

// find gives the id of the campaign that a file is about; empty where it is to be created.
func (p *planner) find(rec engine.Campaign, name string) (string, error) {
	if row, ok := p.byID[strings.ToLower(rec.ID)]; ok {
		return row.ID, nil
	}
	if name == "" {
		return "", misused("it has no name and no id that is known here, so that it could not be found again; `bugle import` creates it")
	}
	var ids []string
	for _, row := range p.rows {
		if row.Name == name && row.Channel == rec.Channel {
			ids = append(ids, row.ID)
		}
	}
	if len(ids) > 1 {
		return "", misused("%d campaigns have its name (%s); put the id of the one that is meant into the file", len(ids), strings.Join(ids, ", "))
	}
	return strings.Join(ids, ""), nil
}

func (p *planner) create(s *step, rec engine.Campaign) {
	s.body = newBody(rec.Document(), "", p.by)
	if err := checkNew(s.body, p.env); err != nil {
		s.fail(actionInvalid, err)
		return
	}
	s.Action = actionCreate
}

// update plans the change of the components that differ.
func (p *planner) update(ctx context.Context, s *step, rec engine.Campaign) {
	c, err := p.svc.Get(ctx, s.ID)
	if err != nil {
		s.fail(actionRefused, err)
		return
	}
	if rec.Channel != c.Channel || rec.DeliveryType != c.DeliveryType {
		s.fail(actionInvalid, engine.Errorf(engine.ValidationFailed, http.StatusBadRequest,
			"campaign %s is %s %s and stays that; the file says %s %s", c.ID, c.Channel, c.DeliveryType, rec.Channel, rec.DeliveryType))
		return
	}
	after := c
	var parts []doc.Member
	for name, v := range rec.Body.Members() {
		if yamldoc.Same(c.Body.Get(name), v) {
			continue
		}
		parts = append(parts, doc.M(name, v))
		if after.Body, err = after.Body.Set(doc.P(name), v); err != nil {
			s.fail(actionInvalid, documentError{err})
			return
		}
	}
	for name := range c.Body.Members() {
		if !rec.Body.Get(name).Exists() {
			s.Stays = append(s.Stays, name)
		}
	}
	s.before, s.Action = c, actionUnchanged
	if len(parts) == 0 {
		return
	}
	s.diff = yamldoc.Changes(c.Body, after.Body)
	s.Action, s.Changes, s.body = actionUpdate, shownChanges(s.diff), engine.UpdateBody(c.Head, p.by, parts...)
	if err := checkChange(c, after, s.body, p.env); err != nil {
		s.fail(actionFor(err), err)
	}
}

// checkChange refuses what updating would refuse, as far as that is known before.
func checkChange(before, after engine.Campaign, body doc.Value, env schema.Env) error {
	if !before.Channel.Writable() {
		return engine.Errorf(engine.Unprocessable, http.StatusUnprocessableEntity, "%s campaigns can be read here, not changed", before.Channel.Label())
	}
	if err := fits(after.Body); err != nil {
		return err
	}
	if err := engine.Invalid(catalog.UpdateRequest(before.Channel).Validate(body, env)); err != nil {
		return err
	}
	ok, why := catalog.Allowed(catalog.Edit, before.Channel, before.DeliveryType, before.Status)
	if !ok {
		return engine.Errorf(engine.BadRequest, http.StatusConflict, "%s", why)
	}
	var locked []string
	for _, at := range catalog.LockedChanges(before.Status, before.Document(), after.Document()) {
		locked = append(locked, at.String())
	}
	if len(locked) > 0 {
		return engine.Errorf(engine.BadRequest, http.StatusConflict, "the campaign is %s, which locks %s", before.Status, strings.Join(locked, ", "))
	}
	return nil
}

// actionFor tells a file that is not valid from a campaign that may not be changed.
func actionFor(err error) string {
	if exitCode(err) == exitInvalid {
		return actionInvalid
	}
	return actionRefused
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
