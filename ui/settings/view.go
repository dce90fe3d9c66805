package settings

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

const group = "Settings"

// Actions are what the open tab can do, and the way to the others.
func (s *Screen) Actions() []screen.Action {
	if s.Typing() {
		return []screen.Action{
			{Keys: []string{"enter"}, Label: "apply", Help: "apply the filter", Group: group, Bar: 9, Typing: true, Run: func() tea.Cmd { s.keys.filter.Blur(); return nil }},
			{Keys: []string{"esc"}, Label: "show all", Help: "show all actions", Group: group, Bar: 8, Typing: true, Run: s.keys.showAll},
		}
	}
	return append(s.tabActions(), []screen.Action{
		{Keys: []string{"tab", "right", "l"}, Label: "next tab", Help: "theme, keys, remotes, files", Group: group, Bar: 5, Run: s.step(1)},
		{Keys: []string{"shift+tab", "left", "h"}, Label: "previous tab", Group: group, Run: s.step(-1)},
	}...)
}

func (s *Screen) tabActions() []screen.Action {
	switch s.tabs.Active {
	case tabTheme:
		return []screen.Action{
			{Keys: []string{"enter", " "}, Label: "use", Help: "use the theme", Group: group, Bar: 9, Run: s.chooseTheme},
			{Keys: []string{"n"}, Label: "new theme", Help: "create your own theme from this one, in your editor", Group: group, Bar: 7, Run: s.newTheme},
			{Keys: []string{"e"}, Label: "edit theme", Help: "edit the file of your theme", Group: group, Bar: 6, Why: s.whyNoEdit(), Run: s.editTheme},
		}
	case tabKeys:
		return s.keys.actions()
	case tabProfiles:
		return []screen.Action{{Keys: []string{"enter", " "}, Label: "use from next start", Group: group, Bar: 9, Why: s.whyNoUse(), Run: s.useProfile}}
	case tabFiles:
		if len(s.src.Places) > 0 {
			return []screen.Action{{Keys: []string{"enter", "y"}, Label: "copy path", Help: "copy the path", Group: group, Bar: 9, Run: s.copyPath}}
		}
	}
	return nil
}

func (s *Screen) step(by int) func() tea.Cmd {
	return func() tea.Cmd { return s.turnTo((s.tabs.Active + by + len(tabNames)) % len(tabNames)) }
}

// SetTheme changes the theme.
func (s *Screen) SetTheme(t themes.Theme) {
	s.theme, s.deps.Theme = t, t
	s.tabs.SetTheme(t)
	s.look.themed(t)
	s.keys.setTheme(t)
	s.profiles.list.SetTheme(t)
	s.files.SetTheme(t)
}

// SetSize takes the cells of the screen.
func (s *Screen) SetSize(width, height int) { s.width, s.height = width, height; s.layout() }

// themesWidth is what the list of themes takes, the rest being the live view.
const themesWidth = 26

// foot is how many lines below a list tell of what is under its cursor.
const foot = 4

func (s *Screen) inner() (w, h int) { return max(s.width-4, 1), max(s.height-3, 1) }

func (s *Screen) layout() {
	s.tabs.SetSize(max(s.width-2, 1), 1)
	w, h := s.inner()
	s.look.list.SetSize(min(themesWidth, w), h)
	s.keys.setSize(w, h)
	s.profiles.list.SetSize(w, max(min(h-6, max(len(s.profiles.all), 1)), 1))
	s.files.SetSize(w, max(min(h-foot, max(len(s.src.Places), 1)), 1))
}

// View draws the tabs and the open one.
func (s *Screen) View() string {
	if s.width == 0 || s.height == 0 {
		return ""
	}
	s.layout()
	panel := widget.NewPanel(s.theme, tabNames[s.tabs.Active])
	panel.Focused = true
	panel.SetSize(s.width, max(s.height-1, 0))
	var body string
	switch s.tabs.Active {
	case tabTheme:
		body = s.themeView()
	case tabKeys:
		panel.Info = fmt.Sprintf("%d changed", len(s.keys.of.Names()))
		body = s.keys.view(s.inner())
	case tabProfiles:
		body = s.profilesView()
	case tabFiles:
		body = s.filesView()
	}
	return widget.Fit(" "+s.tabs.View(), s.width, 1) + "\n" + panel.View(body)
}

// themeView draws the list of themes beside what this one looks like.
func (s *Screen) themeView() string {
	w, h := s.inner()
	list := strings.Split(s.look.list.View(), "\n")
	sample := s.sample(max(w-themesWidth-2, 1), h)
	lines := make([]string, h)
	for i := range lines {
		left, right := "", ""
		if i < len(list) {
			left = list[i]
		}
		if i < len(sample) {
			right = sample[i]
		}
		lines[i] = widget.Fit(left, min(themesWidth, w), 1) + "  " + right
	}
	return strings.Join(lines, "\n")
}

