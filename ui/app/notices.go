package app

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// notice is a short text that disappears by itself. An error stays until the user has seen it.
type notice struct {
	screen.NotifyMsg
	until time.Time // when it disappears; for an error, when it has been shown long enough to be read
}

// notices are the notices that are shown, the newest last.
type notices struct {
	now  func() time.Time
	say  func(widget.Level, string) // takes them instead; may be nil
	list []notice
}

// noticeTime is how long a notice stays; warnings stay longer, and errors until a key is pressed after minErrorTime.
const (
	noticeTime   = 4 * time.Second
	minErrorTime = time.Second
)

// maxNotices is how many notices are shown at once; older ones are dropped. In a window lower than noticesHeight one is
// shown, the newest of the highest level. maxNoticeLines is how many lines one may take.
const (
	maxNotices     = 3
	noticesHeight  = 24
	maxNoticeLines = 4
	noticeWidth    = 60
)

func (n *notices) notify(level widget.Level, text string) tea.Cmd {
	return n.notifyAbout("", level, text)
}

// notifyAbout shows a notice in the place of one with the same text or topic.
func (n *notices) notifyAbout(topic string, level widget.Level, text string) tea.Cmd {
	if n.say != nil {
		n.say(level, text)
		return nil
	}
	stay := noticeTime
	switch level {
	case widget.LevelWarning:
		stay *= 2
	case widget.LevelError:
		stay = minErrorTime
	}
	n.drop(func(old notice) bool {
		return old.Level == level && old.Text == text || topic != "" && old.Topic == topic
	})
	n.list = append(n.list, notice{screen.NotifyMsg{Level: level, Text: text, Topic: topic}, n.now().Add(stay)})
	n.list = n.list[max(len(n.list)-maxNotices, 0):]
	redraw := RunMsg{func() tea.Cmd { return nil }}
	return tea.Tick(stay, func(time.Time) tea.Msg { return redraw })
}

// keyPressed removes what the user has read: warnings, which say why the key before did nothing, and errors.
func (n *notices) keyPressed() {
	n.drop(func(old notice) bool {
		return old.Level == widget.LevelWarning || old.Level == widget.LevelError && !n.now().Before(old.until)
	})
}

func (n *notices) drop(gone func(notice) bool) { n.list = slices.DeleteFunc(n.list, gone) }

// shown returns the notices that a window of that height shows: those whose time is not up, and errors.
func (n *notices) shown(height int) []notice {
	var shown []notice
	for _, one := range n.list {
		if one.Level == widget.LevelError || n.now().Before(one.until) {
			shown = append(shown, one)
		}
	}
	if height >= noticesHeight || len(shown) == 0 {
		return shown
	}
	top := shown[0]
	for _, other := range shown {
		if other.Level >= top.Level {
			top = other
		}
	}
	return []notice{top}
}

// dismiss removes the newest notice that is shown.
func (n *notices) dismiss(height int) {
	shown := n.shown(height)
	newest := shown[len(shown)-1]
	n.drop(func(other notice) bool { return other == newest })
}

// levels have the icon of each level and its tone.
var levels = map[widget.Level]struct {
	icon string
	tone themes.Tone
}{
	widget.LevelInfo:    {"i", themes.ToneInfo},
	widget.LevelSuccess: {"✓", themes.ToneSuccess},
	widget.LevelWarning: {"!", themes.ToneWarning},
	widget.LevelError:   {"✗", themes.ToneDanger},
}

// view draws the notices in boxes of equal width; "" if there are none.
func (n *notices) view(t *themes.Theme, width, height int) string {
	most, inner := min(width, noticeWidth)-6, 0
	var texts [][]string
	for _, one := range n.shown(height) {
		lines := widget.WrapMax(strings.Join(widget.WrapLines(one.Text, most), "\n"), most, maxNoticeLines)
		texts = append(texts, lines)
		for _, line := range lines {
			inner = max(inner, widget.Width(line))
		}
	}
	var out []string
	edge := strings.Repeat("─", inner+4)
	for i, one := range n.shown(height) {
		style, start := t.Tone(levels[one.Level].tone), levels[one.Level].icon
		out = append(out, style.Render("╭"+edge+"╮"))
		for _, line := range texts[i] {
			out = append(out, style.Render("│ "+start)+" "+t.Text.Render(widget.PadRight(line, inner))+style.Render(" │"))
			start = " "
		}
		out = append(out, style.Render("╰"+edge+"╯"))
	}
	return strings.Join(out, "\n")
}
