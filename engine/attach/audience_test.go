//go:build linux || darwin || freebsd

package attach_test

import (
	"testing"

	"bugle/engine"
)

// Whom filters pick can be asked of the owner, and through the socket.
func TestAudience(t *testing.T) {
	s := newShed(t)
	owner, attached := s.pair()
	s.ok(owner.Service(workspace).PutProfile(t.Context(), engine.Profile{ID: "U1", Attributes: map[string]any{"City": "Pune"}}))
	s.ok(owner.Service(workspace).PutProfile(t.Context(), engine.Profile{ID: "U2", Attributes: map[string]any{"City": "Bonn"}}))
	r := engine.AudienceRequest{ProfileID: "U2", Filters: parse(t, `{"included_filters":{"filter_operator":"and","filters":[
		{"filter_type":"user_attributes","data_type":"string","name":"City","operator":"is","value":"Pune"}]}}`)}
	for name, svc := range map[string]any{"owner": owner.Service(workspace), "attached": attached.Service(workspace)} {
		a, ok := svc.(engine.AudienceReader)
		if !ok {
			t.Fatalf("the %s cannot tell of an audience", name)
		}
		count, err := a.EstimateAudience(t.Context(), r)
		if err != nil || count.Matched != 1 || count.Total < 2 {
			t.Errorf("%s: %+v, %v", name, count, err)
		}
		people, err := a.AudienceMembers(t.Context(), r)
		if err != nil || len(people) != 1 || people[0].ID != "U1" {
			t.Errorf("%s: %+v, %v", name, people, err)
		}
		why, err := a.ExplainAudience(t.Context(), r)
		if err != nil || why.Matched || len(why.Decisive()) != 1 || why.Decisive()[0].Found == "" {
			t.Errorf("%s: %+v, %v", name, why, err)
		}
	}
}
