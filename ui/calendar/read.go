package calendar

import (
	"fmt"

	"bugle/engine"
	"bugle/engine/phrase"
	"bugle/engine/timeparse"
)

// maxSpoken is how many sends plain mode says.
const maxSpoken = 5

// Read says when the campaign sends next.
func (a *schedulePanel) Read() []string {
	s := &a.schedule
	if len(s.sends) == 0 {
		return []string{phrase.Sentence(engine.NoSendsReason(s.document, s.now))}
	}
	var out []string
	now := s.now.In(s.zone)
	for i, t := range s.sends[:min(len(s.sends), maxSpoken)] {
		out = append(out, fmt.Sprintf("Send %d: %s %s, %s.", i+1, timeparse.Moment(t.In(s.zone), now), s.zone,
			timeparse.Until(t, now)))
	}
	return out
}
