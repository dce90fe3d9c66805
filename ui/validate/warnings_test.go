package validate_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/check"
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
func openDraft(t *testing.T, components string, options ...validate.Option) (*uitest.Harness, *uitest.Service, string) {
	t.Helper()
	svc := uitest.NewService(t, engine.Workspace{})
	svc.PutUsers(engine.User{ID: "U1", Attributes: map[string]any{engine.AttrEmail: "a@example.com", "City": "Bern & Co"}})
	id := svc.Draft(catalog.Email, catalog.OneTime, components)
	return uitest.New(t, validate.New(uitest.Deps(svc), screen.Route{Name: screen.Validate, ID: id}, options...), 120, 60), svc, id
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

// A warning is dismissed with a reason, and restored; both can be undone.
func TestDismissals(t *testing.T) {
	h, svc, id := openDraft(t, draft)
	h.Script("?ready to publish · ", "?Also worth a look: ", "?! Email › Preview text", "?Write a preview text.")
	selectWarning(t, h, "Preview text")
	for _, step := range []struct {
		script []string
		stored int
	}{
		{[]string{"D enter", "?Write a reason"}, 0},
		{[]string{">Agreed with Bo", "enter", "?1 dismissed warning", "?Dismissed by ann@example.com: Agreed with Bo", "?Dismissed: No preview text"}, 1},
		{[]string{"ctrl+z", "!1 dismissed warning", "?Undone: dismissed: No preview text"}, 0},
		{[]string{"ctrl+y", "?1 dismissed warning"}, 1},
		{[]string{"end D", "!1 dismissed warning"}, 0}, // the dismissed one is the last
		{[]string{"ctrl+z", "?1 dismissed warning", "?Agreed with Bo"}, 1},
	} {
		h.Script(step.script...)
		if list, err := svc.Dismissals(t.Context(), id); err != nil || len(list) != step.stored {
			t.Fatalf("after %q there are %d dismissals, %v", step.script, len(list), err)
		}
	}
	h.Press("home")
	h.Resize(80, 24)
	h.Golden("warnings-80x24")
}

// Links are asked on request only, and what they answer is kept.
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
	h.Hold()
	h.Script("!404", "L", "?Press X to cancel", "X")
	h.FinishHeld()
	h.Script("?Canceled. Links and images were not checked.", "?3 warnings", "!Checking links")
	if asked != 0 {
		t.Fatal("links are followed without being asked to")
	}
	h.Script("L", "?404", "?Links and images are checked: ", "?has no DMARC record")
	selectWarning(t, h, "DMARC")
	h.Script("D", ">later", "enter", "?1 dismissed warning", "?404")
}

// noRecords is a DNS without records.
type noRecords struct{}

func (noRecords) LookupTXT(_ context.Context, name string) ([]string, error) {
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

func TestFixOpensTheFieldWithTheChange(t *testing.T) {
	h, _, id := openDraft(t, strings.Replace(draft, "<p>Coffee</p>", "<p>{{user.city|default('x')}}</p>", 1))
	selectWarning(t, h, "Email › HTML")
	for range 9 {
		if h.Press("f"); h.LastRoute().Doc.Exists() {
			break
		}
		h.Press("down")
	}
	wantRoute(t, h, screen.Builder, id, catalog.EmailHTML)
	if got := h.LastRoute().Doc.Text(); !strings.Contains(got, "<p>{{user.city|default('x')|e}}</p>") {
		t.Errorf("f changes it to %s", got)
	}
}
