package builder_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/local"
	"bugle/store/mem"
	"bugle/ui/builder"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// testbed is a workspace in memory with one draft.
type testbed struct {
	t   testing.TB
	db  *mem.DB
	svc *local.Service
	id  string
	now time.Time
}

// newWorkspace returns a testbed without a draft.
func newWorkspace(t testing.TB) *testbed {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	b := &testbed{t: t, db: db, now: uitest.Now}
	_, err := local.CreateWorkspace(context.Background(), db, engine.Workspace{
		ID: "DEMO", SubscriptionCategories: []string{"Offers"}, Publish: engine.PublishEnabled,
		Connectors: []engine.Connector{{Type: "CUSTOM_SMTP", Name: "Demo mail", Provider: engine.ProviderOutbox}},
	})
	b.ok(err)
	b.svc, err = local.Open(db, "DEMO", local.Options{Clock: func() time.Time { return b.now }})
	b.ok(err)
	return b
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
	_, err = b.svc.Save(ctx, engine.SaveRequest{ID: b.id, Revision: b.stored().Revision, Body: body, By: "ann@example.com"})
	b.ok(err)
	return b
}

func (b *testbed) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *testbed) open(w, h int, at ...any) *uitest.Harness {
	return uitest.New(b.t, builder.New(uitest.Deps(b.svc), screen.Route{Name: screen.Builder, ID: b.id, Path: doc.P(at...)}), w, h)
}

// stored returns the stored campaign.
func (b *testbed) stored() engine.Campaign {
	b.t.Helper()
	c, err := b.svc.Get(context.Background(), b.id)
	b.ok(err)
	return c
}

func (b *testbed) value(path string) string {
	b.t.Helper()
	p, err := doc.ParsePath(path)
	b.ok(err)
	return string(b.stored().Body.Lookup(p).Encode())
}

func TestScreens(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"basic_details": {"name": "Spring sale", "content_type": "PROMOTIONAL"}}`)
	h := b.open(80, 24)
	h.Golden("parts-80x24")
	h.Press("enter")
	h.GoldenSizes("form")
	h.Resize(80, 24)
	h.Press("ctrl+g")
	h.Golden("problems-80x24")
	h.Press("esc")
	openJSON(h)
	h.Golden("json-80x24")
	if !strings.Contains(h.Text(), "Spring sale") {
		t.Error("the campaign's name is nowhere")
	}
}

// openJSON shows the section as JSON, which the palette finds.
func openJSON(h *uitest.Harness) {
	h.Press("ctrl+k")
	h.Type("JSON")
	h.Press("enter")
}

// At 80×24 problems are readable in full, what takes the place of the form has 20 lines, and z zooms a pane.
func TestLayoutAt80x24(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"basic_details": {"name": "Spring sale", "content_type": "PROMOTIONAL"}}`)
	h := b.open(80, 24)
	h.WantNot("required whe…")
	h.Press("ctrl+g")
	if lines, _, _ := pane(h, 1); len(lines) != 20 {
		t.Errorf("the problems have %d lines:\n%s", len(lines), h.Text())
	}
	h.Want("─ Problems ─", "Sections")
	h.Press("z")
	h.Want("Problems")
	h.WantNot("Sections", "Campaign name *")
	h.Press("z", "esc")
	h.Want("Sections", "Campaign name *")
	h.Press("enter", "alt+z")
	h.Want("Campaign name *")
	h.WantNot("Sections", "Problems")
	h.Type("!")
	h.Want("Spring sale!")
	h.ClickOn("Tags")
	h.Type("x")
	if got := b.value("basic_details.name"); got != `"Spring sale!"` {
		t.Errorf("a click on another field left the name %s", got)
	}
}

