package openapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/openapi"
	"bugle/engine/schema"
)

var update = flag.Bool("update", false, "write the golden files")

// validated returns the document as a library of others reads it.
func validated(t *testing.T) validator.Validator {
	t.Helper()
	d, err := libopenapi.NewDocument(openapi.JSON("1.2.3"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.BuildV3Model(); err != nil {
		t.Fatalf("the model does not build: %v", err)
	}
	v, errs := validator.NewValidator(d)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return v
}

func TestDocumentIsValid(t *testing.T) {
	v := validated(t)
	if ok, errs := v.ValidateDocument(); !ok {
		for _, e := range errs {
			t.Errorf("%s: %s", e.Message, e.Reason)
			for _, s := range e.SchemaValidationErrors {
				t.Errorf("  %s: %s", s.KeywordLocation, s.Reason)
			}
		}
	}
}

// bodySchema compiles the schema of an operation's body where it stands in the document.
func bodySchema(t *testing.T, method, path string) *jsonschema.Schema {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(openapi.JSON("1.2.3")))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("https://example.com/openapi.json", v); err != nil {
		t.Fatal(err)
	}
	at := "#/paths/" + strings.NewReplacer("/", "~1", "{", "%7B", "}", "%7D").Replace(path) + "/" + strings.ToLower(method) +
		"/requestBody/content/application~1json/schema"
	s, err := c.Compile("https://example.com/openapi.json" + at)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const campaign = "/v5/campaigns/{campaign_id}"

// Bodies that the tables take are taken by a validator that knows the document alone, and a
// body with one thing wrong is not.
func TestRequestsAgainstDocument(t *testing.T) {
	compiled := map[string]*jsonschema.Schema{}
	check := func(name, method, path string, body doc.Value, want bool) {
		t.Helper()
		key := method + path
		if compiled[key] == nil {
			compiled[key] = bodySchema(t, method, path)
		}
		plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(body.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled[key].Validate(plain); (err == nil) != want {
			t.Errorf("%s: %s %s: taken should be %v: %s: %v", name, method, path, want, body.Encode(), err)
		}
	}
	for _, c := range []struct{ fixtures, method, path string }{
		{"request create push", http.MethodPost, "/v5/campaigns"}, {"request create email", http.MethodPost, "/v5/campaigns"},
		{"request update push", http.MethodPatch, campaign}, {"request update email", http.MethodPatch, campaign},
		{"request status", http.MethodPost, campaign + "/status"}, {"request status", http.MethodPatch, campaign + "/status"},
		{"request validate", http.MethodPost, campaign + "/validate"},
		{"request search", http.MethodPost, "/v5/campaigns/search"}, {"request meta", http.MethodPost, "/v5/campaigns/meta"},
		{"request test push", http.MethodPost, "/v5/campaigns/test"}, {"request test email", http.MethodPost, "/v5/campaigns/test"},
		{"request preview push", http.MethodPost, "/v5/personalization/preview"},
		{"request preview email", http.MethodPost, "/v5/personalization/preview"},
		{"request preview sms", http.MethodPost, "/v5/personalization/preview"},
	} {
		files, err := filepath.Glob(filepath.Join("..", "catalog", "testdata", "cases", c.fixtures, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no fixtures for %s: %v", c.fixtures, err)
		}
		for _, file := range files {
			body := read(t, file)
			if c.method == http.MethodPatch && strings.Contains(c.fixtures, "update") { // it needs a component
				body, _ = body.Set(doc.P("utm_params"), parse(t, `{"utm_source":"a","utm_medium":"b"}`))
			}
			check(file, c.method, c.path, body, true)
			wrong, err := body.Set(doc.P("request_id"), doc.NewInt(5))
			if err != nil {
				t.Fatal(err)
			}
			check(file+" with a number as its request_id", c.method, c.path, wrong, false)
		}
	}
	check("publish", http.MethodPatch, campaign, parse(t, `{"status":"PUBLISH"}`), true)
	check("publish, said of what", http.MethodPatch, campaign, parse(t, `{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","status":"PUBLISH"}`), true)
	check("publish beside a component", http.MethodPatch, campaign, parse(t, `{"status":"PUBLISH","utm_params":{"utm_source":"a","utm_medium":"b"}}`), false)
	check("an update of nothing", http.MethodPatch, campaign, parse(t, `{"updated_by":"ann@example.com"}`), false)
	check("a channel that cannot be created", http.MethodPost, "/v5/campaigns", parse(t, `{"channel":"SMS","campaign_delivery_type":"ONE_TIME","created_by":"a@b.c"}`), false)
	check("both modes", http.MethodPost, "/v5/campaigns/test", parse(t, `{"channel":"PUSH","draft_id":"65f0a1b2c3d4e5f60718293a","test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["x"]}}`), false)
	for name, want := range map[string]bool{"": true, "2026-12-01": true, "2026-12-01T09:00:00Z": true, "2026-12-01T09:00": true, "tomorrow": false, "2026-13-01": false, "2026-12-01T25:00:00Z": false} {
		for _, path := range []string{"/v5/campaigns/search", "/v5/campaigns/meta"} {
			check("created from "+name, http.MethodPost, path, parse(t, `{"limit":1,"page":1,"campaign_fields":{"created_date":{"from_date":"`+name+`"}}}`), want)
		}
	}
	for by, want := range map[string]bool{`"ann"`: true, `["ann","ben"]`: true, `[]`: true, `5`: false, `["ann",5]`: false, `{}`: false} {
		check("created by "+by, http.MethodPost, "/v5/campaigns/meta", parse(t, `{"limit":1,"page":1,"campaign_fields":{"created_by":`+by+`}}`), want)
	}
	for values, want := range map[string]bool{`["Testers"]`: true, `["Testers","Lapsed"]`: false} {
		check("a test to "+values, http.MethodPost, "/v5/campaigns/test", parse(t, `{"draft_id":"65f0a1b2c3d4e5f60718293a","test_campaign_meta":{"identifier":"CUSTOM_SEGMENT","identifier_values":`+values+`}}`), want)
	}
	check("a test to two users", http.MethodPost, "/v5/campaigns/test", parse(t, `{"draft_id":"65f0a1b2c3d4e5f60718293a","test_campaign_meta":{"identifier":"ID","identifier_values":["USER_1","USER_2"]}}`), true)
	check("a draft test", http.MethodPost, "/v5/campaigns/test", parse(t, `{"draft_id":"65f0a1b2c3d4e5f60718293a","test_campaign_meta":{"identifier":"EMAIL","identifier_values":["x@y.z"]}}`), true)
}

// The examples are bodies that the service takes, as far as the document says.
func TestExamplesAreValid(t *testing.T) {
	seen := 0
	for path, item := range openapi.Document("1.2.3").Get("paths").Members() {
		for method, op := range item.Members() {
			for name, example := range op.Lookup(doc.P("requestBody", "content", "application/json", "examples")).Members() {
				seen++
				plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(example.Get("value").Encode()))
				if err != nil {
					t.Fatal(err)
				}
				if err := bodySchema(t, method, path).Validate(plain); err != nil {
					t.Errorf("%s %s, example %s: %v", method, path, name, err)
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d examples", seen)
	}
}

// What the API answers fits the document.
func TestAnswersFitDocument(t *testing.T) {
	v := validated(t)
	record := engine.Campaign{Head: engine.Head{
		ID: "65f0a1b2c3d4e5f60718293a", CampaignID: "65f0a1b2c3d4e5f60718293a", Status: catalog.Draft, Channel: catalog.Push,
		DeliveryType: catalog.OneTime, CreatedBy: "ann@example.com",
	}, Body: parse(t, `{"basic_details":{"name":"x"},"more":1}`)}.Record()
	meta := engine.Meta{Summary: engine.Summary{Head: engine.Head{CampaignID: "c", Channel: catalog.SMS, Status: catalog.Sent}}}.Row()
	tested := engine.TestResult{Keys: []string{"EMAIL_default_variation_1"}, Data: map[string]engine.SendResult{
		"EMAIL_default_variation_1": {Status: engine.Failed, FailureReason: "no"},
	}, Message: "1 failed"}.Document()
	invalid := engine.Validation{Problems: []schema.Problem{{Path: doc.P("basic_details", "name"), Message: "is required"}}}.Document()
	const campaign = "/v5/campaigns/65f0a1b2c3d4e5f60718293a"
	for _, c := range []struct {
		method, path string
		status       int
		kind         string
		data         doc.Value
	}{
		{http.MethodPost, "/v5/campaigns", 201, "campaign", parse(t, `{"id":"65f0a1b2c3d4e5f60718293a","status":"DRAFT"}`)},
		{http.MethodGet, campaign, 200, "campaign", record},
		{http.MethodPatch, campaign, 200, "campaign", parse(t, `{"id":"65f0a1b2c3d4e5f60718293a"}`)},
		{http.MethodPost, campaign + "/validate", 200, "campaign", invalid},
		{http.MethodPost, campaign + "/status", 200, "campaign", parse(t, `{"id":"65f0a1b2c3d4e5f60718293a","action":"PAUSE"}`)},
		{http.MethodPost, "/v5/campaigns/search", 200, "campaign", doc.NewObject(doc.M("campaigns", doc.NewArray(record)))},
		{http.MethodPost, "/v5/campaigns/meta", 200, "campaign", doc.NewObject(doc.M("campaigns", doc.NewArray(meta)))},
		{http.MethodPost, "/v5/campaigns/test", 200, "campaign", tested},
		{http.MethodPost, "/v5/personalization/preview", 200, "personalization", parse(t, `{"personalized_content":{},"unresolved":[{"field":"a.b","expression":"{{x}}"}]}`)},
	} {
		body := doc.NewObject(doc.M("response_id", doc.NewString("r-1")), doc.M("type", doc.NewString(c.kind)), doc.M("data", c.data))
		answer := func(status int, body []byte) {
			t.Helper()
			r := httptest.NewRequest(c.method, "http://127.0.0.1:8080"+c.path, nil)
			a := &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}, "Retry-After": {"3"}, "WWW-Authenticate": {"Basic"}}, Body: io.NopCloser(bytes.NewReader(body))}
			if ok, errs := v.ValidateHttpResponse(r, a); !ok {
				t.Errorf("%s %s %d: %v for %s", c.method, c.path, status, errs, body)
				for _, e := range errs {
					for _, s := range e.SchemaValidationErrors {
						t.Errorf("  %s: %s", s.FieldPath, s.Reason)
					}
				}
			}
		}
		answer(c.status, body.Encode())
		for _, status := range []int{400, 401, 403, 405, 429, 500, 503, 507} {
			answer(status, []byte(`{"response_id":"r-1","error":{"code":"BAD_REQUEST","message":"no","target":"body","details":[{"target":"a","message":"b"}],"request_id":"r-1"}}`))
		}
	}
}

func TestScopesAreTheEngines(t *testing.T) {
	scopes := map[string]bool{}
	for _, item := range openapi.Document("1.2.3").Get("paths").Members() {
		for _, op := range item.Members() {
			if s := op.Get("x-required-scope").Text(); s != "" {
				scopes[s] = true
			}
		}
	}
	for s := range scopes {
		if !slices.Contains(engine.KnownScopes(), s) {
			t.Errorf("there is no scope %s", s)
		}
	}
}

// Every head member of a record is described, and all others are components.
func TestRecordIsComplete(t *testing.T) {
	props := openapi.Document("1.2.3").Lookup(doc.P("components", "schemas", "CampaignRecord", "properties"))
	heads := 0
	for name := range props.Members() {
		if engine.IsHeadField(name) {
			heads++
			continue
		}
		if catalog.Campaign(catalog.Push).At(doc.P(name)) == nil {
			t.Errorf("%s is no member of a record", name)
		}
	}
	if heads != 15 {
		t.Errorf("%d of the 15 head members are described", heads)
	}
}

// The outline of the document: a change here is a change to the interface.
func TestOutline(t *testing.T) {
	d := openapi.Document("1.2.3")
	var b strings.Builder
	for path, item := range d.Get("paths").Members() {
		for method, op := range item.Members() {
			var codes, params []string
			for code := range op.Get("responses").Members() {
				codes = append(codes, code)
			}
			for _, p := range op.Get("parameters").Elems() {
				params = append(params, strings.TrimPrefix(p.Get("$ref").Text(), "#/components/parameters/"))
			}
			fmt.Fprintf(&b, "%s %s %s\n  %s\n  %s\n", strings.ToUpper(method), path, op.Get("operationId").Text(), strings.Join(params, " "), strings.Join(codes, " "))
		}
	}
	b.WriteString("\nschemas\n")
	for name := range d.Lookup(doc.P("components", "schemas")).Members() {
		fmt.Fprintf(&b, "  %s\n", name)
	}
	file := filepath.Join("testdata", "outline.golden")
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the outline is\n%s\nwant\n%s", b.String(), want)
	}
	if n := len(openapi.JSON("1.2.3")); n > 400<<10 {
		t.Errorf("the document has %d bytes", n)
	}
}

func TestDocumentIsTheSameEveryTime(t *testing.T) {
	if a, b := openapi.JSON("1.2.3"), openapi.JSON("1.2.3"); &a[0] != &b[0] {
		t.Error("it is made again")
	}
	other := bytes.Replace(openapi.JSON("1.2.4"), []byte(`"version":"1.2.4"`), []byte(`"version":"1.2.3"`), 1)
	if !bytes.Equal(openapi.JSON("1.2.3"), other) {
		t.Error("two versions differ in more than the version")
	}
	if !json.Valid(other) {
		t.Error("it is no JSON")
	}
}

// TestWriteDocument writes the document for check.sh, where a place for it is given.
func TestWriteDocument(t *testing.T) {
	if file := os.Getenv("OPENAPI_OUT"); file != "" {
		if err := os.WriteFile(file, openapi.Document("1.2.3").Indent(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	for i := range b.N {
		openapi.JSON(fmt.Sprint("bench ", i))
	}
}

func read(t *testing.T, file string) doc.Value {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(b))
}

func parse(t *testing.T, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
