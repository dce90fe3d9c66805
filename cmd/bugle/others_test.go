package main

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/doc"
)

const theirID = "65f0a1b2c3d4e5f60718293a"

// theirRecord is a campaign as a service that others run may return it: with times in its own
// spellings, fields that only responses have, a state and names that are not known here.
const theirRecord = `{"id":"` + theirID + `","campaign_id":"` + theirID + `","version_number":"3","status":"IN_REVIEW",` +
	`"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"Ann from the dashboard","updated_by":"bo@example.com",` +
	`"created_at":"2024-07-04 08:00:54.847000","updated_at":"2024-07-05T20:32:00","sent_time":1720080054,` +
	`"flow_id":"f","flow_name":"Flow","parent_id":"p","rejection_comment":"no",` +
	`"basic_details":{"name":"Theirs","platforms":["ANDROID"],"x_color":"red"},` +
	`"scheduling_details":{"delivery_type":"SCHEDULED","schedule_time":"2026-12-01 08:00:00.000000","time_zone":"Europe/Berlin","expiry_time":"2026-12-31 23:59:00.000000"},` +
	`"advanced":{"platform_level_priority":{"ios_specific_priority":{"interruption_level":"LOUD"}}},"x_budget":{"amount":1.50}}`

// vendorService is a service that others run: strict about what it is sent.
type vendorService struct {
	mu     sync.Mutex
	sent   []doc.Value // the bodies of creates and updates
	refuse string      // the error that writes are answered with; empty: they are done
	status int
	record string // empty: theirRecord
}

// headOnly are the fields that only responses have.
var headOnly = []string{
	"id", "campaign_id", "version_number", "status", "created_at", "updated_at", "sent_time", "flow_id", "flow_name", "parent_id", "rejection_comment",
}

func (s *vendorService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := func(status int, body string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
	record := cmp.Or(s.record, theirRecord)
	if r.Method == http.MethodGet {
		answer(200, `{"response_id":"r","type":"campaign","data":`+record+`}`)
		return
	}
	b, _ := io.ReadAll(r.Body)
	body, err := doc.Parse(b)
	switch {
	case err != nil || body.Kind() != doc.Object:
		answer(400, `{"error":{"code":"BAD_REQUEST","message":"a JSON object is needed"}}`)
	case r.Header.Get("Idempotency-Key") == "" && !strings.HasSuffix(r.URL.Path, "/validate"):
		answer(400, `{"error":{"code":"BAD_REQUEST","message":"Idempotency-Key is missing"}}`)
	case strings.HasSuffix(r.URL.Path, "/search"):
		found := record
		if body.Get("campaign_fields").Get("status").Len() > 0 || body.Get("page").Literal() != "1" { // the list asks for drafts first
			found = ""
		}
		answer(200, `{"data":{"campaigns":[`+found+`]}}`)
	case strings.HasSuffix(r.URL.Path, "/meta"):
		answer(200, `{"data":{"campaigns":[]}}`)
	case s.refuse != "":
		answer(s.status, s.refuse)
	case strings.HasSuffix(r.URL.Path, "/validate"):
		answer(200, `{"data":{"valid":true}}`)
	default:
		s.sent = append(s.sent, body)
		answer(201, `{"data":{"id":"`+theirID+`"}}`)
	}
}

// newVendorService returns the service and how to run the program against it.
func newVendorService(t *testing.T) (*vendorService, func(in string, args ...string) (code int, out, errs string)) {
	t.Helper()
	svc := &vendorService{}
	server := httptest.NewServer(svc)
	t.Cleanup(server.Close)
	b := newBugle(t).at(t.TempDir(), "THEIR_KEY", "k", cli.EnvAuthor, "cy@example.com")
	b.must("remote", "add", "theirs", "--url", server.URL, "--workspace-id", "W", "--key-env", "THEIR_KEY", "--use")
	return svc, b.try
}

func (s *vendorService) last(t *testing.T) doc.Value {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sent) == 0 {
		t.Fatal("nothing was sent")
	}
	return s.sent[len(s.sent)-1]
}

