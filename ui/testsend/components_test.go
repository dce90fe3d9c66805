package testsend

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/service/local"
	model "bugle/engine/testsend"
	"bugle/store/mem"
	"bugle/ui/prefs"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// newTestLayout returns the layout of a screen for a push with two users.
func newTestLayout(t *testing.T) *layout {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	_, err := local.CreateWorkspace(t.Context(), db, engine.Workspace{ID: "DEMO", Attributes: []engine.Attribute{{Name: "Age", DataType: "double"}}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := local.Open(db, "DEMO", local.Options{Clock: func() time.Time { return uitest.Now }})
	if err != nil {
		t.Fatal(err)
	}
	for id, name := range map[string]string{"USER_1": "Ada", "USER_2": "Ben"} {
		if err := s.PutUser(t.Context(), engine.User{ID: id, Attributes: map[string]any{"Name": name}, Devices: []engine.Device{{Platform: "ANDROID", Token: id}}}); err != nil {
			t.Fatal(err)
		}
	}
	body, err := doc.Parse([]byte(`{"basic_details": {"name": "Spring push", "platforms": ["ANDROID", "WEB"]}, "campaign_content": {"content": {"push": {
		"android": {"template_type": "BASIC", "basic_details": {"title": "Hello", "message": "You are {{UserAttribute['Age']}}"}},
		"web": {"template_type": "BASIC", "basic_details": {"title": "Hello", "message": "Spring", "redirect_url": "https://example.com"}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.Create(t.Context(), engine.CreateRequest{Call: engine.NewCall(), Body: engine.NewDraftBody(catalog.Push, catalog.OneTime, "ann@example.com", body)})
	if err != nil {
		t.Fatal(err)
	}
	d, err := model.Load(t.Context(), s, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	base, deps := screen.NewBase(), uitest.Deps(s)
	t.Cleanup(func() { base.Close() })
	l := newLayout(&sendContext{
		deps: deps, theme: deps.Theme, tasks: &base, id: made.ID, prefs: prefs.NewInMemory(), draft: d, people: model.NewDirectory(),
	})
	l.panes.SetSize(80, 22)
	return l
}

// rowsText returns rows as text.
func rowsText(rows []row) string {
	var out []string
	for _, r := range rows {
		out = append(out, r.lines...)
	}
	return ansi.Strip(strings.Join(out, "\n"))
}

const byID = "USER_ATTRIBUTE_UNIQUE_ID"

func typeText(r *recipients, text string) {
	for _, c := range text {
		r.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{c}})
	}
}

func TestRecipientsAcceptHighlighted(t *testing.T) {
	l := newTestLayout(t)
	l.sendContext.groups = []group{{"Both", byID, []string{"USER_1", "USER_2"}}}
	r := newRecipients(l.sendContext)
	r.begin(engine.TestSend{Identifier: byID})
	r.focus(true)
	typeText(&r, "USER_9")
	if next := r.accept(); next != (rowID{rowPrompt, 0}) || r.changes() != "added USER_9" || r.changes() != "" {
		t.Errorf("it goes to %v", next)
	}
	typeText(&r, "bo")
	r.list.Highlight(0)
	if next := r.accept(); next != (rowID{rowSend, 0}) || r.changes() != `used the group "Both"` || !slices.Equal(r.selected(), []string{"USER_9", "USER_1", "USER_2"}) {
		t.Errorf("of a group it goes to %v with %q", next, r.selected())
	}
	if r.remove(0) != "USER_9" {
		t.Error("another recipient was removed")
	}
	view := rowsText(r.View(rowID{rowRecipient, 0}, 60))
	for _, want := range []string{"2 of 10 · Both", "▌  1 USER_1"} {
		if !strings.Contains(view, want) {
			t.Errorf("%q is not in\n%s", want, view)
		}
	}
	typeText(&r, "a,b,c")
	if !slices.Contains(r.selected(), "b") || r.text() != "c" {
		t.Errorf("a list became %q and %q", r.selected(), r.text())
	}
}

func TestOverridesSurviveFilteredMessages(t *testing.T) {
	l := newTestLayout(t)
	v := overrides{sendContext: l.sendContext}
	v.setMessages(l.draft.Messages, model.Forecast{}, false)
	v.focus(0)
	v.Update(0, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("old")})
	var ask engine.TestSend
	if why := v.addTo(&ask); why != "The value for Age must be a number, such as 19.90." || len(ask.UserAttributes) > 0 {
		t.Errorf("a word for a number: %q %+v", why, ask)
	}
	if view := rowsText(v.View(rowID{rowOverride, 0}, 60)); !strings.Contains(view, "✗ must be a number") || !strings.Contains(view, "in 1 of 2 messages") {
		t.Errorf("the rows are\n%s", view)
	}
	v.setMessages(l.draft.Matching(engine.KeyFilter{Platform: "WEB"}), model.Forecast{}, false)
	if len(v.fields) != 0 || v.current()[assemble.Attribute{Name: "Age"}] != "old" {
		t.Errorf("of the web it offers %+v", v.fields)
	}
	if v.setMessages(l.draft.Messages, model.Forecast{}, true); v.changed() != 1 || v.fields[0].prompt.Placeholder != "missing" {
		t.Errorf("it came back as %+v", v.fields)
	}
}

func TestMessageFilterView(t *testing.T) {
	l := newTestLayout(t)
	n := messageFilter{sendContext: l.sendContext}
	c, ok := n.at(rowID{rowFilter, 0})
	if !ok || c.With(n.filter, valueAfter(c.Choices(), "")) != (engine.KeyFilter{Platform: "ANDROID"}) {
		t.Fatalf("the first choice is %+v", c)
	}
	if view := rowsText(n.View(rowID{rowFilter, 0}, 40)); !strings.Contains(view, "▌ Platform    All ▾") {
		t.Errorf("the row is %s", view)
	}
	if _, ok := n.at(rowID{rowFilter, 1}); ok {
		t.Error("there is a second choice")
	}
}

func TestForecastPaneWaitsForForecast(t *testing.T) {
	l := newTestLayout(t)
	o := forecastPane{layout: l}
	ask := engine.TestSend{Identifier: byID, Values: []string{"USER_1", "USER_2"}}
	shown := false
	forecast := o.update(ask, func() { shown = true })
	if forecast == nil || o.update(ask, nil) != nil || o.sendCount() != 4 {
		t.Error("a forecast is asked for once")
	}
	if view := ansi.Strip(o.content(36, 12).Body); !strings.Contains(view, "Android  ○ ○") {
		t.Errorf("before it is known:\n%s", view)
	}
	if forecast().(screen.Result).Done(); !shown {
		t.Error("the forecast is not shown")
	}
	view := ansi.Strip(o.content(36, 12).Body)
	for _, want := range []string{"4 of 4 will not arrive", "Web      ✗ ✗", "✗ 1 Ada, 2 Ben: the user has no"} {
		if !strings.Contains(view, want) {
			t.Errorf("%q is not in\n%s", want, view)
		}
	}
}

func TestResultsCursorOnFailure(t *testing.T) {
	l := newTestLayout(t)
	r := newResults(l)
	ask := engine.TestSend{Identifier: byID, Values: []string{"USER_1"}}
	model.SetOverride(&ask, assemble.Attribute{Name: "Age"}, "double", "41")
	r.begin(model.NewRun(l.draft, ask))
	r.round([]engine.TestSend{ask}, model.Forecast{})
	if view := ansi.Strip(r.View()); r.badge() != "sending 0 of 2" || !strings.Contains(view, "Spring push › Sending") {
		t.Errorf("while it sends it is %s\n%s", r.badge(), view)
	}
	l.split(stageDone)
	out, err := model.Send(t.Context(), l.deps.Service, l.draft, r.run.Requests, l.deps.Now, r.run.AddStep)
	if err != nil {
		t.Fatal(err)
	}
	r.end(out, nil)
	if k, d := r.selected(); r.badge() != "1 failed" || k.Name != "Web" || d.State != model.Failed {
		t.Errorf("%s; the cursor is on %+v", r.badge(), k)
	}
	r.reader.load(r.run, model.Forecast{})().(screen.Result).Done()
	r.Update(tea.KeyMsg{Type: tea.KeyUp})
	if view := ansi.Strip(r.View()); !strings.Contains(view, "▌ ✓ Android sent") || !strings.Contains(view, "Delivered to Ada") || !strings.Contains(view, "You are 41") {
		t.Errorf("above it is\n%s", view)
	}
}

func TestRefusalPageField(t *testing.T) {
	l := newTestLayout(t)
	r := newRefusal(l)
	r.set(&engine.Error{Message: "the draft is not complete", Details: []engine.Detail{{Target: "campaign_content.content", Message: "add a title"}}})
	path, ok := r.field()
	if view := ansi.Strip(r.View()); !ok || path.String() != "campaign_content.content" || !strings.Contains(view, "Not sent. This needs to be fixed first:") {
		t.Errorf("%v %s\n%s", ok, path, view)
	}
}

func TestGroupsPageUsesSelectedGroup(t *testing.T) {
	l := newTestLayout(t)
	l.sendContext.groups = []group{{"Mail", "EMAIL", []string{"ann@example.com"}}, {"Two", byID, []string{"USER_1", "USER_2"}}}
	var used []string
	p := newGroupsPage(l, func(g group, _ bool) tea.Cmd { used = append(used, g.Name); return nil })
	p.refresh("")
	p.useClicked() // which is for another channel
	p.Update(tea.KeyMsg{Type: tea.KeyDown})
	p.useClicked()
	if !slices.Equal(used, []string{"Two"}) {
		t.Errorf("used %q", used)
	}
	if view := ansi.Strip(p.View()); !strings.Contains(view, "Spring push › Groups") || !strings.Contains(view, "2 USER_2") {
		t.Errorf("the page is\n%s", view)
	}
}

func TestEarlierPageListsOwnTestsFirst(t *testing.T) {
	l := newTestLayout(t)
	l.past = model.History{
		{Request: engine.TestSend{Identifier: byID, Values: []string{"USER_2"}}, Campaign: "Other"},
		{Request: engine.TestSend{Identifier: byID, Values: []string{"USER_1"}}, Campaign: "Spring push", Own: true},
	}
	p := newEarlierPage(l)
	p.open()
	if got, ok := p.list.Selected(); !ok || !got.Own || len(p.tests()) != 1 {
		t.Errorf("it begins with %+v", got)
	}
	p.toggleAllCampaigns()
	if view := ansi.Strip(p.View()); !strings.Contains(view, "Other · USER_2") || !strings.Contains(view, "Spring push · ") {
		t.Errorf("of all campaigns:\n%s", view)
	}
	l.past = l.past[:1]
	if p.open(); !p.allCampaigns {
		t.Error("without tests of its own it lists none")
	}
}