// Opening and leaving every section and form changes nothing.
func TestNavigationChangesNothing(t *testing.T) {
	b := newTestbed(t, catalog.Push, `{"basic_details":{"name":"a\tb","platforms":["WEB","ANDROID"],"tags":["x,y"]},
		"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"t","message":"m\r\nn"},"advanced":{"future":1.0,"use_large_icon":true}}}}},
		"utm_params":{"utm_source":"s","utm_medium":"m","utm_own":"o"}}`)
	before, revision := string(b.stored().Body.Encode()), b.stored().Revision
	h := b.open(80, 24)
	for range 14 {
		h.Press("enter")
		for range 12 {
			h.Press("tab")
		}
		h.Press("esc", "esc", "esc", "esc", "down")
	}
	if got := string(b.stored().Body.Encode()); got != before || b.stored().Revision != revision {
		t.Errorf("looking made it %s (revision %d to %d), was %s", got, revision, b.stored().Revision, before)
	}
}

const liveMail = `{"basic_details":{"name":"News","content_type":"PROMOTIONAL","subscription_category":"Offers"},
	"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Demo mail"},
	"campaign_content":{"content":{"email":{"subject":"Hi","from_address":"a@example.com","html_content":"<p>x</p>"}}},
	"segmentation_details":{"is_all_user_campaign":true},
	"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-03-20T09:00:00Z"}}`

// Beside or below the form is what the section is about.
func TestPanelOfEverySection(t *testing.T) {
	b := newTestbed(t, catalog.Email, liveMail)
	h := b.open(80, 24)
	h.Want("─ Basics", "─ Preview ─", "On a phone")
	h.Press("end", "p")
	h.Want("0 of 0 users")
	wide := b.open(120, 40)
	wide.Want("─ Basics", "4 warnings · saved", "─ Preview ─", "On a phone")
	for section, panel := range map[string]string{"Audience": "0 of 0 users", "Control group": "0 of 0 users", "Schedule": "─ Calendar ─", "UTM parameters": "─ Links ─", "Connector": "─ Preview ─"} {
		wide.ClickOn(section)
		wide.Want("╮╭─ "+section, panel)
	}
}

// A campaign that is not a draft has no test sends, and its empty list of problems does not offer one.
func TestLiveCampaignOffersNoTestSend(t *testing.T) {
	b := newTestbed(t, catalog.Email, cleanMail).withUser()
	h := b.open(120, 40)
	h.Press("ctrl+g")
	h.Want("No problems.", "Press v to validate, t to send")
	b.publish(false)
	h = b.open(120, 40)
	h.Press("ctrl+g")
	h.Want("No problems.")
	h.WantNot("t to send")
}

// The locked sections of a live campaign are marked before the user tries to change them.
func TestLiveCampaignMarksLockedSections(t *testing.T) {
	b := newTestbed(t, catalog.Email, liveMail)
	b.publish(true)
	h := b.open(120, 40, "segmentation_details")
	h.Want("Cannot be changed while the campaign is Sending.")
	h.Press("down", "down")
	h.Press(" ", "right", "x")
	h.WantNot("! Cannot", "changes not applied")
	h.Press("esc", "home", "enter")
	h.Type("!")
	h.Want("News!", "changes not applied")
}

// A section that does not apply shows why, and takes no keys.
func TestNotApplicableSection(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{}`)
	before := string(b.stored().Body.Encode())
	h := b.open(80, 24, "trigger_condition")
	h.Want("Not for One-time, Periodic or Business-event-")
	b.open(120, 40, "trigger_condition").WantNot("No event yet")
	h.Press("enter")
	h.Want("Trigger is not used by this campaign")
	h.Press("down", "enter", "x", "esc")
	if got := b.value("trigger_condition"); got != "" {
		t.Errorf("the trigger became %s, from %s", got, before)
	}
}

// A listed locale without a message is a problem; one key creates the messages of all locales.
func TestFillLocales(t *testing.T) {
	b := newTestbed(t, catalog.Email, liveMail)
	h := b.open(80, 24, "campaign_content", "locales")
	h.WantNot("fill locales")
	if h.DisabledReason("alt+l") == "" {
		t.Error("there is nothing to fill, and it is offered")
	}
	h.Type("de")
	h.Want("1 to do", "alt+l fill locales")
	h.Press("alt+l")
	h.Want("7 warnings · saved")
	want := `{"default":{"variation_1":{"email":{"subject":"Hi","from_address":"a@example.com","html_content":"<p>x</p>"}}},` +
		`"de":{"variation_1":{"email":{"subject":"Hi","from_address":"a@example.com","html_content":"<p>x</p>"}}}}`
	if got := b.value("campaign_content.content"); got != want {
		t.Errorf("the store has %s", got)
	}
	h.Press("ctrl+z")
	h.Want("Undone: Content › Message", "✗ Content          1")
}

func TestLinksAreShownWithTheirParameters(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"campaign_content":{"content":{"email":{"html_content":"<a href='https://shop.example.com/a'>x</a>"}}},"utm_params":{"utm_source":"mail","utm_medium":"email"}}`)
	h := b.open(120, 40, "utm_params")
	h.Want("─ Links ─", "https://shop.example.com/a?", "Content › Message")
	h.Press("end")
	h.Resize(80, 24)
	h.Press("esc", "p")
	h.Want("─ Links ─", "https://shop.example.com/a?")
	h.WantFits()
}

