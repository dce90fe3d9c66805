package testsend

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/content"
	"bugle/engine/operation"
	"bugle/themes"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// past is a test that was sent, of this campaign or of another.
type past struct {
	engine.TestRecord
	ask      engine.TestSend
	campaign string // its name
	mine     bool   // it was of this campaign
}

// pastPage is where earlier tests are looked through.
type pastPage struct {
	all  []past // newest first
	wide bool   // those of other campaigns too
	list widget.List
}

// shown are the tests that are listed.
func (p *pastPage) shown() []past {
	if p.wide {
		return p.all
	}
	return slices.DeleteFunc(slices.Clone(p.all), func(t past) bool { return !t.mine })
}

func (p *pastPage) own() int {
	return len(slices.DeleteFunc(slices.Clone(p.all), func(t past) bool { return !t.mine }))
}

// readPast reads the tests of this campaign, and those of others that found their people in a way that
// this channel has.
func readPast(ctx context.Context, service engine.Service, h engine.TestHistory, c engine.Campaign) ([]past, error) {
	mine, err := h.Tests(ctx, c.ID, mostEarlier)
	if err != nil {
		return nil, err
	}
	all, err := h.Tests(ctx, "", mostEarlier)
	if err != nil {
		return nil, err
	}
	var out []past
	for _, t := range mine {
		out = append(out, past{t, engine.ParseTestSend(t.Body), engine.Summarize(c).Name, true})
	}
	names := map[string]string{}
	for _, t := range all {
		ask := engine.ParseTestSend(t.Body)
		if t.CampaignID == c.ID || !hasIdentifier(c.Channel, ask.Identifier) {
			continue
		}
		if _, known := names[t.CampaignID]; !known {
			names[t.CampaignID] = nameOf(ctx, service, t.CampaignID)
		}
		out = append(out, past{t, ask, names[t.CampaignID], false})
	}
	slices.SortStableFunc(out, func(a, b past) int { return b.At.Compare(a.At) })
	return out, nil
}

func hasIdentifier(ch engine.Channel, identifier string) bool {
	for _, o := range engine.TestFieldsOf(ch).Identifier.Options {
		if o.Value == identifier {
			return true
		}
	}
	return false
}

func nameOf(ctx context.Context, service engine.Service, id string) string {
	if id == "" {
		return "test without a draft"
	}
	c, err := service.Get(ctx, id)
	if err != nil {
		return "deleted campaign"
	}
	return engine.Summarize(c).Title()
}

// remember offers what was sent just now from now on, as the next visit would.
func (s *Screen) remember(asks []engine.TestSend, out outcome) tea.Cmd {
	id, values := s.run.ask.Identifier, s.run.ask.Values
	s.recent[id] = append(slices.Clone(values), slices.DeleteFunc(slices.Clone(s.recent[id]), func(v string) bool {
		return slices.Contains(values, v)
	})...)
	var records []engine.TestRecord
	for i, r := range out.results {
		record := engine.TestRecord{At: s.deps.Now(), CampaignID: s.id, Body: engine.DraftTest(s.id, asks[i]), Result: r}
		records = append(records, record)
		s.past.all = append([]past{{record, asks[i], s.name(), true}}, s.past.all...)
	}
	if k, ok := s.history().(kept); ok && len(records) > 0 {
		return s.Run(taskKeep, func(context.Context) (any, error) { return nil, k.keep(records) })
	}
	return nil
}

// missed returns why the last test that went to a recipient did not reach them; empty where it did.
func (s *Screen) missed(value string) string {
	for _, t := range s.past.all {
		if t.ask.Identifier != s.form.identifier || !slices.Contains(t.ask.Values, value) {
			continue
		}
		why := ""
		for _, key := range t.Result.Keys {
			r := t.Result.Data[key]
			if r.Status == engine.Sent || len(t.ask.Values) > 1 && !strings.Contains(r.FailureReason, value) {
				return ""
			}
			why = cmp.Or(r.FailureReason, r.Status)
		}
		return why
	}
	return ""
}

// withoutMissed leaves out the recipients that the last test did not reach. They are suggested last.
func (s *Screen) withoutMissed(ask engine.TestSend) engine.TestSend {
	s.form.identifier = ask.Identifier
	ask.Values = slices.DeleteFunc(slices.Clone(ask.Values), func(v string) bool { return s.missed(v) != "" })
	if len(ask.Values) == 0 { // nobody is left to get only that
		ask.Filter = engine.KeyFilter{}
	}
	return ask
}

// openEarlier lists the earlier tests.
func (s *Screen) openEarlier() tea.Cmd {
	s.show(stageEarlier)
	s.past.wide = s.past.own() == 0
	s.past.list.Cursor = 0
	s.listPast()
	return nil
}

func (s *Screen) listPast() {
	var items []widget.Item
	for _, t := range s.past.shown() {
		icon, tone := t.look()
		text := s.recipientsOf(t.ask)
		if s.past.wide {
			text = t.campaign + " · " + text
		}
		if tone != themes.ToneSuccess {
			text += " · " + t.outcome()
		}
		items = append(items, widget.Item{Icon: icon, IconTone: tone, Text: text, Info: s.moment(t.At), InfoTone: themes.ToneMuted})
	}
	s.past.list.SetItems(items)
}

// sent counts the messages of a test, and those that were sent.
func (t past) sent() (sent, all int) {
	for _, key := range t.Result.Keys {
		if t.Result.Data[key].Status == engine.Sent {
			sent++
		}
	}
	return sent, len(t.Result.Keys)
}

func (t past) outcome() string {
	switch sent, all := t.sent(); sent {
	case all:
		return "sent"
	case 0:
		return "failed"
	default:
		return fmt.Sprintf("%d of %d failed", all-sent, all)
	}
}

func (s *Screen) pastTest() (past, bool) {
	shown := s.past.shown()
	if i := s.past.list.Cursor; i >= 0 && i < len(shown) {
		return shown[i], true
	}
	return past{}, false
}

// fillPast fills the form as for an earlier test.
func (s *Screen) fillPast() tea.Cmd {
	t, ok := s.pastTest()
	if !ok {
		return nil
	}
	s.show(stageForm)
	s.record(s.chosen(), "filled in an earlier test", spot{onPrompt, 0})
	s.fill(t.ask)
	s.dropForeign()
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
	if other == "" && (t.mine || t.CampaignID == "") {
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

// onlyName names what a filter leaves. The default locale and the first variation are named where nothing else is.
func onlyName(f engine.KeyFilter) string {
	if f.Locale == engine.DefaultLocale && f != (engine.KeyFilter{Locale: f.Locale}) {
		f.Locale = ""
	}
	if f.Variation == engine.DefaultVariation && f != (engine.KeyFilter{Variation: f.Variation}) {
		f.Variation = ""
	}
	if f.Locale == engine.DefaultLocale {
		return content.LocaleName(f.Locale)
	}
	return content.CellName(f.Platform, f.Locale, f.Variation)
}
