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

// hasLimits reports whether the service has limits to keep to.
func (s *Screen) hasLimits() bool {
	far, ok := s.deps.Link()
	return ok && len(far.Quotas()) > 0
}

// limits tells of each operation that was used how much of its limit, the one it comes closest to.
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

// usedText says how much of a limit is: 3/100 min.
func usedText(q engine.Quota) string {
	unit := map[string]string{"second": "s", "minute": "min", "hour": "h"}[q.Unit()]
	if unit == "" {
		unit = q.Unit()
	}
	return fmt.Sprintf("%d/%d %s", q.Most-q.Left, q.Most, unit)
}

// nearestLimits returns the limit of each operation that is used up next, the most used first; of operations
// that are not used, none.
func nearestLimits(all []engine.Quota) []engine.Quota {
	var out []engine.Quota
	for _, ofOne := range byOperation(all) {
		q := slices.MinFunc(ofOne, byShare)
		if q.Left < q.Most {
			out = append(out, q)
		}
	}
	slices.SortStableFunc(out, byShare)
	return out
}

// byShare puts first of what less is left, for longer.
func byShare(a, b engine.Quota) int {
	return cmp.Or(cmp.Compare(a.Left*b.Most, b.Left*a.Most), cmp.Compare(b.Per, a.Per))
}

// byOperation gathers the limits of each operation, in their order.
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

// limitsTable returns a line for each operation, with all of its limits.
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
