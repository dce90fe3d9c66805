package screen

import (
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/keymap"
	"bugle/ui/widget"
)

// OpenMsg asks the root model to put a screen on the stack.
type OpenMsg struct{ Route Route }

// ReplaceMsg asks the root model to put a screen in the place of the top one.
type ReplaceMsg struct{ Route Route }

// BackMsg asks the root model to leave the top screen.
type BackMsg struct{}

// QuitMsg asks the root model to end the program, after every screen has been closed.
type QuitMsg struct{}

// NotifyMsg shows a short notice.
type NotifyMsg struct {
	Level widget.Level
	Text  string
	// Topic names what the notice is about: it replaces one about the same. Empty: about nothing else.
	Topic string
}

// What notices are about.
const (
	TopicEdit = "edit" // the last change of a document: what was removed, pasted, undone
	TopicSave = "save" // whether changes are stored or applied
	TopicCopy = "copy" // the clipboard
)

// CampaignTopic returns what notices about the state of one campaign are about.
func CampaignTopic(id string) string { return "campaign " + id }

// Question is a dialog over the screen.
type Question struct {
	Title, Body string
	Buttons     []widget.Button // the first one is yes; empty: "Yes" and "No"
	Danger      bool
	Focus       int
	Then        func(widget.Answer) tea.Cmd
}

// AskMsg asks a question.
type AskMsg struct{ Question Question }

// ChooseMsg offers a choice over the screen.
type ChooseMsg struct {
	Title, Body string
	Options     []widget.Option
	Then        func(widget.Answer) tea.Cmd
}

// InputMsg asks for one line of text over the screen.
type InputMsg struct {
	Title, Placeholder, Value string
	// Validate says what is wrong with a text, or "" where it may be taken.
	Validate func(string) string
	Then     func(text string) tea.Cmd // not called when the question is left
	// Left, where there is one, runs when the question is left: it leads back to where it was asked from.
	OnCancel func() tea.Cmd
}

// OpenEditorMsg opens a text in the person's editor.
type OpenEditorMsg struct {
	Text   string
	Suffix string // of the file's name, such as ".html"
	// Then gets the text as the editor left it; changed is false when nothing was.
	Then func(text string, changed bool) tea.Cmd
}

// CopyMsg puts a text on the clipboard.
type CopyMsg struct{ Text, What string }

// HelpMsg shows every key that works now.
type HelpMsg struct{}

// ThemeMsg changes the theme by name.
type ThemeMsg struct {
	Name string
	// Preview only shows it: it is not kept for the next start.
	Preview bool
}

// SetKeymapMsg returns actions other keys, from now on.
type SetKeymapMsg struct{ Keys keymap.Map }

// CaptureKeyMsg asks for one key over the screen, whatever it does otherwise; esc leaves the question.
type CaptureKeyMsg struct {
	Title, Body string
	// Then gets the key as tea.CaptureKeyMsg spells it. It is not called when the question is left.
	Then func(key string) tea.Cmd
}

// SwitchWorkspaceMsg starts anew in another workspace.
type SwitchWorkspaceMsg struct {
	Deps  Deps
	Route Route
}

// ChangedMsg tells all screens that a campaign, or with an empty ID the whole list, has
// changed.
type ChangedMsg struct {
	ID string
	// Select reports whether the person made it just now: the cursor of a list belongs there.
	Select bool
	// Action is what the person did to the campaign just now; empty where it was no action on the whole of it.
	Action catalog.Action
	// Name is what the campaign is called in a sentence, where Did is set.
	Name string
}

// DeletedMsg tells the root model that a campaign was deleted: screens about it are left.
type DeletedMsg struct{ ID string }

// LinkMsg tells the root model how the way to the service stands, each time that it has changed.
type LinkMsg struct{ Link engine.Link }

func send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// Open returns the command that opens a screen.
func Open(r Route) tea.Cmd { return send(OpenMsg{r}) }

// Replace returns the command that puts a screen in the place of the top one.
func Replace(r Route) tea.Cmd { return send(ReplaceMsg{r}) }

// Back returns the command that leaves the top screen.
func Back() tea.Cmd { return send(BackMsg{}) }

// Quit returns the command that ends the program.
func Quit() tea.Cmd { return send(QuitMsg{}) }

// Notify returns the command that shows a notice.
func Notify(level widget.Level, text string) tea.Cmd {
	return send(NotifyMsg{Level: level, Text: text})
}

// NotifyAbout returns the command that shows a notice in place of one about the same.
func NotifyAbout(about string, level widget.Level, text string) tea.Cmd {
	return send(NotifyMsg{Level: level, Text: text, Topic: about})
}

// Ask returns the command that asks a question.
func Ask(q Question) tea.Cmd { return send(AskMsg{q}) }

// Copy returns the command that puts a text on the clipboard; what names it in the notice.
func Copy(text, what string) tea.Cmd { return send(CopyMsg{text, what}) }

// Changed returns the command that tells all screens of a change.
func Changed(id string) tea.Cmd { return send(ChangedMsg{ID: id}) }

// Send returns the command that delivers msg.
func Send(msg tea.Msg) tea.Cmd { return send(msg) }
