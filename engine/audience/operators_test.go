package audience

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"bugle/engine"
)

// opCase is an attribute filter, without its type and name, and what it says of values of the
// attribute, which are written as JSON. "missing" stands for a profile without the attribute. A
// negated filter says the opposite of each.
type opCase struct {
	filter string
	yes    []string
	no     []string
}

const absent = "missing"

var stringCases = []opCase{
	{`"operator":"is","value":"Berlin"`,
		[]string{`"Berlin"`, `"BERLIN"`, `["Paris","berlin"]`},
		[]string{`"Berlin "`, `"East Berlin"`, `""`, `null`, `[]`, `["Paris"]`, `{"city":"Berlin"}`, absent}},
	{`"operator":"is","value":"Berlin","case_sensitive":true`, []string{`"Berlin"`}, []string{`"berlin"`, `"BERLIN"`}},
	{`"operator":"is","value":["Berlin","Bonn"]`, []string{`"bonn"`, `"Berlin"`}, []string{`"Köln"`}},
	{`"operator":"is","value":"7"`, []string{`7`, `"7"`}, []string{`7.5`, `"07"`, `true`}},
	{`"operator":"is","value":"true"`, []string{`true`, `"TRUE"`}, []string{`false`, `1`}},
	{`"operator":"is","value":"straße"`, []string{`"STRAßE"`, `"Straße"`, `"STRAẞE"`}, []string{`"STRASSE"`}},
	{`"operator":"in","value":["India","Nepal"]`, []string{`"India"`, `"nepal"`, `["Peru","Nepal"]`}, []string{`"Indian"`, `""`, `null`, absent}},
	{`"operator":"in","value":["ÅNGSTRÖM"]`, []string{`"ångström"`}, []string{`"angstrom"`}},
	{`"operator":"in","value":["India","Nepal"],"case_sensitive":true`, []string{`"India"`}, []string{`"india"`}},
	{`"operator":"in","value":["", "x"]`, []string{`""`, `"x"`}, []string{`" "`, `null`, absent}},
	{`"operator":"contains","value":"mail"`, []string{`"Gmail.com"`, `"MAIL"`, `["x","e-mail"]`}, []string{`"mai"`, `"m ail"`, `""`, `null`, absent}},
	{`"operator":"contains","value":"Mail","case_sensitive":true`, []string{`"GMail"`}, []string{`"Gmail"`}},
	{`"operator":"contains","value":["cat","dog"]`, []string{`"hotdog"`, `"concatenate"`}, []string{`"cow"`}},
	{`"operator":"contains","value":"5"`, []string{`152`, `"5"`}, []string{`12`}},
	{`"operator":"containsInTheFollowing","value":["cat","","dog"]`, []string{`"hotdog"`, `"CAT"`}, []string{`"cow"`, `""`, absent}},
	{`"operator":"startWithInTheFollowing","value":["+49","+43"]`, []string{`"+4917139"`, `"+43"`}, []string{`"0049"`, `"+4"`, `"a+49"`, absent}},
	{`"operator":"startWithInTheFollowing","value":"dr."`, []string{`"Dr. No"`}, []string{`"Mr. Dr."`}},
	{`"operator":"startWithInTheFollowing","value":["Dr."],"case_sensitive":true`, []string{`"Dr. No"`}, []string{`"dr. no"`}},
	{`"operator":"endsWithInTheFollowing","value":["@example.com","@example.net"]`, []string{`"ANN@EXAMPLE.COM"`}, []string{`"ann@example.com.au"`, `"example.com"`, absent}},
	{`"operator":"endsWithInTheFollowing","value":["COM"],"case_sensitive":true`, []string{`"X.COM"`}, []string{`"x.com"`}},
	{`"operator":"exists"`, []string{`"x"`, `""`, `0`, `false`, `[]`, `{}`}, []string{`null`, absent}},
}

