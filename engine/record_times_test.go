package engine

import (
	"testing"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Times in records come in three spellings; none of them is a problem, or goes back.
func TestTimesOfRecords(t *testing.T) {
	at := time.Date(2024, 7, 4, 8, 0, 54, 847e6, time.UTC)
	for _, spelled := range []string{"2024-07-04T10:00:54.847+02:00", "2024-07-04T08:00:54.847", "2024-07-04 08:00:54.847000", "2024-07-04 08:00:54.847000Z"} {
		v, err := doc.Parse([]byte(`{"id":"x","channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"a@example.com","created_at":"` + spelled + `","updated_at":"` + spelled +
			`","sent_time":"` + spelled + `","scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"` + spelled + `","schedule_time":"` + spelled + `"}}`))
		if err != nil {
			t.Fatal(err)
		}
		c := ParseRecord(v)
		if !c.CreatedAt.Equal(at) || !c.UpdatedAt.Equal(at) || !c.SentTime.Equal(at) || c.Body.Len() != 1 {
			t.Errorf("%s: %+v %s", spelled, c.Head, c.Body.Encode())
		}
		sum := Summarize(c)
		if !sum.Start.Equal(at) {
			t.Errorf("%s: it starts %s", spelled, sum.Start)
		}
		if found := catalog.Campaign(c.Channel).Validate(c.Document(), schema.Env{Record: c.Document()}); len(found) > 0 {
			t.Errorf("%s: %v", spelled, found)
		}
		row := ParseMetaRow(doc.NewObject(doc.M("campaign_start_time", doc.NewString(spelled)), doc.M("created_at", doc.NewString(spelled))))
		if !row.Start.Equal(at) || !row.CreatedAt.Equal(at) {
			t.Errorf("%s: the meta row has %s, %s", spelled, row.Start, row.CreatedAt)
		}
	}
}

// A head field of a type that cannot be read is kept in the record, no problem, and not sent.
func TestAHeadThatCannotBeRead(t *testing.T) {
	v, err := doc.Parse([]byte(`{"id":"x","channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"a@example.com","version_number":"3","created_at":1720080054,"status":{},"utm_params":{"utm_source":"a","utm_medium":"b"}}`))
	if err != nil {
		t.Fatal(err)
	}
	c := ParseRecord(v)
	for _, name := range []string{"version_number", "created_at"} {
		if !c.Record().Get(name).Exists() {
			t.Errorf("%s is lost", name)
		}
	}
	if found := catalog.Campaign(c.Channel).Validate(c.Document(), schema.Env{}); len(found) > 0 {
		t.Errorf("%v", found)
	}
	want := `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","utm_params":{"utm_source":"a","utm_medium":"b"}}`
	if got := string(UpdateBody(c.Head, "", doc.M("created_at", v.Get("created_at")), doc.M("utm_params", v.Get("utm_params"))).Encode()); got != want {
		t.Errorf("%s", got)
	}
	if got := string(RequestBody(v).Encode()); got != `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"a@example.com","status":{},"utm_params":{"utm_source":"a","utm_medium":"b"}}` {
		t.Errorf("%s", got)
	}
}
