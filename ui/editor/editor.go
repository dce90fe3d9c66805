// Package editor says what can stand in the middle of the builder, and beside it: the plain form
// of [bugle/forms], and the editors of places for which people want more than a form.
package editor

import (
	"context"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/themes"
)

// Editor edits one place of a campaign's document. [forms.Form] is the plain one; its methods say
// what each of these promises.
type Editor interface {
	Update(tea.Msg) tea.Cmd
	View() string
	SetSize(width, height int)
	SetActive(on bool)

	// Edited returns the document with all that a person changed, and whether that is anything.
	Edited() (doc.Value, bool)
	// Reload takes over a document that was changed elsewhere, or saved.
	Reload(root doc.Value)
	SetProblems([]schema.Problem)

	// Focused returns the place that the keyboard is at; false where that is none of the document's.
	Focused() (schema.FieldState, bool)
	FocusPath(doc.Path) bool

	Typing() bool
	Modal() bool
	// Bindings are all keys that do something now, Hints the few that a person wants most.
	Bindings() []key.Binding
	Hints() []key.Binding
}

// OperationEditor is an editor that has operations, besides fields that are typed in. Stepped says whether the
// last change was one: it is undone by itself, however soon after another.
type OperationEditor interface{ LastWasOperation() bool }

// Config says what an editor edits and how it looks. Its form part is what a plain form of the
// same place would get.
type Config struct {
	forms.Config
	Head      engine.Head
	Workspace engine.Workspace
	Service   engine.Service
	Now       func() time.Time
	Location  *time.Location // that times are shown in
	Host      Host
}

// Host is what the builder does for an editor or an aside.
type Host struct {
	// Open shows the form of a place below, once Update returns: a key that follows is the
	// form's already.
	Open func(doc.Path)
	// OpenExternal opens a text in the person's editor, once Update returns; then gets it back.
	OpenExternal func(text, suffix string, then func(text string))
	// Notify shows a notice, once Update returns.
	Notify func(text string)
	// Run starts a task, as [screen.Base] does. Its result comes to Update as a screen.Result.
	Run func(kind string, fn func(context.Context) (any, error)) tea.Cmd
}

// SidePanel is a view beside the editor, a tab of its own.
type SidePanel interface {
	Title() string // one word
	SetSize(width, height int)
	SetTheme(themes.Theme)
	// Show takes over the document, and the place that the keyboard is at.
	Show(root doc.Value, at doc.Path) tea.Cmd
	// Update takes keys while the aside has the keyboard, and results of its tasks.
	Update(tea.Msg) tea.Cmd
	View() string
	Bindings() []key.Binding
}

// TabBar is a line above the forms inside a place. It says which of several alike is open, such as
// one platform of three, and leads to the others.
type TabBar interface {
	SetTheme(themes.Theme)
	// View draws the line for the form at p. It is empty where there is only one of its kind.
	View(root doc.Value, p doc.Path, width int) string
	// KeyTarget returns where a key leads from p.
	KeyTarget(root doc.Value, p doc.Path, key string) (doc.Path, bool)
	// ClickTarget returns where a press at column x of the line leads.
	ClickTarget(root doc.Value, p doc.Path, x int) (doc.Path, bool)
	Bindings() []key.Binding
}

var _ Editor = (*forms.Form)(nil)
