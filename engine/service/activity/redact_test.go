package activity_test

import (
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/service/activity"
)

func TestSecretsAreHidden(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{`{"a": {"api_key":"k1","Password":"p","client_secret":{"x":1}}, "n":1.50}`, `{"a":{"api_key":"[hidden]","Password":"[hidden]","client_secret":"[hidden]"},"n":1.50}`},
		{`{"apiKey":"k","Authorization":"Basic x","access-token":"t","credentials":["a"]}`, `{"apiKey":"[hidden]","Authorization":"[hidden]","access-token":"[hidden]","credentials":"[hidden]"}`},
		{`{"password":"","token":null}`, `{"password":"","token":null}`},
		{`[{"token":"t"},{"u":"https://ann:pw@example.com/x?a=1&api_key=k&sig=s#f"}]`, `[{"token":"[hidden]"},{"u":"https://[hidden]@example.com/x?a=1&api_key=[hidden]&sig=[hidden]#f"}]`},
		// The halves of a pair are no secrets by themselves, unless the pair is named like one.
		{`{"key_value_pairs":[{"key":"promo","value":"SPRING"},{"key":"api_key","value":"abc"}]}`, `{"key_value_pairs":[{"key":"promo","value":"SPRING"},{"key":"api_key","value":"[hidden]"}]}`},
		{`{"key":"promo_code","group_key":"g","collapse_replace_key":"c"}`, `{"key":"promo_code","group_key":"g","collapse_replace_key":"c"}`},
		{`{"id":"1","key":"mHxPq2T9vJ0c7ZyRkLwNaB3dE5fG8hUi1oSt4XeVQ6M"}`, `{"id":"1","key":"[hidden]"}`},
		// What is shown comes as it was.
		{`{"z":1,"a":"tab\u0009","url":"https://example.com/a@b?q={{UserAttribute['x']}}&token={{t}}"}`, `{"z":1,"a":"tab\u0009","url":"https://example.com/a@b?q={{UserAttribute['x']}}&token={{t}}"}`},
		// Not JSON.
		{"<p>Authorization: Basic abc=</p> http://u:p@x/", "<p>Authorization: [hidden] http://[hidden]@x/"},
		{`{"name":"x","password":"hunter\"2","a":"b"`, `{"name":"x","password":[hidden],"a":"b"`},
		{`{"client_secret":"cut o`, `{"client_secret":[hidden]`},
		{"password=hunter2&name=ida&access_token=abc", "password=[hidden]&name=ida&access_token=[hidden]"},
		{"X-Api-Key: abc\nHost: x", "X-Api-Key: [hidden]\nHost: x"},
		{`{"text":"-----BEGIN EC PRIVATE KEY-----\nMHc=\n-----END EC PRIVATE KEY-----"}`, `{"text":"[hidden]"}`},
		{`{"sub":"{\"endpoint\":\"https://x/\",\"keys\":{\"auth\":\"a1\",\"p256dh\":\"b2\"}}"}`, `{"sub":"{\"endpoint\":\"https://x/\",\"keys\":{\"auth\":\"[hidden]\",\"p256dh\":\"[hidden]\"}}"}`},
		{`{"u":"https://x/?X-Amz-Signature=ab&X-Amz-Credential=c"}`, `{"u":"https://x/?X-Amz-Signature=[hidden]&X-Amz-Credential=[hidden]"}`},
		// A message may speak of such things.
		{`{"subject":"Your token: none. The secret=50% off"}`, `{"subject":"Your token: none. The secret=50% off"}`},
		{"not \xff UTF-8", "not \uFFFD UTF-8"},
		{"", ""},
	} {
		c := logged(activity.Call{}.WithBodies([]byte(test.body), []byte(test.body)))
		if got := string(c.Request()); got != test.want {
			t.Errorf("%s is shown as\n%s, not\n%s", test.body, got, test.want)
		}
		if string(c.Response()) != string(c.Request()) {
			t.Errorf("the answer %s is shown as\n%s", test.body, c.Response())
		}
	}
}

func logged(c activity.Call) activity.Call {
	var l activity.Log
	l.Add(c)
	return l.Calls()[0]
}

