package activity

import (
	"strconv"
	"strings"

	"bugle/engine/service/activity"
)

// filter is a parsed filter text: every word must match.
type filter struct {
	class         int // of the status: 4 for 4xx; 0 for any
	status        int // 0 for any
	failed        bool
	local         bool
	words         []string // in lower case
	contradictory bool     // two words contradict each other
}

func parseFilter(text string) filter {
	var f filter
	for _, w := range strings.Fields(strings.ToLower(text)) {
		class, status := statusWord(w)
		switch {
		case class > 0:
			f.contradictory = f.contradictory || f.class > 0 && f.class != class
			f.class = class
		case status > 0:
			f.contradictory = f.contradictory || f.status > 0 && f.status != status
			f.status = status
		case w == "failed":
			f.failed = true
		case w == "local":
			f.local = true
		default:
			f.words = append(f.words, w)
		}
	}
	return f
}

// statusWord parses "4xx", also without its last x, and "409".
func statusWord(w string) (class, status int) {
	if len(w) >= 2 && w[0] >= '1' && w[0] <= '5' && (w[1:] == "x" || w[1:] == "xx") {
		return int(w[0] - '0'), 0
	}
	if n, err := strconv.Atoi(w); err == nil && n >= 100 && n < 600 {
		return 0, n
	}
	return 0, 0
}

// matcher returns the predicate for a filter text.
func matcher(text string) func(activity.Call) bool {
	f := parseFilter(text)
	return func(c activity.Call) bool { return f.matches(&c) }
}

func (f filter) matches(c *activity.Call) bool {
	switch {
	case f.contradictory,
		f.class > 0 && c.Status/100 != f.class,
		f.status > 0 && c.Status != f.status,
		f.failed && !c.Failed(),
		f.local && !c.Local:
		return false
	case len(f.words) == 0:
		return true
	}
	text := strings.ToLower(strings.Join([]string{c.Operation, c.Method, c.Base, c.Path, c.Campaign, c.Err, c.RequestID, c.IdempotencyKey}, "\n"))
	for _, w := range f.words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
