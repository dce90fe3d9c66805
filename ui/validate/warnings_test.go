package validate_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/check"
	"bugle/engine/service/local"
	"bugle/store/mem"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/validate"
)

// draft is a mail that can be published and raises warnings.
const draft = `{"basic_details":{"name":"Roast","content_type":"PROMOTIONAL","subscription_category":"Offers"},
	"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Demo mail"},
	"campaign_content":{"content":{"email":{"subject":"Hi","from_address":"a@example.com","html_content":"<p>Coffee</p><a href=\"https://shop.eu/one\">One</a>"}}},
	"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-03-26T08:30:00","timezone":"Europe/Berlin"},
	"segmentation_details":{"is_all_user_campaign":true}}`

// openDraft opens the validation of a draft with the components in a workspace in memory.
func openDraft(t *testing.T, components string, options ...validate.Option) (*uitest.Harness, *local.Service, string) {
	t.Helper()
	ctx := context.Background()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	_, err := local.CreateWorkspace(ctx, db, engine.Workspace{
		ID: "DEMO", SubscriptionCategories: []string{"Offers"}, Publish: engine.PublishEnabled,
		Connectors: []engine.Connector{{Type: "CUSTOM_SMTP", Name: "Demo mail", Provider: engine.ProviderOutbox}},
	})
	if err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, "DEMO", local.Options{Clock: func() time.Time { return uitest.Now }})
	if err != nil {
		t.Fatal(err)
	}
	if err := svc.PutUser(ctx, engine.User{ID: "U1", Attributes: map[string]any{engine.AttrEmail: "a@example.com"}}); err != nil {
		t.Fatal(err)
	}
	body, err := doc.Parse([]byte(components))
	if err != nil {
		t.Fatal(err)
	}
	made, err := svc.Create(ctx, engine.CreateRequest{Body: engine.NewDraftBody(catalog.Email, catalog.OneTime, "ann@example.com", body)})
	if err != nil {
		t.Fatal(err)
	}
	return uitest.New(t, validate.New(uitest.Deps(svc), screen.Route{Name: screen.Validate, ID: made.ID}, options...), 80, 24), svc, made.ID
}

// selectWarning moves the cursor to the warning whose place and message the screen shows after it.
func selectWarning(t *testing.T, h *uitest.Harness, place string) {
	t.Helper()
	h.Press("home")
	for range 30 {
		for _, line := range strings.Split(h.Text(), "\n") {
			if strings.Contains(line, "▌") && strings.Contains(line, place) {
				return
			}
		}
		h.Press("down")
	}
	t.Fatalf("no warning %q:\n%s", place, h.Text())
}

func TestWarningsAreListedAndLeadToFields(t *testing.T) {
	h, _, id := openDraft(t, draft)
	h.Resize(120, 60)
	h.Want("Ready to publish.", "ready to publish · ", "Also worth a look: ", " warnings", "! Email › Preview text", "Write a preview text.", "No link to unsubscribe was found")
	selectWarning(t, h, "Preview text")
	h.Press("enter")
	if r := h.LastRoute(); r.Name != screen.Builder || r.ID != id || r.Path.Last().Name != catalog.EmailPreviewText {
		t.Errorf("enter opened %+v", r)
	}
	h.Press("esc", "y")
	if len(h.Copied) != 1 || !strings.Contains(h.Copied[0], "Warning\t") {
		t.Errorf("copied %q", h.Copied)
	}
}

