package preview_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/render"
	"bugle/themes"
	"bugle/ui/preview"
	"bugle/ui/uitest"
)

func load(t testing.TB, name string) doc.Value {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	v, err := doc.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// push returns the view of a message in messages.json.
func push(t testing.TB, name string) render.View {
	t.Helper()
	message := load(t, "messages.json").Get(name)
	for _, p := range catalog.Platforms {
		if c := message.Get(p.Member()); c.Exists() {
			n := render.Push(p, c, render.Options{})
			return render.View{Notification: &n, At: time.Date(2026, 3, 14, 9, 41, 0, 0, time.UTC)}
		}
	}
	t.Fatalf("there is no message %s", name)
	return render.View{}
}

func mail(t testing.TB) render.View {
	m := render.Email(load(t, "mail.json"), render.Options{})
	return render.View{Mail: &m, At: time.Date(2026, 3, 14, 9, 41, 0, 0, time.UTC)}
}

// drawTabs draws every tab of a view, one below the other.
func drawTabs(p *preview.Preview) string {
	var b strings.Builder
	first := ""
	for {
		view := p.View()
		if view == first {
			return b.String()
		}
		if first == "" {
			first = view
		}
		var lines []string
		for line := range strings.SplitSeq(view, "\n") {
			lines = append(lines, strings.TrimRight(line, " "))
		}
		b.WriteString(strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n\n")
		p.Next()
	}
}

func TestTabs(t *testing.T) {
	views := map[string]render.View{"mail": mail(t)}
	for name := range load(t, "messages.json").Members() {
		views[name] = push(t, name)
	}
	for name, v := range views {
		widths := []int{44}
		if name == "mail" || name == "android-basic" {
			widths = []int{30, 44, 60}
		}
		for _, w := range widths {
			p := preview.New(themes.Plain())
			p.SetSize(w, 36)
			p.Show(v)
			uitest.Golden(t, fmt.Sprintf("%s-%d", name, w), drawTabs(&p))
		}
	}
}

// shown is a preview whose view a test checks.
type shown struct {
	preview.Preview
	t *testing.T
}

func show(t *testing.T, v render.View) *shown {
	t.Helper()
	p := &shown{preview.New(themes.Plain()), t}
	p.SetSize(50, 30)
	p.Show(v)
	return p
}

// after presses keys, and expects texts in the view, or with "!" before it that one is not there.
func (p *shown) after(keys string, texts ...string) {
	p.t.Helper()
	for _, key := range strings.Fields(keys) {
		p.Update(uitest.Key(key))
	}
	for _, text := range texts {
		not, isNot := strings.CutPrefix(text, "!")
		if strings.Contains(p.View(), not) == isNot {
			p.t.Errorf("after %q, %q:\n%s", keys, text, p.View())
		}
	}
}

func TestKeysSwitchTabsAndSlides(t *testing.T) {
	p := show(t, push(t, "android-carousel"))
	p.SetSize(50, 14) // one tab at a time
	p.after("", "!umbrella.png")
	p.after("l", "umbrella.png", "1/3", "EXPANDED")
	p.after(">", "boots.png", "2/3")
	p.after("< <", "coat.png", "3/3")
	p.after("h", "COLLAPSED")
	p.Mouse(tea.MouseMsg{X: 14, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	p.after("", "EXPANDED")
}

// Below the current tab are those that follow it, as far as they fit, and below an inbox at least the beginning of the
// email.
func TestTabsBelowTheCurrentOne(t *testing.T) {
	show(t, push(t, "android-carousel")).after("", "COLLAPSED", "umbrella.png", "!BACKUP", "!Umbrella, boots, coat.")
	p := show(t, mail(t))
	p.after("", "On a desktop", "Reply to")
	p.SetSize(50, 20)
	p.after("", "!Reply to")
}

// A message that changes while it is shown keeps its tab and slide. Another slide or the backup is shown where that is edited.
func TestShowKeepsTabAndSlide(t *testing.T) {
	v := push(t, "android-carousel")
	p := show(t, v)
	p.after("l >")
	for _, next := range []struct {
		view render.View
		want []string
	}{
		{v, []string{"EXPANDED", "boots.png"}},
		{render.View{Notification: v.Notification, Slide: 3}, []string{"coat.png"}},
		{render.View{Notification: v.Notification, Backup: true}, []string{"BACKUP", "Umbrella, boots, coat."}},
		{push(t, "web-basic"), []string{"DESKTOP", "shop.example.com"}},
		{render.View{}, []string{"no message"}},
	} {
		p.Show(next.view)
		p.after("", next.want...)
	}
}

// The colors of a document are drawn if the terminal has colors, with readable text.
func TestColors(t *testing.T) {
	draw := func(name string, profile termenv.Profile) string {
		theme, err := themes.New(themes.Options{Name: name, DarkBackground: true, Profile: profile})
		if err != nil {
			t.Fatal(err)
		}
		p := preview.New(theme)
		p.SetSize(50, 30)
		p.Show(push(t, "android-stylized"))
		return p.View()
	}
	ground := regexp.MustCompile(`48;2;255;24[34];229`) // terminals get rounded colors
	text := regexp.MustCompile(`1;38;2;0;0;0;48;2;255;24[34];229mMembers`)
	for _, name := range []string{themes.Dark, themes.Light, themes.HighContrast} {
		if got := draw(name, termenv.TrueColor); !ground.MatchString(got) || !text.MatchString(got) {
			t.Errorf("theme %s does not draw black on the card's ground: %q", name, got)
		}
	}
	// Without colors, or with sixteen, a frame replaces them.
	for what, got := range map[string]string{
		"none": draw(themes.None, termenv.TrueColor), "16": draw(themes.Dark, termenv.ANSI), "plain": draw(themes.Dark, termenv.Ascii),
	} {
		if regexp.MustCompile(`[34]8;[25]|\x1b\[[0-9;]*4[0-7]m`).MatchString(got) || !strings.Contains(got, "╭") {
			t.Errorf("with the colors %s the card is %q", what, got)
		}
	}
}
