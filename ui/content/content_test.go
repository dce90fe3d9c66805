package content_test

import (
	"context"
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

// testbed is a workspace with one draft.
type testbed struct {
	t   testing.TB
	svc *local.Service
	id  string
}

func newTestbed(t testing.TB, ch catalog.Channel, components string) *testbed {
	t.Helper()
	ctx := context.Background()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	b := &testbed{t: t}
	_, err := local.CreateWorkspace(ctx, db, engine.Workspace{
		ID: "DEMO", Locales: []string{"de", "fr_FR"}, SubscriptionCategories: []string{"Offers"}, Publish: engine.PublishEnabled,
		Connectors: []engine.Connector{{Type: "CUSTOM_SMTP", Name: "Demo mail", Provider: engine.ProviderOutbox}},
	})
	b.ok(err)
	b.svc, err = local.Open(db, "DEMO", local.Options{Clock: func() time.Time { return uitest.Now }})
	b.ok(err)
	made, err := b.svc.Create(ctx, engine.CreateRequest{Body: engine.NewDraftBody(ch, catalog.OneTime, "ann@example.com", b.parsed(components))})
	b.ok(err)
	b.id = made.ID
	return b
}

func (b *testbed) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *testbed) parsed(text string) doc.Value {
	b.t.Helper()
	v, err := doc.Parse([]byte(text))
	b.ok(err)
	return v
}

// stored returns the stored campaign.
func (b *testbed) stored() engine.Campaign {
	b.t.Helper()
	c, err := b.svc.Get(context.Background(), b.id)
	b.ok(err)
	return c
}

// save stores other components, valid or not.
func (b *testbed) save(components string) {
	b.t.Helper()
	r := engine.SaveRequest{ID: b.id, Revision: b.stored().Revision, Body: b.parsed(components), By: "ann@example.com"}
	_, err := b.svc.Save(context.Background(), r)
	b.ok(err)
}

// open opens the focused content section.
func (b *testbed) open(w, h int) *uitest.Harness {
	return uitest.New(b.t, builder.New(uitest.Deps(b.svc), screen.Route{Name: screen.Builder, ID: b.id, Path: doc.P("campaign_content")}), w, h)
}

// wantStored fails the test unless the stored campaign has the JSON at path.
func (b *testbed) wantStored(path, want string) {
	b.t.Helper()
	p, err := doc.ParsePath(path)
	b.ok(err)
	if got := string(b.stored().Body.Lookup(p).Encode()); got != want {
		b.t.Errorf("%s is\n%s\nwant\n%s", path, got, want)
	}
}

const mail = `{"basic_details":{"name":"Weekly news","content_type":"PROMOTIONAL","subscription_category":"Offers"},
	"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Demo mail"},
	"segmentation_details":{"is_all_user_campaign":true},
	"campaign_content":{"locales":["de","fr"],
	"variation_details":{"distribution_type":"MANUAL","no_of_variations":2,"manual_distribution_percentage":{"variation_1":60,"variation_2":40}},
	"content":{
	"default":{"variation_1":{"email":{"subject":"Spring is here, {{UserAttribute['First Name']|default('you')}}","from_address":"news@example.com","html_content":"<p>Hello</p>"}},
		"variation_2":{"email":{"subject":"20% off all beans","from_address":"news@example.com","html_content":"<p>Hello</p>"}}},
	"de":{"variation_1":{"email":{"subject":"Der Frühling ist da","from_address":"news@example.com","html_content":"<p>Hallo</p>"}},
		"variation_2":{"email":{"subject":"20% off all beans","from_address":"news@example.com","html_content":"<p>Hello</p>"}}},
	"fr":{"variation_1":{"email":{"subject":"Le printemps","from_address":"news@example.com"}}}}}}`

func TestScreens(t *testing.T) {
	h := newTestbed(t, catalog.Email, mail).open(120, 40)
	h.GoldenSizes("grid")
	h.Resize(80, 24)
	h.Press("up", "7")
	h.Golden("share-80x24")
	h.Press("down", "down", "d")
	h.Golden("compare-80x24")
	h.Script("esc a", ">sp")
	h.Golden("locales-80x24")
	h.Press("esc", "enter")
	h.Golden("message-80x24")
	h.WantFits()
}
