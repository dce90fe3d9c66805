package builder

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/assemble"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/ui/editor"
	"bugle/ui/screen"
	"bugle/ui/viewas"
)

// host holds the editor of the open place and serves its requests.
type host struct {
	edit     *edit.Session
	deps     screen.Deps
	offers   assemble.Suggestions // suggestions for texts
	tasks    *screen.Base
	places   places
	viewAs   *viewas.Resolver
	warnings *warner

	editor   editor.Editor // editor of path; nil if the campaign has none
	path     doc.Path
	tabBar   editor.TabBar // above the editor; nil if the place has none
	width    int           // of the editor and the tab bar
	height   int
	requests requests
}

// show opens the editor of the object, list or map at p.
func (h *host) show(p doc.Path) {
	h.requests.notice = cmp.Or(editor.Discarded(h.editor), h.requests.notice)
	h.path = p
	h.tabBar = h.tabBarFor(p)
	h.editor = h.newEditor(p)
	h.showProblems()
}

// showProblems shows the problems and warnings at their fields.
func (h *host) showProblems() {
	if h.editor == nil {
		return
	}
	all := h.edit.Problems()
	if _, plain := h.editor.(*forms.Form); plain {
		all = slices.Concat(all, h.warnings.asProblems())
	}
	h.editor.SetProblems(all)
}

// newEditor returns the editor of the object, map or list at p.
func (h *host) newEditor(p doc.Path) editor.Editor {
	cfg := h.config(p)
	if t, at, ok := h.places.toolsAt(p); ok && t.edit != nil && len(at) == len(p) {
		if ed := t.edit(&h.places, cfg); ed != nil {
			return ed
		}
	}
	return forms.New(cfg.Config)
}

func (h *host) config(p doc.Path) editor.Config {
	return editor.Config{
		Config: forms.Config{
			Schema: h.edit.Schema(), Root: h.edit.Root(), Path: p, Env: h.edit.Env(), Theme: h.deps.Theme, Suggest: h.suggest, Source: sourceOf, Locked: h.edit.LockedAt, Now: h.deps.Now,
			Width: h.width, Height: h.height - h.tabBarHeight(),
		},
		Head: h.edit.Head(), Workspace: h.edit.Workspace(), Service: h.deps.Service, Now: h.deps.Now, Local: h.deps.Local, ViewAs: h.viewAs,
		Host: editor.Host{
			Open:   func(p doc.Path) { h.requests.open = p },
			Notify: func(text string) { h.requests.notice = text },
			Tasks:  h.tasks,
		},
	}
}

func (h *host) suggest(list string) []string {
	return h.offers.List(h.edit.Workspace(), h.edit.Root(), list)
}

// requests collects what an editor and the side panel have requested during Update.
type requests struct {
	open   doc.Path
	notice string
}

// reload shows the current document.
func (h *host) reload() {
	if h.editor != nil {
		h.editor.Reload(h.edit.Root())
		h.showProblems()
	}
}

// focused returns the focused field; nil if there is none.
func (h *host) focused() *schema.FieldState {
	if h.editor != nil {
		if f, ok := h.editor.Focused(); ok {
			return &f
		}
	}
	return nil
}

// edits returns the document with the editor's changes, and the field that was typed in, which is empty for an
// operation; false if nothing changed.
func (h *host) edits() (root doc.Value, field string, ok bool) {
	root, changed := h.editor.Edited()
	if !changed || root.Same(h.edit.Root()) || len(doc.Diff(h.edit.Root(), root)) == 0 {
		return root, "", false
	}
	field = h.path.String()
	if f := h.focused(); f != nil {
		field = f.Path.String()
	}
	if e, ok := h.editor.(editor.OperationEditor); ok && e.LastWasOperation() {
		field = ""
	}
	return root, field, true
}

// setSize sets the size of the editor and the tab bar.
func (h *host) setSize(width, height int) {
	h.width, h.height = width, height
	if h.editor != nil {
		h.editor.SetSize(width, height-h.tabBarHeight())
	}
}

// lines returns the number of lines that the editor needs in that size, including the tab bar.
func (h *host) lines(width, height int) int {
	if h.editor == nil {
		return 0
	}
	h.editor.SetSize(width, height)
	return strings.Count(h.editor.View(), "\n") + 1 + h.tabBarHeight()
}

// view draws the editor below its tab bar.
func (h *host) view(active bool) string {
	h.editor.SetActive(active)
	if line := h.tabBarLine(); line != "" {
		return line + "\n\n" + h.editor.View()
	}
	return h.editor.View()
}

// helpEntries describes the keys that the editor handles in the focused field.
func (h *host) helpEntries() []screen.Action {
	rank := []int{10, 9, 7, 6, 5} // leaving, with priority 8, comes third
	bar := map[string]int{}
	for i, b := range h.editor.Hints() {
		if i < len(rank) {
			bar[b.Help().Key] = rank[i]
		}
	}
	var acts []screen.Action
	for _, b := range h.editor.Bindings() {
		h := b.Help()
		if h.Key == "esc" {
			continue // the screen has an entry for it
		}
		acts = append(acts, screen.Action{Keys: []string{h.Key}, Label: h.Desc, Group: groupForm, BarPriority: bar[h.Key], WhileTyping: true, HelpOnly: true})
	}
	if form, ok := h.editor.(*forms.Form); ok {
		for _, f := range form.TemplateHelp() {
			acts = append(acts, screen.Action{Keys: []string{f.Written()}, Label: f.Signature, Help: f.Entry(), Group: "Expressions (more: bugle help templates)", WhileTyping: true, HelpOnly: true})
		}
	}
	return acts
}

// tabBarFor returns the tab bar of the place around p.
func (h *host) tabBarFor(p doc.Path) editor.TabBar {
	t, at, ok := h.places.toolsAt(p)
	if !ok || t.tabBar == nil || len(at) == len(p) {
		return nil
	}
	return t.tabBar(h.config(at))
}

func (h *host) tabBarLine() string {
	if h.tabBar == nil {
		return ""
	}
	return h.tabBar.View(h.edit.Root(), h.path, h.width)
}

// tabBarHeight returns how many lines the tab bar takes.
func (h *host) tabBarHeight() int {
	if h.tabBarLine() == "" {
		return 0
	}
	return 2
}

func (h *host) tabBarActions() []screen.Action {
	if h.tabBarLine() == "" {
		return nil
	}
	return helpEntries(h.tabBar.Bindings(), groupMove, 6)
}

// tabBarTarget returns the place that a key of the tab bar leads to.
func (h *host) tabBarTarget(key string) (doc.Path, bool) {
	if h.tabBar == nil || h.editor.Modal() {
		return nil, false
	}
	return h.tabBar.KeyTarget(h.edit.Root(), h.path, key)
}

// gridAction returns the action that shows the grid, available anywhere in the messages.
func (h *host) gridAction(active bool, run func() tea.Cmd) []screen.Action {
	if !h.places.inContent(h.path) {
		return nil
	}
	a := screen.Action{Name: "grid", Keys: []string{"m", "alt+m"}, Label: "grid", Help: "show the messages by locale and variation", Group: groupMove, BarPriority: 5, WhileTyping: true, Run: run}
	if len(h.path) == 1 && h.places.gridOpen() {
		a.Label, a.Help, a.BarPriority = "form", "show the content as a form", 1
	}
	if h.editor.Modal() {
		a.BarPriority = 0
	}
	if active {
		a.Keys = a.Keys[1:]
	}
	return []screen.Action{a}
}
