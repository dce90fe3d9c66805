package builder

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/assemble"
	"bugle/engine/schema"
	"bugle/forms"
	"bugle/ui/editor"
	"bugle/ui/screen"
)

// host holds the editor of the place that is open, and does for it what it asks for.
type host struct {
	edit    *edit.Session
	deps    screen.Deps
	offers  assemble.Suggestions // for texts
	task    func(kind string, fn func(context.Context) (any, error)) tea.Cmd
	changed func() tea.Cmd // takes over what was changed in the person's own editor
	places  places

	form  editor.Editor // of path; nil where the campaign has none
	path  doc.Path
	strip editor.TabBar // above the form; nil where the place has none
	size  box           // of the form and the strip
	wants wants
}

// show shows the form of the object, list or map at p.
func (h *host) show(p doc.Path) {
	h.path = p
	h.strip = h.stripFor(p)
	h.form = h.newEditor(p)
	h.form.SetProblems(h.edit.Problems())
}

// newEditor makes the editor of the object, map or list at p.
func (h *host) newEditor(p doc.Path) editor.Editor {
	cfg := h.config(p)
	if t, at, ok := h.places.toolAt(p); ok && t.edit != nil && len(at) == len(p) {
		if ed := t.edit(&h.places, cfg); ed != nil {
			return ed
		}
	}
	return forms.New(cfg.Config)
}

func (h *host) config(p doc.Path) editor.Config {
	return editor.Config{
		Config: forms.Config{
			Schema: h.edit.Schema(), Root: h.edit.Root(), Path: p, Env: h.edit.Env(), Theme: h.deps.Theme, Suggest: h.suggest, Locked: h.edit.LockedAt, Now: h.deps.Now,
			Width: h.size.w, Height: h.size.h - h.stripLines(),
		},
		Head: h.edit.Head(), Workspace: h.edit.Workspace(), Service: h.deps.Service, Now: h.deps.Now, Location: h.deps.Location,
		Host: editor.Host{
			Open:         func(p doc.Path) { h.wants.open = p },
			OpenExternal: func(text, suffix string, then func(string)) { h.wants.outside = h.outside(text, suffix, then) },
			Notify:       func(text string) { h.wants.notice = text },
			Run:          func(kind string, fn func(context.Context) (any, error)) tea.Cmd { return h.task(taskEditor+kind, fn) },
		},
	}
}

func (h *host) suggest(list string) []string {
	return h.offers.List(h.edit.Workspace(), h.edit.Root(), list)
}

// wants is what an editor and the aside asked for during Update.
type wants struct {
	open    doc.Path
	outside tea.Cmd
	notice  string
}

// outside opens a text of an editor in the person's own one.
func (h *host) outside(text, suffix string, then func(string)) tea.Cmd {
	return screen.Send(screen.OpenEditorMsg{Text: text, Suffix: suffix, Then: func(after string, changed bool) tea.Cmd {
		if !changed || h.form == nil {
			return nil
		}
		then(after)
		return h.changed()
	}})
}

// taskEditor begins the names of the tasks that editors start.
const taskEditor = "editor."

// reload shows the document as it is now.
func (h *host) reload() {
	if h.form != nil {
		h.form.Reload(h.edit.Root())
		h.form.SetProblems(h.edit.Problems())
	}
}

// focused returns the field that has the focus; nil where none has.
func (h *host) focused() *schema.FieldState {
	if h.form != nil {
		if f, ok := h.form.Focused(); ok {
			return &f
		}
	}
	return nil
}

// edits returns the document with what the form changed, and the field that was typed in, which is empty for a step
// of its own; false where nothing changed.
func (h *host) edits() (root doc.Value, field string, ok bool) {
	root, changed := h.form.Edited()
	if !changed || root.Same(h.edit.Root()) || len(doc.Diff(h.edit.Root(), root)) == 0 {
		return root, "", false
	}
	field = h.path.String()
	if f := h.focused(); f != nil {
		field = f.Path.String()
	}
	if e, ok := h.form.(editor.OperationEditor); ok && e.LastWasOperation() {
		field = ""
	}
	return root, field, true
}

// setSize sets the room for the form and the strip.
func (h *host) setSize(size box) {
	h.size = size
	if h.form != nil {
		h.form.SetSize(size.w, size.h-h.stripLines())
	}
}

// lines is the number of lines that the form fills in that much room, the line above it included.
func (h *host) lines(width, height int) int {
	if h.form == nil {
		return 0
	}
	h.form.SetSize(width, height)
	return strings.Count(h.form.View(), "\n") + 1 + h.stripLines()
}

// view draws the form below its strip.
func (h *host) view(active bool) string {
	h.form.SetActive(active)
	if line := h.stripLine(); line != "" {
		return line + "\n\n" + h.form.View()
	}
	return h.form.View()
}

// keys are entries of the help for the keys that the form takes at the focused field.
func (h *host) keys() []screen.Action {
	rank := []int{10, 9, 7, 6, 5} // the way out, 8, comes third
	bar := map[string]int{}
	for i, b := range h.form.Hints() {
		if i < len(rank) {
			bar[b.Help().Key] = rank[i]
		}
	}
	var acts []screen.Action
	for _, b := range h.form.Bindings() {
		h := b.Help()
		if h.Key == "esc" {
			continue // the screen's own entry says what it does
		}
		acts = append(acts, screen.Action{Keys: []string{h.Key}, Label: h.Desc, Group: groupForm, BarPriority: bar[h.Key], WhileTyping: true, HelpOnly: true})
	}
	return acts
}

// stripFor makes the line above the form at p: that of the place around it.
func (h *host) stripFor(p doc.Path) editor.TabBar {
	t, at, ok := h.places.toolAt(p)
	if !ok || t.strip == nil || len(at) == len(p) {
		return nil
	}
	return t.strip(h.config(at))
}

func (h *host) stripLine() string {
	if h.strip == nil {
		return ""
	}
	return h.strip.View(h.edit.Root(), h.path, h.size.w)
}

// stripLines is how many lines the strip takes from the form.
func (h *host) stripLines() int {
	if h.stripLine() == "" {
		return 0
	}
	return 2
}

func (h *host) stripKeys() []screen.Action {
	if h.stripLine() == "" {
		return nil
	}
	return infoActions(h.strip.Bindings(), groupMove, 6)
}

// stripGo returns where a key of the strip leads.
func (h *host) stripGo(key string) (doc.Path, bool) {
	if h.strip == nil || h.form.Modal() {
		return nil, false
	}
	return h.strip.KeyTarget(h.edit.Root(), h.path, key)
}

// gridKey is the action that leads to the grid from everywhere in the messages.
func (h *host) gridKey(active bool, run func() tea.Cmd) []screen.Action {
	if !h.places.inContent(h.path) {
		return nil
	}
	a := screen.Action{Name: "grid", Keys: []string{"alt+m"}, Label: "grid", Help: "show the messages by locale and variation", Group: groupMove, BarPriority: 5, WhileTyping: true, Run: run}
	if len(h.path) == 1 && h.places.gridOpen() {
		a.Label, a.Help, a.BarPriority = "form", "show the content as a form", 1
	}
	if h.form.Modal() {
		a.BarPriority = 0
	}
	if !active {
		a.Keys = append([]string{"m"}, a.Keys...)
	}
	return []screen.Action{a}
}
