package activity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// hasLimits reports whether the service has rate limits.
func (s *Screen) hasLimits() bool {
	far, ok := s.deps.Link()
	return ok && len(far.Quotas()) > 0
}

// limits shows, for each operation that was used, its limit that is closest to being reached.
func (s *Screen) limits(width int) []string {
	far, ok := s.deps.Link()
	if !ok || len(far.Quotas()) == 0 {
		return nil
	}
	line := "Limits: "
	for i, q := range nearestLimits(far.Quotas()) {
		if i > 0 {
			line += " · "
		}
		line += q.Name() + " " + usedText(q)
	}
	if line == "Limits: " {
		line += "nothing used"
	}
	return []string{s.deps.Theme.Muted.Render(widget.Truncate(line, width))}
}

// usedText formats the use of a limit: 3/100 min.
func usedText(q engine.Quota) string {
	unit := map[string]string{"second": "s", "minute": "min", "hour": "h"}[q.Unit()]
	if unit == "" {
		unit = q.Unit()
	}
	return fmt.Sprintf("%d/%d %s", q.Limit-q.Remaining, q.Limit, unit)
}

// nearestLimits returns the limit of each used operation that is closest to being reached, the most used first.
func nearestLimits(all []engine.Quota) []engine.Quota {
	var out []engine.Quota
	for _, ofOne := range byOperation(all) {
		q := slices.MinFunc(ofOne, byShare)
		if q.Remaining < q.Limit {
			out = append(out, q)
		}
	}
	slices.SortStableFunc(out, byShare)
	return out
}

// byShare orders limits by the share that is left, then by the longer period.
func byShare(a, b engine.Quota) int {
	return cmp.Or(cmp.Compare(a.Remaining*b.Limit, b.Remaining*a.Limit), cmp.Compare(b.Window, a.Window))
}

// byOperation groups the limits by operation, keeping their order.
func byOperation(all []engine.Quota) [][]engine.Quota {
	var out [][]engine.Quota
	for _, q := range all {
		if n := len(out); n > 0 && out[n-1][0].Operation == q.Operation {
			out[n-1] = append(out[n-1], q)
			continue
		}
		out = append(out, []engine.Quota{q})
	}
	return out
}

// showLimits lists all limits.
func (s *Screen) showLimits() tea.Cmd {
	far, ok := s.deps.Link()
	if !ok {
		return nil
	}
	return screen.Ask(screen.Question{
		Title: "Rate limits of the service", Body: limitsTable(far.Quotas()),
		Buttons: []widget.Button{{Label: "Close", Key: "c"}},
	})
}

// limitsTable returns a line per operation with all of its limits.
func limitsTable(all []engine.Quota) string {
	wide := 0
	for _, q := range all {
		wide = max(wide, len(q.Name()))
	}
	lines := []string{"Requests used / allowed, as counted by this program:"}
	for _, ofOne := range byOperation(all) {
		texts := make([]string, len(ofOne))
		for i, q := range ofOne {
			texts[i] = usedText(q)
		}
		lines = append(lines, fmt.Sprintf("%-*s  %s", wide, ofOne[0].Name(), strings.Join(texts, " · ")))
	}
	return strings.Join(lines, "\n")
}
