// Package screen defines a screen, the unit that the root model (ui/app) stacks: a value that handles messages,
// draws itself and describes its actions as data.
package screen

import (
	"cmp"
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/themes"
	"bugle/ui/prefs"
)

// Screen is one full view of the program. Its methods are called from one goroutine.
type Screen interface {
	// ID is the address of the results of the screen's tasks.
	ID() ID
	// Title is the screen's part of the breadcrumb.
	Title() string
	Init() tea.Cmd
	// Update handles every message except keys that the root model or an [Action] has handled. Mouse positions are
	// relative to the screen.
	Update(tea.Msg) tea.Cmd
	// View draws exactly the size set by SetSize.
	View() string
	// SetSize lays the screen out. It is also called when the theme has changed, so that nothing keeps the old colors.
	SetSize(width, height int)
	// Actions returns what the user can do now. Key dispatch, the status bar, the help and the palette all read it.
	Actions() []Action
	// Typing reports whether a text field has the keyboard; then only actions with WhileTyping are dispatched.
	Typing() bool
	// Close ends the screen's tasks. The returned command, which may be nil, finishes work that must not be lost (a
	// pending save) and completes before the program exits.
	Close() tea.Cmd

	// [Base] has the other methods, for screens that do without what they are for.

	// Resume is called when the screen is on top again.
	Resume() tea.Cmd
	// LeaveQuestion returns the question to ask before the screen is closed, or nil if it can be closed at once. Yes
	// closes it.
	LeaveQuestion() *Question
	// Undo and Redo move to what they changed and name it in a notice with [TopicEdit]. The second result is false if there
	// is nothing to undo or redo.
	Undo() (tea.Cmd, bool)
	Redo() (tea.Cmd, bool)
	// Badge returns the status at the right of the header: "saved", "3 problems".
	Badge() (text string, tone themes.Tone)
	// Subject returns what the screen is about.
	Subject() Subject
	// FocusedField returns the field that has the keyboard; false if none has.
	FocusedField() (Field, bool)
	// Find returns what searches for destinations on another goroutine, for the palette; nil if there is nothing to search.
	Find(words string) func(context.Context) []PaletteItem
}

// TextFocuser is a screen whose Typing also reports true when no text field has the keyboard, to keep letters
// from being commands. TextFocused reports whether a text field really has it.
type TextFocuser interface{ TextFocused() bool }

// Subject is what a screen is about, for the palette and the user's commands.
type Subject struct {
	// Campaign is the campaign that the screen is about, or that the cursor is on; without an ID if there is none, or it has
	// not been read yet.
	Campaign engine.Campaign
	// Label names the campaign on a screen that shows several; empty if the screen's title does.
	Label string
	// Selected are the selected campaigns in order; none if only the cursor is on one.
	Selected []string
}

// Field is the field that has the keyboard.
type Field struct {
	// Name is its name for display, and Path its place in the document, as messages of the service name it.
	Name, Path string
	// Text is its value: the text of a string, JSON of anything else, empty if it has none.
	Text string
	// Suffix is the file name suffix for the value, such as ".html".
	Suffix string
	// Help is its documentation, in paragraphs. The help shows it above the keys.
	Help []string
	// LockedReason is why it cannot be changed; empty if it can.
	LockedReason string
	// Set replaces the value as one edit, which can be undone. It fails if the text is not a value of the field, or
	// if the value is not Text any more.
	Set func(text string) (tea.Cmd, error)
}

// PaletteItem is a destination that the palette can open.
type PaletteItem struct {
	Text   string
	Detail string // what or where it is, shown after the text
	Kind   string // one word
	Route  Route
}

// Action is something that the user can do on a screen.
type Action struct {
	// Name identifies the action in the user's key bindings, after the name of its screen; if empty, Label does. It
	// is set if the label changes with the state.
	Name string
	// Keys are spelled as in tea.KeyMsg; the first one is shown.
	Keys  []string
	Label string // a word or two, for the status bar
	Help  string // a clause for the help; if empty, Label is used
	Group string // heading in the help
	// BarPriority orders the actions in the status bar, highest first; 0 leaves the action out.
	BarPriority int
	// DisabledReason tells the user why the action is not allowed now; empty means that it is.
	DisabledReason string
	// WhileTyping keeps the action enabled while a text field has the keyboard.
	WhileTyping bool
	// HelpOnly marks an entry of the help whose keys the screen handles in Update.
	HelpOnly bool
	// PlainOnly marks an action that only plain mode offers, by its word.
	PlainOnly bool
	Run       func() tea.Cmd
}

