package widget

import (
	"slices"
	"strings"
	"time"

	"bugle/themes"
)

// Level is how grave a notice is.
type Level int

// The levels.
const (
	LevelInfo Level = iota
	LevelSuccess
	LevelWarning
	LevelError
)

// look returns a level's sign and tone.
func (l Level) look() (string, themes.Tone) {
	switch l {
	case LevelSuccess:
		return "✓", themes.ToneSuccess
	case LevelWarning:
		return "!", themes.ToneWarning
	case LevelError:
		return "✗", themes.ToneDanger
	default:
		return "i", themes.ToneInfo
	}
}

// maxToasts is how many notices are in sight at once; older ones go.
const maxToasts = 3

// maxToastLines is how many lines one notice may take.
const maxToastLines = 4

// Toast is a short notice that goes by itself, but for one of an error: that stays until it was seen.
type Toast struct {
	Level Level
	Text  string
	// About names what the notice is about: a newer one about the same takes its place. Empty: nothing
	// that another one could be about.
	About string
	// Until is when it goes; for an error, when it has been in sight for long enough to be read.
	Until time.Time
}

// Toasts are the notices in sight, the newest last. Time comes from the caller: nothing here runs.
type Toasts struct {
	theme  themes.Theme
	toasts []Toast
	width  int
}

// NewToasts makes an empty stack.
func NewToasts(t themes.Theme) Toasts { return Toasts{theme: t} }

// SetTheme changes the theme.
func (t *Toasts) SetTheme(theme themes.Theme) { t.theme = theme }

// SetSize tells the notices how wide they may be; they are as high as their text needs.
func (t *Toasts) SetSize(width, _ int) { t.width = max(width, 0) }

// Push adds a notice, in place of one that says the same or is about the same.
func (t *Toasts) Push(toast Toast) {
	kept := make([]Toast, 0, maxToasts+1)
	for _, old := range t.toasts {
		same := old.Level == toast.Level && old.Text == toast.Text
		if !same && (toast.About == "" || old.About != toast.About) {
			kept = append(kept, old)
		}
	}
	kept = append(kept, toast)
	t.toasts = kept[max(len(kept)-maxToasts, 0):]
}

// Expire drops the notices whose time has come, and says whether there were any. Errors stay.
func (t *Toasts) Expire(now time.Time) bool {
	kept := make([]Toast, 0, len(t.toasts))
	for _, toast := range t.toasts {
		if toast.Level == LevelError || now.Before(toast.Until) {
			kept = append(kept, toast)
		}
	}
	changed := len(kept) != len(t.toasts)
	t.toasts = kept
	return changed
}

// Drop takes away the notices of a level.
func (t *Toasts) Drop(level Level) {
	t.toasts = slices.DeleteFunc(slices.Clone(t.toasts), func(toast Toast) bool { return toast.Level == level })
}

// Seen drops the errors whose time has come: somebody is there, and goes on.
func (t *Toasts) Seen(now time.Time) {
	t.toasts = slices.DeleteFunc(slices.Clone(t.toasts), func(toast Toast) bool {
		return toast.Level == LevelError && !now.Before(toast.Until)
	})
}

// Next returns the time at which the next notice goes, and false when none goes by itself.
func (t *Toasts) Next() (time.Time, bool) {
	var next time.Time
	for _, toast := range t.toasts {
		if toast.Level != LevelError && (next.IsZero() || toast.Until.Before(next)) {
			next = toast.Until
		}
	}
	return next, !next.IsZero()
}

// Gravest returns the highest level of the notices in sight.
func (t *Toasts) Gravest() Level {
	g := LevelInfo
	for _, toast := range t.toasts {
		g = max(g, toast.Level)
	}
	return g
}

// Dismiss drops the newest notice, and says whether there was one.
func (t *Toasts) Dismiss() bool {
	if len(t.toasts) == 0 {
		return false
	}
	t.toasts = append([]Toast(nil), t.toasts[:len(t.toasts)-1]...)
	return true
}

// Len is the number of notices.
func (t *Toasts) Len() int { return len(t.toasts) }

// View draws the notices, each in a box, all as wide as the longest needs; "" when there are none.
func (t *Toasts) View() string {
	if t.width < 8 {
		return ""
	}
	texts := make([][]string, len(t.toasts))
	inner := 0
	for i, toast := range t.toasts {
		texts[i] = t.text(toast)
		for _, line := range texts[i] {
			inner = max(inner, Width(line))
		}
	}
	var lines []string
	for i, toast := range t.toasts {
		lines = append(lines, t.box(toast.Level, texts[i], inner)...)
	}
	return strings.Join(lines, "\n")
}

// text breaks a notice into lines, the last one cut where there are too many.
func (t *Toasts) text(toast Toast) []string {
	return WrapMost(strings.Join(wrapText(toast.Text, t.width-6), "\n"), t.width-6, maxToastLines)
}

func (t *Toasts) box(level Level, text []string, inner int) []string {
	sign, tone := level.look()
	style := t.theme.Tone(tone)
	edge := strings.Repeat("─", inner+4)
	lines := []string{style.Render("╭" + edge + "╮")}
	start := style.Render(sign) + " "
	for _, line := range text {
		lines = append(lines, style.Render("│")+" "+start+t.theme.Text.Render(fitLine(line, inner))+" "+style.Render("│"))
		start = "  "
	}
	return append(lines, style.Render("╰"+edge+"╯"))
}
