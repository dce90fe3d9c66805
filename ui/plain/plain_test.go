package plain_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/themes"
	"bugle/ui/app"
	"bugle/ui/builder"
	"bugle/ui/campaigns"
	"bugle/ui/history"
	"bugle/ui/newdraft"
	"bugle/ui/outbox"
	"bugle/ui/plain"
	"bugle/ui/screen"
	"bugle/ui/testsend"
	"bugle/ui/uitest"
	"bugle/ui/validate"
	"bugle/ui/workspace"
)

// testbed is a workspace in memory with one campaign.
type testbed struct {
	t      *testing.T
	svc    *uitest.Service
	deps   screen.Deps
	id     string
	editor func(file string) ([]string, error)
	output string // of the last run
	err    error  // with which the last run ended
}

func newTestbed(t *testing.T, ch catalog.Channel, dt catalog.DeliveryType, components string) *testbed {
	t.Helper()
	svc := uitest.NewService(t, engine.Workspace{
		SubscriptionCategories: []string{"News"},
		Attributes:             []engine.Attribute{{Name: "City", DataType: "string"}, {Name: "Age", DataType: "double"}, {Name: "Birthday", DataType: "datetime"}},
		Flags:                  map[string]bool{engine.FlagAudienceLimit: true},
	})
	return &testbed{t: t, svc: svc, id: svc.Draft(ch, dt, components), deps: uitest.Deps(svc)}
}

func (b *testbed) factory(deps screen.Deps, r screen.Route) (screen.Screen, error) {
	switch r.Name {
	case screen.Campaigns:
		return campaigns.New(deps, r), nil
	case screen.NewDraft:
		return newdraft.New(deps, r), nil
	case screen.Builder:
		return builder.New(deps, r), nil
	case screen.Validate:
		return validate.New(deps, r), nil
	case screen.TestSend:
		return testsend.New(deps, r), nil
	case screen.Outbox:
		return outbox.New(deps, r), nil
	case screen.History:
		return history.New(deps, r), nil
	case screen.Workspace:
		return workspace.New(deps, r), nil
	}
	return nil, fmt.Errorf("there is no screen %q in this test", r.Name)
}

func (b *testbed) options(in io.Reader, out io.Writer) plain.Options {
	if b.editor == nil {
		b.editor = func(string) ([]string, error) { return nil, errors.New("there is no editor in this test") }
	}
	return plain.Options{In: in, Out: out, App: app.Options{
		Deps: b.deps, Factory: b.factory, First: screen.Route{Name: screen.Campaigns}, Context: b.t.Context(), Editor: b.editor,
		Themes:    func(string) (*themes.Theme, error) { return themes.Plain(), nil },
		Clipboard: func(string) error { return nil },
	}}
}

// run types lines, separated by a bar, from the start of the program; then the input ends.
func (b *testbed) run(script string) {
	b.t.Helper()
	var out strings.Builder
	b.err = play(b.t, b.options(strings.NewReader(strings.ReplaceAll(script, "|", "\n")+"\n"), &out))
	b.output = out.String()
}

func play(t *testing.T, o plain.Options) error {
	t.Helper()
	p, err := plain.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	return p.Close()
}

// play opens the campaign and types lines.
func (b *testbed) play(script string) {
	b.t.Helper()
	b.run("1|" + script)
}

func (b *testbed) want(texts ...string) {
	b.t.Helper()
	for _, text := range texts {
		if !strings.Contains(b.output, text) {
			b.t.Errorf("nothing says %q:\n%s", text, b.output)
		}
	}
}

func (b *testbed) wantNot(text string) {
	b.t.Helper()
	if strings.Contains(b.output, text) {
		b.t.Errorf("something says %q:\n%s", text, b.output)
	}
}

func (b *testbed) wantEnd(want error) {
	b.t.Helper()
	if !errors.Is(b.err, want) {
		b.t.Errorf("it ended with %v, want %v:\n%s", b.err, want, b.output)
	}
}

func (b *testbed) stored() engine.Campaign {
	b.t.Helper()
	return b.svc.Stored(b.id)
}

// wantStored fails the test unless the stored campaign has the JSON at path.
func (b *testbed) wantStored(path, want string) {
	b.t.Helper()
	p, err := doc.ParsePath(path)
	b.svc.OK(err)
	if got := string(b.stored().Body.Lookup(p).Encode()); got != want {
		b.t.Errorf("%s is %s, want %s\n%s", path, got, want, b.output)
	}
}

const mail = `{"basic_details": {"name": "Spring sale", "content_type": "PROMOTIONAL"}, "campaign_content": {"content": {"email": {"subject": "Hi\tyou", "html_content": "<p>one</p>\n<p>two</p>"}}}}`
