package api_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"bugle/engine"
)

// Every operation that says so needs a request id; the answer carries it.
func TestRequestIDs(t *testing.T) {
	b := newBench(t)
	id := b.create(whole)
	for _, op := range []struct{ path, body string }{
		{campaigns, emailHead}, {campaigns + "/" + id + "/status", `"action":"STOP"`}, {campaigns + "/search", `"limit":1,"page":1`},
		{campaigns + "/meta", `"limit":1,"page":1`}, {campaigns + "/test", `"draft_id":"` + id + `",` + idaTo},
		{"/v5/personalization/preview", `"channel":"SMS","user_identification":{"type":"EMAIL","value":"a@example.com"},"campaign_content":{"a":"b"}`},
	} {
		none := b.do("POST", op.path, `{`+op.body+`}`, requestID(""))
		none.refused(400, engine.ValidationFailed, "X-SVC-Request-Id")
		if none.doc.Get("error").Get("request_id").Exists() {
			t.Errorf("a request_id that nobody gave: %s", none.raw)
		}
		b.do("POST", op.path, `{`+op.body+`,"request_id":""}`, requestID("")).refused(400, engine.ValidationFailed, "X-SVC-Request-Id")
		b.do("POST", op.path, `{`+op.body+`,"request_id":"a"}`, requestID("b")).refused(400, engine.ValidationFailed, "request_id").is(400, "response_id", "b", "error.request_id", "b")
		b.do("POST", op.path, `{`+op.body+`,"request_id":7}`, requestID("")).refused(400, engine.ValidationFailed, "request_id")
		b.do("POST", op.path, `{`+op.body+`,"request_id":"`+strings.Repeat("x", 257)+`"}`, requestID("")).refused(400, engine.ValidationFailed, "request_id")
		b.do("POST", op.path, `{`+op.body+`}`, requestID(strings.Repeat("x", 257))).refused(400, engine.ValidationFailed, "X-SVC-Request-Id")
		b.do("POST", op.path, `{`+op.body+`}`, requestID("\xff\xff")).refused(400, engine.ValidationFailed, "X-SVC-Request-Id")
		id := "é-" + uuid.NewString()
		if a := b.do("POST", op.path, `{`+op.body+`,"request_id":"`+id+`"}`, requestID("")); a.at("response_id") != id || a.header.Get("X-SVC-Request-Id") != "" {
			t.Errorf("%s: %s", op.path, a.raw)
		}
	}
}

// A refusal carries the request id of the body, even where the body was not looked at otherwise.
func TestRefusalsCarryTheBodysID(t *testing.T) {
	b := newBench(t)
	b.do("POST", campaigns, `{"request_id":"mine"}`, requestID(""), as("TEST", keyRead)).is(403, "response_id", "mine", "error.request_id", "mine")
}

func TestIdempotencyKeys(t *testing.T) {
	b := newBench(t)
	id := b.create(whole)
	v4 := uuid.NewString()
	for _, op := range []struct{ method, path, body string }{
		{"POST", campaigns, `{` + emailHead + `}`}, {"PATCH", campaigns + "/" + id, `{"basic_details":{"name":"x"}}`},
		{"POST", campaigns + "/" + id + "/status", `{"action":"STOP"}`}, {"POST", campaigns + "/test", `{"draft_id":"` + id + `",` + idaTo + `}`},
		{"PATCH", campaigns + "/" + id, `{"status":"PUBLISH"}`},
	} {
		for _, key := range []string{
			"", "7", "2b1f0c3e-8f6a-1c1d-9b7e-5a4d3c2b1a09", "2b1f0c3e-8f6a-4c1d-cb7e-5a4d3c2b1a09", strings.ReplaceAll(v4, "-", ""), "{" + v4 + "}", "urn:uuid:" + v4,
		} {
			a := b.do(op.method, op.path, op.body, idemKey(key))
			a.refused(400, engine.ValidationFailed, "Idempotency-Key")
		}
	}
	both := b.do("POST", campaigns, `{`+emailHead+`}`, idemKey(""), requestID(""))
	both.is(400, "error.code", "VALIDATION_FAILED")
	if got := both.targets(); got != "X-SVC-Request-Id Idempotency-Key" {
		t.Errorf("details about %q, want both problems", got)
	}
	r := request(t.Context(), "POST", campaigns, `{`+emailHead+`}`)
	r.Header.Add("Idempotency-Key", uuid.NewString())
	send(t, b, r).refused(400, engine.ValidationFailed, "Idempotency-Key")
}