func TestDismissAskReasonUndoRestore(t *testing.T) {
	ctx := t.Context()
	h, svc, id := openDraft(t, draft)
	count := func() int {
		t.Helper()
		list, err := svc.Dismissals(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	selectWarning(t, h, "Preview text")
	h.Press("D", "enter")
	h.Want("Write a reason")
	if count() != 0 {
		t.Fatal("it was dismissed without a reason")
	}
	h.Type("Agreed with Bo")
	h.Press("enter")
	h.Golden("warnings-80x24")
	h.Resize(120, 60)
	h.Want("1 dismissed warning", "Dismissed by ann@example.com: Agreed with Bo", "Dismissed: No preview text")
	if count() != 1 {
		t.Fatal("it was not stored")
	}
	h.Press("ctrl+z")
	h.WantNot("1 dismissed warning")
	h.Want("Undone: dismissed: No preview text")
	if count() != 0 {
		t.Fatal("undo did not delete it")
	}
	h.Press("ctrl+y")
	h.Want("1 dismissed warning")

	h.Press("end", "D") // the dismissed one is the last, and d restores it
	h.WantNot("1 dismissed warning")
	if count() != 0 {
		t.Error("it was not restored")
	}
	h.Press("ctrl+z")
	h.Want("1 dismissed warning", "Agreed with Bo")
	if count() != 1 {
		t.Error("undo did not dismiss it again")
	}
}

// A service that stores no dismissals still shows warnings, and says which checks it does not allow.
func TestChecksThatWereNotMadeAreNamed(t *testing.T) {
	s := validationResult(t, "Spring mail")
	s.outcome = engine.Validation{Valid: true}
	h := open(t, s)
	h.Want("checks could not be made, because the service does not count audiences")
	h.WantNot("audience-empty")
	h.Press("end")
	if why := h.DisabledReason("D"); why == "" {
		t.Error("a warning can be dismissed that nothing stores")
	}
}

func TestLinksAreCheckedOnRequest(t *testing.T) {
	site := httptest.NewTLSServer(http.NotFoundHandler())
	defer site.Close()
	asked := 0
	o := check.OnlineOptions{
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			asked++
			return new(net.Dialer).DialContext(ctx, network, site.Listener.Addr().String())
		},
		Resolver: noRecords{}, TLS: site.Client().Transport.(*http.Transport).TLSClientConfig,
	}
	o.TLS.ServerName = "example.com"
	h, _, _ := openDraft(t, draft, validate.WithOnline(o))
	h.Resize(120, 60)
	h.WantNot("404")
	if asked != 0 {
		t.Fatal("links are followed without being asked to")
	}
	h.Press("L")
	h.Want("404", "Links and images are checked: ", "has no DMARC record")
	selectWarning(t, h, "DMARC")
	h.Press("D")
	h.Type("later")
	h.Press("enter")
	h.Want("1 dismissed warning", "404") // what was found online stays
}

// noRecords is a DNS without records.
type noRecords struct{}

func (noRecords) LookupTXT(_ context.Context, name string) ([]string, error) {
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func TestCheckingLinksCanBeCanceled(t *testing.T) {
	h, _, _ := openDraft(t, draft, validate.WithOnline(check.OnlineOptions{Resolver: noRecords{}, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("nothing is to be asked")
	}}))
	h.Resize(120, 60)
	h.Hold()
	h.Press("L")
	h.Want("Press X to cancel")
	h.Press("X")
	h.FinishHeld()
	h.Want("Canceled. Links and images were not checked.", "3 warnings")
	h.WantNot("Checking links")
}

func TestFixOpensTheFieldWithTheChange(t *testing.T) {
	h, svc, id := openDraft(t, strings.Replace(draft, "<p>Coffee</p>", "<p>{{user.city|default('x')}}</p>", 1))
	user := engine.User{ID: "U1", Attributes: map[string]any{engine.AttrEmail: "a@example.com", "City": "Bern & Co"}}
	if err := svc.PutUser(t.Context(), user); err != nil {
		t.Fatal(err)
	}
	h.Resize(120, 60)
	h.Press("r")
	selectWarning(t, h, "Email › HTML")
	for range 9 {
		if h.Press("f"); h.LastRoute().Doc.Exists() {
			break
		}
		h.Press("down")
	}
	if r := h.LastRoute(); r.Name != screen.Builder || r.ID != id || r.Path.Last().Name != catalog.EmailHTML || !strings.Contains(r.Doc.Text(), "<p>{{user.city|default('x')|e}}</p>") {
		t.Errorf("f opened %+v", r)
	}
}
