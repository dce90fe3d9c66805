package testsend

import (
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// remember offers what was sent just now from now on, as the next visit would.
func (s *Screen) remember(out outcome) {
	id, values := s.run.ask.Identifier, s.run.ask.Values
	s.recent[id] = append(slices.Clone(values), slices.DeleteFunc(slices.Clone(s.recent[id]), func(v string) bool {
		return slices.Contains(values, v)
	})...)
	for _, r := range out.results {
		record := engine.TestRecord{At: s.deps.Now(), CampaignID: s.id, Body: engine.DraftTest(s.id, s.run.ask), Result: r}
		s.earlier = append([]engine.TestRecord{record}, s.earlier[:min(len(s.earlier), mostEarlier-1)]...)
	}
}

// pickEarlier offers the tests of this campaign; the one taken fills the form.
func (s *Screen) pickEarlier() tea.Cmd {
	records := s.earlier
	options := make([]widget.Option, len(records))
	for i, r := range records {
		ask := engine.ParseTestSend(r.Body)
		options[i] = widget.Option{Label: s.clock(r.At) + "  " + whom(ask), Help: r.Result.Message}
	}
	return screen.Send(screen.ChooseMsg{Title: "Earlier tests", Body: "The one you take fills the form.", Options: options, Then: func(a widget.Answer) tea.Cmd {
		s.fill(engine.ParseTestSend(records[a.Index].Body))
		s.dropForeign()
		return s.search()
	}})
}

func whom(ask engine.TestSend) string {
	switch n := len(ask.Values); {
	case n == 0:
		return "nobody"
	case n == 1:
		return ask.Values[0]
	default:
		return fmt.Sprintf("%s and %d more", ask.Values[0], n-1)
	}
}

// clock gives a time in the zone of the screen.
func (s *Screen) clock(at time.Time) string {
	loc := s.deps.Location
	if loc == nil {
		loc = time.UTC
	}
	return at.In(loc).Format("Mon 2 Jan 15:04")
}
