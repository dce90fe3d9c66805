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

// linkStatus watches the way to the service, and says how it stands.
type linkStatus struct {
	engine.Link
	deps     screen.Deps
	lowQuota string // of which limit little is left
	ticking  bool   // a tick is under way
}

// reset watches the way to another service.
func (l *linkStatus) reset(deps screen.Deps) { l.deps, l.Link, l.lowQuota = deps, engine.Link{}, "" }

// linkTickMsg is when what the header tells may have changed by the clock alone.
type linkTickMsg time.Time

// update takes up how the way to the service stands.
func (l *linkStatus) update(now engine.Link) tea.Cmd {
	l.Link = now
	return l.refresh()
}

// refresh finds what little is left of, and sees to it that what changes by the clock is drawn anew.
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
	return tea.Tick(time.Second, func(t time.Time) tea.Msg { return linkTickMsg(t) })
}

func (l *linkStatus) tick() tea.Cmd {
	l.ticking = false
	return l.refresh()
}

// minShownWait is how long a wait is that a person notices.
const minShownWait = time.Second

// shownWaits returns those that are shown. One that is over is no longer told of, whatever its call does.
func (l *linkStatus) shownWaits() []engine.Wait {
	var out []engine.Wait
	for _, w := range l.Waits {
		if w.For >= minShownWait {
			out = append(out, w)
		}
	}
	return out
}

// waitActions returns the action that ends a wait, where something waits.
func (l *linkStatus) waitActions() []screen.Action {
	far, ok := l.deps.Link()
	if !ok || len(l.shownWaits()) == 0 {
		return nil
	}
	return []screen.Action{{
		Keys: []string{"ctrl+l"}, Label: "cancel requests", Help: "cancel pending requests, while there are any", Group: groupEverywhere, BarPriority: 100, WhileTyping: true,
		Run: func() tea.Cmd { far.EndWaits(); return nil },
	}}
}

// headerNotice is what the header tells of the way to the service.
type headerNotice struct {
	texts []string // from the longest to the shortest; none where there is nothing to tell
	cut   bool     // the longest may be cut off
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
	if since := l.Offline; !since.IsZero() {
		short := "offline since " + l.formatTime(since)
		return headerNotice{[]string{short + " · cached data", short, "offline"}, false, themes.ToneWarning}
	}
	if l.lowQuota != "" {
		return headerNotice{[]string{l.lowQuota}, false, themes.ToneWarning}
	}
	return headerNotice{}
}

// formatTime returns a time of today by its hour, another by its day, too.
func (l *linkStatus) formatTime(t time.Time) string {
	now := l.deps.Now()
	if loc := l.deps.Location; loc != nil {
		t, now = t.In(loc), now.In(loc)
	}
	if t.Format(time.DateOnly) != now.Format(time.DateOnly) {
		return timeparse.Moment(t, now)
	}
	return t.Format("15:04")
}

// countdown returns what is left of a wait, never less than a second.
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

// lowQuotaPercent is the share of a limit, in percent, below which the header tells what is left of it.
const lowQuotaPercent = 10

// lowestQuota names the limit of which the least is left, where that is little. Limits of a second are full
// and empty again before anybody reads of them.
func lowestQuota(quotas []engine.Quota) string {
	least, text := lowQuotaPercent, ""
	for _, q := range quotas {
		if q.Per < time.Minute || q.Most == 0 {
			continue
		}
		if share := q.Left * 100 / q.Most; share < least {
			least, text = share, fmt.Sprintf("%s: %d of %d left per %s", q.Name(), q.Left, q.Most, q.Unit())
		}
	}
	return text
}
