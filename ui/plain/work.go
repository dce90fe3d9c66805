package plain

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/personalize"
	"bugle/engine/schema"
)

// work is the work on one campaign.
type work struct {
	*session
	campaign  engine.Campaign // as it was read or saved last
	workspace engine.Workspace
	schema    *schema.Schema

	root     doc.Value // the document with every edit
	begun    doc.Value // as it was when the work began
	origin   doc.Value // the body that edits waiting to be applied started from
	problems []schema.Problem
	past     []step // what undo brings back, the newest last
	pending  bool   // there are edits that are not applied
}

// step is the document before a change, and what the change was.
type step struct {
	root doc.Value
	what string
}

// visit opens one campaign and does with it what the person asks for.
func (s *session) visit(ctx context.Context, id string) error {
	w := &work{session: s}
	if err := w.load(ctx, id); err != nil {
		return s.failed(ctx, "Cannot open the campaign", err)
	}
	err := s.choose(ctx, menu{head: w.head, items: w.items, help: campaignHelp})
	if errors.Is(err, errGone) {
		return errBack
	}
	if isBack(err) && w.pending {
		s.say("Your changes are kept, but not applied yet. They will be here when you open the campaign again.")
	}
	return err
}

func campaignHelp() []string {
	return []string{
		"This is a campaign. Choose a section to fill it in, or one of the actions after the sections.",
		"Each section has a state: empty, required, incomplete, invalid or done.",
	}
}

// load reads the campaign, and the edits of an earlier time on top of it.
func (w *work) load(ctx context.Context, id string) error {
	c, err := w.deps.Service.Get(ctx, id)
	if err != nil {
		return err
	}
	if k, ok := w.deps.Service.(engine.WorkspaceKeeper); ok {
		if w.workspace, err = k.Workspace(ctx); err != nil {
			return err
		}
	}
	w.campaign, w.schema = c, catalog.Campaign(c.Channel)
	w.root, w.origin, w.past, w.pending = c.Document(), engine.BodyOf(c.Body), nil, false
	w.begun = w.root
	if err := w.recover(ctx); err != nil {
		return err
	}
	w.check()
	return nil
}

// recover takes up edits that were kept, not applied.
func (w *work) recover(ctx context.Context) error {
	k, ok := w.deps.WorkingCopies()
	if !ok || w.inPlace() {
		return nil
	}
	kept, ok, err := k.Copy(ctx, w.campaign.ID)
	if err != nil || !ok || kept.Body.Kind() != doc.Object {
		return err
	}
	if kept.Origin.Exists() {
		w.origin = kept.Origin
	}
	c := w.campaign
	c.Body, _ = engine.Rebase(w.origin, kept.Body, w.campaign.Body)
	if root := c.Document(); len(doc.Diff(w.root, root)) > 0 {
		w.root, w.pending = root, true
		w.say("Your earlier changes are here. They are not applied yet.")
	}
	return nil
}

func (w *work) env() schema.Env {
	env := schema.Env{Stage: schema.Publish, Now: w.campaign.CheckedAt(w.deps.Now()), Expression: personalize.Parse}
	if engine.Foreign(w.deps.Service) {
		env.Record = w.campaign.With(w.origin).Document()
	}
	if w.workspace.ID != "" {
		env.Flags, env.Lists = w.workspace.Flags, w.workspace.Lists
		if env.Flags == nil {
			env.Flags = map[string]bool{}
		}
	}
	return env
}

func (w *work) check() { w.problems = w.schema.Validate(w.root, w.env()) }

// current is the campaign with the edits.
func (w *work) current() engine.Campaign {
	c := w.campaign
	c.Body = engine.BodyOf(w.root)
	return c
}

func (w *work) summary() engine.Summary { return engine.Summarize(w.current()) }

// head tells which campaign it is and how it stands.
func (w *work) head() []string {
	sum := w.summary()
	n := len(schema.Errors(w.problems))
	state := "Nothing is invalid or missing."
	if n > 0 {
		state = "Before you can publish: " + counted(n, "problem") + "."
	}
	out := []string{fmt.Sprintf("Campaign %s. %s %s", sum.Title(), sentence(kindOf(sum)), state)}
	if why := w.lockedAt(nil); why != "" {
		out = append(out, why)
	} else if w.pending {
		out = append(out, "There are changes that are not applied yet. Choose apply to send them.")
	}
	return out
}

// items are the parts of the campaign, and what can be done with it.
func (w *work) items() []item {
	var out []item
	for _, p := range w.parts() {
		out = append(out, item{label: p.title, state: p.words(), why: p.why, run: func(ctx context.Context) error { return w.open(ctx, doc.P(p.name)) }})
	}
	if bad := schema.Errors(w.problems); len(bad) > 0 && w.lockedAt(nil) == "" {
		out = append(out, item{label: "Next problem", word: "next", state: w.problemLine(bad[0]), run: func(ctx context.Context) error { return w.goTo(ctx, bad[0].Path) }})
	}
	out = append(out,
		item{label: "Validate", word: "validate", state: "find what is invalid or missing", run: w.validate},
		item{label: "Preview", word: "preview", state: "read the message", run: w.preview},
		item{label: "Send a test", word: "test", state: "to a few people", why: w.testWhy(), run: w.testSend},
		item{label: "Status", word: "status", state: "publish, stop, pause, resume, archive", run: w.status},
	)
	if w.pending {
		out = append(out,
			item{label: "Apply your changes", word: "apply", run: func(ctx context.Context) error { return w.apply(ctx, "") }},
			item{label: "Discard your changes", word: "drop", run: w.drop},
		)
	}
	if n := len(w.past); n > 0 {
		out = append(out, item{label: "Undo the last change", word: "undo", state: w.past[n-1].what, run: w.undo})
	}
	if _, ok := w.deps.Service.(engine.Historian); ok {
		out = append(out, item{label: "History", word: "history", state: "earlier versions", run: w.history})
	}
	return append(out, item{label: "Back", word: "leave", run: func(context.Context) error { return errLeave }})
}

// part is a component and how it stands.
type part struct {
	name, title string
	state       string
	problems    int
	why         string // why it is not for this campaign
}

func (p part) words() string {
	if p.problems > 0 {
		return p.state + ", " + counted(p.problems, "problem")
	}
	return p.state
}

func (w *work) parts() []part {
	var out []part
	for _, info := range catalog.Components(w.campaign.Channel) {
		p := part{name: string(info.Name), title: info.Title}
		v := w.root.Get(p.name)
		if ok, why := catalog.Applicable(info.Name, w.campaign.Channel, w.campaign.DeliveryType); !ok && !v.Exists() {
			p.why = sentence(why)
		} else {
			p.judge(v, w.problems)
		}
		out = append(out, p)
	}
	return out
}

// judge tells a part that lacks something from one in which something is refused.
func (p *part) judge(v doc.Value, problems []schema.Problem) {
	p.state = "done"
	if v.Empty() {
		p.state = "empty"
	}
	for _, pr := range schema.Errors(problems) {
		if len(pr.Path) == 0 || pr.Path[0].Name != p.name {
			continue
		}
		p.problems++
		switch {
		case v.Empty():
			p.state = "required"
		case !isMissing(pr):
			p.state = "invalid"
		case p.state != "invalid":
			p.state = "incomplete"
		}
	}
}

// isMissing reports whether a problem says that something is not there yet.
func isMissing(p schema.Problem) bool {
	_, rule, _ := strings.Cut(p.Rule, "#")
	return strings.HasPrefix(rule, "required") || rule == "one_of"
}
