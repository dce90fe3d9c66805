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
	s := builder.New(uitest.Deps(b.svc), b.at("campaign_content"), options...)
	h := uitest.New(b.t, s, 120, 40)
	h.Press("esc")
	return editorHarness{h, b.t, s}
}

// editAll runs the action that opens the whole campaign in the editor.
func (d editorHarness) editAll() screen.OpenEditorMsg {
	d.t.Helper()
	for _, a := range d.screen.Actions() {
		if a.Label == "edit all" && a.DisabledReason == "" {
			return editText(d.t, a.Run())
		}
	}
	d.t.Fatal("the campaign cannot be edited as a whole")
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

func messages(cmd tea.Cmd) (out []tea.Msg) {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	batch, ok := msg.(tea.BatchMsg)
	if !ok {
		return []tea.Msg{msg}
	}
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
	before := string(b.svc.Stored(b.id).Body.Encode())
	d := b.editorHarness()
	m := d.editAll()
	if !strings.HasPrefix(m.Text, "{\n  \"basic_details\"") || strings.Contains(m.Text, "created_by") {
		t.Fatalf("the editor gets\n%s", m.Text)
	}
	for text, want := range map[string]string{
		strings.Replace(m.Text, `"News",`, `"News" "x",`, 1): "Line 3",
		`{"channel":"PUSH"}`: "is set by the service",
		`[]`:                 "A campaign must be a JSON object",
	} {
		d.closeEditor(m, text)
		d.Script("?The JSON of “News” is not valid yet", "?"+want, "d")
	}
	d.closeEditor(m, m.Text)
	b.want("", before)

	d.closeEditor(m, `{"basic_details": {"name": "N\u0065w", "own": 1.50}}`)
	b.want("", `{"basic_details":{"name":"N\u0065w","own":1.50}}`)
	d.Press("ctrl+z")
	b.want("", before)
}

// An external edit is one version, named after what changed, even if the screen is closed before it is saved.
func TestExternalEditIsOneVersion(t *testing.T) {
	b := newTestbed(t, catalog.Email, liveMail)
	d := b.editorHarness()
	m := d.editAll()
	save := m.Then(strings.Replace(m.Text, `"News"`, `"Letter"`, 1), true)
	leave := d.screen.Close()
	d.Send(save(), leave())
	revs, err := b.svc.Revisions(t.Context(), b.id)
	b.svc.OK(err)
	if len(revs) != 2 || revs[0].Note != "edited basic_details.name" {
		t.Errorf("the versions are %+v", revs)
	}
}

// While a campaign is live, an external edit of a locked field is refused with the reason, and the text is kept.
func TestExternalEditRespectsLocks(t *testing.T) {
	d := live(t, true).editorHarness()
	m := d.editAll()
	renamed := strings.Replace(m.Text, `"News"`, `"Letter"`, 1)
	text := strings.Replace(renamed, `"is_all_user_campaign": true`, `"is_all_user_campaign": false`, 1)
	asked := messages(m.Then(text, true))
	d.Send(asked...)
	d.Script("?Cannot be changed while the campaign is Sending.", "?Audience", "d")
	if got := editText(t, asked[0].(screen.AskMsg).Question.Then(widget.Answer{Index: 0})); got.Text != text {
		t.Errorf("the editor is offered\n%s", got.Text)
	}
	d.closeEditor(m, renamed)
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
	page := ""
	s := builder.New(uitest.Deps(b.svc), b.at(subjectAt),
		builder.WithBrowser(func(_ context.Context, file string) error { page = uitest.LedTo(t, file); return nil }))
	h := uitest.New(t, s, 120, 40)
	h.Script("alt+o", "?Opened in the browser", "?127.0.0.1")
	first := page
	for _, tt := range []struct {
		script     []string
		part, want string
	}{
		{[]string{">  there"}, "head", " there"},
		{[]string{"ctrl+z"}, "head", `"subject":"Hi `},
		{[]string{"alt+u", ">ada", "enter"}, "message", "Shop in Oslo"},
		{[]string{"alt+u", ">cleo", "enter", "alt+o"}, "message", "Shop in Rome"},
	} {
		h.Script(tt.script...)
		if got := readPage(t, page+tt.part); !strings.Contains(got, tt.want) || page != first {
			t.Errorf("after %q the page %s has no %s:\n%s", tt.script, page, tt.want, got)
		}
	}
}

// Where there is no browser, the address of the page is copied; it ends with the screen. Without a message there is no page.
func TestNoBrowser(t *testing.T) {
	none := builder.WithBrowser(func(context.Context, string) error { return errors.New("there is no display here") })
	newTestbed(t, catalog.Push, `{}`).editorHarness(none).Script("o", "?There is no message to open")
	d := newTestbed(t, catalog.Email, liveMail).editorHarness(none)
	d.Script("o", "?No browser can be opened", "?no display", "?http://127.0.0.1:")
	if len(d.Copied) != 1 || !strings.Contains(readPage(t, d.Copied[0]+"message"), "<p>x</p>") {
		t.Errorf("copied is %q", d.Copied)
	}
	messages(d.screen.Close())
	if answer, err := http.Get(d.Copied[0]); err == nil {
		answer.Body.Close()
		t.Error("the page is there when the screen is gone")
	}
}