// Word returns the word that chooses the action in plain mode.
func (a Action) Word() string {
	return strings.ToLower(strings.ReplaceAll(cmp.Or(a.Name, a.Label), "-", " "))
}

// HasKey reports whether the action is bound to the key.
func (a Action) HasKey(key string) bool {
	if a.HelpOnly {
		return false
	}
	for _, k := range a.Keys {
		if k == key {
			return true
		}
	}
	return false
}

// Deps are the dependencies of screens. They are passed to each constructor; nothing is global.
type Deps struct {
	Service engine.Service
	// LocalCopies stores edits that are not applied yet; nil if the service stores them itself, or nothing does.
	LocalCopies engine.WorkingCopyStore
	// FallbackCopies stores edits on this machine that a remote store could not accept; nil if the store is local.
	FallbackCopies engine.WorkingCopyStore
	// LocalDismissals stores which warnings were dismissed; nil if the service stores that itself, or nothing does.
	LocalDismissals engine.DismissalStore
	// History is what was changed during this run, for undo.
	History *edit.History
	// Theme is the theme of the whole program, which changes in place.
	Theme *themes.Theme
	Now   func() time.Time
	// Location is the time zone for display; nil means UTC. Times are displayed in [Deps.Local].
	Location *time.Location
	// Author is the email address that changes are attributed to.
	Author string
	// Workspace is the ID shown in the header.
	Workspace string
	// Prefs holds the user's preferences on this machine; those of this workspace are Within(Workspace). Nil stores
	// nothing.
	Prefs *prefs.Prefs
	// DataDir is the folder of the store, for messages.
	DataDir string
}

// Local returns a time in the time zone for display.
func (d Deps) Local(t time.Time) time.Time {
	if d.Location == nil {
		return t.UTC()
	}
	return t.In(d.Location)
}

// WorkingCopies returns the store for edits that are not applied yet; false if there is none.
func (d Deps) WorkingCopies() (engine.WorkingCopyStore, bool) {
	if d.LocalCopies != nil {
		return d.LocalCopies, true
	}
	k, ok := d.Service.(engine.WorkingCopyStore)
	return k, ok
}

// EditConfig returns the dependencies of an editing session.
func (d Deps) EditConfig() edit.Config {
	copies, _ := d.WorkingCopies()
	return edit.Config{Service: d.Service, WorkingCopies: copies, Fallback: d.FallbackCopies, Author: d.Author, Now: d.Now, History: d.History}
}

// Dismissals returns the store of which warnings were dismissed; nil if there is none.
func (d Deps) Dismissals() engine.DismissalStore {
	if d.LocalDismissals != nil {
		return d.LocalDismissals
	}
	kept, _ := d.Service.(engine.DismissalStore)
	return kept
}

// Link returns the connection to the service; false if the service is on this machine.
func (d Deps) Link() (engine.Connected, bool) {
	l, ok := d.Service.(engine.Connected)
	return l, ok
}

// Route identifies a screen to open, so that screens need not import one another.
type Route struct {
	Name string
	// ID is the campaign that the screen is about, if any.
	ID string
	// Path is the place in the campaign to go to.
	Path doc.Path
	// Doc is a document for the screen, such as a draft to start from.
	Doc doc.Value
	// Query is the initial query of a list, in the language of package engine/search/query.
	Query string
	// Preview opens the campaign at the preview of its message.
	Preview bool
}

// The names of routes.
const (
	Campaigns = "campaigns"
	NewDraft  = "new"
	Builder   = "builder"
	Validate  = "validate"
	TestSend  = "test"
	Outbox    = "outbox"
	Welcome   = "welcome"
	Activity  = "activity"
	History   = "history"
	Settings  = "settings"
	Workspace = "workspace"
)
