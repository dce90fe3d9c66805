package app

import (
	"slices"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"bugle/themes"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

func TestKeyDispatchOrder(t *testing.T) {
	d := newHarness(t)
	d.wantLog("init home")
	home := d.pages["home"]
	own := home.action("own esc", "esc")
	home.actions = []screen.Action{home.action("alpha", "a"), own, {Keys: []string{"i"}, Label: "info", Group: "Page", HelpOnly: true}}

	d.press("a", "esc", "i", "z")
	d.wantLog("alpha", "own esc")
	if !slices.Equal(home.received, []string{"i", "z"}) {
		t.Errorf("the screen itself heard %q", home.received)
	}
	d.press("?")
	d.want("Keys — home")
	d.press("a")
	d.wantLog() // the overlay has the keyboard
	d.press("esc")
	d.wantNot("Keys — home")

	home.received, home.typing = nil, true
	d.press("a", "q", "?")
	if !slices.Equal(home.received, []string{"a", "q", "?"}) || d.quit {
		t.Errorf("while typing, the text is %q", home.received)
	}
	d.want("f1 help")
	d.press("f1")
	d.want("Keys — home")
	d.press("esc", "ctrl+k")
	d.want("Palette")
	d.press("esc")

	home.received, home.typing = nil, false
	d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("a"), Paste: true})
	d.wantLog()
	if len(home.received) != 1 {
		t.Error("a pasted letter is a command")
	}
	d.want("? help")
}

func TestDisabledActionShowsReasonUntilNextKey(t *testing.T) {
	d := newHarness(t)
	home := d.pages["home"]
	no := home.action("publish", "p")
	no.DisabledReason = "It is published already."
	home.actions = []screen.Action{no, home.action("alpha", "a")}
	d.log = nil
	d.press("p")
	d.wantLog()
	d.want("! It is published already.")
	d.press("p")
	d.want("! It is published already.")
	d.press("a")
	d.wantNot("It is published already.")
	d.wantLog("alpha")
}

func TestNoticesExpire(t *testing.T) {
	d := newHarness(t)
	d.send(screen.NotifyMsg{Level: widget.LevelSuccess, Text: "Saved."})
	d.send(screen.NotifyMsg{Level: widget.LevelError, Text: "The disk is full."})
	d.press("z")
	d.want("Saved.", "The disk is full.")
	d.now = d.now.Add(noticeTime + time.Second)
	d.model.notices.expire()
	d.wantNot("Saved.")
	d.want("The disk is full.")
	d.now = d.now.Add(time.Hour)
	d.model.notices.expire()
	d.want("The disk is full.") // an error stays until the user presses a key
	d.press("z")
	d.wantNot("The disk is full.")

	d.send(screen.NotifyMsg{Level: widget.LevelError, Text: "The disk is full."})
	d.press("z")
	d.want("The disk is full.") // a user who was typing has not read it
}

func TestQuestions(t *testing.T) {
	d := newHarness(t)
	d.log = nil
	ask := func(q screen.Question) {
		q.Title = "Sure?"
		q.Then = func(a widget.Answer) tea.Cmd {
			if a.Yes() {
				return d.record("yes")
			}
			return d.record("no")
		}
		d.send(screen.AskMsg{Question: q})
		d.want("Sure?")
	}
	ask(screen.Question{})
	d.press("enter")
	d.wantLog("yes")
	ask(screen.Question{Danger: true})
	d.press("enter") // an irreversible answer takes more than enter
	d.wantLog("no")
	ask(screen.Question{Danger: true})
	d.press("y")
	d.wantLog("yes")
	ask(screen.Question{})
	d.press("esc")
	d.wantLog("no")
	d.wantNot("Sure?")

	options := []widget.Option{{Label: "one"}, {Label: "two", Dim: true, DisabledReason: "It is taken."}, {Label: "three"}}
	choose := screen.ChooseMsg{Title: "Which?", Options: options, Then: func(a widget.Answer) tea.Cmd { return d.record(options[a.Index].Label) }}
	d.send(choose)
	d.press("down", "enter")
	d.want("Not available: It is taken.")
	d.press("down", "enter")
	d.wantLog("three")
	d.send(choose)
	d.press("esc")
	d.wantLog()

	line := screen.InputMsg{Title: "Name", Value: "ab", Then: func(s string) tea.Cmd { return d.record(s) }, Validate: func(s string) string {
		if s == "abc" {
			return "That name is taken."
		}
		return ""
	}}
	d.send(line)
	d.press("c", "enter")
	d.want("That name is taken.")
	d.press("d", "enter")
	d.wantLog("abcd")
	d.send(line)
	d.press("esc")
	d.wantLog()
	d.wantNot("Name")
	if len(d.pages["home"].received) != 0 {
		t.Errorf("the screen below heard %q", d.pages["home"].received)
	}
}

