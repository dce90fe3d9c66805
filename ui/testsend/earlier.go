package testsend

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/operation"
	model "bugle/engine/testsend"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// pastPage is where earlier tests are looked through.
type pastPage struct {
	all  model.History
	wide bool // those of other campaigns too
	list widget.List
}

// shown are the tests that are listed.
func (p *pastPage) shown() model.History {
	if p.wide {
		return p.all
	}
	return p.all.Own()
}

// remember offers what was sent just now from now on, as the next visit would.
func (s *Screen) remember(asks []engine.TestSend, out model.Outcome) tea.Cmd {
	id, values := s.run.Ask.Identifier, s.run.Ask.Values
	s.recent[id] = append(slices.Clone(values), slices.DeleteFunc(slices.Clone(s.recent[id]), func(v string) bool {
		return slices.Contains(values, v)
	})...)
	var records []engine.TestRecord
	for i, r := range out.Results {
		records = append(records, engine.TestRecord{At: s.deps.Now(), CampaignID: s.id, Body: engine.DraftTest(s.id, asks[i]), Result: r})
	}
	s.past.all = s.past.all.Remember(records, s.name())
	if k, ok := s.history().(kept); ok && len(records) > 0 {
		return s.Run(taskKeep, func(context.Context) (any, error) { return nil, k.keep(records) })
	}
	return nil
}

// openEarlier lists the earlier tests.
func (s *Screen) openEarlier() tea.Cmd {
	s.show(stageEarlier)
	s.past.wide = len(s.past.all.Own()) == 0
	s.past.list.Cursor = 0
	s.listPast()
	return nil
}

func (s *Screen) listPast() {
	var items []widget.Item
	for _, t := range s.past.shown() {
		icon, tone := look(t)
		text := s.people.Summary(t.Ask)
		if s.past.wide {
			text = t.Campaign + " · " + text
		}
		if tone != themes.ToneSuccess {
			text += " · " + t.Outcome()
		}
		items = append(items, widget.Item{Icon: icon, IconTone: tone, Text: text, Info: s.moment(t.At), InfoTone: themes.ToneMuted})
	}
	s.past.list.SetItems(items)
}

func (s *Screen) pastTest() (model.Past, bool) {
	shown := s.past.shown()
	if i := s.past.list.Cursor; i >= 0 && i < len(shown) {
		return shown[i], true
	}
	return model.Past{}, false
}

// fillPast fills the form as for an earlier test.
func (s *Screen) fillPast() tea.Cmd {
	t, ok := s.pastTest()
	if !ok {
		return nil
	}
	s.show(stageForm)
	s.record(s.chosen(), "filled in an earlier test", spot{onPrompt, 0})
	s.fill(t.Ask)
	s.form.filter = s.draft.Known(s.form.filter)
	s.setOverrides()
	return s.refresh()
}

// sendPast sends this draft as an earlier test was sent.
func (s *Screen) sendPast() tea.Cmd {
	if _, ok := s.pastTest(); !ok {
		return nil
	}
	return tea.Batch(s.fillPast(), s.send())
}

// widen lists the tests of all campaigns, or of this one alone.
func (s *Screen) widen() tea.Cmd {
	s.past.wide = !s.past.wide
	s.past.list.Cursor = 0
	s.listPast()
	return nil
}

// earlierActions are what can be done with earlier tests.
func (s *Screen) earlierActions() []screen.Action {
	t, any := s.pastTest()
	none, bar := "", func(n int) int { return n }
	if !any {
		none, bar = "The list is empty.", func(int) int { return 0 }
	}
	whose, other := "all campaigns", none
	if s.past.wide {
		whose = "this campaign"
	}
	if other == "" && (t.Own || t.CampaignID == "") {
		other = "This test belongs to this campaign."
	}
	open := bar(4)
	if other != "" {
		open = 0
	}
	return append([]screen.Action{
		{Name: "fill-the-form", Keys: []string{"enter"}, Label: "fill in", Help: "fill the form with this test's settings", Group: groupEarlier, Bar: bar(9), Why: none, Run: s.fillPast},
		{Keys: []string{"r", "ctrl+s"}, Label: "send again", Help: "send this draft with this test's settings", Group: groupEarlier, Bar: bar(8), Why: none, Run: s.sendPast},
		{Keys: []string{"tab", "a"}, Label: whose, Help: "list the tests of " + whose, Group: groupEarlier, Bar: 6, Run: s.widen},
		{Keys: []string{"o"}, Label: "open", Help: "open the test of the other campaign", Group: groupEarlier, Bar: open, Why: other, Run: func() tea.Cmd {
			return screen.Open(screen.Route{Name: screen.TestSend, ID: t.CampaignID})
		}},
		{Keys: []string{"y"}, Label: "copy curl", Help: "copy the request as a curl command", Group: groupEarlier, Bar: bar(3), Why: none, Run: func() tea.Cmd {
			return screen.Copy(operation.TestCurl(s.deps.Workspace, t.Body), "the request as a curl command")
		}},
		s.upKey(groupEarlier),
	}, s.detailKeys(groupEarlier)...)
}

// backToForm leaves a list.
func (s *Screen) backToForm() tea.Cmd {
	s.show(stageForm)
	return s.refresh()
}

func (s *Screen) zone() *time.Location {
	if s.deps.Location == nil {
		return time.UTC
	}
	return s.deps.Location
}
