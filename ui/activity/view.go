package activity

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/service/activity"
	"bugle/engine/timeparse"
	"bugle/themes"
	"bugle/ui/list"
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

// row returns the cells of a call.
func (s *Screen) row(c activity.Call) widget.Cells {
	status, tone := statusOf(c)
	method, path := c.Method, c.Path
	if c.Local {
		method, path = "–", "in the store · "+c.Campaign
	}
	return widget.Cells{
		{Text: s.ago(c.At), Tone: themes.ToneMuted}, {Text: operationName(c), Tone: themes.ToneStrong},
		{Text: method, Tone: themes.ToneMuted}, {Text: path}, {Text: status, Tone: tone}, {Text: durationText(c.Took), Tone: themes.ToneMuted},
	}
}

// operationName returns the operation, with the number of the attempt if there are several.
func operationName(c activity.Call) string {
	switch {
	case c.Count > 1:
		return fmt.Sprintf("%s ×%d", c.Operation, c.Count)
	case c.Attempt > 1:
		return fmt.Sprintf("%s #%d", c.Operation, c.Attempt)
	}
	return c.Operation
}

// statusOf returns the HTTP status, or a word if there is none.
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

func (s *Screen) footer() string {
	if s.Len() == activity.Capacity {
		return "older calls are dropped"
	}
	return ""
}

// callTitle returns the heading of a call.
func callTitle(c activity.Call, ok bool) (what, status string) {
	if !ok {
		return "Call", ""
	}
	status, _ = statusOf(c)
	if c.Local {
		return operationName(c) + " in the store", status
	}
	return strings.TrimSpace(c.Method + " " + c.Path), status + " · " + durationText(c.Took)
}

// tabs returns the tabs of a call. A body is only formatted when it is shown.
func tabs(c activity.Call) (entry string, tabs []list.Tab) {
	tab := func(name string, body func() []byte, none string) list.Tab {
		return list.Tab{Name: name, Draw: func(int, int) list.Text {
			text := body()
			v, err := doc.Parse(text)
			switch {
			case len(text) == 0 && c.BodiesDropped():
				return list.Text{Text: "The bodies of this call were dropped to make room for newer ones."}
			case len(text) == 0:
				return list.Text{Text: none}
			case err != nil:
				return list.Text{Text: string(text)}
			}
			return list.Text{Text: string(v.Indent()), JSON: true}
		}}
	}
	return fmt.Sprint(c.Seq, c.Count, c.BodiesDropped()), []list.Tab{
		tab("Request", c.Request, "The request has no body."),
		tab("Response", c.Response, cmp.Or(c.Err, "The response has no body.")),
		tab("Call", c.Document().Encode, ""),
	}
}

// ago formats when a call was made in a few cells, in seconds during the last minute.
func (s *Screen) ago(at time.Time) string {
	now := s.deps.Local(s.deps.Now())
	if d := now.Sub(at); d >= time.Second && d < time.Minute {
		return fmt.Sprintf("%ds", d/time.Second)
	}
	return timeparse.Brief(at, now)
}

// durationText formats a duration in at most seven cells.
func durationText(d time.Duration) string {
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

// statusWord is a status, or a class of them: 409, 4xx, 4x.
var statusWord = regexp.MustCompile(`^[1-5](xx?|\d\d)$`)

// has reports whether a call has a status, a result or a text, in lower case.
func has(c activity.Call, word string) bool {
	switch {
	case statusWord.MatchString(word):
		return strings.HasPrefix(strconv.Itoa(c.Status), strings.TrimRight(word, "x"))
	case word == "failed":
		return c.Failed()
	case word == "local":
		return c.Local
	}
	text := []string{c.Operation, c.Method, c.Base, c.Path, c.Campaign, c.Err, c.RequestID, c.IdempotencyKey}
	return strings.Contains(strings.ToLower(strings.Join(text, "\n")), word)
}

// limits shows, for each operation that was used, the rate limit of the service that is closest to being reached, the most
// used first; nothing if the service has none.
func (s *Screen) limits(width int) []string {
	link, ok := s.deps.Link()
	if !ok || len(link.Quotas()) == 0 {
		return nil
	}
	nearest := map[string]engine.Quota{} // by operation
	for _, q := range link.Quotas() {
		if other, ok := nearest[q.Operation]; q.Remaining < q.Limit && (!ok || byShareLeft(q, other) < 0) {
			nearest[q.Operation] = q
		}
	}
	var texts []string
	for _, q := range slices.SortedFunc(maps.Values(nearest), byShareLeft) {
		texts = append(texts, fmt.Sprintf("%s %d/%d %s", q.Name(), q.Limit-q.Remaining, q.Limit, q.Unit()))
	}
	line := "Limits: " + cmp.Or(strings.Join(texts, " · "), "nothing used")
	return []string{s.deps.Theme.Muted.Render(widget.Truncate(line, width))}
}

// byShareLeft orders limits by the share that is left, then by the longer period.
func byShareLeft(a, b engine.Quota) int {
	return cmp.Or(cmp.Compare(a.Remaining*b.Limit, b.Remaining*a.Limit), cmp.Compare(b.Window, a.Window), cmp.Compare(a.Operation, b.Operation))
}
