package accessible

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// campaignMenu is the menu of one campaign: its sections, and the actions on the whole campaign.
type campaignMenu struct {
	*document
	sections *sections
}

func newCampaignMenu(s *session, id string) *campaignMenu {
	d := &document{session: s, edits: edit.New(s.deps.EditConfig(), id)}
	return &campaignMenu{document: d, sections: newSections(d)}
}

// visit opens the menu of a campaign.
func (s *session) visit(ctx context.Context, id string) error {
	w := newCampaignMenu(s, id)
	if err := w.load(ctx); err != nil {
		return s.reportError(ctx, "Cannot open the campaign", err)
	}
	err := s.choose(ctx, menu{header: w.header, items: w.items, help: campaignHelp})
	if errors.Is(err, errDeleted) {
		return errBack
	}
	if isBack(err) && w.pending {
		s.println("Your changes are kept, but not applied yet. They will be here when you open the campaign again.")
	}
	return err
}

func campaignHelp() []string {
	return []string{
		"This is a campaign. Choose a section to fill it in, or one of the actions after the sections.",
		"Each section has a state: empty, required, incomplete, invalid or done.",
	}
}

// header describes the campaign and its state.
func (w *campaignMenu) header() []string {
	sum := w.summary()
	n := len(schema.Errors(w.problems))
	state := "Nothing is invalid or missing."
	if n > 0 {
		state = "Before you can publish: " + phrase.Count(n, "problem") + "."
		if sum.Status != catalog.Draft {
			state = "It has " + phrase.Count(n, "problem") + "."
		}
	}
	out := []string{fmt.Sprintf("Campaign %s. %s %s", sum.Title(), phrase.Sentence(kindAndState(sum)), state)}
	if why := w.edits.LockedAt(nil); why != "" {
		out = append(out, why)
	} else if w.pending {
		out = append(out, "There are changes that are not applied yet. Choose apply to send them.")
	}
	return out
}

// items returns the sections and actions of the campaign.
func (w *campaignMenu) items() []item {
	var out []item
	for _, p := range w.sectionStates() {
		out = append(out, item{label: p.title, word: strings.ToLower(p.title), state: p.text(), disabledReason: p.reason, run: func(ctx context.Context) error { return w.sections.open(ctx, doc.P(p.name)) }})
	}
	if bad := schema.Errors(w.problems); len(bad) > 0 && w.edits.LockedAt(nil) == "" {
		out = append(out, item{label: "Next problem", word: "next", state: w.problemLine(bad[0]), run: func(ctx context.Context) error { return w.sections.goTo(ctx, bad[0].Path) }})
	}
	out = append(out,
		item{label: "Validate", word: "validate", state: "find what is invalid, missing or worth a look", run: w.validate},
		item{label: "Preview", word: "preview", state: "read the message", run: previewer{w.document}.preview},
		item{label: "Send a test", word: "test", state: "to a few people", disabledReason: w.testDisabledReason(), run: w.testSend},
		item{label: "Status", word: "status", state: "publish, stop, pause, resume, archive", run: lifecycle{w}.status},
	)
	if w.pending {
		out = append(out,
			item{label: "Apply your changes", word: "apply", run: w.review},
			item{label: "Discard your changes", word: "drop", run: w.discard},
		)
	}
	if last := w.edits.LastChanges(); len(last) > 0 {
		out = append(out, item{label: "Undo the last change", word: "undo", state: placeName(w.schema, doc.CommonPath(last)) + " changed", run: w.undo})
	}
	if _, ok := w.deps.Service.(engine.RevisionReader); ok {
		out = append(out, item{label: "History", word: "history", state: "earlier versions", run: versions{w.document}.history})
	}
	return append(out, item{label: "Back", word: "leave", run: func(context.Context) error { return errLeave }})
}

// sectionState is a component and its state.
type sectionState struct {
	name, title string
	state       string
	problems    int
	reason      string // why it does not apply to this campaign
}

func (p sectionState) text() string {
	if p.problems > 0 {
		return p.state + ", " + phrase.Count(p.problems, "problem")
	}
	return p.state
}

func (w *campaignMenu) sectionStates() []sectionState {
	var out []sectionState
	for _, info := range catalog.Components(w.campaign.Channel) {
		p := sectionState{name: string(info.Name), title: info.Title}
		v := w.root.Get(p.name)
		if ok, why := catalog.Applicable(info.Name, w.campaign.Channel, w.campaign.DeliveryType); !ok && !v.Exists() {
			p.reason = phrase.Sentence(why)
		} else {
			p.setState(v, w.problems)
		}
		out = append(out, p)
	}
	return out
}

// setState sets the state of a section with problems: incomplete, or invalid.
func (p *sectionState) setState(v doc.Value, problems []schema.Problem) {
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
		case !pr.Missing():
			p.state = "invalid"
		case p.state != "invalid":
			p.state = "incomplete"
		}
	}
}
