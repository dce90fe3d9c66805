package builder_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/builder"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/widget"
)

// editorHarness is a builder whose external editor is the test.
type editorHarness struct {
	*uitest.Harness
	t      testing.TB
	screen *builder.Screen
}

func (b *testbed) editorHarness(options ...builder.Option) editorHarness {
	s := builder.New(uitest.Deps(b.svc), screen.Route{Name: screen.Builder, ID: b.id, Path: doc.P("campaign_content")}, options...)
	h := uitest.New(b.t, s, 120, 40)
	h.Press("esc")
	return editorHarness{h, b.t, s}
}

// runEditor runs an action and returns the text sent to the editor.
func (d editorHarness) runEditor(label string) screen.OpenEditorMsg {
	d.t.Helper()
	for _, a := range d.screen.Actions() {
		if a.Label == label && a.DisabledReason == "" {
			return editText(d.t, a.Run())
		}
	}
	d.t.Fatalf("%s does nothing", label)
	return screen.OpenEditorMsg{}
}

func editText(t testing.TB, cmd tea.Cmd) screen.OpenEditorMsg {
	t.Helper()
	for _, msg := range messages(cmd) {
		if m, ok := msg.(screen.OpenEditorMsg); ok {
			return m
		}
	}
	t.Fatal("no editor is opened")
	return screen.OpenEditorMsg{}
}

func messages(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	batch, ok := msg.(tea.BatchMsg)
	if !ok {
		return []tea.Msg{msg}
	}
	var out []tea.Msg
	for _, c := range batch {
		out = append(out, messages(c)...)
	}
	return out
}

// closeEditor closes the editor with another text.
func (d editorHarness) closeEditor(m screen.OpenEditorMsg, text string) {
	d.Send(messages(m.Then(text, text != m.Text))...)
}

// The whole campaign round-trips through the editor; errors are shown with their line and the text is opened
// again.
func TestEditWholeCampaignExternally(t *testing.T) {
	b := newTestbed(t, catalog.Email, liveMail)
	before := string(b.stored().Body.Encode())
	d := b.editorHarness()
	m := d.runEditor("edit all")
	if !strings.HasPrefix(m.Text, "{\n  \"basic_details\"") || strings.Contains(m.Text, "created_by") {
		t.Fatalf("the editor gets\n%s", m.Text)
	}
	d.closeEditor(m, m.Text)
	if got := string(b.stored().Body.Encode()); got != before {
		t.Errorf("looking made it %s", got)
	}

	d.closeEditor(m, strings.Replace(m.Text, `"News",`, `"News" "x",`, 1))
	d.Want("The JSON of “News” is not valid yet", "Line 3")
	d.Press("d")
	d.closeEditor(m, `{"channel":"PUSH"}`)
	d.Want("is set by the service")
	d.Press("d")
	d.closeEditor(m, `[]`)
	d.Want("A campaign must be a JSON object")
	d.Press("d")
	if got := string(b.stored().Body.Encode()); got != before {
		t.Errorf("a text that was dropped made it %s", got)
	}

	d.closeEditor(m, `{"basic_details": {"name": "N\u0065w", "own": 1.50}}`)
	if got := string(b.stored().Body.Encode()); got != `{"basic_details":{"name":"N\u0065w","own":1.50}}` {
		t.Errorf("the text became %s", got)
	}
	d.Press("ctrl+z")
	if got := string(b.stored().Body.Encode()); got != before {
		t.Errorf("undo left %s", got)
	}
}

// An external edit is one version, named after what changed, even if the screen is closed before it is saved.
func TestExternalEditIsOneVersion(t *testing.T) {
	b := newTestbed(t, catalog.Email, liveMail)
	d := b.editorHarness()
	m := d.runEditor("edit all")
	save := m.Then(strings.Replace(m.Text, `"News"`, `"Letter"`, 1), true)
	leave := d.screen.Close()
	d.Send(save(), leave())
	revs, err := b.svc.Revisions(context.Background(), b.id)
	if err != nil {
		t.Fatal(err)
	}
	if len(revs) != 2 || revs[0].Note != "edited basic_details.name" {
		t.Errorf("the versions are %+v", revs)
	}
}