var doubleCases = []opCase{
	{`"operator":"in","value":[1,2.5,"3"]`, []string{`1`, `1.0`, `2.5`, `"2.50"`, `3`, `[9,3]`, `" 1 "`}, []string{`2`, `0`, `"one"`, `""`, `true`, `null`, `[]`, absent}},
	{`"operator":"in","value":7`, []string{`7`, `7e0`}, []string{`7.01`, `-7`}},
	{`"operator":"between","value":[10,20]`, []string{`10`, `20`, `15.5`, `"12"`}, []string{`9.999`, `20.001`, `-15`, `"ten"`, `null`, absent}},
	{`"operator":"between","value":[20,10]`, []string{`10`, `15`, `20`}, []string{`9`, `21`}},
	{`"operator":"between","value":10,"value1":20`, []string{`10`, `20`}, []string{`9`, `21`}},
	{`"operator":"between","value":[-1,-1]`, []string{`-1`}, []string{`1`, `0`}},
	{`"operator":"lessThan","value":10`, []string{`9.999`, `-100`, `"9"`, `[11,9]`}, []string{`10`, `11`, `"x"`, `null`, absent}},
	{`"operator":"greaterThan","value":"10"`, []string{`10.001`, `1e3`, `"11"`}, []string{`10`, `9`, `"0x1F"`, `"Inf"`, `"NaN"`, `{}`, absent}},
	{`"operator":"exists"`, []string{`0`, `"not a number"`, `[]`}, []string{`null`, absent}},
}

var boolCases = []opCase{
	{`"operator":"is","value":true`, []string{`true`, `"true"`, `"TRUE"`, `[false,true]`}, []string{`false`, `"false"`, `"yes"`, `1`, `null`, `[]`, absent}},
	{`"operator":"is","value":"false"`, []string{`false`, `"False"`}, []string{`true`, `0`, `""`, `null`, absent}},
	{`"operator":"exists"`, []string{`true`, `false`}, []string{`null`, absent}},
}