func TestDeviceTokensAreHidden(t *testing.T) {
	l := &activity.Log{}
	s := activity.Wrap(&fake{err: engine.Errorf(engine.BadRequest, 400, "tok-secret-1 is no device")}, l)
	body := parse(t, `{"draft_id":"65f0","test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["tok-secret-1"]}}`)
	_, _ = s.Test(t.Context(), engine.TestRequest{Body: body})
	failed := last(t, l)
	s = activity.Wrap(&fake{}, l)
	_, _ = s.Test(t.Context(), engine.TestRequest{Body: body})
	for _, c := range []activity.Call{failed, last(t, l)} {
		all := c.Err + string(c.Request()) + string(c.Response()) + string(c.Document().Encode()) + c.Curl()
		if strings.Contains(all, "tok-secret") || !strings.Contains(all, "[hidden]") {
			t.Errorf("it shows\n%s", all)
		}
		if c.Campaign != "65f0" {
			t.Errorf("it is about %q", c.Campaign)
		}
	}
	_, _ = s.Test(t.Context(), engine.TestRequest{Body: parse(t, `{"test_campaign_meta":{"identifier":"EMAIL","identifier_values":["ida@example.com"]}}`)})
	if c := last(t, l); !strings.Contains(string(c.Request()), "ida@example.com") {
		t.Errorf("a recipient is hidden: %s", c.Request())
	}
}

func TestHeadersAreHidden(t *testing.T) {
	c := logged(activity.Call{
		Err:    "Get https://ann:pw@example.com: no route",
		Method: "GET", Path: "/v5/campaigns/x", Base: "https://example.com",
		RequestHeader:  http.Header{"Authorization": {"Basic abc"}, "X-Api-Key": {"k"}, "X-Svc-Request-Id": {"r"}, "User-Agent": {"bugle"}},
		ResponseHeader: http.Header{"Set-Cookie": {"session=1"}, "Location": {"https://u:p@example.com/"}},
	})
	got := string(c.Document().Encode())
	for _, secret := range []string{"abc", "pw", `"k"`, "session=1", "u:p"} {
		if strings.Contains(got, secret) {
			t.Errorf("it shows %s: %s", secret, got)
		}
	}
	want := "curl -X GET 'https://example.com/v5/campaigns/x' \\\n  -H 'Authorization: Basic {credentials}' \\\n  -H 'X-Api-Key: [hidden]' \\\n  -H 'X-Svc-Request-Id: r'"
	if c.Curl() != want {
		t.Errorf("the command is\n%s", c.Curl())
	}
}

const aUUID = `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`

func TestCurl(t *testing.T) {
	l := &activity.Log{}
	s := activity.Wrap(&fake{}, l)
	_, _ = s.Create(t.Context(), engine.CreateRequest{Call: engine.Call{RequestID: "r1", IdempotencyKey: "k1"}, Body: parse(t, `{"created_by":"o'neil@example.com","api_key":"x"}`)})
	want := `curl -X POST '{base_url}/v5/campaigns' \
  -H 'Authorization: Basic {credentials}' \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: k1' \
  -H 'X-SVC-Request-Id: r1' \
  --data-binary '{"created_by":"o'\''neil@example.com","api_key":"[hidden]"}'`
	if got := last(t, l).Curl(); got != want {
		t.Errorf("the command is\n%s", got)
	}
	_, _ = s.Create(t.Context(), engine.CreateRequest{Body: parse(t, `{"request_id":"in the body"}`)})
	if got := last(t, l).Curl(); !strings.Contains(got, "'X-SVC-Request-Id: in the body'") || !regexp.MustCompile(`Idempotency-Key: `+aUUID+`'`).MatchString(got) {
		t.Errorf("a call without ids gets\n%s", got)
	}
	_, _ = s.Validate(t.Context(), "x")
	if got := last(t, l).Curl(); !regexp.MustCompile(`X-SVC-Request-Id: `+aUUID+`'$`).MatchString(got) || strings.Contains(got, "Idempotency-Key") || strings.Contains(got, "--data") {
		t.Errorf("a check becomes\n%s", got)
	}
}

// What a shell makes of the command is what was meant, whatever stands in it.
func TestCurlIsSafe(t *testing.T) {
	l := &activity.Log{}
	s := activity.Wrap(&fake{}, l)
	body := `{"created_by":"'; touch /x; echo '$(id) \" \\ ` + "`id`" + ` ' '' !"}`
	_, _ = s.Create(t.Context(), engine.CreateRequest{Call: engine.Call{RequestID: "a'b", IdempotencyKey: "k"}, Body: parse(t, body)})
	out, err := exec.CommandContext(t.Context(), "sh", "-c", `curl() { for a; do printf '%s\n' "$a"; done; }; `+last(t, l).Curl()).Output()
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(args) != 13 || args[12] != body || args[10] != "X-SVC-Request-Id: a'b" {
		t.Errorf("the shell gives curl %d words: %q", len(args), args)
	}
}
