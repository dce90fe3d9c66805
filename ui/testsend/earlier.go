package testsend

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/edit/grid"
	"bugle/engine/operation"
	"bugle/engine/phrase"
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
func newEarlierPage(l *layout) *earlierPage {
	p := &earlierPage{}
	p.listPage = newListPage(l, "test", p.item)
	return p
}

// tests returns the listed tests.
func (p *earlierPage) tests() model.History {
	if p.allCampaigns {
		return p.past
	}
	return p.past.OfCampaign()
}

// open lists the tests of this campaign or, if there are none, of all.
func (p *earlierPage) open() {
	p.allCampaigns = len(p.past.OfCampaign()) == 0
	p.list.SelectIndex(0)
	p.refresh()
}

// refresh fills the list.
func (p *earlierPage) refresh() { p.list.Set(p.tests()) }

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

// toggleAllCampaigns switches between the tests of all campaigns and of this one.
func (p *earlierPage) toggleAllCampaigns() tea.Cmd {
	p.allCampaigns = !p.allCampaigns
	p.list.SelectIndex(0)
	p.refresh()
	return nil
}

// earlierHost has the actions of the screen that the page needs.
type earlierHost struct {
	fill, send func(model.PastTest) tea.Cmd
	up         screen.Action
}

// actions returns the actions on earlier tests.
func (p *earlierPage) actions(host earlierHost) []screen.Action {
	whose := "all campaigns"
	if p.allCampaigns {
		whose = "this campaign"
	}
	open := p.list.On(screen.Action{Keys: []string{"o"}, Label: "open", Help: "open the test of the other campaign", Group: groupEarlier, BarPriority: 4}, ownReason, func(t model.PastTest) tea.Cmd {
		return screen.Open(screen.Route{Name: screen.TestSend, ID: t.CampaignID})
	})
	if open.DisabledReason != "" {
		open.BarPriority = 0
	}
	return append([]screen.Action{
		p.list.On(screen.Action{Name: "fill-the-form", Keys: []string{"enter"}, Label: "fill in", Help: "fill the form with this test's settings", Group: groupEarlier, BarPriority: 9}, nil, host.fill),
		p.list.On(screen.Action{Keys: []string{"r", "ctrl+s"}, Label: "send again", Help: "send this draft with this test's settings", Group: groupEarlier, BarPriority: 8}, nil, host.send),
		{Keys: []string{"tab", "a"}, Label: whose, Help: "list the tests of " + whose, Group: groupEarlier, BarPriority: 6, Run: p.toggleAllCampaigns},
		open,
		p.list.On(screen.Action{Keys: []string{"y"}, Label: "copy curl", Help: "copy the request as a curl command", Group: groupEarlier, BarPriority: 3}, nil, func(t model.PastTest) tea.Cmd {
			return screen.Copy(operation.TestCurl(p.deps.Workspace, t.Body), "the request as a curl command")
		}),
		host.up,
	}, p.detailsActions(groupEarlier)...)
}

// ownReason returns why a test leads to no other campaign.
func ownReason(t model.PastTest) string {
	if t.Own || t.CampaignID == "" {
		return "This test belongs to this campaign."
	}
	return ""
}

const (
	emptyOwn  = "No tests of this campaign yet. Press tab to list the tests of all campaigns."
	emptyPast = "No tests yet. Tests you send are listed here."
)

// View draws the page.
func (p *earlierPage) View() string {
	title, empty := "Earlier tests", emptyOwn
	if p.allCampaigns {
		title, empty = "Earlier tests of all campaigns", emptyPast
	}
	var lines []string
	if t, ok := p.list.Selected(); ok {
		lines = p.lines(t, p.detailsWidth())
	}
	return p.view(title, phrase.Count(len(p.tests()), "test"), empty, "Test", lines)
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

func (p *earlierPage) lines(t model.PastTest, w int) []string {
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