// A route that asks for the preview opens there.
func TestRouteOpensPreview(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"campaign_content":{"content":{"email":{"subject":"Spring is here","html_content":"<p>x</p>"}}}}`)
	h := uitest.New(t, builder.New(uitest.Deps(b.svc), screen.Route{Name: screen.Builder, ID: b.id, Preview: true}), 120, 40)
	h.Want("Spring is here", "→ next view")
	h.WantNot("with placeholders")
	h.Press("esc") // back to the screen that opened it, which is none here
	h.WantNot("enter edit")
	h.Press("tab", "p", "esc")
	h.Want("enter edit")
	h.Press("down")
	h.Want("Not for One-time", "enter edit")
	h.Press("up", "enter")
	h.Type(" {{ user.name }}")
	h.Want("with placeholders")
}

// esc goes up one level of the breadcrumb, and from the pane beside the form to where the user was.
func TestEscGoesUpOneLevel(t *testing.T) {
	b := newTestbed(t, catalog.Push, `{"basic_details":{"platforms":["ANDROID"]},"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC",
		"basic_details":{"title":"Hi"}}}}}}`)
	at := []any{"campaign_content", "content", "push", "android", "basic_details", "title"}
	h := b.open(80, 24, at...)
	h.Press("alt+p")
	h.Want(" Keys ", "─ Preview ─")
	h.Press("esc")
	h.Want(" Typing ", "▸ Title")
	h = b.open(120, 40, at...)
	h.Want("╮╭─ Content › Android ─")
	h.Press("esc")
	h.Want("╮╭─ Content ─")
	h.Press("esc", "ctrl+g", "esc")
	h.Want("▌ ◐ Content")
}

// No character is a command while a text field has the keyboard, also of an action that is disabled.
func TestEveryCharacterCanBeTyped(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"basic_details":{"name":""}}`)
	h := b.open(120, 40)
	h.Press("enter")
	var all string
	for r := '!'; r <= '~'; r++ {
		h.Press(string(r))
		all += string(r)
	}
	h.Press("esc")
	if got := b.stored().Body.Lookup(doc.P("basic_details", "name")).Text(); got != all {
		t.Errorf("the name is %q, want %q", got, all)
	}
}

// Of several messages there is no form of them all: what is typed into its fields would be another message, beside them.
func TestSeveralMessagesAreAGrid(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"basic_details":{"name":"News"},"campaign_content":{"locales":["de"],
		"content":{"default":{"variation_1":{"email":{"subject":"Hi"}}},"de":{"variation_1":{"email":{"subject":"Hallo"}}}}}}`)
	h := b.open(120, 40, "campaign_content")
	for range 2 {
		h.Want("+ locale (a)")
		h.WantNot("Subject")
		h.Press("alt+m")
	}
}

// A name that was not accepted is discarded with a word when another place is opened.
func TestDiscardedNameIsSaid(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"utm_params":{"utm_source":"news","utm_medium":"email"}}`)
	h := b.open(120, 40, "utm_params")
	h.Press("ctrl+end", "enter")
	h.Type("utm_x")
	h.ClickOn("Audience")
	h.Want("Discarded “utm_x”.")
}