// clean checks that a body has nothing that only responses have, and all else that the record had.
func (s *vendorService) clean(t *testing.T, body doc.Value, head ...string) {
	t.Helper()
	for _, name := range append(headOnly, head...) {
		if body.Get(name).Exists() {
			t.Errorf("%s was sent", name)
		}
	}
	for path, want := range map[string]string{
		"channel":                `"PUSH"`,
		"campaign_delivery_type": `"ONE_TIME"`,
		"scheduling_details":     `{"delivery_type":"AT_FIXED_TIME","expiry_time":"2026-12-31T23:59:00.000000Z","start_time":"2026-12-01T08:00:00Z","timezone":"Europe/Berlin"}`,
		"x_budget":               `{"amount":1.50}`,
		"basic_details.x_color":  `"red"`,
	} {
		p, _ := doc.ParsePath(path)
		if got := string(body.Lookup(p).Encode()); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", path, got, want)
		}
	}
}

// What a service returns goes back to it, without what only responses have.
func TestRemoteRecordRoundTrips(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		head []string // what of the head this request does not have besides
	}{
		"update": {[]string{"update", "--yes", "-"}, []string{"created_by"}},
		"import": {[]string{"import", "-"}, []string{"updated_by"}},
		"create": {[]string{"create", "-"}, []string{"updated_by"}},
	} {
		t.Run(name, func(t *testing.T) {
			svc, do := newVendorService(t)
			code, record, errs := do("", "get", theirID)
			if code != 0 {
				t.Fatal(errs)
			}
			if code, out, errs := do(record, tt.args...); code != 0 {
				t.Fatalf("exit code %d\n%s%s", code, out, errs)
			}
			sent := svc.last(t)
			svc.clean(t, sent, tt.head...)
			if by := sent.Get("updated_by"); by.Exists() && by.Text() != "cy@example.com" {
				t.Errorf("updated_by is that of the record, %s", by.Encode())
			}
		})
	}
}

