// Package editor defines the interfaces between the builder and what it shows: the editor of a place, and the side
// panel beside it.
package editor

import (
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/ui/screen"
	"bugle/ui/viewas"
	"bugle/ui/widget"
)

// Editor edits one place of a campaign's document. [forms.Form] is the default implementation and documents the
// methods.
type Editor interface {
	Update(tea.Msg) tea.Cmd
	View() string
	SetSize(width, height int)
	SetActive(on bool)

	// Edited returns the document with the user's changes, and whether there are any.
	Edited() (doc.Value, bool)
	// Reload replaces the document after it was changed elsewhere or saved.
	Reload(root doc.Value)
	SetProblems([]schema.Problem)

	// Focused returns the place that has the keyboard; false if it is not a place of the document.
	Focused() (schema.FieldState, bool)
	FocusPath(doc.Path) bool

	Typing() bool
	Modal() bool
	// Bindings returns all keys that work now, Hints the most important ones.
	Bindings() []key.Binding
	Hints() []key.Binding
}

// OperationEditor is an editor that has operations besides typing into fields. LastWasOperation reports whether
// the last change was an operation, which is always an undo step of its own.
type OperationEditor interface{ LastWasOperation() bool }

// PendingEditor is an editor that asks for a text. Pending returns what is typed and not accepted yet, which is lost with the
// editor.
type PendingEditor interface{ Pending() string }

// Discarded returns the notice that an editor which is replaced loses a text; "" if it loses none.
func Discarded(e Editor) string {
	if p, ok := e.(PendingEditor); ok && p.Pending() != "" {
		return "Discarded “" + widget.Clean(p.Pending()) + "”."
	}
	return ""
}

// Config describes what an editor edits and how it looks. The embedded part configures the plain form of the
// same place.
type Config struct {
	forms.Config
	Head      engine.Head
	Workspace engine.Workspace
	Service   engine.Service
	Now       func() time.Time
	Local     func(time.Time) time.Time // returns a time in the time zone for display
	Host      Host
	// ViewAs resolves the messages for the person that a preview shows them as; nil shows them as written.
	ViewAs *viewas.Resolver
}

// Host is what the builder does for an editor or a side panel.
type Host struct {
	// Open opens the form of a place below after Update returns; the next key already goes to that form.
	Open func(doc.Path)
	// Notify shows a notice after Update returns.
	Notify func(text string)
	// Tasks runs the tasks of the editor or side panel, which are those of the screen; nil runs none.
	Tasks *screen.Base
}

// SidePanel is a view beside the editor, shown as a tab.
type SidePanel interface {
	Title() string // one word
	SetSize(width, height int)
	// Show sets the document and the place that has the keyboard.
	Show(root doc.Value, at doc.Path) tea.Cmd
	// Update handles keys while the panel has the keyboard, and messages that the editor of the place sends.
	Update(tea.Msg) tea.Cmd
	View() string
	Bindings() []key.Binding
}

var _ Editor = (*forms.Form)(nil)
