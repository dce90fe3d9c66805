package app

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/ui/keymap"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// parseKeymap returns the bindings of a keymap file.
func parseKeymap(t *testing.T, text string) keymap.Map {
	t.Helper()
	m, problems := keymap.Parse([]byte(text))
	if len(problems) > 0 {
		t.Fatalf("the keys are not followed: %v", problems)
	}
	return m
}

// service is a service on which no operation is called.
type service struct{ engine.Service }

func (d *harness) click(text string) {
	d.t.Helper()
	for y, line := range strings.Split(d.model.View(), "\n") {
		if at := strings.Index(line, text); at >= 0 {
			d.clickAt(widget.Width(line[:at]), y)
			return
		}
	}
	d.t.Fatalf("the window does not show %q:\n%s", text, d.model.View())
}

func (d *harness) clickAt(x, y int) {
	d.send(tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
}

func (d *harness) wheel(x, y int) {
	d.send(tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonWheelDown, Action: tea.MouseActionPress})
}

// The same keymap drives dispatch, status bar, help and palette.
func TestCustomKeysApplyEverywhere(t *testing.T) {
	d := newHarness(t, func(o *Options) {
		o.First.Name = "activity"
		o.Keys = parseKeymap(t, "activity.delete-all: [ctrl+a, X]\nactivity.copy: []\napp.quit: Q\napp.palette: ctrl+p\n")
	})
	page := d.pages["activity"]
	page.actions = []screen.Action{page.action("delete all", "x"), page.action("copy", "y")}
	d.log = nil
	d.want("ctrl+a delete all")
	d.press("ctrl+a", "X")
	d.wantLog("delete all", "delete all")
	d.press("x", "Y", "q")
	d.wantLog()
	if d.quit || !slices.Equal(page.received, []string{"x", "Y", "q"}) {
		t.Errorf("keys that were given up still do something; the screen heard %q", page.received)
	}
	d.press("?")
	d.want("ctrl+a", "Q  ")
	d.wantNot("Y  ")
	d.press("esc")
	d.send(tea.KeyMsg{Type: tea.KeyCtrlP})
	d.want("Palette", "copy", "ctrl+a")
	d.send(tea.KeyMsg{Type: tea.KeyCtrlP})
	d.wantNot("Palette")

	page.actions[0].WhileTyping, page.typing, page.received = true, true, nil
	d.press("X", "Q")
	d.wantLog()
	d.press("ctrl+a")
	d.wantLog("delete all")
	if !slices.Equal(page.received, []string{"X", "Q"}) {
		t.Errorf("while typing, the text is %q", page.received)
	}
	d.send(screen.SetKeymapMsg{})
	page.typing = false
	d.press("x")
	d.wantLog("delete all")
}

