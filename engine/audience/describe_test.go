package audience

import (
	"testing"

	"bugle/engine"
	"bugle/engine/doc"
)

func TestSentence(t *testing.T) {
	const (
		country = `{"filter_type":"user_attributes","name":"Country","data_type":"string","operator":"in","value":["India","Nepal"]}`
		cart    = `{"filter_type":"actions","action_name":"Added to Cart","executed":true,"execution":{"type":"atleast","count":2},"attributes":{"filter_operator":"and","filters":[
			{"filter_type":"user_attributes","name":"Event Time (Standard)","data_type":"datetime","operator":"inTheLast","value":7},
			{"filter_type":"user_attributes","name":"Price","data_type":"double","operator":"greaterThan","value":500}]}}`
		staff = `{"filter_type":"custom_segments","name":"Staff"}`
	)
	for _, c := range []struct{ filters, want string }{
		{`{}`, "No users yet."},
		{`{"included_filters":{"filter_operator":"and","filters":[]}}`, "No users yet."},
		{`{"is_all_user_campaign":true}`, "All users."},
		{`{"is_all_user_campaign":true,"send_campaign_to_opt_out_users":true,"excluded_filters":` + filterGroup("or", staff) + `}`,
			"All users; not those in the segment Staff; opted-out users too."},
		{`{"included_filters":` + filterGroup("and", country, cart) + `,"excluded_filters":` + filterGroup("or", staff) + `}`,
			"Users whose Country is India or Nepal, and who did Added to Cart at least 2 times in the last 7 days with Price above 500; not those in the segment Staff."},
		{`{"included_filters":` + filterGroup("or", country, cart, staff) + `}`,
			"Users whose Country is India or Nepal, who did Added to Cart at least 2 times in the last 7 days with Price above 500, or in the segment Staff."},
		{filterGroup("and", country, filterGroup("or", staff, cart)),
			"Users whose Country is India or Nepal, and (in the segment Staff, or who did Added to Cart at least 2 times in the last 7 days with Price above 500)."},
		{`{"trigger_delay_type":"ASAP","included_filters":` + filterGroup("and", `{"filter_type":"actions","action_name":"Bought"}`) + `,"secondary_included_filters":` + filterGroup("and", country) + `}`,
			"Users who did Bought; of those, the ones whose Country is India or Nepal."},
		{filterGroup("and", `{"filter_type":"actions"}`, `{"filter_type":"user_attributes"}`, `{"filter_type":"custom_segments"}`),
			"Users who did …, whose … …, and in the segment …."},
		{filterGroup("and", `{"filter_type":"actions","action_name":"Bought","executed":false,"execution":{"type":"atleast","count":1},"attributes":`+
			filterGroup("or", `{"name":"Colour","data_type":"string","operator":"in","value":["red","blue"]}`,
				`{"name":"Coupon","data_type":"string","operator":"exists","negate":true}`,
				`{"name":"Event Time (Standard)","data_type":"datetime","operator":"before","value":"2026-12-01"}`)+`}`),
			"Users who did not do Bought either before 1 Dec 2026 or with Colour red or blue or Coupon not known."},
		{filterGroup("and", `{"filter_type":"geo"}`), "Users who match a filter of the type geo."},
	} {
		if got := Describe(parsed(t, c.filters), nil, Env{}); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.filters, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	attribute := func(members string) string { return `{"filter_type":"user_attributes","name":"Age",` + members + `}` }
	for filter, want := range map[string]string{
		attribute(`"data_type":"double"`):                                                                            "Age …",
		attribute(`"data_type":"double","operator":"lessThan"`):                                                      "Age is below …",
		attribute(`"data_type":"double","operator":"lessThan","value":1.50`):                                         "Age is below 1.50",
		attribute(`"data_type":"double","operator":"lessThan","value":18,"negate":true`):                             "Age is not below 18",
		attribute(`"data_type":"double","operator":"between","value":[18,65]`):                                       "Age is between 18 and 65",
		attribute(`"data_type":"double","operator":"between","value":18`):                                            "Age is between 18 and …",
		attribute(`"data_type":"double","operator":"between","value":18,"value1":65`):                                "Age is between 18 and 65",
		attribute(`"data_type":"double","operator":"in","value":[1,2,3,4,5,6,7,8,9]`):                                "Age is 1, 2, 3, 4, 5, 6 or 3 others",
		attribute(`"data_type":"string","operator":"in","value":[]`):                                                 "Age is …",
		attribute(`"data_type":"string","operator":"contains","value":"x","negate":true`):                            "Age does not contain x",
		attribute(`"data_type":"string","operator":"startWithInTheFollowing","value":["a","b"]`):                     "Age starts with a or b",
		attribute(`"data_type":"string","operator":"is","value":" x"`):                                               `Age is " x"`,
		attribute(`"data_type":"string","operator":"exists"`):                                                        "Age is known",
		attribute(`"data_type":"string","operator":"exists","negate":true`):                                          "Age is not known",
		attribute(`"data_type":"bool","operator":"is","value":"false"`):                                              "Age is no",
		attribute(`"data_type":"datetime","operator":"inTheLast","value":1`):                                         "Age is in the last 1 day",
		attribute(`"data_type":"datetime","operator":"inTheNext","value":"30"`):                                      "Age is in the next 30 days",
		attribute(`"data_type":"datetime","operator":"inTheNext"`):                                                   "Age is in the next … days",
		attribute(`"data_type":"datetime","operator":"on","value":"2026-12-01"`):                                     "Age is on 1 Dec 2026",
		attribute(`"data_type":"datetime","operator":"after","value":"2026-12-01T08:00:00Z"`):                        "Age is after Tue 1 Dec 2026, 09:00",
		attribute(`"data_type":"datetime","operator":"today"`):                                                       "Age is today",
		attribute(`"operator":"near"`):                                                                               "Age near",
		`{"filter_type":"actions","action_name":"Bought","execution":{"type":"exactly","count":1}}`:                  "Did Bought exactly once",
		`{"filter_type":"actions","action_name":"Bought","execution":{"type":"atmost","count":3}}`:                   "Did Bought at most 3 times",
		`{"filter_type":"actions","execution":{"type":"atleast"}}`:                                                   "Did … at least … times",
		`{"filter_type":"actions","action_name":"Bought","executed":false}`:                                          "Did not do Bought",
		`{"filter_type":"actions","action_name":"Bought","executed":false,"execution":{"type":"exactly","count":0}}`: "Did not do Bought",
		`{"filter_type":"custom_segments","id":"65f0"}`:                                                              "In the segment 65f0",
		`{"filter_operator":"or","filters":[]}`:                                                                      "Any of these",
		`{"filter_type":"geo"}`:                                                                                      "A filter of the type geo",
	} {
		if got := DescribeFilter(parsed(t, filter), Env{Workspace: engine.Workspace{Timezone: "Europe/Berlin"}}); got != want {
			t.Errorf("%s: got %q, want %q", filter, got, want)
		}
	}
}

// What starts a campaign is an event, not users: an empty trigger says so, and offers what users do first.
func TestAnEmptyTrigger(t *testing.T) {
	root := parsed(t, `{"trigger_condition":{},"segmentation_details":{}}`)
	for at, want := range map[string]string{"trigger_condition": "No event yet.", "segmentation_details": "No users yet."} {
		if got := Describe(root, doc.P(at), Env{}); got != want {
			t.Errorf("%s: %q", at, got)
		}
	}
	for at, want := range map[string]Kind{"trigger_condition": Action, "segmentation_details": Attribute} {
		if kinds := Kinds(root, doc.P(at, mIncluded)); kinds[0] != want {
			t.Errorf("%s offers %v first", at, kinds)
		}
	}
	if kinds := Kinds(root, doc.P("trigger_condition", mSecondary)); kinds[0] != Attribute {
		t.Errorf("the other conditions of a trigger offer %v first", kinds)
	}
}