// While a campaign is live, an external edit of a locked field is refused with the reason, and the text is
// kept.
func TestExternalEditRespectsLocks(t *testing.T) {
	b := newTestbed(t, catalog.Email, liveMail)
	b.publish(true)
	d := b.editorHarness()
	m := d.runEditor("edit all")
	text := strings.Replace(strings.Replace(m.Text, `"News"`, `"Letter"`, 1), `"is_all_user_campaign": true`, `"is_all_user_campaign": false`, 1)
	d.closeEditor(m, text)
	d.Want("Cannot be changed while the campaign is Sending.", "Audience")
	again := false
	d.Press("d")
	for _, msg := range messages(m.Then(text, true)) {
		ask, ok := msg.(screen.AskMsg)
		if !ok {
			continue
		}
		again = true
		if got := editText(t, ask.Question.Then(widget.Answer{Index: 0})); got.Text != text {
			t.Errorf("the editor is offered\n%s", got.Text)
		}
	}
	if !again {
		t.Error("the text is not offered again")
	}
	d.closeEditor(m, strings.Replace(m.Text, `"News"`, `"Letter"`, 1))
	d.Want("Letter", "changes not applied", "Press ctrl+s to apply", "not been sent yet")
}

// readPage returns what a page of this machine answers.
func readPage(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The page in the browser follows what is typed and who was chosen.
func TestPageInBrowser(t *testing.T) {
	b := withPeople(t, personalMail)
	var page string
	s := builder.New(uitest.Deps(b.svc), screen.Route{Name: screen.Builder, ID: b.id, Path: doc.P("campaign_content", "content", "email", "subject")},
		builder.WithBrowser(func(_ context.Context, file string) error { page = uitest.LedTo(t, file); return nil }))
	h := uitest.New(t, s, 120, 40)
	h.Press("alt+o")
	h.Want("Opened in the browser", "127.0.0.1")
	has := func(part, want string) {
		t.Helper()
		if got := readPage(t, page+part); !strings.Contains(got, want) {
			t.Errorf("the page has no %s:\n%s", want, got)
		}
	}
	h.Type(" there")
	has("head", " there")
	h.Press("ctrl+z")
	has("head", `"subject":"Hi `)
	for name, city := range map[string]string{"ada": "Oslo", "cleo": "Rome"} {
		h.Press("alt+u")
		h.Type(name)
		h.Press("enter")
		has("message", "Shop in "+city)
	}
	first := page
	if h.Press("alt+o"); page != first {
		t.Errorf("the page has moved to %s", page)
	}
}

// Where there is no browser, the address of the page is copied; it ends with the screen. Without a message there is no page.
func TestNoBrowser(t *testing.T) {
	for _, content := range []string{`{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"Sale"}}}}`, `{}`} {
		b := newTestbed(t, catalog.Push, `{"basic_details":{"platforms":["ANDROID"]},"campaign_content":{"content":`+content+`}}`)
		d := b.editorHarness(builder.WithBrowser(func(context.Context, string) error { return errors.New("there is no display here") }))
		d.Press("o")
		if content == `{}` {
			d.Want("There is no message to open")
			continue
		}
		d.Want("No browser can be opened", "no display", "http://127.0.0.1:")
		if len(d.Copied) != 1 || !strings.Contains(readPage(t, d.Copied[0]+"message"), "Android") {
			t.Errorf("copied is %q", d.Copied)
		}
		messages(d.screen.Close())
		if answer, err := http.Get(d.Copied[0]); err == nil {
			answer.Body.Close()
			t.Error("the page is there when the screen is gone")
		}
	}
}
