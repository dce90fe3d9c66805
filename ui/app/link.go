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
	deps     screen.Deps
	lowQuota string // the limit that is nearly used up
	ticking  bool   // a tick is scheduled
}

// reset starts tracking the connection to another service.
func (l *linkStatus) reset(deps screen.Deps) {
	l.deps, l.Connection, l.lowQuota = deps, engine.Connection{}, ""
}

// update stores a new state of the connection.
func (l *linkStatus) update(now engine.Connection) tea.Cmd {
	l.Connection = now
	return l.refresh()
}

// refresh looks for a low quota and schedules the next redraw of what depends on the clock.
func (l *linkStatus) refresh() tea.Cmd {
	far, ok := l.deps.Link()
	if !ok {
		return nil
	}
	l.lowQuota = lowestQuota(far.Quotas())
	if l.ticking || l.lowQuota == "" && len(l.shownWaits()) == 0 {
		return nil
	}
	l.ticking = true
	return screen.Timer(time.Second, func() tea.Msg { return RunMsg{l.tick} })
}

func (l *linkStatus) tick() tea.Cmd {
	l.ticking = false
	return l.refresh()
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
		Keys: []string{"ctrl+l"}, Label: "cancel requests", Help: "cancel pending requests, while there are any", Group: groupEverywhere, BarPriority: 100, WhileTyping: true,
		Run: func() tea.Cmd { far.CancelWaits(); return nil },
	}}
}

// headerNotice is the connection notice of the header.
type headerNotice struct {
	texts []string // from the longest to the shortest; none if there is no notice
	cut   bool     // the longest may be truncated
	tone  themes.Tone
}

func (l *linkStatus) notice() headerNotice {
	if ws := l.shownWaits(); len(ws) > 0 {
		left := "waiting " + countdown(ws[0].Until.Sub(l.deps.Now()))
		if len(ws) > 1 {
			left += fmt.Sprintf(" and %d more", len(ws)-1)
		}
		return headerNotice{[]string{left + ": " + ws[0].Why, left}, true, themes.ToneInfo}
	}
	if since := l.OfflineSince; !since.IsZero() {
		short := "offline since " + l.formatTime(since)
		return headerNotice{[]string{short + " · cached data", short, "offline"}, false, themes.ToneWarning}
	}
	if l.lowQuota != "" {
		return headerNotice{[]string{l.lowQuota}, false, themes.ToneWarning}
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

// countdown formats the rest of a wait, at least one second.
func countdown(d time.Duration) string {
	d = max(d+time.Second-1, time.Second).Truncate(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm %02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh %02dm", d/time.Hour, d%time.Hour/time.Minute)
}

// lowQuotaPercent is the share of a limit below which the header shows what is left.
const lowQuotaPercent = 10

// lowestQuota describes the limit with the lowest share left, if that is low. Limits per second are skipped,
// because they change faster than anyone can read.
func lowestQuota(quotas []engine.Quota) string {
	least, text := lowQuotaPercent, ""
	for _, q := range quotas {
		if q.Window < time.Minute || q.Limit == 0 {
			continue
		}
		if share := q.Remaining * 100 / q.Limit; share < least {
			least, text = share, fmt.Sprintf("%s: %d of %d left per %s", q.Name(), q.Remaining, q.Limit, q.Unit())
		}
	}
	return text
}