// Applying an unchanged record changes nothing, and applying a change sends the component as a request has it.
func TestApplyRemoteRecord(t *testing.T) {
	svc, do := newVendorService(t)
	_, record, _ := do("", "get", theirID)
	if code, out, errs := do(record, "apply", "--yes", "-"); code != 0 || !strings.Contains(out, "1 unchanged") {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	// The same schedule, as a request spells it.
	asked := strings.NewReplacer(`"SCHEDULED"`, `"AT_FIXED_TIME"`, `"schedule_time"`, `"start_time"`, `"time_zone"`, `"timezone"`, "08:00:00.000000", "08:00:00Z", "23:59:00.000000", "23:59:00.000000Z", "2026-12-01 ", "2026-12-01T", "2026-12-31 ", "2026-12-31T").Replace(record)
	if code, out, errs := do(asked, "apply", "--yes", "-"); code != 0 || !strings.Contains(out, "1 unchanged") {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	if code, out, errs := do(strings.Replace(record, "23:59:00", "22:59:00", 1), "apply", "--yes", "-"); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	want := `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","updated_by":"cy@example.com",` +
		`"scheduling_details":{"delivery_type":"AT_FIXED_TIME","expiry_time":"2026-12-31T22:59:00.000000Z","start_time":"2026-12-01T08:00:00Z","timezone":"Europe/Berlin"}}`
	if got := string(svc.last(t).Encode()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Errors of our own validation have their own code, and nothing is sent.
func TestInvalidRequestIsNotSent(t *testing.T) {
	wrong := `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"a@example.com","basic_details":{"name":"x","nmae":"x"}}`
	for _, tt := range []struct {
		code int
		in   string
		args []string
	}{
		{cli.ExitInvalid, wrong, []string{"import", "-"}},
		{cli.ExitInvalid, wrong, []string{"apply", "--yes", "-"}},
		{cli.ExitMisused, `{"basic_details":{"name":"x"}}`, []string{"update", "-"}},
		{cli.ExitMisused, "", []string{"create", "--channel", "FAX"}},
	} {
		svc, do := newVendorService(t)
		code, out, errs := do(tt.in, tt.args...)
		if code != tt.code || len(svc.sent) > 0 {
			t.Errorf("%q: exit code %d, want %d, sent %v\n%s%s", tt.args, code, tt.code, svc.sent, out, errs)
		}
	}
}

// Times are shown and searchable in every spelling.
func TestRemoteTimesAreSearchable(t *testing.T) {
	_, do := newVendorService(t)
	for query, found := range map[string]bool{"created:2024": true, "created:2024-07-04": true, "updated:2024-07-05": true, "start:2026-12": true, "created:2023": false} {
		code, out, errs := do("", "search", "--children", query)
		if code != 0 || strings.Contains(out, "Theirs") != found {
			t.Errorf("%s: exit code %d\n%s%s", query, code, out, errs)
		}
	}
	if code, out, errs := do("", "get", theirID); code != 0 || !strings.Contains(out, `"created_at": "2024-07-04T08:00:54`) || !strings.Contains(out, `"updated_at": "2024-07-05T20:32:00Z"`) {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if _, out, _ := do(theirRecord, "lint", "-"); strings.Contains(out, "_at:") || strings.Contains(out, "sent_time") || strings.Contains(out, "_time:") || strings.Contains(out, "time_zone") {
		t.Errorf("lint finds fault with times:\n%s", out)
	}
}

// A refusal of the service keeps its code and message, with nothing added.
func TestRemoteRefusalIsUnchanged(t *testing.T) {
	const details = `"details":[{"target":"basic_details.name","message":"name is taken"},{"target":"","message":"and more"}]`
	create := `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"a@example.com","basic_details":{"name":"x"}}`
	for name, tt := range map[string]struct {
		in   string
		args []string
	}{
		"create from a file": {create, []string{"create", "-"}},
		"create from flags":  {"", []string{"create", "--channel", "PUSH", "--type", "ONE_TIME"}},
		"import":             {create, []string{"import", "-"}},
		"update":             {`{"basic_details":{"name":"x","platforms":["ANDROID"]}}`, []string{"update", "--yes", theirID, "-"}},
		"apply":              {create, []string{"apply", "--yes", "-"}},
		"publish":            {"", []string{"publish", theirID, "--yes"}},
		"stop":               {"", []string{"stop", theirID, "--yes"}},
		"validate":           {"", []string{"validate", theirID}},
		"preview":            {"", []string{"preview", theirID, "--user", "U"}},
		"test":               {"", []string{"test", theirID, "--to", "U", "--identifier", "PUSH_ID"}},
	} {
		t.Run(name, func(t *testing.T) {
			svc, do := newVendorService(t)
			svc.status, svc.refuse = 400, `{"response_id":"r","error":{"code":"VALIDATION_FAILED","message":"We do not like this.",`+details+`}}`
			if name == "preview" {
				svc.record = strings.Replace(theirRecord, `"basic_details":`, `"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"{{UserAttribute['x']}}"}}}}},"basic_details":`, 1)
			}
			code, out, errs := do(tt.in, tt.args...)
			if code != cli.ExitRefused {
				t.Errorf("exit code %d", code)
			}
			for _, want := range []string{"We do not like this.", "basic_details.name: name is taken", "  and more"} {
				if !strings.Contains(errs, want) {
					t.Errorf("%q is missing", want)
				}
			}
			for _, ours := range []string{"--help", "invalid", "not valid"} {
				if strings.Contains(out+errs, ours) {
					t.Errorf("it says %q", ours)
				}
			}
			if t.Failed() {
				t.Logf("%s\n%s", out, errs)
			}
			code, _, errs = do(tt.in, append([]string{"--json"}, tt.args...)...)
			if code != cli.ExitRefused || name != "import" && name != "apply" && !strings.Contains(errs, `"target": "basic_details.name"`) {
				t.Errorf("--json: exit code %d\n%s", code, errs)
			}
		})
	}
}