// It is 2026-11-21, 13:00 in Berlin: an hour ahead of UTC.
var datetimeCases = []opCase{
	{`"operator":"inTheLast","value":7`,
		[]string{`"2026-11-14T12:00:00Z"`, `"2026-11-14T13:00:00"`, `"2026-11-21T12:00:00Z"`, `"2026-11-20"`, `"2026-11-14"`, `"2026-11-21"`, `"2026-11-21 12:59"`},
		[]string{`"2026-11-14T11:59:59Z"`, `"2026-11-21T12:00:01Z"`, `"2026-11-13"`, `"2026-11-22"`, `"yesterday"`, `1795262400`, `""`, `null`, absent}},
	{`"operator":"inTheLast","value":"1"`, []string{`"2026-11-20T12:00:00Z"`}, []string{`"2026-11-20T11:59:59.999Z"`}},
	{`"operator":"inTheLast","value":0`, []string{`"2026-11-21T12:00:00Z"`, `"2026-11-21"`}, []string{`"2026-11-21T11:59:59Z"`, `"2026-11-20"`}},
	// 2026-10-25 is 25 hours long in Berlin: 30 days back the clock shows 13:00 and is two hours ahead.
	{`"operator":"inTheLast","value":30`, []string{`"2026-10-22T11:00:00Z"`, `"2026-10-22T13:00:00"`}, []string{`"2026-10-22T10:59:59Z"`, `"2026-10-22T12:59:59"`}},
	{`"operator":"inTheNext","value":7`,
		[]string{`"2026-11-21T12:00:00Z"`, `"2026-11-28T12:00:00Z"`, `"2026-11-28"`, `"2026-11-21"`},
		[]string{`"2026-11-21T11:59:59Z"`, `"2026-11-28T12:00:01Z"`, `"2026-11-29"`, `"2026-11-20"`, absent}},
	{`"operator":"on","value":"2026-12-01"`,
		[]string{`"2026-12-01"`, `"2026-12-01T00:00:00+01:00"`, `"2026-11-30T23:00:00Z"`, `"2026-12-01T22:59:59.999999Z"`, `"2026-12-01T23:59"`},
		[]string{`"2026-11-30T22:59:59Z"`, `"2026-12-01T23:00:00Z"`, `"2026-11-30"`, `"2026-12-02"`, absent}},
	{`"operator":"on","value":"2026-12-01T23:30:00Z"`, []string{`"2026-12-02"`, `"2026-12-02T10:00:00"`}, []string{`"2026-12-01"`}},
	// The day of the change has 25 hours, and its last one begins at 22:00 UTC.
	{`"operator":"on","value":"2026-10-25"`, []string{`"2026-10-24T22:00:00Z"`, `"2026-10-25T22:59:59Z"`}, []string{`"2026-10-24T21:59:59Z"`, `"2026-10-25T23:00:00Z"`}},
	{`"operator":"on","value":"2026-03-29"`, []string{`"2026-03-28T23:00:00Z"`, `"2026-03-29T21:59:59Z"`}, []string{`"2026-03-28T22:59:59Z"`, `"2026-03-29T22:00:00Z"`}},
	{`"operator":"between","value":["2026-12-01","2026-12-31"]`,
		[]string{`"2026-12-01"`, `"2026-12-31"`, `"2026-12-31T23:59:59"`, `"2026-12-31T22:59:59Z"`, `"2026-11-30T23:00:00Z"`},
		[]string{`"2026-11-30"`, `"2027-01-01"`, `"2026-12-31T23:00:00Z"`, `null`, absent}},
	{`"operator":"between","value":"2026-12-31","value1":"2026-12-01"`, []string{`"2026-12-15"`}, []string{`"2027-01-01"`}},
	{`"operator":"between","value":["2026-12-01T09:00:00Z","2026-12-01T10:00:00Z"]`,
		[]string{`"2026-12-01T09:00:00Z"`, `"2026-12-01T10:00:00Z"`, `"2026-12-01"`}, []string{`"2026-12-01T08:59:59Z"`, `"2026-12-01T10:00:01Z"`}},
	{`"operator":"before","value":"2026-12-01"`,
		[]string{`"2026-11-30"`, `"2026-11-30T22:59:59Z"`, `"0001-01-01"`}, []string{`"2026-12-01"`, `"2026-11-30T23:00:00Z"`, `"never"`, absent}},
	{`"operator":"before","value":"2026-12-01T09:00:00Z"`, []string{`"2026-12-01T08:59:59Z"`, `"2026-12-01"`}, []string{`"2026-12-01T09:00:00Z"`, `"2026-12-02"`}},
	{`"operator":"after","value":"2026-12-01"`,
		[]string{`"2026-12-02"`, `"2026-12-01T23:00:00Z"`, `"9999-12-31"`}, []string{`"2026-12-01"`, `"2026-12-01T22:59:59Z"`, absent}},
	{`"operator":"after","value":"2026-12-01T09:00:00+01:00"`, []string{`"2026-12-01T08:00:01Z"`, `"2026-12-01T09:01"`}, []string{`"2026-12-01T08:00:00Z"`, `"2026-11-30"`}},
	{`"operator":"today"`,
		[]string{`"2026-11-21"`, `"2026-11-20T23:00:00Z"`, `"2026-11-21T22:59:59Z"`, `["2020-01-01","2026-11-21"]`},
		[]string{`"2026-11-20"`, `"2026-11-20T22:59:59Z"`, `"2026-11-21T23:00:00Z"`, `"2026-02-30"`, `"2026-11-21T25:00"`, absent}},
	{`"operator":"exists"`, []string{`"2026-11-21"`, `"not a date"`}, []string{`null`, absent}},
}

func TestOperators(t *testing.T) {
	for dataType, cases := range map[string][]opCase{"string": stringCases, "double": doubleCases, "bool": boolCases, "datetime": datetimeCases} {
		for _, c := range cases {
			for _, negated := range []bool{false, true} {
				checkOperator(t, dataType, c, negated)
			}
		}
	}
}

