package app

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/timeparse"
	"bugle/themes"
	"bugle/ui/screen"
)

// linkStatus tracks the connection to the service for the header.
type linkStatus struct {
	engine.Connection
	deps    screen.Deps
	ticking bool // a redraw is scheduled
}

// update stores a new state of the connection, and redraws the window every second while a wait counts down.
func (l *linkStatus) update(now engine.Connection) tea.Cmd {
	l.Connection = now
	if l.ticking || len(l.shownWaits()) == 0 {
		return nil
	}
	l.ticking = true
	return screen.Timer(time.Second, func() tea.Msg { return RunMsg{l.tick} })
}

func (l *linkStatus) tick() tea.Cmd {
	l.ticking = false
	return l.update(l.Connection)
}

// minShownWait is the shortest wait that is shown.
const minShownWait = time.Second

// shownWaits returns the waits to show. A wait whose time is up is not shown, even if its call still runs.
func (l *linkStatus) shownWaits() []engine.Wait {
	var out []engine.Wait
	for _, w := range l.Waits {
		if w.For >= minShownWait {
			out = append(out, w)
		}
	}
	return out
}

// waitActions returns the action that cancels a wait, if there is one.
func (l *linkStatus) waitActions() []screen.Action {
	far, ok := l.deps.Link()
	if !ok || len(l.shownWaits()) == 0 {
		return nil
	}
	return []screen.Action{{
		Keys: []string{"alt+X"}, Label: "cancel requests", Help: "cancel pending requests, while there are any", Group: groupEverywhere, BarPriority: 100, WhileTyping: true,
		Run: func() tea.Cmd { far.CancelWaits(); return nil },
	}}
}

// headerNotice is the connection notice of the header; the zero value is none.
type headerNotice struct {
	long, short string
	tone        themes.Tone
}

func (l *linkStatus) notice() headerNotice {
	if ws := l.shownWaits(); len(ws) > 0 {
		left := max(ws[0].Until.Sub(l.deps.Now()), time.Nanosecond)
		short := "waiting " + (left + time.Second - 1).Truncate(time.Second).String()
		if len(ws) > 1 {
			short += fmt.Sprintf(" and %d more", len(ws)-1)
		}
		return headerNotice{short + ": " + ws[0].Why, short, themes.ToneInfo}
	}
	if since := l.OfflineSince; !since.IsZero() {
		return headerNotice{"offline since " + l.formatTime(since), "offline", themes.ToneWarning}
	}
	return headerNotice{}
}

// formatTime formats a time as hour and minute, with the day if it is not today.
func (l *linkStatus) formatTime(t time.Time) string {
	t, now := l.deps.Local(t), l.deps.Local(l.deps.Now())
	if t.Format(time.DateOnly) != now.Format(time.DateOnly) {
		return timeparse.Moment(t, now)
	}
	return t.Format("15:04")
}
