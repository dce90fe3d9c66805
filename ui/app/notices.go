package app

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/widget"
)

// notices manages the toasts.
type notices struct {
	toasts widget.Toasts
	now    func() time.Time
	say    func(widget.Level, string) // takes them instead of the toasts; may be nil
}

func newNotices(o Options) notices {
	return notices{widget.NewToasts(o.Deps.Theme), o.Deps.Now, o.Say}
}

// toastTime is how long a notice stays; warnings stay longer, and errors until a key is pressed after
// minErrorTime.
const (
	toastTime    = 4 * time.Second
	minErrorTime = time.Second
)

func (n *notices) notify(level widget.Level, text string) tea.Cmd {
	return n.notifyAbout("", level, text)
}

func (n *notices) notifyAbout(about string, level widget.Level, text string) tea.Cmd {
	if n.say != nil {
		n.say(level, text)
		return nil
	}
	stay := toastTime
	switch level {
	case widget.LevelWarning:
		stay *= 2
	case widget.LevelError:
		stay = minErrorTime
	case widget.LevelInfo, widget.LevelSuccess:
	}
	n.toasts.Push(widget.Toast{Topic: about, Level: level, Text: text, Until: n.now().Add(stay)})
	return n.toastTimer()
}

// toastTimer removes the notices whose time is up, then.
func (n *notices) toastTimer() tea.Cmd {
	at, ok := n.toasts.Next()
	if !ok {
		return nil
	}
	return tea.Tick(max(at.Sub(n.now()), 50*time.Millisecond), func(t time.Time) tea.Msg {
		return RunMsg{func() tea.Cmd {
			n.toasts.Expire(t)
			return n.toastTimer()
		}}
	})
}