func TestHelpListsEachKeyOnce(t *testing.T) {
	d := newHarness(t)
	top := d.open("top")
	why := top.action("stop", "s")
	why.DisabledReason = "It has ended."
	top.actions = []screen.Action{top.action("leave", "esc"), top.action("alpha", "a", "b"), why, {Keys: []string{"↑/↓"}, Label: "move", Group: "Page", HelpOnly: true}}
	seen := map[string]int{}
	for _, g := range helpGroups(d.model.activeActions()) {
		for _, h := range g.hints {
			seen[h.Key]++
			if h.Key == "s" && h.DisabledReason != "It has ended." {
				t.Errorf("the help says of s: %+v", h)
			}
		}
	}
	for _, k := range []string{"esc", "a", "s", "↑/↓", "?", "ctrl+k", "ctrl+l", "f9", "q"} {
		if seen[k] != 1 {
			t.Errorf("%s is listed %d times", k, seen[k])
		}
	}
	d.press("?")
	d.want("Page", "alpha", "– It has ended.", "Everywhere")
}

func TestPaletteFindsAndRuns(t *testing.T) {
	d := newHarness(t)
	home := d.pages["home"]
	long := home.action("publish", "p")
	long.Help = "send it to everybody"
	no := home.action("archive", "A")
	no.DisabledReason = "Nothing is selected."
	home.actions = []screen.Action{home.action("alpha", "a"), long, no,
		{Keys: []string{"↑/↓"}, Label: "just told", Group: "Page", HelpOnly: true}, {Keys: []string{"i"}, Label: "its own", Group: "Page", HelpOnly: true}}
	d.log = nil
	d.press("ctrl+k")
	d.want("home", "alpha", "publish — send it to everybody", "archive", "its own")
	d.wantNot("just told", "find an action, a screen")
	d.typed("evrybd")
	d.wantNot("quit — quit")
	d.press("enter")
	d.wantLog("publish")
	d.wantNot("Palette")

	d.press("ctrl+k")
	d.typed("zzzz")
	d.want("Nothing found.")
	d.press("enter")
	d.wantLog()
	d.press("esc", "ctrl+k")
	d.typed("archive")
	d.press("enter")
	d.wantLog()
	d.want("! Nothing is selected.")
}

