package api_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"bugle/engine"
)

func TestBodiesThatAreNotAsTheyMustBe(t *testing.T) {
	b := newBench(t)
	for name, tt := range map[string]struct{ body, says string }{
		"nothing":         {"", "line 1, column 1"},
		"not JSON":        {"{\n  \"a\": nope}", "line 2, column 9"},
		"cut off":         {`{"a":`, "line 1, column 6"},
		"an array":        {"\n [1]", "line 2, column 2"},
		"a string":        {`"x"`, "line 1, column 1"},
		"null":            {`null`, "line 1, column 1"},
		"a name twice":    {"{\"a\":1,\n\"a\":2}", "line 2, column 1"},
		"too deep":        {`{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, "200 levels"},
		"no UTF-8":        {"{\"a\":\"\xff\"}", "UTF-8"},
		"two of them":     {`{} {}`, "line 1"},
		"a byte order":    {"\ufeff{}", "line 1, column 1"},
		"half a sequence": {`{"a":"\ud800"}`, "line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{campaigns, campaigns + "/search", campaigns + "/test"} {
				a := b.do("POST", path, tt.body, requestID("r"))
				a.refused(400, engine.BadRequest, "body").is(400, "response_id", "r")
				if !strings.Contains(a.at("error.message"), tt.says) {
					t.Errorf("%q does not say %q", a.at("error.message"), tt.says)
				}
			}
		})
	}
	deepest := `{"a":` + strings.Repeat("[", 199) + strings.Repeat("]", 199) + `}`
	b.do("POST", campaigns+"/search", deepest).is(400, "error.code", "VALIDATION_FAILED", "error.details[2].target", "a")
}

func TestBodiesThatAreTooLong(t *testing.T) {
	b := newBench(t)
	fits := `{` + pushHead + `,"request_id":"x"}`
	fits += strings.Repeat(" ", engine.MaxBody-len(fits))
	b.do("POST", campaigns, fits, requestID("")).is(201)
	over := fits + " "
	b.do("POST", campaigns, over, requestID("r")).refused(413, engine.BadRequest, "body").is(413, "response_id", "r")
	b.do("POST", campaigns, over, func(r *http.Request) { r.ContentLength = -1 }).refused(413, engine.BadRequest, "body")
	b.do("POST", campaigns+"/"+unused+"/validate", over).refused(413, engine.BadRequest, "body")
}

// A list has a bound, and a body a number of values, however short each of them is.
func TestListsThatAreTooLong(t *testing.T) {
	b := newBench(t)
	tags := func(n int) string {
		return `{` + pushHead + `,"basic_details":{"name":"x","tags":[` + strings.TrimSuffix(strings.Repeat(`"",`, n), ",") + `]}}`
	}
	b.do("POST", campaigns, tags(100)).is(201)
	b.do("POST", campaigns, tags(101)).refused(400, engine.ValidationFailed, "basic_details.tags")
	b.do("POST", campaigns, tags(40_000)).refused(400, engine.ValidationFailed, "basic_details.tags")
	b.do("POST", campaigns, tags(349_000), requestID("r")).refused(400, engine.BadRequest, "body").is(400, "response_id", "r")
	id := b.create(`{` + pushHead + `}`)
	b.do("PATCH", campaigns+"/"+id, strings.Replace(tags(101), pushHead+",", "", 1)).refused(400, engine.ValidationFailed, "basic_details.tags")
	b.do("POST", campaigns+"/search", `{"limit":1,"page":1,"campaign_fields":{"ids":[`+strings.TrimSuffix(strings.Repeat(`"a",`, 501), ",")+`]}}`).
		refused(400, engine.ValidationFailed, "campaign_fields.ids")
}

func TestABodyThatBreaksOff(t *testing.T) {
	b := newBench(t)
	b.do("POST", campaigns, "{}", func(r *http.Request) { r.Body = io.NopCloser(iotest.ErrReader(errors.New("reset"))) }).refused(400, engine.BadRequest, "body")
}

func TestContentTypes(t *testing.T) {
	b := newBench(t)
	body := `{"limit":1,"page":1}`
	for given, ok := range map[string]bool{
		"": true, "application/json": true, "Application/JSON; charset=UTF-8": true, "application/vnd.api+json": true,
		"text/plain": false, "application/x-www-form-urlencoded": false, "application/json; charset=latin1": false, "json": false, ";": false,
	} {
		a := b.do("POST", campaigns+"/search", body, header("Content-Type", given))
		if ok {
			a.is(200)
		} else {
			a.refused(400, engine.BadRequest, "Content-Type")
		}
	}
	b.do("POST", campaigns+"/search", body, header("Content-Encoding", "gzip")).refused(400, engine.BadRequest, "Content-Encoding")
	b.do("POST", campaigns+"/"+b.create(whole)+"/validate", "", header("Content-Type", "text/plain")).is(200)
}
