package widget

import (
	"slices"
	"strings"
	"time"

	"bugle/themes"
)

// Level is the severity of a notice.
type Level int

// The levels.
const (
	LevelInfo Level = iota
	LevelSuccess
	LevelWarning
	LevelError
)

// icon returns a level's icon and tone.
func (l Level) icon() (string, themes.Tone) {
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

// maxToasts is how many notices are shown at once; older ones are dropped.
const maxToasts = 3

// maxToastLines is how many lines one notice may take.
const maxToastLines = 4

// boxMinHeight is the window height from which each notice has a box.
const boxMinHeight = 24

// Toast is a short notice that disappears by itself. An error stays until the user has seen it.
type Toast struct {
	Level Level
	Text  string
	// Topic groups notices: a new one replaces the one with the same topic. Empty means the notice replaces nothing.
	Topic string
	// Until is when it disappears; for an error, when it has been shown long enough to be read.
	Until time.Time
}

// Toasts are the notices shown, the newest last. The caller supplies the time; there is no timer here.
type Toasts struct {
	theme  *themes.Theme
	toasts []Toast
	width  int
	low    bool // the window is too low for boxes
}

// NewToasts returns an empty stack.
func NewToasts(t *themes.Theme) Toasts { return Toasts{theme: t} }

// SetSize sets the maximum width of the notices and the height of the window. In a low window only the newest
// notice of the highest level is shown, without a box.
func (t *Toasts) SetSize(width, height int) { t.width, t.low = max(width, 0), height < boxMinHeight }

// Push adds a notice, replacing one with the same text or topic.
func (t *Toasts) Push(toast Toast) {
	kept := make([]Toast, 0, maxToasts+1)
	for _, old := range t.toasts {
		same := old.Level == toast.Level && old.Text == toast.Text
		if !same && (toast.Topic == "" || old.Topic != toast.Topic) {
			kept = append(kept, old)
		}
	}
	kept = append(kept, toast)
	t.toasts = kept[max(len(kept)-maxToasts, 0):]
}

// Expire drops the notices whose time is up and reports whether there were any. Errors stay.
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

// RemoveLevel removes the notices of a level.
func (t *Toasts) RemoveLevel(level Level) {
	t.toasts = slices.DeleteFunc(slices.Clone(t.toasts), func(toast Toast) bool { return toast.Level == level })
}

// ExpireErrors drops the errors whose time is up; call it when the user presses a key.
func (t *Toasts) ExpireErrors(now time.Time) {
	t.toasts = slices.DeleteFunc(slices.Clone(t.toasts), func(toast Toast) bool {
		return toast.Level == LevelError && !now.Before(toast.Until)
	})
}

// Next returns the time at which the next notice disappears; false if none does by itself.
func (t *Toasts) Next() (time.Time, bool) {
	var next time.Time
	for _, toast := range t.toasts {
		if toast.Level != LevelError && (next.IsZero() || toast.Until.Before(next)) {
			next = toast.Until
		}
	}
	return next, !next.IsZero()
}

// HighestLevel returns the highest level of the notices shown.
func (t *Toasts) HighestLevel() Level {
	g := LevelInfo
	for _, toast := range t.toasts {
		g = max(g, toast.Level)
	}
	return g
}

// Dismiss removes the newest notice, in a low window the visible one, and reports whether there was one.
func (t *Toasts) Dismiss() bool {
	at := len(t.toasts) - 1
	if t.low {
		at = t.newestOfHighestLevel()
	}
	if at < 0 {
		return false
	}
	t.toasts = slices.Delete(slices.Clone(t.toasts), at, at+1)
	return true
}

// newestOfHighestLevel returns the index of the newest notice of the highest level; -1 if there is none.
func (t *Toasts) newestOfHighestLevel() int {
	at := -1
	for i, toast := range t.toasts {
		if at < 0 || toast.Level >= t.toasts[at].Level {
			at = i
		}
	}
	return at
}

// Len returns the number of notices.
func (t *Toasts) Len() int { return len(t.toasts) }

// View draws the notices in boxes of equal width; "" if there are none.
func (t *Toasts) View() string {
	if t.width < 8 {
		return ""
	}
	shown := t.toasts
	if at := t.newestOfHighestLevel(); t.low && at >= 0 {
		shown = shown[at : at+1]
	}
	texts := make([][]string, len(shown))
	inner := 0
	for i, toast := range shown {
		texts[i] = t.text(toast)
		for _, line := range texts[i] {
			inner = max(inner, Width(line))
		}
	}
	var lines []string
	for i, toast := range shown {
		lines = append(lines, t.box(toast.Level, texts[i], inner)...)
	}
	return strings.Join(lines, "\n")
}

// text wraps a notice, truncating it if it has too many lines.
func (t *Toasts) text(toast Toast) []string {
	return WrapMax(strings.Join(WrapLines(toast.Text, t.width-6), "\n"), t.width-6, maxToastLines)
}

func (t *Toasts) box(level Level, text []string, inner int) []string {
	sign, tone := level.icon()
	style := t.theme.Tone(tone)
	var lines []string
	start := style.Render(sign) + " "
	for i, line := range text {
		left, right := "│", "│"
		if t.low && i == len(text)-1 {
			left, right = "┤", "├" // it is drawn over the lower border of the pane that fills the window
		}
		lines = append(lines, style.Render(left)+" "+start+t.theme.Text.Render(fitLine(line, inner))+" "+style.Render(right))
		start = "  "
	}
	if t.low {
		return lines
	}
	edge := strings.Repeat("─", inner+4)
	return slices.Concat([]string{style.Render("╭" + edge + "╮")}, lines, []string{style.Render("╰" + edge + "╯")})
}
