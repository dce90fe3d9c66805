package files

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/report"
	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/doc/yamldoc"
	"bugle/engine/edit"
	"bugle/engine/message/mjml"
	"bugle/engine/schema"
)

// The actions of a plan.
const (
	actionCreate    = "create"
	actionUpdate    = "update"
	actionUnchanged = "unchanged"
	actionConflict  = "conflict"
	actionRefused   = "refused"
	actionInvalid   = "invalid"
	actionUnread    = "unreadable"
)

// step is the plan for one campaign.
type step struct {
	File    string       `json:"file"`
	Action  string       `json:"action,omitempty"`
	ID      string       `json:"id,omitempty"`
	Name    string       `json:"name,omitempty"`
	Status  engine.State `json:"status,omitempty"` // of a campaign that is updated
	Reach   string       `json:"reach,omitempty"`  // of one that is live
	Changes []doc.Change `json:"changes,omitempty"`
	Stays   []string     `json:"stays,omitempty"` // components that the file does not have
	// Unverified is HTML that may be something else than its MJML.
	Unverified []string `json:"unverified,omitempty"`
	// Request is the body of the request, and Revision the state of the campaign that an update was planned for; in the
	// output of --dry-run, which can be applied later.
	Request  doc.Value `json:"request,omitzero"`
	Revision string    `json:"revision,omitempty"`

	Result string       `json:"result,omitempty"` // created, already created or updated, once that is done
	Error  *cli.Failure `json:"error,omitempty"`
	// Problems are what the error is about, with its places in the files.
	Problems []report.Diagnostic `json:"problems,omitempty"`

	held    campaignfile.Held
	err     error
	ours    bool            // the file is of this workspace, not of another one
	before  engine.Campaign // the current campaign when an update was planned
	mine    doc.Value       // the body that the file describes, without what was changed in the workspace
	after   engine.Campaign
	updated engine.Updated // what the service said
}

func (s *step) fail(action string, err error) {
	fail := cli.FailureOf(err)
	s.Action, s.err, s.Error = action, err, &fail
	switch e := engine.AsError(err); {
	case s.held.Err != nil:
		s.Problems = []report.Diagnostic{report.Failure(s.held)}
	case e == nil || len(e.Problems) == 0:
		s.Problems = []report.Diagnostic{{Location: s.held.Source.File(), Rule: action, Level: report.Error, Message: err.Error()}}
	default:
		s.Problems = report.All(e.Problems, nil, s.held.Body, s.held.Source)
	}
}

// failure returns why the step cannot be carried out, with the file before it and the places of what is wrong.
func (s *step) failure() string {
	fail := *s.Error
	if e := engine.AsError(s.err); e != nil && len(e.Problems) > 0 {
		fail.Details = nil
		for _, d := range s.Problems {
			fail.Details = append(fail.Details, engine.Detail{Message: d.String()})
		}
	}
	text := fail.Text()
	for _, begin := range []string{"", "cannot read ", "cannot use "} {
		if strings.HasPrefix(text, begin+s.File) {
			return text
		}
	}
	return s.File + ": " + text
}

// describe describes what is or was done with a file, and the campaign as far as it is known.
func (s *step) describe(what string) string {
	for _, known := range []string{s.ID, s.Name} {
		if known != "" {
			what += " " + known
		}
	}
	return s.File + ": " + what
}

// lines returns what a step changes, indented.
func (s *step) lines() []string {
	out := append(changeLines(s.Changes), doubtLines(s.Unverified)...)
	for i, l := range out {
		out[i] = "    " + l
	}
	return out
}

// planner makes the plan for files, and carries it out.
type planner struct {
	f       *cli.Factory
	svc     engine.Service
	creator *cli.Creator
	env     schema.Env
	by      string           // the flag --by, which overrides who signs a file
	author  string           // signs changes otherwise
	force   bool             // files are applied also if they are older than their campaigns
	rows    []engine.Summary // the current version of each existing campaign
	byID    map[string]engine.Summary
	taken   map[string]string // the file of a campaign, by id or by channel and name
	steps   []*step

	// agreed are the bodies that files were changed from, as far as they are known, by the ids of the campaigns. What was
	// changed in the workspace since then stays; without it, a file that has the revision of an earlier body is a conflict.
	agreed map[string]agreed

	// promoted are, by folder and by the id in a file, the ids of the campaign in other workspaces, as apply has noted them.
	promoted map[string]map[string][]string
}

// agreed is a body that a file was changed from.
type agreed struct {
	body     doc.Value
	revision string // that the file had
}

