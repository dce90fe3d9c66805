package engine_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"bugle/engine"
	"bugle/engine/doc"
)

// What is written straight into an answer is what the document of the record encodes as.
func TestAppendRecord(t *testing.T) {
	texts := rapid.SampledFrom([]string{"", "5f0c", "a \"quoted\" \\ name", "tab\there", "Grüße 🎉", "no \xff\xfe UTF-8", "line\u2028end", "<b>&</b>", "\x00"})
	times := rapid.SampledFrom([]time.Time{{}, time.Unix(0, 0), time.Date(2025, 11, 20, 23, 59, 59, 999, time.FixedZone("", -7200)), time.Date(12025, 1, 1, 0, 0, 0, 0, time.UTC)})
	bodies := rapid.SampledFrom([]string{
		``, `{}`, `{"basic_details":{"name":"x"},"tags":[1.0,1e2]}`, "{ \"basic_details\" :\t{ \"name\" : \"x\" } , \"n\":null}",
		`{"status":"mine","x":1}`, `{"x":1,"id":{"a":[]},"version_number":"2"}`, `{"\u0062asic":"\u0041\/","a\"b":"\u00e9","é":2}`, `{"":""}`,
	})
	rapid.Check(t, func(t *rapid.T) {
		c := engine.Campaign{Head: engine.Head{
			ID: texts.Draw(t, "id"), CampaignID: texts.Draw(t, "campaign"), Version: rapid.IntRange(-1, 12).Draw(t, "version"),
			Status: engine.State(texts.Draw(t, "status")), Channel: engine.Channel(texts.Draw(t, "channel")), DeliveryType: engine.DeliveryType(texts.Draw(t, "type")),
			CreatedBy: texts.Draw(t, "by"), UpdatedBy: texts.Draw(t, "updated by"),
			CreatedAt: times.Draw(t, "created"), UpdatedAt: times.Draw(t, "updated"), SentTime: times.Draw(t, "sent"),
			FlowID: texts.Draw(t, "flow"), FlowName: texts.Draw(t, "flow name"), ParentID: texts.Draw(t, "parent"), RejectionComment: texts.Draw(t, "rejection"),
		}}
		if text := bodies.Draw(t, "body"); text != "" {
			var err error
			if c.Body, err = doc.Parse([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if rapid.Bool().Draw(t, "no head") {
			c.Head = engine.Head{}
		}
		want := "before" + string(c.Record().Encode())
		if got := string(c.AppendRecord([]byte("before"))); got != want {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
	})
}
