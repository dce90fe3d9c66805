// Package screen says what a screen is: a value that takes messages, draws itself, and offers
// its actions as data. The root model (ui/app) keeps a stack of them.
package screen

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/themes"
	"bugle/ui/keymap"
	"bugle/ui/prefs"
)

// Screen is one full view of the program. Its methods are called from one goroutine.
type Screen interface {
	// ID is what results of the screen's tasks are addressed to.
	ID() ID
	// Title is its part of the breadcrumb.
	Title() string
	Init() tea.Cmd
	// Update takes every message but keys that the root model or an [Action] has taken. Mouse
	// positions are relative to the screen.
	Update(tea.Msg) tea.Cmd
	// View draws exactly the cells of SetSize.
	View() string
	SetSize(width, height int)
	SetTheme(themes.Theme)
	// Actions are what can be done now; they drive dispatch, the status bar, the help and the
	// palette alike.
	Actions() []Action
	// Typing reports whether keys belong to a text field: only actions marked Typing are dispatched.
	Typing() bool
	// Close ends the screen's tasks. The command, which may be nil, finishes what must not be
	// lost (a save that is due) and runs to its end before the program does.
	Close() tea.Cmd
}

// Resumer is a screen that wants to know when it is on top again.
type Resumer interface{ Resume() tea.Cmd }

// Guard is a screen that may ask before it is left.
type Guard interface {
	// LeaveQuestion returns the question, or nil where it may be left at once. Yes leaves.
	LeaveQuestion() *Question
}

// Undoer is a screen whose changes can be undone. Undo and Redo go to what they changed and name it in a
// notice about [TopicEdit]. The second result is false where there is nothing to undo or redo.
type Undoer interface {
	Undo() (tea.Cmd, bool)
	Redo() (tea.Cmd, bool)
}

// TextFocuser is a screen that keeps letters from being commands in places that are no text fields. Writing reports
// whether a text field has the keyboard; other screens report that by Typing.
type TextFocuser interface{ TextFocused() bool }

// CampaignScreen is a screen about one campaign: the palette leads to the sections and fields of that campaign. The
// second result is false while the campaign is not read.
type CampaignScreen interface {
	Campaign() (engine.Campaign, bool)
}

// Related is a [CampaignScreen] that knows campaigns of other channels, for fields that its own campaign has not.
type Related interface{ Related() []engine.Campaign }

// SubjectLabeler is a [CampaignScreen] that shows several campaigns. Chosen returns what the one at hand is called.
type SubjectLabeler interface{ SubjectLabel() string }

// Finder is a screen that finds things by words, for the palette. Find is called where the screen's other
// methods are; the function that it returns runs beside them.
type Finder interface {
	Find(words string) func(context.Context) []PaletteItem
}

// PaletteItem is something that the palette leads to.
type PaletteItem struct {
	Text   string
	Detail string // what it is or where it is, after the text
	Kind   string // in a word
	Route  Route
}

// Badge is a screen that says something at the right of the header: "saved", "3 problems".
type Badge interface {
	Badge() (text string, tone themes.Tone)
}

// Action is something that a person can do on a screen.
type Action struct {
	// Name is what a person's own keys call the action, after the name of its screen: Label where empty. It
	// is set where the label says more than what is done, and so changes.
	Name string
	// Keys are as tea.CaptureKeyMsg spells them, the shown one first.
	Keys  []string
	Label string // a word or two, for the status bar
	Help  string // a clause, for the help; Label where empty
	Group string // heading in the help
	// BarPriority puts the action into the status bar, the highest number first; 0 leaves it out.
	BarPriority int
	// DisabledReason says why the action is not allowed now; empty means it is.
	DisabledReason string
	// WhileTyping keeps the action alive while a text field has the keyboard.
	WhileTyping bool
	// HelpOnly marks an entry of the help whose keys the screen takes by itself.
	HelpOnly bool
	Run      func() tea.Cmd
}

// HasKey reports whether the key belongs to the action.
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

// ZoomAction returns the action that gives the focused pane the whole screen or, where it has it, shows all panes
// again. A key that is no letter works while a text is typed, too.
func ZoomAction(zoomed bool, key, group string, run func() tea.Cmd) Action {
	a := Action{Name: "zoom", Keys: []string{key}, Label: "zoom", Help: "show only the focused pane", Group: group, WhileTyping: !keymap.IsPrintable(key), Run: run}
	if zoomed {
		a.Label, a.Help, a.BarPriority = "unzoom", "show all panes", 12
	}
	return a
}

// Deps is what screens work with. It is handed to each constructor, never global.
type Deps struct {
	Service engine.Service
	// LocalCopies keeps edits that are not applied yet; nil where the service does so itself, or where
	// nothing does.
	LocalCopies engine.WorkingCopies
	// FallbackCopies keeps on this machine what a store elsewhere could not take; nil where the store is here.
	FallbackCopies engine.WorkingCopies
	Theme          themes.Theme
	Now            func() time.Time
	// Location is the zone that times are shown in.
	Location *time.Location
	// Author is the email address that changes are signed with.
	Author string
	// Workspace is the id shown in the header.
	Workspace string
	// Prefs keeps what the person chose on this machine; those of this workspace are Within(Workspace).
	// Nil keeps nothing.
	Prefs *prefs.Prefs
	// DataDir is where the store is, for messages.
	DataDir string
}

// WorkingCopies returns what keeps edits that are not applied yet; false where nothing does.
func (d Deps) WorkingCopies() (engine.WorkingCopies, bool) {
	if d.LocalCopies != nil {
		return d.LocalCopies, true
	}
	k, ok := d.Service.(engine.WorkingCopies)
	return k, ok
}

// Link returns how the service is reached; false where it is on this machine.
func (d Deps) Link() (engine.Linked, bool) {
	l, ok := d.Service.(engine.Linked)
	return l, ok
}

// Route names a screen to open, so that screens need not import one another.
type Route struct {
	Name string
	// ID is the campaign that the screen is about, where there is one.
	ID string
	// Path is the place in the campaign to go to.
	Path doc.Path
	// Doc is a document that goes along: a draft to start from.
	Doc doc.Value
	// Query is what a list begins with, in the language of package engine/search/query.
	Query string
	// Preview opens a campaign at its message as the recipient sees it.
	Preview bool
}

// The routes.
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