// newPlanner returns a planner for campaigns that are known by their ids.
func newPlanner(ctx context.Context, f *cli.Factory, svc engine.Service, by string, force bool) (*planner, error) {
	p := &planner{f: f, svc: svc, by: by, force: force, taken: map[string]string{}, steps: []*step{}, promoted: map[string]map[string][]string{}}
	var err error
	if p.env, err = edit.CheckEnv(ctx, svc); err != nil {
		return nil, err
	}
	if p.creator, err = f.Creator(ctx, svc, by); err != nil {
		return nil, err
	}
	p.author, err = f.Signer(ctx, svc, by)
	return p, err
}

// list reads which campaigns there are, to find those of files.
func (p *planner) list(ctx context.Context) error {
	all, err := engine.List(ctx, p.svc, engine.ListQuery{Archived: true})
	p.byID = map[string]engine.Summary{}
	for _, versions := range byCampaign(all) {
		p.rows = append(p.rows, versions[0])
		for _, s := range versions {
			p.byID[s.ID] = versions[0]
		}
	}
	return err
}

// read plans the campaigns of files and folders.
func (p *planner) read(ctx context.Context, args []string) error {
	for _, file := range campaignfile.Files(args...) {
		p.add(ctx, campaignfile.Read(ctx, p.f.Streams, file))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// add plans the campaign of a file.
func (p *planner) add(ctx context.Context, h campaignfile.Held) {
	s := &step{File: h.Where, held: h}
	p.steps = append(p.steps, s)
	if h.Err != nil {
		action := actionUnread
		if cli.ExitCode(h.Err) == cli.ExitInvalid {
			action = actionInvalid
		}
		s.fail(action, h.Err)
		return
	}
	rec := engine.ParseRecord(h.Body)
	s.Name = engine.CampaignName(rec.Body)
	if rec.ID != "" {
		_, s.ours = p.byID[strings.ToLower(rec.ID)]
	}
	id, err := p.find(rec, s.Name, p.promotedIn(h.Folder()))
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
		s.fail(actionRefused, cli.Misused("same campaign as in %s", other))
		return
	}
	p.taken[mark] = s.File
	if id == "" {
		p.create(ctx, s, rec)
		return
	}
	p.update(ctx, s, rec)
}

// change plans the change of one campaign by a file.
func (p *planner) change(ctx context.Context, h campaignfile.Held, id string) *step {
	s := &step{File: h.Where, held: h, ID: id, ours: true}
	p.update(ctx, s, engine.ParseRecord(h.Body))
	return s
}

// find returns the id of the campaign of a file, empty if it is to be created. A file of another workspace is of the
// campaign that was made from it, also if it was renamed since then, or else of the one with its name.
func (p *planner) find(rec engine.Campaign, name string, promoted map[string][]string) (string, error) {
	for _, id := range append([]string{rec.ID}, promoted[rec.ID]...) {
		if row, ok := p.byID[strings.ToLower(id)]; ok {
			return row.ID, nil
		}
	}
	if name == "" {
		return "", cli.Misused("the campaign has neither a name nor a known id; use `bugle create` to create it")
	}
	var ids []string
	for _, row := range p.rows {
		if row.Name == name && row.Channel == rec.Channel {
			ids = append(ids, row.ID)
		}
	}
	if slices.Sort(ids); len(ids) > 1 {
		return "", cli.Misused("%d campaigns have this name (%s); add the id of one of them to the file", len(ids), strings.Join(ids, ", "))
	}
	return strings.Join(ids, ""), nil
}

func (p *planner) create(ctx context.Context, s *step, rec engine.Campaign) {
	var err error
	rec.Body = contentOf(rec.Body)
	if rec.Body, err = s.compile(ctx, rec.Channel, doc.Value{}, rec.Body); err != nil {
		s.fail(actionFor(err), err)
		return
	}
	s.Request = newBody(rec.Document(), p.by, p.author)
	env := p.env
	if engine.IsExternal(p.svc) && (campaignfile.IsRecord(s.held.Body) || campaignfile.IsExport(s.held.Body)) {
		env.Record = s.Request
	}
	if err := checkNew(s.Request, env); err != nil {
		s.fail(actionInvalid, err)
		return
	}
	s.Action = actionCreate
}

// compile returns the body of a file with its MJML compiled, and notes HTML that may be something else than its MJML.
func (s *step) compile(ctx context.Context, ch engine.Channel, before, body doc.Value) (doc.Value, error) {
	doubts, err := mjml.Doubts(ctx, catalog.Campaign(ch), before, body)
	if err != nil {
		return body, err
	}
	s.Unverified = clauses(doubts)
	return mjml.CompileBody(ctx, ch, before, body)
}

// update plans the change of the components that differ.
func (p *planner) update(ctx context.Context, s *step, rec engine.Campaign) {
	c, err := p.svc.Get(ctx, s.ID)
	if err != nil {
		s.fail(actionRefused, err)
		return
	}
	rec.Body = contentOf(rec.Body)
	rec.Channel, rec.DeliveryType = cmp.Or(rec.Channel, c.Channel), cmp.Or(rec.DeliveryType, c.DeliveryType)
	switch {
	case string(rec.Status) == string(catalog.Publish):
		s.fail(actionRefused, cli.Misused("use `bugle publish %s` to publish; a file has components", c.ID))
		return
	case rec.Channel != c.Channel || rec.DeliveryType != c.DeliveryType:
		s.fail(actionInvalid, engine.Errorf(engine.ValidationFailed, http.StatusBadRequest,
			"the channel and type of campaign %s cannot change from %s %s to %s %s", c.ID, c.Channel, c.DeliveryType, rec.Channel, rec.DeliveryType))
		return
	}
	base, known := c.Body, false
	if a, ok := p.agreed[c.ID]; ok && a.revision == s.held.Revision {
		base, known = a.body, true
	}
	if rec.Body, err = s.compile(ctx, c.Channel, base, rec.Body); err != nil {
		s.fail(actionFor(err), err)
		return
	}
	mine := base
	for name, v := range rec.Body.Members() {
		if at := catalog.Component(name); yamldoc.Same(catalog.InRequest(c.Channel, at, base.Get(name)), catalog.InRequest(c.Channel, at, v)) {
			continue
		}
		if mine, err = mine.Set(doc.P(name), yamldoc.Respell(c.Body.Get(name), v)); err != nil {
			s.fail(actionInvalid, cli.DocumentError{Err: err})
			return
		}
	}
	merged, conflicts := edit.Merge(base, mine, c.Body, edit.Ask)
	if len(conflicts) > 0 {
		s.fail(actionConflict, fmt.Errorf("%s changed in the workspace, too; compare with `bugle diff`, then use `bugle apply` or export again", strings.Join(conflicts, ", ")))
		return
	}
	s.mine = mine
	after := c.With(merged)
	s.Name = engine.CampaignName(after.Body)
	parts, _ := engine.ChangedComponents(c.Body, merged)
	for name := range c.Body.Members() {
		if !rec.Body.Get(name).Exists() {
			s.Stays = append(s.Stays, name)
		}
	}
	s.before, s.Action = c, actionUnchanged
	if len(parts) == 0 {
		return
	}
	if err := p.current(rec.ID, s); err != nil && !known {
		s.fail(actionConflict, cli.OrForce(err, "overwrite it"))
		return
	}
	s.after, s.Action, s.Status, s.Changes = after, actionUpdate, c.Status, yamldoc.Changes(c.Body, after.Body)
	s.Request, s.Revision = engine.UpdateBody(c.Head, p.author, parts...), c.StateRevision()
	if c.Status != catalog.Draft {
		s.Reach = fmt.Sprint(audience.EstimateReach(ctx, p.svc, after))
	}
	env := p.env
	if engine.IsExternal(p.svc) {
		env.Record = engine.UpdateBody(c.Head, p.author, cli.Members(c.Body)...)
	}
	if err := edit.CheckChange(c, after, s.Request, env); err != nil {
		s.fail(actionFor(err), err)
	}
}

// current returns an error if somebody has changed the campaign since the file was written. A file with another id is of
// an earlier version, or was found by its name.
func (p *planner) current(id string, s *step) error {
	switch {
	case p.force || s.held.Revision == "" || !s.ours:
		return nil
	case id != "" && !strings.EqualFold(id, s.before.ID):
		return engine.Stale(s.before.Head)
	}
	return s.before.CheckRevision(s.held.Revision)
}

// newBody returns the body of the request that creates the campaign of a file: a record, an export or the body of a
// create request. Its creator stays unless by is set.
func newBody(v doc.Value, by, author string) doc.Value {
	rec := engine.ParseRecord(v)
	return engine.NewDraftBody(rec.Channel, rec.DeliveryType, cmp.Or(by, rec.CreatedBy, author), rec.Body)
}

// checkNew returns an error for a body that create would refuse, as far as that can be determined without creating it.
func checkNew(body doc.Value, env schema.Env) error {
	if err := edit.Fits(body); err != nil {
		return err
	}
	return engine.Invalid(catalog.CreateRequest(engine.ParseRecord(body).Channel).Validate(body, env))
}

// actionFor distinguishes an invalid file from a campaign that cannot be changed.
func actionFor(err error) string {
	if cli.ExitCode(err) == cli.ExitInvalid {
		return actionInvalid
	}
	return actionRefused
}
