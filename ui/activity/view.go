package activity

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"

	"bugle/engine/activity"
	"bugle/engine/when"
	"bugle/themes"
	"bugle/ui/widget"
)

var columns = []widget.Column{
	{Title: "Ago", Min: 6, Align: widget.AlignRight, Priority: 2},
	{Title: "Call", Min: 9, Max: 12, Weight: 1},
	{Title: "Method", Min: 6, Priority: 3},
	{Title: "Path", Min: 16, Weight: 6},
	{Title: "Status", Min: 6},
	{Title: "Took", Min: 7, Align: widget.AlignRight, Priority: 1},
}

// rows are the calls in the table.
type rows struct{ s *Screen }

func (r rows) Len() int { return len(r.s.shown) }

func (r rows) Row(i int) widget.Cells {
	c := r.s.calls[r.s.shown[i]]
	status, tone := statusOf(c)
	method, path := c.Method, c.Path
	if c.Local {
		method, path = "–", "in the store · "+c.Campaign
	}
	return widget.Cells{
		{Text: r.s.ago(c.At), Tone: themes.ToneMuted}, {Text: name(c), Tone: themes.ToneStrong},
		{Text: method, Tone: themes.ToneMuted}, {Text: path}, {Text: status, Tone: tone}, {Text: took(c.Took), Tone: themes.ToneMuted},
	}
}

// name is the operation, with what tells apart the attempts of one call.
func name(c activity.Call) string {
	switch {
	case c.Times > 1:
		return fmt.Sprintf("%s ×%d", c.Operation, c.Times)
	case c.Attempt > 1:
		return fmt.Sprintf("%s #%d", c.Operation, c.Attempt)
	}
	return c.Operation
}

// statusOf gives the HTTP status, or a word for what has none.
func statusOf(c activity.Call) (string, themes.Tone) {
	switch {
	case c.Local && c.Failed():
		return "failed", themes.ToneDanger
	case c.Local:
		return "local", themes.ToneMuted
	case c.Status == 0:
		return "none", themes.ToneDanger
	case c.Status >= 500:
		return strconv.Itoa(c.Status), themes.ToneDanger
	case c.Status >= 300:
		return strconv.Itoa(c.Status), themes.ToneWarning
	}
	return strconv.Itoa(c.Status), themes.ToneSuccess
}

// SetSize divides the screen.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	s.filter.SetSize(s.tableWidth()-4, 1)
	s.table.SetSize(s.tableWidth()-4, height-2-s.filterHeight()-s.limitsHeight())
	rw := width
	if s.wide() {
		rw = width - s.tableWidth()
	}
	s.reader.setSize(max(rw-4, 1), height-2)
}

// SetTheme changes the theme.
func (s *Screen) SetTheme(t themes.Theme) {
	s.theme, s.deps.Theme = t, t
	s.table.SetTheme(t)
	s.filter.SetTheme(t)
	s.reader.setTheme(t)
}

// wide reports whether the call is shown beside the table.
func (s *Screen) wide() bool { return s.roomy() && !s.zoom }

// roomy reports whether there is room for both.
func (s *Screen) roomy() bool { return s.width >= 100 }

func (s *Screen) tableWidth() int {
	if s.wide() {
		return s.width - max(s.width*2/5, readerWidth)
	}
	return s.width
}

// readerWidth is what a call needs beside the table.
const readerWidth = 50

func (s *Screen) filterHeight() int {
	if s.focus == paneFilter || s.filter.Value() != "" {
		return 1
	}
	return 0
}

// tableTop is the line of the screen on which the table's head is.
func (s *Screen) tableTop() int { return 1 + s.limitsHeight() + s.filterHeight() }

// View draws the calls and, where there is room or it was asked for, the chosen one.
func (s *Screen) View() string {
	if !s.wide() && s.focus == paneCall {
		return s.call(s.width)
	}
	left := s.list()
	if !s.wide() {
		return left
	}
	return lipgloss.JoinHorizontal(lipgloss.Top, left, s.call(s.width-s.tableWidth()))
}

func (s *Screen) list() string {
	panel := widget.NewPanel(s.theme, "Calls")
	panel.Focused = s.focus != paneCall
	if len(s.shown) > 0 {
		panel.Info = fmt.Sprintf("%d of %d", s.table.Cursor+1, len(s.shown))
	}
	if len(s.calls) == activity.Capacity {
		panel.Footer = "older calls are dropped"
	}
	panel.SetSize(s.tableWidth(), s.height)
	s.table.Empty = s.emptyText()
	body := s.table.View()
	if s.filterHeight() > 0 {
		body = s.filter.View() + "\n" + body
	}
	if s.limitsHeight() > 0 {
		body = s.limits(s.tableWidth()-4) + "\n" + body
	}
	return panel.View(body)
}

func (s *Screen) emptyText() string {
	if len(s.calls) > 0 {
		return "No call matches. Press esc to clear the filter."
	}
	return "No calls yet. Each call to the service is listed here."
}

func (s *Screen) call(width int) string {
	panel := widget.NewPanel(s.theme, "Call")
	if c, ok := s.selected(); ok {
		panel.Title, panel.Info = title(c)
	}
	panel.Focused = s.focus == paneCall
	panel.SetSize(width, s.height)
	return panel.View(s.reader.draw())
}

// title names a call over its bodies.
func title(c activity.Call) (what, status string) {
	status, _ = statusOf(c)
	if c.Local {
		return name(c) + " in the store", status
	}
	return strings.TrimSpace(c.Method + " " + c.Path), status + " · " + took(c.Took)
}

// ago returns when a call was made, in a few cells. Of the last minute it counts the seconds.
func (s *Screen) ago(at time.Time) string {
	now := s.deps.Now()
	if loc := s.deps.Location; loc != nil {
		now = now.In(loc)
	}
	if d := now.Sub(at); d >= time.Second && d < time.Minute {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return when.Brief(at, now)
}

// took returns a duration in at most seven cells.
func took(d time.Duration) string {
	switch ms := float64(d) / float64(time.Millisecond); {
	case ms < 0.05:
		return "<0.1 ms"
	case ms < 9.95:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 9999.5:
		return fmt.Sprintf("%.0f ms", ms)
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

func count(n int) string {
	if n == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", n)
}
