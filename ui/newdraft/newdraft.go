// Package newdraft is the screen that creates a draft: a form of huh that asks for channel, delivery type and name, and for
// the creator if that is not known.
package newdraft

import (
	"errors"
	"fmt"
	"slices"

	"github.com/charmbracelet/bubbles/key"
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

	form     *huh.Form
	fields   []huh.Field // of the form, in order
	channels *huh.Select[engine.Channel]
	types    *huh.Select[catalog.DeliveryType]
	// The options of both, cut to the width.
	channelOptions []huh.Option[engine.Channel]
	typeOptions    []huh.Option[catalog.DeliveryType]

	channel      engine.Channel
	deliveryType catalog.DeliveryType
	name         *textfield.Field
	creator      *textfield.Field

	refused error  // why the service did not create the draft
	created bool   // the draft exists
	file    string // the name of the file that was asked for
}

// New returns the screen. A document in the route is the source of the draft.
func New(deps screen.Deps, route screen.Route) *Screen {
	from := engine.ParseRecord(route.Doc)
	s := &Screen{
		Base: screen.NewBase(), deps: deps, theme: deps.Theme, panes: panes.New(deps.Theme, panes.Pane{Name: "questions"}),
		sourceChannel: from.Channel, channel: from.Channel, deliveryType: from.DeliveryType,
	}
	if route.Doc.Exists() {
		s.source = from.Body
	}
	s.name = textfield.New(deps.Theme, "such as Spring sale 2026").
		Ask("Name", "Recipients never see it. You can leave it empty until you publish.", nil)
	s.name.SetText(engine.CampaignName(s.source))
	s.creator = textfield.New(deps.Theme, "such as ann@example.com").
		Ask("Creator", "The email address of the person who creates the campaign.", isEmail)
	s.creator.SetText(deps.Author)
	s.build(0)
	if s.deliveryType == from.DeliveryType {
		s.focus(slices.Index(s.fields, huh.Field(s.name))) // the source has the earlier answers; esc returns to them
	}
	return s
}

// build creates the form, for the current width and the types of the channel, with the focus on a field. A question is not
// asked if it has one answer, or if the answer is known. huh's fields are new each time: an old Select with new options
// is scrolled to its value.
func (s *Screen) build(at int) {
	channels := s.offeredChannels()
	if !slices.Contains(channels, s.channel) {
		s.channel = channels[0]
	}
	label, help := map[catalog.DeliveryType]string{}, map[catalog.DeliveryType]string{}
	var types []catalog.DeliveryType
	for _, o := range catalog.DeliveryTypes(s.channel) {
		if o.Offered {
			types = append(types, o.Type)
			label[o.Type], help[o.Type] = o.Label, o.Help
		}
	}
	if !slices.Contains(types, s.deliveryType) {
		s.deliveryType = types[0]
	}
	w, _ := s.panes.Size(0)
	s.channelOptions = options(channels, engine.Channel.Label, channelHelp, w-4)
	labelOf, helpOf := func(t catalog.DeliveryType) string { return label[t] }, func(t catalog.DeliveryType) string { return help[t] }
	s.typeOptions = options(types, labelOf, helpOf, w-4)
	s.channels = huh.NewSelect[engine.Channel]().Title("Channel").
		Description("How the message is sent. You cannot change it later.").
		Options(s.channelOptions...).Value(&s.channel)
	s.types = huh.NewSelect[catalog.DeliveryType]().Title("Delivery type").
		Description("When the message is sent. You cannot change it later.").
		Options(s.typeOptions...).Value(&s.deliveryType)
	s.fields = []huh.Field{s.channels, s.types, s.name}
	if len(channels) == 1 {
		s.fields = s.fields[1:]
	}
	if isEmail(s.deps.Author) != nil {
		s.fields = append(s.fields, s.creator)
	}
	s.name.Blur()
	s.creator.Blur()
	s.form = huh.NewForm(huh.NewGroup(s.fields...)).WithShowHelp(false).WithShowErrors(false).
		WithTheme(huhTheme(s.theme)).WithKeyMap(huhKeys()).WithWidth(w).WithHeight(formHeight)
	s.form.Init()
	s.focus(at)
}

// formHeight is the height of the form: all of it, of which the screen shows a part.
const formHeight = 50

// offeredChannels returns the channels that a draft can be created for.
func (s *Screen) offeredChannels() []engine.Channel {
	return slices.DeleteFunc(slices.Clone(catalog.Channels), func(ch engine.Channel) bool {
		return !ch.Writable() || s.sourceChannel.Writable() && ch != s.sourceChannel
	})
}

// options returns options with aligned labels, each with its help, cut to w cells.
func options[T comparable](values []T, label, help func(T) string, w int) []huh.Option[T] {
	width := 0
	for _, v := range values {
		width = max(width, widget.Width(label(v)))
	}
	out := make([]huh.Option[T], len(values))
	for i, v := range values {
		text := widget.PadRight(label(v), width) + "  " + phrase.Capitalize(help(v))
		out[i] = huh.NewOption(widget.Truncate(text, max(w, width)), v)
	}
	return out
}

// channelHelp describes a channel in a clause.
func channelHelp(ch engine.Channel) string {
	if ch == catalog.Push {
		return "a notification on phones and in browsers"
	}
	return "a message in an inbox"
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
		Buttons: []widget.Button{{Label: "Leave", Key: "y"}, {Label: "Stay", Key: "n"}}, Focus: 1,
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

// at returns the index of the focused field.
func (s *Screen) at() int { return slices.Index(s.fields, s.form.GetFocusedField()) }

// focus moves to a field. The form does so at once, so that no key that follows is lost.
func (s *Screen) focus(i int) tea.Cmd {
	for i = max(min(i, len(s.fields)-1), 0); s.at() < i; {
		s.form.NextField()
	}
	for s.at() > i {
		s.form.PrevField()
	}
	return nil
}

func (s *Screen) back() tea.Cmd { return s.focus(s.at() - 1) }

// next goes to the next field, and creates the draft after the last one.
func (s *Screen) next() tea.Cmd {
	switch {
	case s.at() < len(s.fields)-1:
		return s.focus(s.at() + 1)
	case s.creator.Focused() && s.creator.Check() != nil:
		s.form.Update(nil) // shows the error
		return nil
	}
	return s.create(false)
}

// key handles a key that is not an action.
func (s *Screen) key(msg tea.KeyMsg) {
	switch {
	case s.Typing() && msg.Type == tea.KeyUp:
		s.back()
	case s.Typing() && msg.Type == tea.KeyDown:
		s.focus(s.at() + 1)
	default:
		channel := s.channel
		if s.form.Update(msg); s.channel != channel {
			s.build(s.at())
		}
	}
}

func huhKeys() *huh.KeyMap {
	off := key.NewBinding(key.WithDisabled())
	bind := func(keys ...string) key.Binding { return key.NewBinding(key.WithKeys(keys...)) }
	return &huh.KeyMap{
		Quit:  off,
		Input: huh.InputKeyMap{Next: off, Prev: off, Submit: off, AcceptSuggestion: off},
		Select: huh.SelectKeyMap{
			Up: bind("up", "k", "ctrl+p"), Down: bind("down", "j", "ctrl+n"), GotoTop: bind("home", "g"), GotoBottom: bind("end", "G"),
			HalfPageUp: off, HalfPageDown: off, Left: off, Right: off, Filter: off, SetFilter: off, ClearFilter: off, Next: off, Prev: off, Submit: off,
		},
	}
}
