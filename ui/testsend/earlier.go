package testsend

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/edit/grid"
	"bugle/engine/operation"
	model "bugle/engine/testsend"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// earlierPage is the page of earlier tests.
type earlierPage struct {
	listPage[model.PastTest]
	allCampaigns bool // includes other campaigns
}

// newEarlierPage returns the page without tests.
func newEarlierPage(c *sendContext) *earlierPage {
	p := &earlierPage{}
	p.listPage = newListPage(c, "test", p.item, c.testLines)
	return p
}

// refresh fills the list.
func (p *earlierPage) refresh() {
	tests := p.past
	p.list.Empty = "No tests yet. Tests you send are listed here."
	if !p.allCampaigns {
		tests = p.past.OfCampaign()
		p.list.Empty = "No tests of this campaign yet. Press tab to list the tests of all campaigns."
	}
	p.list.Set(tests)
}

// showAll lists the tests of all campaigns, or of this one.
func (p *earlierPage) showAll(all bool) tea.Cmd {
	p.allCampaigns = all
	p.refresh()
	p.list.SelectIndex(0)
	return nil
}

// item returns the row of a test.
func (p *earlierPage) item(t model.PastTest) widget.Item {
	icon, tone := statusIcon(t)
	text := p.people.Summary(t.Request)
	if p.allCampaigns {
		text = t.Campaign + " · " + text
	}
	if tone != themes.ToneSuccess {
		text += " · " + t.Outcome()
	}
	return widget.Item{Icon: icon, IconTone: tone, Text: text, Info: p.formatTime(t.At), InfoTone: themes.ToneMuted}
}

// openEarlier lists the tests of this campaign or, if there are none, of all.
func (s *Screen) openEarlier() tea.Cmd {
	s.show(stageEarlier)
	return s.earlier.showAll(len(s.past.OfCampaign()) == 0)
}

// fillPast fills the form from an earlier test, as a change that can be undone.
func (s *Screen) fillPast(t model.PastTest) tea.Cmd {
	s.show(stageForm)
	s.form.change("filled in an earlier test", promptRow, func(*input) { s.form.fill(t.Request) })
	return s.form.refresh()
}

// sendPast sends this draft like an earlier test.
func (s *Screen) sendPast(t model.PastTest) tea.Cmd { return tea.Batch(s.fillPast(t), s.submit(true)) }

// earlierActions returns the actions on earlier tests.
func (s *Screen) earlierActions() []screen.Action {
	p := s.earlier
	whose := "all campaigns"
	if p.allCampaigns {
		whose = "this campaign"
	}
	return append([]screen.Action{
		p.list.On(screen.Action{Name: "fill-the-form", Keys: []string{"enter"}, Label: "fill in", Help: "fill the form with this test's settings", Group: groupEarlier, BarPriority: 9}, nil, s.fillPast),
		p.list.On(screen.Action{Keys: []string{"r", "ctrl+s"}, Label: "send again", Help: "send this draft with this test's settings", Group: groupEarlier, BarPriority: 8}, nil, s.sendPast),
		{Keys: []string{"tab", "a"}, Label: whose, Help: "list the tests of " + whose, Group: groupEarlier, BarPriority: 6, Run: func() tea.Cmd { return p.showAll(!p.allCampaigns) }},
		p.list.On(screen.Action{Keys: []string{"y"}, Label: "copy curl", Help: "copy the request as a curl command", Group: groupEarlier, BarPriority: 3}, nil, func(t model.PastTest) tea.Cmd {
			return screen.Copy(operation.TestCurl(s.deps.Workspace, t.Body), "the request as a curl command")
		}),
		s.upAction(groupEarlier),
	}, p.scrollActions(groupEarlier)...)
}

// statusIcon returns the icon for a test's result.
func statusIcon(t model.PastTest) (string, themes.Tone) {
	switch t.Worst() {
	case model.Sent:
		return "✓", themes.ToneSuccess
	case model.Unknown:
		return "?", themes.ToneWarning
	}
	return "✗", themes.ToneDanger
}

// testLines draws what an earlier test sent, and what became of it.
func (p *sendContext) testLines(t model.PastTest, w int) []string {
	lines := fact(p.theme, "Recipients", strings.Join(p.people.NamesAndValues(t.Request), ", "), w)
	lines = append(lines, fact(p.theme, "Identifier", p.identifierName(t.Request.Identifier), w)...)
	for _, as := range t.Request.As {
		lines = append(lines, fact(p.theme, "Sent as", as.String(), w)...)
	}
	if t.Request.Copies {
		lines = append(lines, fact(p.theme, "Copies", "to the addresses in Cc and Bcc", w)...)
	}
	if f := t.Request.Filter; f != (engine.KeyFilter{}) {
		lines = append(lines, fact(p.theme, "Only", model.FilterName(f), w)...)
	}
	for _, v := range model.OverrideSummary(t.Request) {
		lines = append(lines, fact(p.theme, "Value", v, w)...)
	}
	lines = append(lines, "")
	names := grid.ResultNames(t.Result.Keys)
	for i, key := range t.Result.Keys {
		r := t.Result.Data[key]
		sign := p.theme.Success.Render("✓")
		switch {
		case len(r.Unknown) > 0:
			sign = p.theme.Warning.Render("?")
		case r.Status != engine.Sent:
			sign = p.theme.Danger.Render("✗")
		}
		lines = append(lines, sign+" "+widget.Truncate(widget.Clean(names[i]), max(w-2, 1)))
		if r.FailureReason != "" {
			lines = append(lines, widget.WrapIndented(p.theme.Danger, p.people.Explain(r.FailureReason, p.draft.Workspace, t.Request), w, 2)...)
		}
	}
	lines = append(append(lines, ""), fact(p.theme, "Campaign", t.Campaign, w)...)
	return append(lines, fact(p.theme, "Sent", p.formatTime(t.At), w)...)
}