func TestTooSmallWindowIgnoresKeys(t *testing.T) {
	d := newHarness(t)
	home := d.pages["home"]
	home.actions = []screen.Action{home.action("alpha", "a")}
	d.log = nil
	d.send(tea.WindowSizeMsg{Width: 20, Height: 5})
	d.want("40×12")
	d.press("a", "q", "z")
	d.send(tea.MouseMsg{X: 3, Y: 3, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	d.wantLog()
	if len(home.received) != 0 {
		t.Errorf("the screen heard %q", home.received)
	}
	d.send(tea.WindowSizeMsg{Width: 60, Height: 20})
	d.want("(home body)")
	if home.w != 60 || home.h != 18 {
		t.Errorf("the screen has %d×%d cells", home.w, home.h)
	}
	d.send(tea.WindowSizeMsg{}) // some terminals start like this
	if home.w != 80 || home.h != 22 {
		t.Errorf("the screen has %d×%d cells", home.w, home.h)
	}
	d.send(tea.WindowSizeMsg{Width: 20, Height: 5})
	d.press("ctrl+c")
	d.wantLog("closed home", "quit")
}

func TestAltEscIsTwoEscapes(t *testing.T) {
	d := newHarness(t)
	d.open("middle")
	d.open("top")
	d.press("alt+esc")
	d.want("(home body)")
}

func TestMouse(t *testing.T) {
	d := newHarness(t)
	home := d.pages["home"]
	for _, y := range []int{0, 23, 5} {
		d.send(tea.MouseMsg{X: 1, Y: y})
	}
	if len(home.received) != 1 {
		t.Errorf("header and status bar are the screen's: it heard %q", home.received)
	}
}

func TestCopyAndChangedMsg(t *testing.T) {
	d := newHarness(t)
	d.open("top")
	d.send(screen.CopyMsg{Text: "abc", What: "the id"})
	d.want("Copied the id")
	if d.copied != "abc" {
		t.Errorf("the clipboard has %q", d.copied)
	}
	d.send(screen.CopyMsg{Text: "refused", What: "the id"})
	d.want("Can't copy the id: no clipboard")
	d.send(screen.ChangedMsg{ID: "1"})
	for _, p := range d.pages {
		if !slices.Contains(p.received, "screen.ChangedMsg") {
			t.Errorf("%s is not told of a change", p.title)
		}
	}
}

func TestThemePickerShowsEachTheme(t *testing.T) {
	d := newHarness(t)
	d.send(screen.ThemeMsg{Name: "dark"})
	top := d.open("top")
	home := d.pages["home"]
	d.send(RunMsg{d.model.pickTheme})
	d.want("dark (in use)", "enter choose")
	d.press("down")
	if top.theme.Name != "light" || home.theme.Name != "light" {
		t.Errorf("the screens behind show %s and %s", top.theme.Name, home.theme.Name)
	}
	d.press("esc")
	if top.theme.Name != "dark" || home.theme.Name != "dark" || d.model.theme.Name != "dark" {
		t.Errorf("left, the picker leaves %s", top.theme.Name)
	}
	d.send(RunMsg{d.model.pickTheme})
	d.press("down", "down", "enter")
	if top.theme.Name != "high-contrast" {
		t.Errorf("chosen is %s", top.theme.Name)
	}
	if p := d.open("later"); p.theme.Name != "high-contrast" {
		t.Errorf("a screen that is opened later shows %s", p.theme.Name)
	}
	d.send(screen.ThemeMsg{Name: "mauve"})
	d.want(`there is no theme "mauve"`)
}

// A terminal reports its background after the program has been drawn. The report also applies to the next
// start.
func TestBackgroundMsgUpdatesThemes(t *testing.T) {
	dark := true
	kept := prefs.NewInMemory()
	d := newHarness(t, func(o *Options) {
		o.Deps.Prefs = kept
		o.Themes = func(name string) (*themes.Theme, error) {
			return themes.New(themes.Options{Name: name, DarkBackground: dark, Profile: termenv.TrueColor})
		}
	})
	d.send(screen.ThemeMsg{Name: themes.Auto})
	if !d.model.theme.DarkBackground || !Dark(kept) {
		t.Fatal("a background that nobody knows is not taken for a dark one")
	}
	dark = false
	d.send(BackgroundMsg{Dark: false})
	if d.model.theme.Name != themes.Auto || d.model.theme.DarkBackground || Dark(kept) {
		t.Errorf("on a light background the theme is %s, dark %v; the next start takes it for dark: %v", d.model.theme.Name, d.model.theme.DarkBackground, Dark(kept))
	}
	dark = true
	d.send(BackgroundMsg{Dark: true})
	if !d.model.theme.DarkBackground || !Dark(kept) {
		t.Error("back on a dark background it is drawn for a light one")
	}
}

// Letters that were read late arrive as one message: each is a key, until one opens a text field.
func TestRunesInOneMessage(t *testing.T) {
	d := newHarness(t)
	home := d.pages["home"]
	home.actions = []screen.Action{home.action("alpha", "a"), {Keys: []string{"/"}, Label: "filter", Run: func() tea.Cmd { home.typing = true; return nil }}}
	d.log, home.received = nil, nil
	d.press("az/araq")
	d.wantLog("alpha")
	if !slices.Equal(home.received, []string{"z", "araq"}) {
		t.Errorf("the screen itself heard %q", home.received)
	}
}