// sample shows every color that has a meaning, each where it is used.
func (s *Screen) sample(w, h int) []string {
	t := s.theme
	line := func(text string) string { return widget.Truncate(text, w) }
	selected := widget.PadRight("▸ selected row", max(min(w, 40), 1))
	out := []string{t.TitleFocus.Render(line("Focused panel")), t.Selected.Render(line(selected)), ""}
	for _, row := range [][]string{
		{t.Strong.Render("Strong"), t.Text.Render("text"), t.Muted.Render("label"), t.Faint.Render("hint")},
		{t.Badge(themes.RoleDraft, "Draft"), t.Badge(themes.RoleWaiting, "Scheduled"), t.Badge(themes.RoleLive, "Active"), t.Badge(themes.RoleSending, "Sending"), t.Badge(themes.RolePaused, "Paused"), t.Badge(themes.RoleDone, "Sent"), t.Badge(themes.RoleStopped, "Stopped")},
		{t.Success.Render("✓ done"), t.Warning.Render("! warning"), t.Danger.Render("✗ error"), t.Info.Render("i info")},
		{t.Key.Render("ctrl+k") + " " + t.KeyLabel.Render("palette"), t.ButtonFocus.Render("  Yes  "), t.ButtonDanger.Render("  Delete  ")},
		{t.JSONKey.Render(`"rpm"`) + t.JSONPunct.Render(": ") + t.JSONNumber.Render("50"), t.JSONKey.Render(`"name"`) + t.JSONPunct.Render(": ") + t.JSONString.Render(`"Spring"`)},
	} {
		out = append(out, flow(row, w)...)
	}
	out = append(out, "")
	for i := range out {
		out[i] = widget.Fit(out[i], w, 1)
	}
	notes := s.themeNotes(w)
	return append(out[:min(len(out), max(h-len(notes), 3))], notes...)
}

// themeNotes says what is wrong with files of own themes, or where those are.
func (s *Screen) themeNotes(w int) []string {
	var out []string
	add := func(text string, tone themes.Tone) {
		for _, l := range widget.Wrap(widget.Clean(text), w) {
			out = append(out, s.theme.Paint(tone, l))
		}
	}
	for _, err := range s.look.wrong {
		for text := range strings.SplitSeq(err.Error(), "\n") {
			add("✗ "+text, themes.ToneDanger)
		}
	}
	if len(out) == 0 {
		add("Your own themes are files in "+s.src.Themes.Dir(), themes.ToneMuted)
	}
	return out
}

// flow sets pieces one after the other, on as many lines as they need.
func flow(pieces []string, w int) []string {
	var lines []string
	for _, p := range pieces {
		if last := len(lines) - 1; last >= 0 && widget.Width(lines[last])+2+widget.Width(p) <= w {
			lines[last] += "  " + p
			continue
		}
		lines = append(lines, p)
	}
	return lines
}

func (s *Screen) profilesView() string {
	w, h := s.inner()
	var lines []string
	if s.profiles.failed != nil {
		for _, l := range widget.Wrap(widget.Clean("✗ "+s.profiles.failed.Error()), w) {
			lines = append(lines, s.theme.Danger.Render(l))
		}
	} else {
		lines = strings.Split(s.profiles.list.View(), "\n")
	}
	lines = append(lines, "")
	text := "The selected remote is used from the next start. bugle --remote NAME uses one right away, and --remote local the store on this machine."
	if len(s.profiles.all) < 2 {
		text = "There are no remotes yet. Run bugle remote add to connect to a service; bugle remote add --help shows how."
	}
	for _, l := range widget.Wrap(text, w) {
		lines = append(lines, s.theme.Muted.Render(l))
	}
	return strings.Join(lines[:min(len(lines), h)], "\n")
}

func (s *Screen) filesView() string {
	w, h := s.inner()
	lines := strings.Split(s.files.View(), "\n")
	if at := s.files.Cursor; at < len(s.src.Places) {
		p := s.src.Places[at]
		lines = append(lines, "")
		for _, l := range widget.Wrap(widget.Clean(p.Path), w) {
			lines = append(lines, s.theme.Text.Render(l))
		}
		for _, l := range widget.Wrap(p.About, w) {
			lines = append(lines, s.theme.Muted.Render(l))
		}
	}
	return strings.Join(lines[:min(len(lines), h)], "\n")
}
