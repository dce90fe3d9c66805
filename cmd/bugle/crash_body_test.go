//go:build linux || darwin || freebsd

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

const crashWorkspace = "CRASH"

// crashSettings are the workspace's: its mail stays in the outbox, and campaigns can be published.
func crashSettings() engine.Workspace {
	return engine.Workspace{
		ID: crashWorkspace, Name: "Crash", Timezone: "Europe/Berlin", Publish: engine.PublishEnabled, Author: crashAuthor,
		Connectors: []engine.Connector{{Type: "CUSTOM_SMTP", Name: "Main SMTP", Provider: engine.ProviderOutbox}},
	}
}

func crashParse(format string, args ...any) doc.Value {
	v, err := doc.Parse(fmt.Appendf(nil, format, args...))
	if err != nil {
		panic(err) // a text above is wrong
	}
	return v
}

func crashBasics(name, tag string) doc.Member {
	return doc.M(string(catalog.BasicDetails), crashParse(`{"name":%q,"content_type":"TRANSACTIONAL","tags":[%q]}`, name, tag))
}

func crashConnector() doc.Member {
	return doc.M(string(catalog.Connector), crashParse(`{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"}`))
}

func crashAudience() doc.Member {
	return doc.M(string(catalog.SegmentationDetails), crashParse(`{"is_all_user_campaign":true}`))
}

// crashEnd is the end of every email, to detect truncated ones.
const crashEnd = "<p>The end.</p>"

// crashContent returns the content of an email. Most are short, some are long.
func crashContent(name string, rnd *rand.Rand) doc.Member {
	n := 1 + rnd.IntN(40)
	switch rnd.IntN(60) {
	case 0:
		n = 2000
	case 1, 2:
		n = 300
	}
	var text strings.Builder
	for range n {
		fmt.Fprintf(&text, "<p>%x of %s</p>", rnd.Uint64(), name)
	}
	return doc.M(string(catalog.CampaignContent), crashParse(`{"content":{"email":{"subject":%q,"from_address":"shop@example.com","sender_name":"Shop","html_content":%q}}}`,
		"News of "+name, text.String()+crashEnd))
}

func crashSchedule() doc.Member {
	return doc.M(string(catalog.SchedulingDetails), crashParse(`{"delivery_type":"AT_FIXED_TIME","start_time":"2099-12-01T09:00:00","timezone":"Europe/Berlin"}`))
}

// crashPush returns the components of an event-triggered push campaign.
func crashPush(name, title string) []doc.Member {
	body := crashParse(`{"basic_details":{"name":%q,"platforms":["ANDROID"]},
		"campaign_content":{"content":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":%q,"message":"m"}}}}},
		"segmentation_details":{"is_all_user_campaign":true},
		"trigger_condition":{"included_filters":{"filter_operator":"and","filters":[
			{"filter_type":"actions","action_name":"Bought","execution":{"type":"atleast","count":1},"executed":true}]},"trigger_delay_type":"ASAP"},
		"delivery_controls":{"bypass_dnd":false},
		"scheduling_details":{"delivery_type":"ASAP","expiry_time":"2099-06-01T00:00:00Z"}}`, name, title)
	return cli.Members(body)
}

// crashWith returns a body with a component replaced or added.
func crashWith(body doc.Value, ms ...doc.Member) doc.Value {
	for _, m := range ms {
		var err error
		if body, err = body.Set(doc.P(m.Name), m.Value); err != nil {
			panic(err) // a body is an object
		}
	}
	return body
}

// crashTestOf returns the request for a test send of a draft by email.
func crashTestOf(id string, to []string) doc.Value {
	return crashWith(crashParse(`{"draft_id":%q,"test_campaign_meta":{"identifier":"EMAIL"}}`, id),
		doc.M("test_campaign_meta", doc.NewObject(doc.M("identifier", doc.NewString("EMAIL")), doc.M("identifier_values", doc.NewStrings(to...)))))
}

// crashSent returns the keys of a test send if all its messages were sent.
func crashSent(r engine.TestResult) (keys []string) {
	for _, key := range r.Keys {
		if r.Data[key].Status == engine.Sent {
			keys = append(keys, key)
		}
	}
	return keys
}

// upTo returns a random time below d.
func upTo(rnd *rand.Rand, d time.Duration) time.Duration { return time.Duration(rnd.Int64N(int64(d))) }
