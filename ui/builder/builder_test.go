package builder_test

import (
	"context"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/builder"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// testbed is a workspace in memory with one draft.
type testbed struct {
	t   testing.TB
	svc *uitest.Service
	id  string
}

// newWorkspace returns a testbed without a draft.
func newWorkspace(t testing.TB) *testbed {
	t.Helper()
	return &testbed{t: t, svc: uitest.NewService(t, engine.Workspace{})}
}

func newTestbed(t testing.TB, ch catalog.Channel, components string) *testbed {
	t.Helper()
	return newWorkspace(t).create(ch, catalog.OneTime, components)
}

// create creates a draft, valid or not, which the testbed is about from now on.
func (b *testbed) create(ch catalog.Channel, dt catalog.DeliveryType, components string) *testbed {
	b.t.Helper()
	ctx, body := context.Background(), tree(b.t, components)
	made, err := b.svc.Create(ctx, engine.CreateRequest{Body: engine.NewDraftBody(ch, dt, "ann@example.com", body)})
	if err == nil {
		b.id = made.ID
		return b
	}
	b.create(ch, dt, `{}`)
	_, err = b.svc.Save(ctx, engine.SaveRequest{ID: b.id, Revision: b.svc.Stored(b.id).Revision, Body: body, By: "ann@example.com"})
	b.svc.OK(err)
	return b
}

// publish publishes the campaign; started reports that its start has come since then.
func (b *testbed) publish(started bool) {
	b.t.Helper()
	_, err := b.svc.Publish(context.Background(), engine.PublishRequest{ID: b.id, Console: true})
	b.svc.OK(err)
	if started {
		b.svc.SetNow(afterStart)
	}
}

// update changes the campaign as another program would.
func (b *testbed) update(components string) {
	b.t.Helper()
	body := engine.WithUpdater(tree(b.t, components), "bob@example.com")
	_, err := b.svc.Update(context.Background(), engine.UpdateRequest{ID: b.id, Body: body})
	b.svc.OK(err)
}

// at returns the route of a place of the campaign.
func (b *testbed) at(path string) screen.Route {
	b.t.Helper()
	p, err := doc.ParsePath(path)
	b.svc.OK(err)
	return screen.Route{Name: screen.Builder, ID: b.id, Path: p}
}

// open opens a place of the campaign; an empty path is that of the list of sections.
func (b *testbed) open(w, h int, path string) *uitest.Harness {
	b.t.Helper()
	return uitest.New(b.t, builder.New(uitest.Deps(b.svc), b.at(path)), w, h)
}

// text returns the stored text at a path.
func (b *testbed) text(path string) string {
	b.t.Helper()
	return b.svc.Stored(b.id).Body.Lookup(b.at(path).Path).Text()
}

// want expects the stored JSON at a path, without which it is empty.
func (b *testbed) want(path, want string) {
	b.t.Helper()
	if got := string(b.svc.Stored(b.id).Body.Lookup(b.at(path).Path).Encode()); got != want {
		b.t.Errorf("%s is\n%s\nwant\n%s", path, got, want)
	}
}

func tree(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// afterStart is after the start of liveMail.
var afterStart = time.Date(2026, 3, 20, 9, 0, 1, 0, time.UTC)

// plainService is a service with only the ten operations: it cannot store unfinished edits.
type plainService struct{ engine.Service }

// Places of an email.
const (
	nameAt    = "basic_details.name"
	subjectAt = "campaign_content.content.email.subject"
	htmlAt    = "campaign_content.content.email.html_content"
)

const liveMail = `{"basic_details":{"name":"News","content_type":"PROMOTIONAL","subscription_category":"Offers"},
	"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Demo mail"},
	"campaign_content":{"content":{"email":{"subject":"Hi","from_address":"a@example.com","html_content":"<p>x</p>"}}},
	"segmentation_details":{"is_all_user_campaign":true},
	"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-03-20T09:00:00Z"}}`

const spring = `{"basic_details": {"name": "Spring sale", "content_type": "PROMOTIONAL"}}`

func TestScreens(t *testing.T) {
	h := newTestbed(t, catalog.Email, spring).open(80, 24, "")
	h.Golden("parts-80x24")
	h.Press("enter")
	h.GoldenSizes("form")
	h.Resize(80, 24)
	h.Press("ctrl+g")
	h.Golden("problems-80x24")
	h.Press("esc")
	h.FromPalette("JSON")
	h.Golden("json-80x24")
}

// At 80×24 z zooms a pane.
func TestLayoutAt80x24(t *testing.T) {
	b := newTestbed(t, catalog.Email, spring)
	h := b.open(80, 24, "")
	h.Press("ctrl+g")
	h.Script("z", "?Problems", "!Sections", "!Campaign name *", "z esc", "?Sections", "?Campaign name *")
	h.Script("enter alt+z", "?Campaign name *", "!Sections", "!Problems", ">!", "?Spring sale!", "@Tags", ">x")
	b.want(nameAt, `"Spring sale!"`)
}

// Whatever one looks at, nothing changes: arrows and tab only move, in each section, form, filter and grid.
func TestNavigationChangesNothing(t *testing.T) {
	for _, d := range drafts {
		b := newWorkspace(t).create(d.channel, d.typ, d.doc)
		before := b.svc.Stored(b.id)
		for _, at := range places {
			h := b.open(80, 24, at.String())
			for range 12 {
				h.Press("right", "down", "tab", "left", "down")
			}
			h.Press("esc", "esc", "esc", "esc", "down", "enter", "right", "down", "left", "up")
		}
		b.want("", string(before.Body.Encode()))
		if now := b.svc.Stored(b.id).Revision; now != before.Revision {
			t.Errorf("looking saved revision %d after %d", now, before.Revision)
		}
	}
}

// Beside or below the form is what the section is about.
func TestPanelOfEverySection(t *testing.T) {
	b := newTestbed(t, catalog.Email, liveMail)
	b.open(80, 24, "").Script("?─ Basics", "?─ Preview ─", "?On a phone", "end p", "?0 of 0 users")
	h := b.open(120, 40, "")
	h.Want("─ Basics", "4 warnings · saved", "─ Preview ─", "On a phone")
	for section, panel := range map[string]string{
		"Audience": "0 of 0 users", "Control group": "0 of 0 users", "Schedule": "─ Calendar ─",
		"UTM parameters": "─ Links ─", "Connector": "─ Preview ─",
	} {
		h.Script("@"+section, "?╮╭─ "+section, "?"+panel)
	}
}

// Each script is played in a builder of 120×40 cells, opened at a place. Where want is set, it is the JSON that the place at
// has then.
func TestScripts(t *testing.T) {
	const manyMails = `{"basic_details":{"name":"News"},"campaign_content":{"locales":["de"],
		"content":{"default":{"variation_1":{"email":{"subject":"Hi"}}},"de":{"variation_1":{"email":{"subject":"Hallo"}}}}}}`
	const link = `{"campaign_content":{"content":{"email":{"html_content":"<a href='https://shop.example.com/a'>x</a>"}}},
		"utm_params":{"utm_source":"mail","utm_medium":"email"}}`
	const android = `{"basic_details":{"platforms":["ANDROID"]},"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"Hi"}}}}}}`
	const titleAt = "campaign_content.content.push.android.basic_details.title"
	for _, tt := range []struct {
		name    string
		channel catalog.Channel
		doc, at string
		script  []string
		want    string
	}{
		{
			"a section that does not apply shows why, and takes no keys", catalog.Email, `{}`, "trigger_condition",
			[]string{"?Not for One-time, Periodic or Business-event-", "!No event yet", "enter", "?Trigger is not used by this campaign", "down enter x esc"}, "",
		}, {
			"several messages are a grid, never a form of them all", catalog.Email, manyMails, "campaign_content",
			[]string{"?+ locale (a)", "!Subject", "alt+m", "?+ locale (a)", "!Subject"}, "",
		}, {
			"a name that was not accepted is discarded with a word", catalog.Email, link, "utm_params",
			[]string{"ctrl+end enter", ">utm_x", "@Audience", "?Discarded “utm_x”."}, `{"utm_source":"mail","utm_medium":"email"}`,
		}, {
			"links are shown with their parameters", catalog.Email, link, "utm_params",
			[]string{"?─ Links ─", "?https://shop.example.com/a?", "?Content › Message"}, "",
		}, {
			"esc goes up one level", catalog.Push, android, titleAt,
			[]string{"?╮╭─ Content › Android ─", "esc", "?╮╭─ Content ─", "esc ctrl+g esc", "?▌ ◐ Content"}, `"Hi"`,
		}, {
			"esc goes from the preview to where the user was", catalog.Push, android, titleAt,
			[]string{"alt+p", "? Keys ", "?─ Preview ─", "esc", "? Typing ", "?▸ Title"}, `"Hi"`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newTestbed(t, tt.channel, tt.doc)
			h := b.open(120, 40, tt.at)
			h.Script(tt.script...)
			h.WantFits()
			if tt.want != "" {
				b.want(tt.at, tt.want)
			}
		})
	}
}

// A listed locale without a message is a problem; one key creates the messages of all locales.
func TestFillLocales(t *testing.T) {
	const message = `{"variation_1":{"email":{"subject":"Hi","from_address":"a@example.com","html_content":"<p>x</p>"}}}`
	b := newTestbed(t, catalog.Email, liveMail)
	h := b.open(80, 24, "campaign_content.locales")
	h.WantNot("fill locales")
	if h.DisabledReason("alt+l") == "" {
		t.Error("there is nothing to fill, and it is offered")
	}
	h.Script(">de", "?1 to do", "?alt+l fill locales", "alt+l", "?7 warnings · saved")
	b.want("campaign_content.content", `{"default":`+message+`,"de":`+message+`}`)
	h.Script("ctrl+z", "?Undone: Content › Message", "?✗ Content          1")
}

// A route that asks for the preview opens there; esc then returns to the screen that opened it.
func TestRouteOpensPreview(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"campaign_content":{"content":{"email":{"subject":"Spring is here","html_content":"<p>x</p>"}}}}`)
	h := b.previewOf(uitest.Deps(b.svc), 120, 40)
	h.Script("?Spring is here", "?→ next view", "!with placeholders", "esc", "!enter edit")
	h.Script("tab p esc", "?enter edit", "down", "?Not for One-time", "?enter edit")
	h.Script("up enter", ">{{ user.name }}", "?with placeholders")
}

// No character is a command while a text field has the keyboard, also of an action that is disabled.
func TestEveryCharacterCanBeTyped(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"basic_details":{"name":""}}`)
	h := b.open(120, 40, nameAt)
	all := ""
	for r := '!'; r <= '~'; r++ {
		all += string(r)
	}
	h.Type(all)
	h.Press("esc")
	if got := b.text(nameAt); got != all {
		t.Errorf("the name is %q, want %q", got, all)
	}
}
