package screen

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/forms/typeahead"
	"bugle/ui/commands"
	"bugle/ui/keymap"
	"bugle/ui/prefs"
	"bugle/ui/widget"
)

// OpenMsg asks the root model to put a screen on the stack.
type OpenMsg struct{ Route Route }

// ReplaceMsg asks the root model to put a screen in the place of the top one.
type ReplaceMsg struct{ Route Route }

// BackMsg asks the root model to leave the top screen.
type BackMsg struct{}

// NotifyMsg shows a short notice.
type NotifyMsg struct {
	Level widget.Level
	Text  string
	// Topic groups notices: a new one replaces the one with the same topic. Empty means the notice replaces nothing.
	Topic string
}

// Topics of notices.
const (
	TopicEdit = "edit" // the last change to a document: removed, pasted, undone
	TopicSave = "save" // whether changes are stored or applied
	TopicCopy = "copy" // the clipboard

	topicPrefs = "preferences"
)

// CampaignTopic returns the topic of notices about the state of one campaign.
func CampaignTopic(id string) string { return "campaign " + id }

// Question is a dialog shown over the screen.
type Question struct {
	Title, Body string
	Buttons     []widget.Option // the first one means yes; empty means "Yes" and "No"
	Danger      bool
	Focus       int
	Then        func(widget.Answer) tea.Cmd
}

// AskMsg asks a question.
type AskMsg struct{ Question Question }

// ChooseMsg asks the user to choose one of several options.
type ChooseMsg struct {
	Title, Body string
	Options     []widget.Option
	Cursor      int // the option that is highlighted first; 0 means the first one that is allowed
	// Then receives the answer. It is not called when the user cancels.
	Then func(widget.Answer) tea.Cmd
	// Moved runs when another option is highlighted, and OnCancel when the user cancels; each may be nil.
	Moved    func(option int) tea.Cmd
	OnCancel func() tea.Cmd
}

// InputMsg asks the user for one line of text.
type InputMsg struct {
	Title, Body, Placeholder, Value string
	// Suggest returns suggestions for a text, the best first, of which enter takes the highlighted one; nil if there are none.
	Suggest func(text string) []typeahead.Item
	// Validate returns what is wrong with a text, or "" if it is valid.
	Validate func(string) string
	Then     func(text string) tea.Cmd // not called when the user cancels
	// OnCancel, if not nil, runs when the user cancels.
	OnCancel func() tea.Cmd
}

// OpenEditorMsg opens a text in the user's editor.
type OpenEditorMsg struct {
	Text   string
	Suffix string // file name suffix, such as ".html"
	// Then receives the text as saved in the editor; changed is false if it is the same as before.
	Then func(text string, changed bool) tea.Cmd
}

// CopyMsg copies a text to the clipboard.
type CopyMsg struct{ Text, What string }

// HelpMsg opens the help, which lists every key that works now.
type HelpMsg struct{}

// ThemeMsg switches to the theme with that name. All screens get it once the theme was chosen.
type ThemeMsg struct {
	Name string
	// Preview shows the theme without saving it for the next start.
	Preview bool
}

// SetKeymapMsg replaces the user's key bindings.
type SetKeymapMsg struct{ Keys keymap.Map }

// SetCommandsMsg replaces the user's own commands.
type SetCommandsMsg struct{ Commands []commands.Command }

// CaptureKeyMsg asks the user to press a key, which is captured even if it is bound to an action; esc cancels.
type CaptureKeyMsg struct {
	Title, Body string
	// Then receives the key as tea.KeyMsg spells it. It is not called when the user cancels.
	Then func(key string) tea.Cmd
}

// SwitchWorkspaceMsg closes all screens and opens a route in another workspace.
type SwitchWorkspaceMsg struct {
	Deps  Deps
	Route Route
}

// ChangedMsg tells all screens that a campaign has changed, or, with an empty ID, the whole list.
type ChangedMsg struct {
	ID string
	// Select reports whether the user has just made the change, so that a list moves its cursor to the campaign.
	Select bool
}

// DeletedMsg tells the root model that a campaign was deleted; screens about it are closed.
type DeletedMsg struct{ ID string }

// OpenedMsg tells the screens below which campaign the top screen is about, whenever another screen has come to the
// top. A list moves its cursor there, so that the user returns to that campaign.
type OpenedMsg struct{ ID string }

// LinkMsg reports a change in the state of the connection to the service.
type LinkMsg struct{ Link engine.Connection }

// Open returns the command that opens a screen.
func Open(r Route) tea.Cmd { return Send(OpenMsg{r}) }

// Replace returns the command that replaces the top screen.
func Replace(r Route) tea.Cmd { return Send(ReplaceMsg{r}) }

// Back returns the command that leaves the top screen.
func Back() tea.Cmd { return Send(BackMsg{}) }

// Notify returns the command that shows a notice.
func Notify(level widget.Level, text string) tea.Cmd {
	return Send(NotifyMsg{Level: level, Text: text})
}

// NotifyAbout returns the command that shows a notice, replacing the one with the same topic.
func NotifyAbout(about string, level widget.Level, text string) tea.Cmd {
	return Send(NotifyMsg{Level: level, Text: text, Topic: about})
}

// Ask returns the command that asks a question.
func Ask(q Question) tea.Cmd { return Send(AskMsg{q}) }

// Copy returns the command that copies a text to the clipboard; what is its name in the notice.
func Copy(text, what string) tea.Cmd { return Send(CopyMsg{text, what}) }

// Changed returns the command that tells all screens that a campaign has changed.
func Changed(id string) tea.Cmd { return Send(ChangedMsg{ID: id}) }

// Remember changes a preference, and returns the command that stores it and tells the user if that fails. what is its
// name in the notice.
func Remember[T any](p *prefs.Prefs, name, what string, change func(T) T) tea.Cmd {
	store := prefs.Update(p, name, change)
	return func() tea.Msg {
		if err := store(); err != nil {
			return NotifyMsg{Topic: topicPrefs, Level: widget.LevelWarning, Text: "Can't save " + what + ": " + err.Error()}
		}
		return nil
	}
}

// Send returns the command that delivers msg.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }
