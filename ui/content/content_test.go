package content_test

import (
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/builder"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// testbed is a workspace with one draft.
type testbed struct {
	*uitest.Service
	t  testing.TB
	id string
}

func newTestbed(t testing.TB, ch catalog.Channel, components string) *testbed {
	t.Helper()
	svc := uitest.NewService(t, engine.Workspace{Locales: []string{"de", "fr_FR"}})
	return &testbed{svc, t, svc.Draft(ch, catalog.OneTime, components)}
}

// open opens the focused content section.
func (b *testbed) open(w, h int) *uitest.Harness {
	return uitest.New(b.t, builder.New(uitest.Deps(b.Service), screen.Route{Name: screen.Builder, ID: b.id, Path: doc.P("campaign_content")}), w, h)
}

// wantStored fails the test unless the stored campaign has the JSON at path.
func (b *testbed) wantStored(path, want string) {
	b.t.Helper()
	p, err := doc.ParsePath(path)
	b.OK(err)
	if got := string(b.Stored(b.id).Body.Lookup(p).Encode()); got != want {
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
