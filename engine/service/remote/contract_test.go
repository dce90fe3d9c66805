package remote_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/enginetest"
	"bugle/engine/service/api"
	"bugle/engine/service/remote"
)

func TestContract(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) enginetest.Env {
		clock := enginetest.NewClock()
		svc, key := home(t, clock.Now)
		h := serving(svc, api.Options{Clock: clock.Now, Unlimited: true})
		return enginetest.Env{Service: over(t, h, remote.Config{Key: fixedKey(key)}), Home: svc, Clock: clock}
	})
}

var acme = remote.Dialect{
	Headers:      map[string]string{"X-SVC-Tenant-ID": "ACME-APPKEY", "X-SVC-*": "X-ACME-*"},
	Members:      map[string]string{"optimizer_*": "acme_*"},
	Values:       map[string]string{"OPTIMIZER": "ACME", "SVC_*": "ACME_*", "Rich Editor": "Acme Editor", "SCHEDULED": "PLANNED"},
	StatusMethod: http.MethodPatch,
}

// vendor is a server that speaks as acme says: it puts the words of requests and answers into ours
// and back as texts, and refuses ours.
func vendor(t *testing.T, h http.Handler) http.Handler {
	ours := []string{`"optimizer_`, `"acme_`, `.optimizer_`, `.acme_`, `"OPTIMIZER"`, `"ACME"`, `"SVC_`, `"ACME_`, `"Rich Editor"`, `"Acme Editor"`, `"SCHEDULED"`, `"PLANNED"`}
	theirs := make([]string, len(ours))
	for i := range ours {
		theirs[i] = ours[i^1]
	}
	hear, say := strings.NewReplacer(theirs...), strings.NewReplacer(ours...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		for i := 0; i < len(ours); i += 2 {
			if bytes.Contains(b, []byte(ours[i])) {
				t.Errorf("%s %s says %s: %s", r.Method, r.URL, ours[i], b)
			}
		}
		for name := range r.Header {
			if strings.Contains(strings.ToUpper(name), "SVC") {
				t.Errorf("a header is named %s", name)
			}
		}
		if strings.HasSuffix(r.URL.Path, "/status") && r.Method != http.MethodPatch {
			t.Errorf("status with %s", r.Method)
		}
		body := hear.Replace(string(b))
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		r.Header.Set("X-SVC-Tenant-ID", r.Header.Get("ACME-APPKEY"))
		r.Header.Set("X-SVC-Request-Id", r.Header.Get("X-ACME-Request-Id"))
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		for name, values := range rec.Header() {
			w.Header()[name] = values
		}
		out := say.Replace(rec.Body.String())
		w.Header().Set("Content-Length", strconv.Itoa(len(out)))
		w.WriteHeader(rec.Code)
		_, _ = io.WriteString(w, out)
	})
}

func TestContractInADialect(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) enginetest.Env {
		clock := enginetest.NewClock()
		svc, key := home(t, clock.Now)
		h := vendor(t, serving(svc, api.Options{Clock: clock.Now, Unlimited: true}))
		return enginetest.Env{Service: over(t, h, remote.Config{Key: fixedKey(key), Dialect: acme}), Home: svc, Clock: clock}
	})
}

func TestVendorWords(t *testing.T) {
	clock := enginetest.NewClock()
	svc, key := home(t, clock.Now)
	s := over(t, vendor(t, serving(svc, api.Options{Clock: clock.Now, Unlimited: true})), remote.Config{Key: fixedKey(key), Dialect: acme})
	const cells = `"content":{"default":{"variation_1":{"email":{"subject":"The Rich Editor","email_editor":"Rich Editor","from_address":"a@example.com","html_content":"OPTIMIZER SVC_GAID"}}}}`
	body := `{"campaign_content":{"variation_details":{"distribution_type":"OPTIMIZER","no_of_variations":1,"optimizer_campaign_duration":4,"optimizer_distribution_metric":"BOTH"},` + cells + `}}`
	head := `{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com",`
	made, err := s.Create(t.Context(), engine.CreateRequest{Body: parse(t, head+body[1:])})
	if err != nil {
		t.Fatal(err)
	}
	for name, get := range map[string]func() (engine.Campaign, error){
		"there": func() (engine.Campaign, error) { return svc.Get(t.Context(), made.ID) },
		"here":  func() (engine.Campaign, error) { return s.Get(t.Context(), made.ID) },
	} {
		c, err := get()
		if err != nil || string(c.Body.Encode()) != body {
			t.Errorf("%s: %v\n%s", name, err, c.Body.Encode())
		}
	}
	_, err = s.Create(t.Context(), engine.CreateRequest{Body: parse(t, head+strings.Replace(body, `:4,`, `:"4",`, 1)[1:])})
	if e := engine.AsError(err); e == nil || e.Target != "campaign_content.variation_details.optimizer_campaign_duration" || e.Details[0].Target != e.Target {
		t.Errorf("refused as %+v", e)
	}
	_, err = s.Preview(t.Context(), engine.PreviewRequest{Body: parse(t, `{"channel":"SMS","user_identification":{"type":"SVC_GAID","value":"gaid-1"},"campaign_content":{"m":"the SVC_GAID"}}`)})
	if err != nil {
		t.Error(err)
	}
	res, err := s.Validate(t.Context(), made.ID)
	if err != nil || res.Valid {
		t.Errorf("%v, %v", res, err)
	}
	found, err := s.Search(t.Context(), engine.SearchRequest{Status: catalog.States, Limit: 1, Page: 1})
	if err != nil || len(found) != 1 || string(found[0].Body.Encode()) != body {
		t.Errorf("%v, %v", found, err)
	}
}
