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

// link watches the way to the service, and says how it stands.
type link struct {
	engine.Connection
	deps    screen.Deps
	low     string // of which limit little is left
	ticking bool   // a tick is under way
}

// enter watches the way to another service.
func (l *link) enter(deps screen.Deps) { l.deps, l.Connection, l.low = deps, engine.Connection{}, "" }

// linkTick is when what the header tells may have changed by the clock alone.
type linkTick time.Time

// linked takes up how the way to the service stands.
func (l *link) linked(now engine.Connection) tea.Cmd {
	l.Connection = now
	return l.reckon()
}

// reckon finds what little is left of, and sees to it that what changes by the clock is drawn anew.
func (l *link) reckon() tea.Cmd {
	far, ok := l.deps.Link()
	if !ok {
		return nil
	}
	l.low = low(far.Quotas())
	if l.ticking || l.low == "" && len(l.waits()) == 0 {
		return nil
	}
	l.ticking = true
	return tea.Tick(time.Second, func(t time.Time) tea.Msg { return linkTick(t) })
}

func (l *link) tick() tea.Cmd {
	l.ticking = false
	return l.reckon()
}

// worthTelling is how long a wait is that a person notices.
const worthTelling = time.Second

// waits returns those that are shown. One that is over is no longer told of, whatever its call does.
func (l *link) waits() []engine.Wait {
	var out []engine.Wait
	for _, w := range l.Waits {
		if w.For >= worthTelling {
			out = append(out, w)
		}
	}
	return out
}

// waiting returns the action that ends a wait, where something waits.
func (l *link) waiting() []screen.Action {
	far, ok := l.deps.Link()
	if !ok || len(l.waits()) == 0 {
		return nil
	}
	return []screen.Action{{
		Keys: []string{"ctrl+l"}, Label: "cancel requests", Help: "cancel pending requests, while there are any", Group: everywhere, Bar: 100, Typing: true,
		Run: func() tea.Cmd { far.CancelWaits(); return nil },
	}}
}

// notice is what the header tells of the way to the service.
type notice struct {
	texts []string // from the longest to the shortest; none where there is nothing to tell
	cut   bool     // the longest may be cut off
	tone  themes.Tone
}

func (l *link) notice() notice {
	if ws := l.waits(); len(ws) > 0 {
		left := "waiting " + countdown(ws[0].Until.Sub(l.deps.Now()))
		if len(ws) > 1 {
			left += fmt.Sprintf(" and %d more", len(ws)-1)
		}
		return notice{[]string{left + ": " + ws[0].Why, left}, true, themes.ToneInfo}
	}
	if since := l.OfflineSince; !since.IsZero() {
		short := "offline since " + l.clock(since)
		return notice{[]string{short + " · cached data", short, "offline"}, false, themes.ToneWarning}
	}
	if l.low != "" {
		return notice{[]string{l.low}, false, themes.ToneWarning}
	}
	return notice{}
}

// clock returns a time of today by its hour, another by its day, too.
func (l *link) clock(t time.Time) string {
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

// little is the share of a limit, in percent, below which the header tells what is left of it.
const little = 10

// low names the limit of which the least is left, where that is little. Limits of a second are full
// and empty again before anybody reads of them.
func low(quotas []engine.Quota) string {
	least, text := little, ""
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
