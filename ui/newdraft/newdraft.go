// Package newdraft is the screen that creates a draft: it asks for channel, delivery type, name and creator.
package newdraft

import (
	"cmp"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/themes"
	"bugle/ui/panes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// step is one of the questions.
type step int

const (
	stepChannel step = iota
	stepType
	stepName
	stepCreator
	stepCount
)

func (s step) title() string {
	return [...]string{"Channel", "Delivery type", "Name", "Creator"}[s]
}

func (s step) help() string {
	return [...]string{
		"How the message is sent. You cannot change it later.",
		"When the message is sent. You cannot change it later.",
		"What you and your team call the campaign. Recipients never see it. You can leave it empty until you publish.",
		"The email address of the person who creates the campaign.",
	}[s]
}

// Screen asks for what a new draft needs.
type Screen struct {
	screen.Base
	deps  screen.Deps
	theme *themes.Theme
	panes panes.Panes

	// source has the components that the draft starts with; sourceChannel is their channel.
	source        doc.Value
	sourceChannel engine.Channel

	step          step
	channels      widget.List
	types         widget.List
	deliveryTypes []catalog.DeliveryTypeInfo // the items of types
	name          widget.Prompt
	creator       widget.Prompt
	inputError    string // why the entered text is invalid
	refused       error  // why the service did not create the draft
	created       bool   // the draft exists
	file          string // the name of the file that was asked for

	positions drawnPositions
}

// New returns the screen. A document in the route is the source of the draft.
func New(deps screen.Deps, route screen.Route) *Screen {
	from := engine.ParseRecord(route.Doc)
	s := &Screen{
		Base: screen.NewBase(), deps: deps, theme: deps.Theme, sourceChannel: from.Channel,
		panes:    panes.New(deps.Theme, panes.Pane{Name: "questions"}, panes.Pane{Name: "help", From: 100, Share: 40}),
		channels: widget.NewList(deps.Theme), types: widget.NewList(deps.Theme),
		name:    widget.NewPrompt(deps.Theme, "", "such as Spring sale 2026"),
		creator: widget.NewPrompt(deps.Theme, "", "such as ann@example.com"),
	}
	if route.Doc.Exists() {
		s.source = from.Body
	}
	s.name.SetValue(engine.CampaignName(s.source))
	s.creator.SetValue(deps.Author)
	s.listChannels()
	for i, ch := range catalog.Channels {
		if ch == from.Channel && s.channelDisabledReason(ch) == "" {
			s.channels.SelectItem(i)
		}
	}
	s.listTypes()
	first := stepChannel
	for i, o := range s.deliveryTypes {
		if o.Type == from.DeliveryType && o.Offered {
			s.types.SelectItem(i)
			if s.channel() == from.Channel {
				first = stepName // the source has the earlier answers; esc returns to them
			}
		}
	}
	s.goTo(first)
	return s
}

// Title returns the screen's part of the breadcrumb.
func (s *Screen) Title() string { return "New draft" }

// Init returns nil: there is nothing to load.
func (s *Screen) Init() tea.Cmd { return nil }

// LeaveQuestion asks before a typed name is lost.
func (s *Screen) LeaveQuestion() *screen.Question {
	if s.created || s.Running(taskCreate) || s.name.Value() == engine.CampaignName(s.source) {
		return nil
	}
	return &screen.Question{
		Title: "Leave without a draft?", Body: fmt.Sprintf("The draft “%s” has not been created yet.", widget.Clean(s.name.Value())),
		Buttons: []widget.Button{{Label: "Leave", Key: "y"}, {Label: "Stay", Key: "n"}}, Focus: 1,
	}
}

// Typing reports whether the name or the creator has the keyboard.
func (s *Screen) Typing() bool { return s.step == stepName || s.step == stepCreator }

// Badge shows that the draft is being created.
func (s *Screen) Badge() (string, themes.Tone) {
	if s.Running(taskCreate) {
		return "creating…", themes.ToneMuted
	}
	return "", themes.ToneMuted
}

// channel returns the selected channel.
func (s *Screen) channel() engine.Channel { return catalog.Channels[s.channels.Cursor] }

// deliveryType returns the selected delivery type.
func (s *Screen) deliveryType() catalog.DeliveryTypeInfo { return s.deliveryTypes[s.types.Cursor] }

// channelDisabledReason returns why a draft cannot be created for the channel; empty if it can.
func (s *Screen) channelDisabledReason(ch engine.Channel) string {
	if s.sourceChannel != "" && s.sourceChannel.Writable() && ch != s.sourceChannel {
		return "Your template or file is for " + s.sourceChannel.Label() + "."
	}
	why := ""
	for _, o := range catalog.DeliveryTypes(ch) {
		if o.Offered {
			return ""
		}
		why = o.Why
	}
	return why
}

// options returns list items with aligned labels, each with its help, or the reason why it is disabled.
func options(labels, help, why []string) []widget.Item {
	width := 0
	for _, l := range labels {
		width = max(width, widget.Width(l))
	}
	items := make([]widget.Item, len(labels))
	for i, l := range labels {
		about := cmp.Or(why[i], phrase.Capitalize(help[i]))
		items[i] = widget.Item{Text: widget.PadRight(l, width) + "  " + about, Dim: why[i] != ""}
	}
	return items
}

func (s *Screen) listChannels() {
	var labels, help, why []string
	for _, ch := range catalog.Channels {
		labels, help, why = append(labels, ch.Label()), append(help, channelHelp(ch)), append(why, s.channelDisabledReason(ch))
	}
	s.channels.SetItems(options(labels, help, why))
}

// channelHelp describes a channel in a clause.
func channelHelp(ch engine.Channel) string {
	switch ch {
	case catalog.Push:
		return "a notification on phones and in browsers"
	case catalog.Email:
		return "a message in an inbox"
	}
	return ""
}

// listTypes lists the delivery types of the channel. The selected one is kept if the channel has it.
func (s *Screen) listTypes() {
	s.deliveryTypes = catalog.DeliveryTypes(s.channel())
	var labels, help, why []string
	for _, o := range s.deliveryTypes {
		labels, help, why = append(labels, o.Label), append(help, o.Help), append(why, o.Why)
	}
	s.types.SetItems(options(labels, help, why))
	if s.deliveryType().Offered {
		return
	}
	for i, o := range s.deliveryTypes {
		if o.Offered {
			s.types.SelectItem(i)
			return
		}
	}
}

// goTo opens the question of a step.
func (s *Screen) goTo(to step) {
	s.step = max(stepChannel, min(to, stepCreator))
	s.inputError = ""
	s.name.Blur()
	s.creator.Blur()
	switch s.step {
	case stepName:
		s.name.Focus()
	case stepCreator:
		s.creator.Focus()
	}
}

// stepError returns why the current step is not complete; empty if it is.
func (s *Screen) stepError() string {
	switch s.step {
	case stepChannel:
		return s.channelDisabledReason(s.channel())
	case stepType:
		return s.deliveryType().Why
	}
	return ""
}

// next goes to the next step, and creates the draft after the last one.
func (s *Screen) next() tea.Cmd {
	switch s.step {
	case stepCreator:
		return s.finish()
	case stepChannel:
		s.listTypes()
	}
	s.goTo(s.step + 1)
	return nil
}

func (s *Screen) back() tea.Cmd {
	s.goTo(s.step - 1)
	return nil
}

// finish checks the creator and creates the draft.
func (s *Screen) finish() tea.Cmd {
	if !schema.Email.Matches(s.creator.Value()) {
		s.inputError = "The creator must be " + schema.Email.Requirement() + "."
		return nil
	}
	return s.create(false)
}