// The status bar shows the keys of the overlay, and a click on one presses it.
func TestStatusBarShowsDialogKeys(t *testing.T) {
	d := newHarness(t)
	said := ""
	ask := screen.InputMsg{Title: "Save view", Then: func(text string) tea.Cmd { said = text; return nil }}
	bar := func() string {
		lines := strings.Split(strings.TrimRight(d.model.View(), "\n"), "\n")
		return lines[len(lines)-1]
	}
	click := func(text string) {
		t.Helper()
		at := strings.Index(bar(), text)
		if at < 0 {
			t.Fatalf("the bar is %q", bar())
		}
		d.send(tea.MouseMsg{X: at, Y: d.model.height - 1, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	}
	d.send(ask)
	if want := " Typing  enter ok  esc cancel"; strings.TrimRight(bar(), " ") != want {
		t.Errorf("the bar is %q, want %q", bar(), want)
	}
	d.press("A")
	click("enter ok")
	d.wantNot("Save view")
	if said != "A" {
		t.Errorf("it was given %q", said)
	}
	d.send(ask)
	click("esc cancel")
	d.wantNot("Save view")
	d.press("?")
	if !strings.Contains(bar(), "esc close") || strings.Contains(bar(), "help") {
		t.Errorf("over the help the bar is %q", bar())
	}
}

// ctrl+z undoes on every screen. Suspending is only in the palette, found by exactly that word.
func TestCtrlZUndoes(t *testing.T) {
	d := newHarness(t, func(o *Options) { o.Suspend = true })
	home := d.pages["home"]
	d.log = nil
	for _, typing := range []bool{false, true} {
		home.typing = typing
		d.press("ctrl+z")
		d.want("Nothing to undo")
		d.press("ctrl+y")
		d.want("Nothing to redo")
		d.wantNot("Nothing to undo") // the same toast
	}
	home.undone = []string{"Title", "Sender"}
	d.press("ctrl+z")
	d.want("Undone: Sender")
	d.press("ctrl+z")
	d.want("Undone: Title")
	d.wantNot("Undone: Sender")
	d.press("ctrl+y")
	d.want("Redone: Title")
	d.press("ctrl+z", "ctrl+z")
	d.want("Nothing to undo")
	d.wantLog()

	for _, text := range []string{"schedule", "end", "pend", "give the terminal", "spd", "undo"} {
		d.press("ctrl+k")
		d.typed(text)
		d.wantNot("return to the shell")
		d.press("esc")
	}
	d.press("ctrl+k")
	d.typed("susp")
	d.press("enter")
	d.wantLog("suspended")
	home.received = nil
	d.send(tea.ResumeMsg{})
	if !slices.Contains(home.received, "screen.ChangedMsg") {
		t.Error("screens do not read anew after the program was suspended")
	}

	d = newHarness(t) // no shell could continue it
	d.press("ctrl+k")
	d.typed("suspend")
	d.wantNot("return to the shell")
}

// The status bar shows whether letters are typed or are commands, also with an overlay.
func TestStatusBarShowsTypingMode(t *testing.T) {
	d := newHarness(t)
	home := d.pages["home"]
	bar := func(want string) {
		t.Helper()
		lines := strings.Split(d.model.View(), "\n")
		if got := lines[len(lines)-1]; !strings.HasPrefix(got, " "+want+" ") {
			t.Errorf("the status bar is %q, want %q first", got, want)
		}
	}
	for _, width := range []int{40, 60, 80, 120} {
		d.send(tea.WindowSizeMsg{Width: width, Height: 20})
		home.typing = false
		bar("Keys")
		d.press("ctrl+k")
		bar("Typing")
		d.press("esc")
		d.send(screen.AskMsg{Question: screen.Question{Title: "Sure?"}})
		bar("Keys")
		d.press("esc")
		d.send(screen.InputMsg{Title: "Name", Then: func(string) tea.Cmd { return nil }})
		bar("Typing")
		d.press("esc")
		home.typing = true
		bar("Typing")
	}
}

// Word starts rank above matches inside words, and those above scattered letters.
func TestPaletteRanksByWordStarts(t *testing.T) {
	commands := []command{
		{label: "resume the list"}, {label: "unlist"}, {label: "test send", detail: "list of people"}, {label: "list"}, {label: "light set"},
		{label: "List price", rank: rankField}, {label: "enlist", rank: rankPrefixOnly},
	}
	var got []string
	for _, c := range matchCommands("list", commands) {
		got = append(got, c.label)
	}
	want := []string{"list", "List price", "resume the list", "test send", "unlist", "light set"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if found := matchCommands("price list", commands); len(found) != 1 || found[0].label != "List price" {
		t.Errorf("two words find %v", found)
	}
}

func TestWaitCanBeCanceledUnderQuestion(t *testing.T) {
	d, far := newOfflineHarness(t)
	d.send(screen.LinkMsg{Link: engine.Connection{Waits: []engine.Wait{{Why: "it", For: noticeTime, Until: d.now.Add(noticeTime)}}}})
	d.send(screen.AskMsg{Question: screen.Question{Title: "Leave?"}})
	d.press("ctrl+l")
	if far.ended != 1 {
		t.Errorf("the wait was ended %d times", far.ended)
	}
	d.want("Leave?")
	d.press("esc")
	d.send(screen.CaptureKeyMsg{Title: "Which key?", Then: func(k string) tea.Cmd { return d.record(k) }})
	d.log = nil
	d.press("ctrl+l") // here it answers the dialog
	d.wantLog("ctrl+l")
	if far.ended != 1 {
		t.Error("a key that is asked for does something else")
	}
	d.send(screen.CaptureKeyMsg{Title: "Which key?", Then: func(k string) tea.Cmd { return d.record(k) }})
	d.press("esc")
	d.wantLog()
	d.wantNot("Which key?")
}

func TestHintsAndBreadcrumbAreClickable(t *testing.T) {
	d := newHarness(t)
	home := d.pages["home"]
	home.actions = []screen.Action{home.action("alpha", "a"), {Keys: []string{"tab"}, Label: "turn", Group: "Page", BarPriority: 3, HelpOnly: true}}
	d.log = nil
	d.click("a alpha")
	d.wantLog("alpha")
	d.click("tab turn")
	if !slices.Equal(home.received, []string{"tab"}) {
		t.Errorf("the screen heard %q", home.received)
	}
	d.click("? help")
	d.want("Keys — home")
	d.clickAt(0, 12) // outside the box
	d.wantNot("Keys — home")
	d.open("middle").leaveQuestion = &screen.Question{Title: "Leave it?"}
	d.open("top")
	d.log = nil
	d.click("home ›")
	d.want("Leave it?", "home › middle")
	d.press("y")
	d.wantLog("closed top", "closed middle")
	d.want("(home body)")
}

func TestClickOutsideClosesUnlessInputIsLost(t *testing.T) {
	d := newHarness(t)
	d.log = nil
	options := []widget.Option{{Label: "one"}, {Label: "two"}, {Label: "three"}}
	d.send(screen.ChooseMsg{Title: "Which?", Options: options, Then: func(a widget.Answer) tea.Cmd { return d.record(options[a.Index].Label) }})
	d.wheel(40, 12)
	d.wheel(40, 12)
	d.press("enter")
	d.wantLog("three")
	d.send(screen.AskMsg{Question: screen.Question{Title: "Sure?", Then: func(a widget.Answer) tea.Cmd {
		if a.Canceled() {
			return d.record("left")
		}
		return d.record("answered")
	}}})
	d.clickAt(1, 5)
	d.wantLog("left")
	line := screen.InputMsg{Title: "Name", Value: "ab", Then: func(s string) tea.Cmd { return d.record(s) }}
	d.send(line)
	d.press("c")
	d.clickAt(1, 5)
	d.want("abc")  // a click does not discard what was typed
	d.press("esc") // esc does, and says so
	d.want("Discarded “abc”.")
	d.send(line)
	d.press("c", "enter")
	d.wantLog("abc")
	d.send(line)
	d.clickAt(1, 5)
	d.wantNot("Name")
	if len(d.pages["home"].received) != 0 {
		t.Errorf("the screen below heard %q", d.pages["home"].received)
	}
}

func TestNoticeDoesNotCoverQuestion(t *testing.T) {
	d := newHarness(t)
	d.model.resize(60, 20)
	d.send(screen.AskMsg{Question: screen.Question{Title: "Sure?", Body: strings.Repeat("It is a long question. ", 24)}})
	d.send(screen.NotifyMsg{Level: widget.LevelError, Text: "The disk is full."})
	d.want("Sure?", "Yes", "No", "The disk is full.")
}

func TestPaletteOpensScreensAndRemembers(t *testing.T) {
	kept := prefs.NewInMemory()
	with := func(o *Options) {
		o.First.Name, o.Deps.Prefs, o.Deps.Service = screen.Campaigns, kept, service{}
	}
	d := newHarness(t, with)
	first := d.pages[screen.Campaigns]
	first.actions = []screen.Action{first.action("alpha", "a"), first.action("beta", "b")}
	d.send(screen.OpenMsg{Route: screen.Route{Name: screen.History, ID: "7"}})
	d.press("ctrl+k")
	d.want("Go to", "builder — edit this campaign", "campaigns — the list of all campaigns")
	d.wantNot("history — earlier", "Recent")
	d.typed("list of all")
	d.press("enter")
	d.want("(campaigns body)")
	if len(d.model.stack) != 1 {
		t.Error("the list is open twice")
	}
	d.log = nil
	d.press("ctrl+k")
	d.typed("beta")
	d.press("enter")
	d.wantLog("beta")
	d.press("ctrl+k")
	d.want("Recent")
	d.press("enter") // the action that was run last is first
	d.wantLog("beta")

	d = newHarness(t, with) // another start
	first = d.pages[screen.Campaigns]
	first.actions = []screen.Action{first.action("alpha", "a"), first.action("beta", "b")}
	d.log = nil
	d.press("ctrl+k", "enter")
	d.wantLog("beta")
}

// An overlay opened from the palette stays when the palette closes.
func TestPaletteOpensHelp(t *testing.T) {
	d := newHarness(t)
	d.press("ctrl+k")
	d.typed("every key")
	d.press("enter")
	d.want("Keys — home")
	d.wantNot("Palette")
	d.press("esc")
	d.wantNot("Keys — home")
}

func TestChosenThemeIsRemembered(t *testing.T) {
	kept := prefs.NewInMemory()
	d := newHarness(t, func(o *Options) {
		o.Deps.Prefs, o.ThemeNames = kept, func() []string { return []string{"dark", "light"} }
	})
	if name, err := Theme(kept); name != "" || err != nil {
		t.Errorf("before any choice it is %q, %v", name, err)
	}
	d.send(RunMsg{d.model.pickTheme})
	d.press("down", "down", "esc")
	if name, _ := Theme(kept); name != "" {
		t.Errorf("looking at %q chose it", name)
	}
	d.send(screen.ThemeMsg{Name: "dark"})
	d.send(RunMsg{d.model.pickTheme})
	d.wantNot("high-contrast")
	d.press("down", "enter")
	if name, _ := Theme(kept); name != "light" {
		t.Errorf("the theme of the next start is %q", name)
	}
}

func TestStartupWarningsAreShown(t *testing.T) {
	d := newHarness(t, func(o *Options) { o.StartupWarnings = []string{"keys.yaml, line 3: there is no action of that name"} })
	d.want("✗ keys.yaml, line 3")
}

// A word that arrives as one message is text, even if it is the name of a key.
func TestKeyNamesTypedAsTextStayText(t *testing.T) {
	for _, word := range []string{"end", "up", "home", "space"} {
		d := newHarness(t)
		home := d.pages["home"]
		home.actions = []screen.Action{{Keys: []string{word}, WhileTyping: true, Label: "the key", Run: func() tea.Cmd { t.Errorf("%q is taken for the key", word); return nil }}}
		home.typing = true
		d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(word)})
		if got := strings.Join(home.received, ""); got != word {
			t.Errorf("of %q the screen heard %q", word, home.received)
		}
	}
}