func checkOperator(t *testing.T, dataType string, c opCase, negated bool) {
	t.Helper()
	filter := fmt.Sprintf(`{"filter_type":"user_attributes","name":"x","data_type":%q,%s,"negate":%v}`, dataType, c.filter, negated)
	a := compiled(t, `{"filters":[`+filter+`]}`, Env{Workspace: engine.Workspace{Timezone: "Europe/Berlin"}})
	for _, want := range []bool{true, false} {
		values := c.yes
		if !want {
			values = c.no
		}
		for _, value := range values {
			p := engine.User{ID: "USER_1"}
			if value != absent {
				p.Attributes = map[string]any{"x": fromJSON(t, value)}
			}
			if got := a.Match(&p); got != (want != negated) {
				t.Errorf("%s of %s: got %v", filter, value, got)
			}
			if r := a.Explain(&p); r.Matched != a.Match(&p) {
				t.Errorf("%s of %s: explained as %v", filter, value, r.Matched)
			}
		}
	}
}

// fromJSON reads a value as the store gives it, with numbers that keep their spelling.
func fromJSON(t *testing.T, s string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

// Every operator of every data type is in the tables above.
func TestOperatorsAreAllTested(t *testing.T) {
	for dataType, cases := range map[string][]opCase{"string": stringCases, "double": doubleCases, "bool": boolCases, "datetime": datetimeCases} {
		for _, o := range Choices(parsed(t, `{"filters":[{"filter_type":"user_attributes","data_type":"`+dataType+`"}]}`), at("filters", 0), mOperator) {
			tested := false
			for _, c := range cases {
				tested = tested || strings.Contains(c.filter, `"operator":"`+o.Value+`"`)
			}
			if o.Offered != tested {
				t.Errorf("%s %s: offered is %v, tested is %v", dataType, o.Value, o.Offered, tested)
			}
		}
	}
}

// Values that Go code gives, not a store.
func TestOperatorsTakeGoValues(t *testing.T) {
	for _, c := range []struct {
		filter string
		value  any
		want   bool
	}{
		{`"data_type":"double","operator":"in","value":3`, 3, true},
		{`"data_type":"double","operator":"in","value":3`, int64(3), true},
		{`"data_type":"double","operator":"in","value":3`, 3.0, true},
		{`"data_type":"double","operator":"in","value":3`, json.Number("3.00"), true},
		{`"data_type":"string","operator":"is","value":"3"`, 3, true},
		{`"data_type":"string","operator":"is","value":"3"`, 3.0, true},
		{`"data_type":"string","operator":"is","value":"3"`, json.Number("3"), true},
		{`"data_type":"datetime","operator":"today"`, noon, true},
		{`"data_type":"datetime","operator":"today"`, noon.Add(-24 * time.Hour), false},
	} {
		a := compiled(t, `{"filters":[{"filter_type":"user_attributes","name":"x",`+c.filter+`}]}`, Env{})
		if got := a.Match(&engine.User{Attributes: map[string]any{"x": c.value}}); got != c.want {
			t.Errorf("%s of %v: got %v", c.filter, c.value, got)
		}
	}
}

// A name with dots leads into objects, where there is no attribute of that name itself.
func TestNamesWithDots(t *testing.T) {
	a := compiled(t, `{"filters":[{"filter_type":"user_attributes","name":"address.city","data_type":"string","operator":"is","value":"Berlin"}]}`, Env{})
	for value, want := range map[string]bool{
		`{"address":{"city":"berlin"}}`:                       true,
		`{"address":[{"city":"Bonn"},{"city":"Berlin"}]}`:     true,
		`{"address.city":"Berlin"}`:                           true,
		`{"address.city":"Bonn","address":{"city":"Berlin"}}`: false,
		`{"address":{"city":["Bonn","Berlin"]}}`:              true,
		`{"address":"Berlin"}`:                                false,
		`{"address":{"city":{"name":"Berlin"}}}`:              false,
		`{"address":null}`:                                    false,
	} {
		p := engine.User{Attributes: fromJSON(t, value).(map[string]any)}
		if got := a.Match(&p); got != want {
			t.Errorf("%s: got %v", value, got)
		}
	}
}
