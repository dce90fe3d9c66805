// Package newdraft is the screen that creates a draft: a form of huh that asks for channel, delivery type and name, and for
// the creator if that is not known.
package newdraft

import (
	"errors"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/forms/textfield"
	"bugle/themes"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Screen asks for what a new draft needs.
type Screen struct {
	screen.Base
	deps  screen.Deps
	theme *themes.Theme
	panes panes.Panes

	// source has the components that the draft starts with; sourceChannel is their channel.
	source        doc.Value
	sourceChannel engine.Channel

	form      *huh.Form
	questions []question // of the form, in order

	channel, deliveryType string
	name, creator         *textfield.Question

	created bool   // the draft exists
	file    string // the name of the file that was asked for
}

// question is a field of the form.
type question struct {
	huh.Field
	name, help string
	text       *textfield.Question // nil for a choice
	answer     *string             // of a choice
	options    []screen.FormOption // of a choice
	lines      []string            // the options as they are drawn
}

const (
	nameHelp    = "Recipients never see it. You can leave it empty until you publish."
	creatorHelp = "The email address of the person who creates the campaign."
)

// New returns the screen. A document in the route is the source of the draft.
func New(deps screen.Deps, route screen.Route) *Screen {
	from := engine.ParseRecord(route.Doc)
	s := &Screen{
		Base: screen.NewBase(), deps: deps, theme: deps.Theme, panes: panes.New(deps.Theme, panes.Pane{Name: "questions"}),
		sourceChannel: from.Channel, channel: string(from.Channel), deliveryType: string(from.DeliveryType),
		name:    textfield.NewQuestion(deps.Theme, "Name", nameHelp, "such as Spring sale 2026", nil),
		creator: textfield.NewQuestion(deps.Theme, "Creator", creatorHelp, "such as ann@example.com", isEmail),
	}
	if route.Doc.Exists() {
		s.source = from.Body
	}
	s.name.SetText(engine.CampaignName(s.source))
	s.creator.SetText(deps.Author)
	s.build(0)
	if s.deliveryType == string(from.DeliveryType) { // the source has the earlier answers; esc returns to them
		s.focus(slices.IndexFunc(s.questions, func(q question) bool { return q.text == s.name }))
	}
	return s
}

// build creates the form, for the current width and the types of the channel, with the focus on a question. A question is not
// asked if it has one answer, or if the answer is known. huh's fields are new each time: an old Select with new options
// is scrolled to its value.
func (s *Screen) build(at int) {
	w, _ := s.panes.Size(0)
	var channels, types []screen.FormOption
	for _, ch := range catalog.Channels {
		if ch.Writable() && (!s.sourceChannel.Writable() || ch == s.sourceChannel) {
			channels = append(channels, screen.FormOption{Value: string(ch), Label: ch.Label(), Help: channelHelp[ch]})
		}
	}
	channel := choice("Channel", "How the message is sent.", channels, &s.channel, w-4)
	for _, o := range catalog.DeliveryTypes(engine.Channel(s.channel)) {
		if o.Offered {
			types = append(types, screen.FormOption{Value: string(o.Type), Label: o.Label, Help: o.Help})
		}
	}
	s.questions = []question{
		channel, choice("Delivery type", "When the message is sent.", types, &s.deliveryType, w-4),
		{Field: s.name, name: "Name", help: nameHelp, text: s.name},
	}
	if len(channels) == 1 {
		s.questions = s.questions[1:]
	}
	if isEmail(s.deps.Author) != nil {
		s.questions = append(s.questions, question{Field: s.creator, name: "Creator", help: creatorHelp, text: s.creator})
	}
	s.name.Blur()
	s.creator.Blur()
	var fields []huh.Field
	for _, q := range s.questions {
		fields = append(fields, q.Field)
	}
	s.form = huh.NewForm(huh.NewGroup(fields...)).WithShowHelp(false).WithShowErrors(false).
		WithTheme(huhTheme(s.theme)).WithKeyMap(huhKeys()).WithWidth(w).WithHeight(formHeight)
	s.form.Init()
	s.focus(at)
}

// choice returns a question with some answers, each with its help, cut to w cells. An answer that is not among them becomes
// the first one.
func choice(name, help string, options []screen.FormOption, answer *string, w int) question {
	q := question{name: name, help: help + " You cannot change it later.", answer: answer, options: options}
	if !slices.ContainsFunc(options, func(o screen.FormOption) bool { return o.Value == *answer }) {
		*answer = options[0].Value
	}
	width := 0
	for _, o := range options {
		width = max(width, widget.Width(o.Label))
	}
	var drawn []huh.Option[string]
	for i, o := range options {
		q.lines = append(q.lines, widget.Truncate(widget.PadRight(o.Label, width)+"  "+phrase.Capitalize(o.Help), max(w, width)))
		drawn = append(drawn, huh.NewOption(q.lines[i], o.Value))
	}
	q.Field = huh.NewSelect[string]().Title(name).Description(q.help).Options(drawn...).Value(answer)
	return q
}

// formHeight is the height of the form: all of it, of which the screen shows a part.
const formHeight = 50

var channelHelp = map[engine.Channel]string{
	catalog.Push:  "a notification on phones and in browsers",
	catalog.Email: "a message in an inbox",
}

func isEmail(text string) error {
	if schema.Email.Matches(text) {
		return nil
	}
	return errors.New("The creator must be " + schema.Email.Requirement() + ".") //nolint:staticcheck // a sentence on the screen
}

// Title returns the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "New draft" }

// Init returns nil: there is nothing to load.
func (s *Screen) Init() tea.Cmd { return nil }

// LeaveQuestion asks before a typed name is lost.
func (s *Screen) LeaveQuestion() *screen.Question {
	if s.created || s.Running(taskCreate) || s.name.Text() == engine.CampaignName(s.source) {
		return nil
	}
	return &screen.Question{
		Title: "Leave without a draft?", Body: fmt.Sprintf("The draft “%s” has not been created yet.", widget.Clean(s.name.Text())),
		Buttons: []widget.Option{{Label: "Leave", Key: "y"}, {Label: "Stay", Key: "n"}}, Focus: 1,
	}
}

// Typing reports whether the name or the creator has the keyboard.
func (s *Screen) Typing() bool { return s.name.Focused() || s.creator.Focused() }

// Badge shows that the draft is being created.
func (s *Screen) Badge() (string, themes.Tone) {
	if s.Running(taskCreate) {
		return "creating…", themes.ToneMuted
	}
	return "", themes.ToneMuted
}

// at returns the index of the focused question.
func (s *Screen) at() int {
	focused := s.form.GetFocusedField()
	return slices.IndexFunc(s.questions, func(q question) bool { return q.Field == focused })
}

// focus moves to a question. The form does so at once, so that no key that follows is lost.
func (s *Screen) focus(i int) tea.Cmd {
	for i = max(min(i, len(s.questions)-1), 0); s.at() < i; {
		s.form.NextField()
	}
	for s.at() > i {
		s.form.PrevField()
	}
	return nil
}

// next goes to the next field, and creates the draft after the last one.
func (s *Screen) next() tea.Cmd {
	switch {
	case s.at() < len(s.questions)-1:
		return s.focus(s.at() + 1)
	case s.creator.Focused() && s.creator.Check() != nil:
		s.form.Update(nil) // shows the error
		return nil
	}
	return s.create()
}

// key handles a key that is not an action.
func (s *Screen) key(msg tea.KeyMsg) {
	switch {
	case s.Typing() && msg.Type == tea.KeyUp:
		s.focus(s.at() - 1)
	case s.Typing() && msg.Type == tea.KeyDown:
		s.focus(s.at() + 1)
	default:
		channel := s.channel
		if s.form.Update(msg); s.channel != channel {
			s.build(s.at())
		}
	}
}

// huhKeys returns huh's key map without its filter. The keys that leave a question are actions of the screen.
func huhKeys() *huh.KeyMap {
	k := huh.NewDefaultKeyMap()
	k.Quit.SetEnabled(false)
	k.Select.Filter.SetEnabled(false)
	return k
}
