package check_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/check"
	"bugle/engine/message/template"
	"bugle/engine/schema"
)

var now = time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC) // a Saturday

func parse(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatalf("%v: %s", err, s)
	}
	return v
}

const footer = `<p style="color:#333333">Shop GmbH, Main Street 12, 10435 Berlin. <a href="https://shop.eu/unsubscribe">Unsubscribe</a></p>`

func workspace() *engine.Workspace {
	return &engine.Workspace{
		ID: "TEST", Timezone: "Europe/Berlin", Author: "ann@shop.eu",
		Connectors: []engine.Connector{{Type: "SENDGRID", Name: "News"}}, SubscriptionCategories: []string{"News"},
		Events: []engine.EventType{
			{Name: "Bought", Attributes: []engine.Attribute{{Name: "product", DataType: "string"}}},
			{Name: "Sale", Business: true, Attributes: []engine.Attribute{{Name: "season", DataType: "string"}}},
		},
		Attributes:    []engine.Attribute{{Name: "First Name", DataType: "string"}, {Name: "City", DataType: "string"}},
		Segments:      []engine.Segment{{ID: "s1", Name: "Buyers"}},
		ContentBlocks: []engine.ContentBlock{{Name: "footer", Source: footer}, {Name: "outer", Source: "{{ContentBlock['footer']}}"}},
		ContentAPIs:   engine.ContentPolicy{Hosts: []string{"api.shop.eu"}},
		Flags:         map[string]bool{},
	}
}

func content() *check.Content {
	return check.NewContent(
		engine.ContentItem{Products: &engine.ProductSet{Name: "shoes", Products: []map[string]any{{"title": "Boot", "url": "https://shop.eu/boot"}}}},
		engine.ContentItem{API: &engine.ContentAPI{Name: "weather", URL: "https://api.shop.eu/w"}},
		engine.ContentItem{API: &engine.ContentAPI{Name: "foreign", URL: "https://elsewhere.eu/w"}},
	)
}

// facts are those of a workspace whose audience is in order.
func facts() check.Facts {
	return check.Facts{
		Now: now, Workspace: workspace(), Content: content(), Others: []check.Other{},
		Audience: &check.Audience{
			Count: engine.AudienceCount{Total: 1000, Matched: 400, Reach: engine.AudienceReach{Email: 390, Push: 390, Android: 300, IOS: 200, Web: 100}},
			Read:  400, Missing: map[string]int{}, Zones: map[string]int{},
		},
	}
}

// page is the body of a good email around some words.
func page(words string) string {
	return `<html><body style="background:#ffffff;color:#222222"><div style="padding:20px"><h1>New shoes</h1>` +
		`<img src="https://cdn.shop.eu/shoes.png" alt="Red shoes" width="600">` +
		`<p>The autumn shoes are here, in sizes from 36 to 46. They are light, they are dry, and they last for years.</p>` +
		`<p>Send them back within 100 days if you do not like them. Nobody asks why, and we pay for the parcel.</p>` + words +
		`<p><a href="https://shop.eu/shoes" style="background:#7A3E00;color:#FFFFFF;padding:12px">See the shoes</a></p></div>{{ContentBlock['footer']}}</body></html>`
}

const filters = `"included_filters":{"filter_operator":"and","filters":[{"filter_type":"user_attributes","data_type":"string","name":"City","operator":"is","value":"Berlin"}]}`

// email is a good email campaign.
func email(t testing.TB) engine.Campaign {
	body := parse(t, `{
		"basic_details":{"name":"Shoes","content_type":"PROMOTIONAL","subscription_category":"News"},
		"connector":{"connector_type":"SENDGRID","connector_name":"News"},
		"campaign_content":{"content":{"email":{"subject":"The autumn shoes are here","preview_text":"Light, dry, and they last for years to come",
			"sender_name":"Shop","from_address":"news@shop.eu","reply_to_address":"help@shop.eu","html_content":""}}},
		"segmentation_details":{`+filters+`},
		"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T10:00:00","timezone":"Europe/Berlin"}}`)
	c := engine.Campaign{Head: engine.Head{ID: "65f0a1b2c3d4e5f60718293a", Status: catalog.Draft, Channel: catalog.Email, DeliveryType: catalog.OneTime, CreatedBy: "ann@shop.eu"}, Body: body}
	return set(t, c, htmlAt, page(""))
}

const (
	mailAt  = "campaign_content.content.email."
	htmlAt  = mailAt + "html_content"
	pushAt  = "campaign_content.content.push."
	titleAt = pushAt + "android.basic_details.title"
)

// push is a good push campaign.
func push(t testing.TB) engine.Campaign {
	body := parse(t, `{
		"basic_details":{"name":"Shoes","platforms":["ANDROID","WEB"]},
		"campaign_content":{"content":{"push":{
			"android":{"template_type":"BASIC","basic_details":{"notification_channel":"news","title":"New shoes","message":"Light, dry, and they last.",
				"default_click_action":"DEEPLINKING","default_click_action_value":"shop://shoes"},
				"buttons":[{"btn_name":"See them","click_action_type":"RICH_LANDING","click_action_value":"https://shop.eu/shoes"}]},
			"web":{"template_type":"BASIC","basic_details":{"title":"New shoes","message":"Light, dry, and they last.","redirect_url":"https://shop.eu/shoes"},
				"buttons":[{"title":"See them","url":"https://shop.eu/shoes"}]}}}},
		"segmentation_details":{`+filters+`},
		"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-12-01T10:00:00","timezone":"Europe/Berlin"}}`)
	return engine.Campaign{Head: engine.Head{ID: "65f0a1b2c3d4e5f60718293b", Status: catalog.Draft, Channel: catalog.Push, DeliveryType: catalog.OneTime, CreatedBy: "ann@shop.eu"}, Body: body}
}

// set puts a value into a campaign: a text, or another value as JSON.
func set(t testing.TB, c engine.Campaign, path string, v any) engine.Campaign {
	t.Helper()
	p, err := doc.ParsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	var value doc.Value
	switch v := v.(type) {
	case string:
		value = doc.NewString(v)
	case bool:
		value = doc.NewBool(v)
	case raw:
		value = parse(t, string(v))
	case nil:
		c.Body = c.Body.Delete(p)
		return c
	}
	if c.Body, err = c.Body.Set(p, value); err != nil {
		t.Fatal(err)
	}
	return c
}

// raw is a value in JSON.
type raw string

func run(t testing.TB, c engine.Campaign, f check.Facts) check.Result {
	t.Helper()
	out, err := check.Run(context.Background(), c, f)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// ids returns the ids of findings, the notes in parentheses.
func ids(list []check.Finding) string {
	var out []string
	for _, f := range list {
		id := f.Check
		if f.Severity == check.Note {
			id = "(" + id + ")"
		}
		out = append(out, id)
	}
	return strings.Join(out, " ")
}

// wrong is a good campaign with one change.
type wrong struct {
	change func(t *testing.T, c *engine.Campaign, f *check.Facts)
	want   string // the ids, the notes in parentheses
	says   string // part of the message of the first
}

func with(path string, v any) func(*testing.T, *engine.Campaign, *check.Facts) {
	return func(t *testing.T, c *engine.Campaign, _ *check.Facts) { *c = set(t, *c, path, v) }
}

func body(words string) func(*testing.T, *engine.Campaign, *check.Facts) {
	return with(htmlAt, page(words))
}

// compiledBy sets HTML with the comment of "<mjml></mjml>", where mjml is a script; it is not installed without one.
func compiledBy(script string) func(*testing.T, *engine.Campaign, *check.Facts) {
	return func(t *testing.T, c *engine.Campaign, _ *check.Facts) {
		bin := t.TempDir()
		if script != "" {
			if err := os.WriteFile(filepath.Join(bin, "mjml"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", bin)
		html := strings.TrimRight(page(""), "\n")
		sum := sha256.Sum256([]byte(html))
		*c = set(t, *c, htmlAt, fmt.Sprintf("%s\n<!-- bugle:mjml:1 %x %s -->", html, sum[:8], "ssnNys2xs9EHU4AAAAD//w=="))
	}
}

// tagged is body with UTM parameters for the campaign.
func tagged(words string) func(*testing.T, *engine.Campaign, *check.Facts) {
	return func(t *testing.T, c *engine.Campaign, f *check.Facts) {
		body(words)(t, c, f)
		*c = set(t, *c, "utm_params", raw(`{"utm_source":"news","utm_medium":"email"}`))
	}
}

// recipients is body for two users.
func recipients(words string) func(*testing.T, *engine.Campaign, *check.Facts) {
	return func(t *testing.T, c *engine.Campaign, f *check.Facts) {
		body(words)(t, c, f)
		svc := people{list: []engine.User{{ID: "1", Attributes: map[string]any{"City": "Berlin"}}, {ID: "2", Attributes: map[string]any{"City": "Bern"}}}}
		all, err := f.WithAudience(t.Context(), svc, *c)
		if err != nil {
			t.Fatal(err)
		}
		f.Audience = all.Audience
		f.Audience.Count.Reach.Email = 2
	}
}

func counted(fn func(*check.Audience)) func(*testing.T, *engine.Campaign, *check.Facts) {
	return func(_ *testing.T, _ *engine.Campaign, f *check.Facts) { fn(f.Audience) }
}

var emails = map[string]wrong{
	"nobody":                 {counted(func(a *check.Audience) { a.Count = engine.AudienceCount{Total: 12} }), "audience-empty", "None of the 12 users"},
	"everybody":              {with("segmentation_details", raw(`{"is_all_user_campaign":true}`)), "(audience-everyone)", "all users (400)"},
	"everybody, opted out":   {with("segmentation_details", raw(`{"is_all_user_campaign":true,"send_campaign_to_opt_out_users":true}`)), "audience-everyone", "opted out"},
	"filters of everybody":   {counted(func(a *check.Audience) { a.Count.Matched = 1000; a.Count.Reach.Email = 990 }), "audience-everyone", "every one of the 1000 users"},
	"no addresses":           {counted(func(a *check.Audience) { a.Count.Reach.Email = 12 }), "audience-unreachable", "12 of the 400 users have an email address"},
	"unknown attribute":      {with("segmentation_details.included_filters.filters[0].name", "Citty"), "attribute-unknown", "did you mean “City”"},
	"unknown in text":        {with(mailAt+"subject", "For {{UserAttribute['Frist Name']|default('you')}}"), "attribute-unknown", "user attribute “Frist Name”"},
	"event in a schedule":    {with(mailAt+"subject", "About {{EventAttribute['product']}}"), "attribute-unknown", "No event starts"},
	"unknown segment":        {with("segmentation_details.included_filters.filters[0]", raw(`{"filter_type":"custom_segments","name":"Byers"}`)), "segment-unknown", "segment “Byers”"},
	"unknown event":          {with("segmentation_details.included_filters.filters[0]", raw(`{"filter_type":"actions","action_name":"Boght","executed":true,"execution":{"type":"atleast","count":1}}`)), "event-unknown", "event “Boght”"},
	"unknown goal event":     {with("conversion_goal_details", raw(`{"attribution_window_in_hours":24,"goals":[{"goal_name":"g","goal_event_name":"Solld","is_primary_goal":true}]}`)), "event-unknown", "event “Solld”"},
	"unknown block":          {body("{{ContentBlock['foter']}}"), "content-block-unknown", "did you mean “footer”"},
	"unknown product set":    {body("<p>{{ProductSet.shoos[0].title|default('x')}}</p>"), "product-set-unknown", "did you mean “shoes”"},
	"unknown content API":    {body("<p>{{ContentApi.wether().t|default('x')}}</p>"), "content-api-unknown", "did you mean “weather”"},
	"refused content API":    {body("<p>{{ContentApi.foreign().t}}</p>"), "content-api-refused", "elsewhere.eu"},
	"missing value":          {lacking, "value-missing", "UserAttribute['First Name'] has no value for 30 of 400 recipients"},
	"value in HTML":          {body("<p title=\"{{user.city|upper}}\">{{user.first_name|default('')}}</p>"), "(value-unescaped)", "“user.city|upper” has no |e"},
	"value with a name":      {body("{% set who = user.city|default('x') %}{% if who %}<p>{{ who|title }}</p>{% endif %}"), "(value-unescaped)", "“user.city|default('x')” has no |e"},
	"value as a default":     {body("<p>{{ user.first_name|default(user.city|default('x'))|e }} {{ user.first_name|e|default(user.city|default('x')) }}</p>"), "(value-unescaped)", "“user.city|default('x')” has no |e"},
	"value in a format":      {body("<p>{{ 'From %s'|format(user.city|default('x')) }}</p>"), "(value-unescaped)", "“user.city|default('x')” has no |e"},
	"value in a loop":        {body("{% for part in user.city.split() %}<p>{{ part }}</p>{% endfor %}{% with c = user.city|e %}{{ c }}{% endwith %}"), "(value-unescaped)", "“user.city.split()” has no |e"},
	"value named in a link":  {body(`{% set c = user.city|default('x')|e %}{{ c }}<a href="https://shop.eu/x?city={{ c }}">x y</a>`), "(value-unescaped)", "“user.city|default('x')|e” has no |urlencode"},
	"value in a link":        {body(`<a href="https://shop.eu/x?city={{user.city|default('x')|e}}">x y</a>`), "(value-unescaped)", "“user.city|default('x')|e” has no |urlencode"},
	"unknown name":           {with(mailAt+"subject", "Hello {% if first_name %}{{ usr.x|default('you') }}{% endif %}"), "value-never", "nothing is named first_name (did you mean user.first_name?)"},
	"member of a text":       {with(mailAt+"subject", "{% if UserAttribute['City'].size %}Hello{% else %}Good day{% endif %}"), "value-never", "UserAttribute['City'].size: a value of City has no size; for its length, write |length"},
	"failure":                {with(mailAt+"subject", "Hello {{ 1 + 'a' }}"), "value-never", "1 + 'a': "},
	"no default":             {bare, "(default-missing)", "user.first_name has no default"},
	"long subject":           {with(mailAt+"subject", "The autumn shoes are here, and they are lighter than all of those before"), "subject-cut", "72 characters; about 60"},
	"long for phones":        {with(mailAt+"subject", "The autumn shoes are here, lighter than all before"), "(subject-cut)", "on phones"},
	"long sender":            {with(mailAt+"sender_name", "The shop for shoes of Main Street"), "(sender-cut)", "33 characters"},
	"no preview text":        {with(mailAt+"preview_text", nil), "preview-text-missing", "No preview text"},
	"short preview text":     {with(mailAt+"preview_text", "They last."), "(preview-text-short)", "10 characters"},
	"long preview text":      {with(mailAt+"preview_text", strings.Repeat("They last. ", 10)), "(preview-text-cut)", "about 90"},
	"other preheader":        {with(htmlAt, `<div style="display:none">Placeholder of the template</div>`+page("")), "preview-text-unused", "“Placeholder of the template”"},
	"blank subject":          {with(mailAt+"subject", " \u00a0\u200b"), "text-blank", "The subject is blank"},
	"blank HTML":             {with(htmlAt, "<html><body><p>&nbsp;</p></body></html>"), "text-blank unsubscribe-missing address-missing", "The HTML is blank"},
	"line break in subject":  {with(mailAt+"subject", "The autumn shoes\nare here"), "send-refused", "subject has a line break; remove it"},
	"refused addresses":      {with(mailAt+"from_address", "news at shop"), "", ""},
	"refused copies":         {with(mailAt+"cc_ids", raw(`["a b"]`)), "", ""},
	"NUL in the sender":      {with(mailAt+"sender_name", "Shop\x00"), "send-refused", "sender name has a NUL character"},
	"UTM, no scheme":         {tagged(`<a href="//shop.eu/x">x y</a>`), "link-bad utm-missing", "//shop.eu/x"},
	"UTM, text":              {tagged(`<p>Come to https://shop.eu/x today.</p>`), "utm-missing", "“https://shop.eu/x” gets no UTM parameters"},
	"UTM, form":              {tagged(`<form action="https://shop.eu/x"></form>`), "utm-missing html-form", "“https://shop.eu/x” gets"},
	"UTM, Outlook":           {tagged(`<!--[if mso]><v:rect href="http:/shop.eu/x"></v:rect><![endif]-->`), "utm-missing", "“http:/shop.eu/x” gets"},
	"repeated subject":       {with(mailAt+"preview_text", "The autumn shoes are here! Come and see them."), "preview-text-repeats", "both say"},
	"tags of others":         {body("<p>Dear %FIRSTNAME%, ${name}, {first_name}, [[data:name]], hello.</p>"), "text-placeholder", "“%FIRSTNAME%”, “${name}”, “{first_name}” and 1 more"},
	"tags in braces":         {body("<p>Dear {$name}, {!Contact.FirstName}, {contactfield=city}, &lt;%= name %&gt;.</p>"), "text-placeholder", "“{$name}”, “{!Contact.FirstName}”, “{contactfield=city}” and 1 more"},
	"link of others":         {body(`<p><a href="{unsubscribe_url}">Leave us</a></p>`), "link-bad", "{unsubscribe_url}"},
	"wrong type":             {recipients("<p>{% if user.city > 3 %}a{% endif %}</p>"), "value-never", "With the longest values in the audience, if user.city > 3: a text and a number cannot be compared"},
	"unseen preview text":    {with(mailAt+"preview_text", "\u200b\u00a0"), "preview-text-missing", "No preview text"},
	"include":                {with(htmlAt, "{% include 'x' %}"), "", ""},
	"lorem ipsum":            {body("<p>Lorem ipsum dolor sit amet.</p>"), "text-placeholder", "“Lorem ipsum”"},
	"TODO":                   {with(mailAt+"subject", "TODO: write the subject of this"), "text-placeholder", "“TODO”"},
	"template of scripts":    {body("<p>Dear ${user.first_name}, hello.</p>"), "text-placeholder", "“${user.first_name}”"},
	"two unknown in text":    {with(mailAt+"subject", "{{user.fist_name|default('a')}} {{user.lst_name|default('b')}}"), "attribute-unknown", "(did you mean “First Name”?), user attribute “lst_name”"},
	"merge tag of others":    {body("<p>Dear *|FNAME|*, hello.</p>"), "text-placeholder", "*|FNAME|*"},
	"all capitals":           {with(mailAt+"subject", "THE AUTUMN SHOES ARE HERE"), "subject-caps", "all capitals"},
	"! and ?":                {with(mailAt+"subject", "New shoes? Here they are!"), "(subject-marks)", "both"},
	"empty link":             {body(`<p><a href="https://shop.eu/x"></a></p>`), "button-empty", "https://shop.eu/x"},
	"button without address": {body(`<p><a href="" style="padding:9px">Buy</a></p>`), "button-empty", "“Buy” has no address"},
	"link without scheme":    {body(`<a href="www.shop.eu/x">x y</a>`), "link-bad", "does not begin with https://"},
	"script link":            {body(`<a href="javascript:alert(1)">x y</a>`), "link-bad", "does nothing"},
	"mail without address":   {body(`<a href="mailto:">x y</a>`), "link-bad", "has no address"},
	"host without dot":       {body(`<a href="https://shop/x">x y</a>`), "link-bad", "no valid host"},
	"#":                      {body(`<a href="#">x y</a>`), "link-placeholder", "leads nowhere"},
	"example.com":            {body(`<a href="https://www.example.com/x">x y</a>`), "link-placeholder", "is an example"},
	"below example.com":      {body(`<a href="https://shop.example.com/x">x y</a>`), "link-placeholder", "is an example"},
	"expression in the host": {body(`<a href="https://{{UserAttribute['City']}}.shop.eu/x">x y</a>`), "link-placeholder", "in its host"},
	"numeric host":           {body(`<a href="http://203.0.113.9/x">x y</a>`), "link-ip", "numbers"},
	"UTM on some":            {body(`<a href="https://shop.eu/x?utm_source=mail">x y</a>`), "utm-partial", "https://shop.eu/shoes"},
	"no unsubscribe link":    {with(htmlAt, strings.Replace(page("<p>Shop GmbH, Main Street 12, 10435 Berlin</p>"), "{{ContentBlock['footer']}}", "", 1)), "unsubscribe-missing", "No link to unsubscribe"},
	"no postal address":      {with(htmlAt, strings.Replace(page(`<a href="https://shop.eu/unsubscribe">Leave</a>`), "{{ContentBlock['footer']}}", "", 1)), "address-missing", "No postal address"},
	"foreign reply-to":       {with(mailAt+"reply_to_address", "help@other.eu"), "(reply-to-domain)", "other.eu"},
	"image without alt":      {body(`<img src="https://cdn.shop.eu/a.png" width="20">`), "image-alt-missing", "a.png"},
	"image without size":     {body(`<img src="https://cdn.shop.eu/a.png" alt="A">`), "(image-size-missing)", "a.png"},
	"image over http":        {body(`<img src="http://cdn.shop.eu/a.png" alt="A" width="20">`), "image-http", "a.png"},
	"images alone":           {with(htmlAt, `<div style="background:#fff"><a href="https://shop.eu"><img src="https://cdn.shop.eu/a.png" alt="" width="600"></a>{{ContentBlock['footer']}}</div>`), "image-only", "1 image and"},
	"clipped":                {body("<p>" + strings.Repeat("Shoes. ", 16000) + "</p>"), "html-clipped", "102 KB"},
	"MJML":                   {with(htmlAt, "<mjml>\n<mj-text></mjml>"), "mjml-not-compiled", "line 2: mj-text is not closed"},
	"other MJML":             {compiledBy("echo '<p>x</p>'"), "mjml-differs", "not what mjml makes of its MJML"},
	"MJML without mjml":      {compiledBy(""), "(mjml-not-verified)", "mjml is not installed"},
	"script":                 {body("<script>alert(1)</script>"), "html-script", "<script>"},
	"event handler":          {body(`<p onclick="x()">Now</p>`), "html-script", "onclick"},
	"form":                   {body(`<form action="https://shop.eu"><input name="x"></form>`), "html-form", "form"},
	"style sheet":            {body(`<link rel="stylesheet" href="https://shop.eu/a.css">`), "html-stylesheet", "a.css"},
	"unsupported style":      {body(`<div style="position:absolute">x</div>`), "css-unsupported", "position:absolute is ignored by Gmail"},
	"unsupported rule":       {body(`<style>.a { aspect-ratio: 1 } @media (max-width: 3px) { .b { display: none } }</style>`), "css-unsupported", "aspect-ratio"},
	"unsupported element":    {body(`<video src="https://shop.eu/a.mp4"></video>`), "css-unsupported", "<video>"},
	"not in Outlook":         {body(`<div style="display:flex">x</div>`), "(css-outlook)", "display:flex is ignored by Outlook"},
	"pale":                   {body(`<p style="color:#bbbbbb;background:#ffffff">Pale</p>`), "contrast-low", "1.9:1"},
	"pale on the page":       {body(`<p style="color:#999">Small print</p>`), "contrast-low", "#999999 on #ffffff"},
	"dark mode":              {with(htmlAt, strings.Replace(page(""), "background:#ffffff;", "", 1)), "dark-mode", "#222222"},
	"night":                  {with("scheduling_details.start_time", "2026-12-01T23:15:00"), "send-at-night", "23:15 in Europe/Berlin"},
	"night where users are":  {counted(func(a *check.Audience) { a.Zones = map[string]int{"Asia/Tokyo": 300, "America/Los_Angeles": 900} }), "send-at-night", "900 of 1200 recipients"},
	"clock change":           {with("scheduling_details.start_time", "2027-03-28T10:00:00"), "(clock-change)", "the clocks change in Europe/Berlin"},
	"skipped hour":           {with("scheduling_details.start_time", "2027-03-28T02:30:00"), "send-at-night clock-change", "Europe/Berlin"},
	"monthly on the 31st":    {periodic("2026-12-31T10:00:00", `"sending_frequency":"MONTHLY","repeat_on_date_of_month":[5,31],"no_of_occurences":12`, ""), "month-without-day", "February 2027 has no day 31"},
	"monthly from the 30th":  {periodic("2026-11-30T10:00:00", `"sending_frequency":"MONTHLY"`, ""), "month-without-day", "February 2027 has no day 30"},
	"February 29":            {periodic("2028-02-29T10:00:00", `"sending_frequency":"MONTHLY","repeat_frequency":12`, ""), "month-without-day", "February 2029 has no day 29"},
	"skipped in a year":      {periodic("2026-12-01T02:30:00", `"sending_frequency":"DAILY"`, ""), "send-at-night clock-change", "It is sent at 02:30"},
	"end after one send":     {periodic("2026-12-01T10:00:00", `"sending_frequency":"WEEKLY"`, "2026-12-08T09:59:00"), "end-after-one-send", "second send, which would be on Tue 8 Dec, 10:00"},
	"end before any send":    {periodic("2026-12-01T10:00:00", `"sending_frequency":"WEEKLY","repeat_on_days_of_week":["FRIDAY"]`, "2026-12-03T10:00:00"), "end-after-one-send", "It ends before its first send, which would be on Fri 4 Dec, 10:00"},
	"past in the east":       {userZone("2026-11-21T20:00:00"), "start-past-somewhere", "they do not get it"},
	"past for some":          {userZoneOf("2026-11-21T19:00:00", map[string]int{"Asia/Tokyo": 3, "Europe/Berlin": 9}), "start-past-somewhere", "3 of 12 recipients"},
	"no quiet hours":         {with("delivery_controls", raw(`{"bypass_dnd":true}`)), "limits-ignored", "quiet hours"},
	"no frequency cap":       {with("delivery_controls", raw(`{"ignore_frequency_capping":true}`)), "limits-ignored", "frequency cap"},
	"duplicate":              {duplicate(23 * time.Hour), "duplicate-audience", "“Boots” within 24 hours"},
	"untranslated":           {locales(`"preview_text":"Leicht und trocken, und sie halten viele Jahre"`), "locale-untranslated", "German: subject is as in the default"},
	"same variations":        {variations, "variations-identical", "Variation B is the same as A"},
	"unknown template":       {with("campaign_content.content.email", raw(`{"custom_template_id":"none","from_address":"news@shop.eu","subject":"The autumn shoes are here","preview_text":"Light, dry, and they last for years to come"}`)), "template-unknown", "no saved template none"},
}

var pushes = map[string]wrong{
	"long title":       {with(titleAt, strings.Repeat("Shoes ", 12)), "title-cut", "about 65"},
	"long message":     {with(pushAt+"android.basic_details.message", strings.Repeat("Shoes ", 10)), "(message-cut)", "while collapsed"},
	"long button":      {with(pushAt+"web.buttons[0].title", "See all of our autumn shoes"), "button-cut", "about 19"},
	"blank title":      {with(titleAt, "<b> </b>"), "text-blank markup-lost", "The title is blank"},
	"empty expression": {with(titleAt, "{{ '' }}"), "text-blank", "The title is blank"},
	"reserved keys":    {with(pushAt+"android.basic_details.key_value_pairs", raw(`[{"key":"from","value":"x"},{"key":"a","value":"1"},{"key":"a","value":"2"},{"key":"gcm.x","value":"2"}]`)), "send-refused", `"from" cannot be sent, because FCM reserves that name; rename the pair; there are two key-value pairs "a"; rename one; the key-value pair "gcm.x"`},
	"a field's name":   {with(pushAt+"web.basic_details.key_value_pairs", raw(`[{"key":"template_type","value":"x"},{"key":"template_type","value":"x"}]`)), "send-refused", "template_type"},
	"too long":         {with(pushAt+"web.basic_details.message", strings.Repeat("x", 4000)), "send-refused message-cut", "but Web Push allows 3993"},
	"replace key": {func(t *testing.T, c *engine.Campaign, f *check.Facts) {
		with("basic_details.platforms", raw(`["ANDROID","IOS"]`))(t, c, f)
		with(pushAt+"ios", raw(`{"template_type":"BASIC","basic_details":{"title":"New shoes","message":"Light"},"advanced":{"collapse_replace_key":"`+strings.Repeat("k", 65)+`"}}`))(t, c, f)
	}, "send-refused", "The replace key has 65 bytes, but APNs allows 64"},
	"long values": {func(t *testing.T, c *engine.Campaign, f *check.Facts) {
		svc := people{list: []engine.User{{ID: "1", Attributes: map[string]any{"City": strings.Repeat("x", 1500)}}, {ID: "2", Attributes: map[string]any{"City": "Bern"}}}}
		*c = set(t, *c, pushAt+"android.basic_details.key_value_pairs", raw(`[{"key":"a","value":"{% for i in [1,2,3] %}{{user.city}}{% endfor %}"}]`))
		all, err := f.WithAudience(t.Context(), svc, *c)
		if err != nil {
			t.Fatal(err)
		}
		f.Audience = all.Audience
		f.Audience.Count.Reach.Push = 2
	}, "send-refused", "With the longest values in the audience, the notification has 4"},
	"three on the web": {with(pushAt+"web.buttons", raw(`[{"title":"A","url":"https://shop.eu/a"},{"title":"B","url":"https://shop.eu/b"},{"title":"C","url":"https://shop.eu/c"}]`)), "buttons-hidden", "at most 2"},
	"markup":           {with(titleAt, "New <b>shoes</b>"), "markup-lost", "HTML tags are left out"},
	"formatting":       {with(pushAt+"android", raw(`{"basic_details":{"title":"New shoes","message":"<b>Light</b>"}}`)), "(markup-lost)", "not in a test"},
	"group":            {with(pushAt+"android", raw(`{"basic_details":{"title":"New shoes","message":"Light"},"advanced":{"group_key":"shoes"}}`)), "(group-hidden)", "does not group"},
	"web image":        {with(pushAt+"web.basic_details.image_url", "https://cdn.shop.eu/a.png"), "(image-hidden)", "Firefox"},
	"image over http":  {with(pushAt+"android.basic_details.image_url", "http://cdn.shop.eu/a.png"), "image-http", "a.png"},
	"empty button":     {with(pushAt+"android.buttons[0].btn_name", ""), "button-empty", "no text"},
	"dead button":      {with(pushAt+"android.buttons[0].click_action_value", ""), "button-empty", "“See them” leads nowhere"},
	"web button":       {with(pushAt+"web.buttons[0].url", nil), "button-empty", "leads nowhere"},
	"placeholder link": {with(pushAt+"android.basic_details.default_click_action_value", "TODO"), "link-placeholder", "TODO"},
	"bare link":        {with(pushAt+"android.buttons[0].click_action_value", "shop.eu/shoes"), "link-bad", "https://"},
	"no devices":       {counted(func(a *check.Audience) { a.Count.Reach.Push = 3 }), "audience-unreachable", "3 of the 400"},
	"colors":           {with(pushAt+"android", raw(`{"template_type":"STYLIZED_BASIC","basic_details":{"notification_channel":"n","title":"New shoes","message":"<font color='#eeeeee'>Light</font>","background_color_code":"#ffffff"}}`)), "contrast-low", "hard to read"},
	"event attribute":  {triggered("{{EventAttribute['prodct']|default('x')}}"), "attribute-unknown", "The event “Bought” has no attribute “prodct” (did you mean “product”?)"},
	"unknown trigger":  {with("trigger_condition.included_filters", raw(`{"filters":[{"filter_type":"actions","action_name":"Boght","executed":true,"execution":{"type":"atleast","count":1}}]}`)), "event-unknown", "Boght"},
	"unknown business": {business, "event-unknown", "business event “Sail”"},
}

func periodic(start, details, expiry string) func(*testing.T, *engine.Campaign, *check.Facts) {
	return func(t *testing.T, c *engine.Campaign, _ *check.Facts) {
		c.DeliveryType = catalog.Periodic
		*c = set(t, *c, "scheduling_details", raw(fmt.Sprintf(`{"delivery_type":"AT_FIXED_TIME","start_time":%q,"expiry_time":%q,"timezone":"Europe/Berlin","periodic_details":{%s}}`, start, expiry, details)))
	}
}

// Schedules whose months all have the day, and that end after their second send, are fine; and where the clocks skip the
// hour before midnight, it is found.
func TestSchedules(t *testing.T) {
	for name, c := range map[string]struct{ start, details, expiry, zone, want string }{
		"every December 31":     {"2026-12-31T10:00:00", `"sending_frequency":"MONTHLY","repeat_frequency":12`, "", "Europe/Berlin", ""},
		"the 28th":              {"2026-12-28T10:00:00", `"sending_frequency":"MONTHLY","repeat_on_date_of_month":[1,28]`, "", "Europe/Berlin", ""},
		"a weekday":             {"2026-12-31T10:00:00", `"sending_frequency":"MONTHLY","repeat_on_days_of_week":["MONDAY"]`, "", "Europe/Berlin", ""},
		"only long months":      {"2026-12-31T10:00:00", `"sending_frequency":"MONTHLY","no_of_occurences":2`, "", "Europe/Berlin", ""},
		"end at the second":     {"2026-12-01T10:00:00", `"sending_frequency":"WEEKLY"`, "2026-12-08T10:00:00", "Europe/Berlin", ""},
		"once by choice":        {"2026-12-01T10:00:00", `"sending_frequency":"WEEKLY","no_of_occurences":1`, "2027-12-08T10:00:00", "Europe/Berlin", ""},
		"skipped till midnight": {"2027-03-20T23:30:00", `"sending_frequency":"DAILY"`, "", "America/Nuuk", "On Sat 27 Mar 2027 the clocks skip 23:30 in America/Nuuk"},
	} {
		c1, f := email(t), facts()
		periodic(c.start, c.details, c.expiry)(t, &c1, &f)
		c1 = set(t, c1, "scheduling_details.timezone", c.zone)
		var got []string
		for _, x := range run(t, c1, f).Findings {
			if x.Check != "send-at-night" {
				got = append(got, x.Message)
			}
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func lacking(t *testing.T, c *engine.Campaign, f *check.Facts) {
	*c = set(t, *c, mailAt+"subject", "For {{UserAttribute['First Name']}}")
	f.Audience.Missing["UserAttribute['First Name']"] = 30
}

func bare(t *testing.T, c *engine.Campaign, f *check.Facts) {
	*c = set(t, *c, mailAt+"subject", "For {{user.first_name}}")
	f.Audience = nil
}

func userZone(start string) func(*testing.T, *engine.Campaign, *check.Facts) {
	return func(t *testing.T, c *engine.Campaign, _ *check.Facts) {
		*c = set(t, *c, "scheduling_details", raw(fmt.Sprintf(`{"delivery_type":"SEND_IN_USER_TIMEZONE","start_time":%q,"timezone":"Europe/Berlin",
			"user_timezone_details":{"send_in_user_timezone":true,"send_if_user_timezone_has_passed":false}}`, start)))
	}
}

func userZoneOf(start string, zones map[string]int) func(*testing.T, *engine.Campaign, *check.Facts) {
	return func(t *testing.T, c *engine.Campaign, f *check.Facts) {
		userZone(start)(t, c, f)
		f.Audience.Zones = zones
	}
}

func duplicate(apart time.Duration) func(*testing.T, *engine.Campaign, *check.Facts) {
	return func(t *testing.T, c *engine.Campaign, f *check.Facts) {
		other := engine.Summarize(*c)
		other.ID, other.Name, other.Status, other.Start = "65f0a1b2c3d4e5f60718293c", "Boots", catalog.Scheduled, other.Start.Add(apart)
		other.End = other.Start.Add(time.Hour)
		f.Others = []check.Other{{Summary: other, Audience: c.Body.Get("segmentation_details")}}
	}
}

// locales gives the campaign a German message, with some of its members translated.
func locales(translated string) func(*testing.T, *engine.Campaign, *check.Facts) {
	return func(t *testing.T, c *engine.Campaign, _ *check.Facts) {
		mail := c.Body.Get("campaign_content").Get("content").Get("email")
		german := mail
		for name, v := range parse(t, "{"+translated+"}").Members() {
			german, _ = german.Set(doc.P(name), v)
		}
		german, _ = german.Set(doc.P("html_content"), doc.NewString(strings.Replace(page(""), "New shoes", "Neue Schuhe", 1)))
		cell := func(v doc.Value) doc.Value {
			return doc.NewObject(doc.M("variation_1", doc.NewObject(doc.M("email", v))))
		}
		*c = set(t, *c, "campaign_content", raw(doc.NewObject(doc.M("locales", doc.NewStrings("de")),
			doc.M("content", doc.NewObject(doc.M("default", cell(mail)), doc.M("de", cell(german))))).Encode()))
	}
}

func variations(t *testing.T, c *engine.Campaign, _ *check.Facts) {
	mail := string(c.Body.Get("campaign_content").Get("content").Encode())
	*c = set(t, *c, "campaign_content", raw(`{"variation_details":{"distribution_type":"MANUAL","no_of_variations":2,"manual_distribution_percentage":{"variation_1":50,"variation_2":50}},
		"content":{"default":{"variation_1":`+mail+`,"variation_2":`+mail+`}}}`))
}

func triggered(title string) func(*testing.T, *engine.Campaign, *check.Facts) {
	return func(t *testing.T, c *engine.Campaign, _ *check.Facts) {
		c.DeliveryType = catalog.EventTriggered
		*c = set(t, *c, titleAt, title)
		*c = set(t, *c, "trigger_condition", raw(`{"included_filters":{"filters":[{"filter_type":"actions","action_name":"Bought","executed":true,"execution":{"type":"atleast","count":1}}]},"trigger_delay_type":"ASAP"}`))
	}
}

func business(t *testing.T, c *engine.Campaign, _ *check.Facts) {
	c.DeliveryType = catalog.BusinessEventTriggered
	*c = set(t, *c, "basic_details.business_event", "Sail")
}

// A caller that compiles MJML itself is told nothing about it, and the program does not run for the check as well.
func TestMJMLCompiledElsewhere(t *testing.T) {
	bin := t.TempDir()
	ran := filepath.Join(bin, "ran")
	if err := os.WriteFile(filepath.Join(bin, "mjml"), []byte("#!/bin/sh\necho run >> "+ran+"\necho '<p>x</p>'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	f := facts()
	f.CompilesMJML = true
	out := run(t, set(t, email(t), htmlAt, "<mjml><mj-text>Shoes</mj-text></mjml>"), f)
	if slices.ContainsFunc(out.Findings, func(f check.Finding) bool { return f.Check == "mjml-not-compiled" }) {
		t.Errorf("found %v", out.Findings)
	}
	if b, err := os.ReadFile(ran); err == nil {
		t.Errorf("mjml ran: %s", b)
	}
}

func TestGoodCampaignsRaiseNothing(t *testing.T) {
	compiled := set(t, email(t), htmlAt, page("")+"\n<!-- bugle:mjml:1 0 "+strings.Repeat("A", 110<<10)+" -->") // the source is not sent, so nothing clips it
	for _, c := range []engine.Campaign{email(t), compiled, push(t)} {
		out := run(t, c, facts())
		for _, f := range out.Findings {
			t.Errorf("%s: %s: %s", f.Check, f.Place(), f.Message)
		}
		if len(out.Skipped) > 0 {
			t.Errorf("skipped %v", out.Skipped)
		}
		env := schema.Env{Stage: schema.Publish, Now: now, Flags: map[string]bool{}, Lists: workspace().Lists, Expression: template.Check}
		for _, p := range schema.Errors(catalog.Campaign(c.Channel).Validate(c.Document(), env)) {
			t.Errorf("the base is invalid: %s", p)
		}
	}
}

func TestWrongCampaigns(t *testing.T) {
	if n := len(emails) + len(pushes); n < 40 {
		t.Fatalf("only %d campaigns", n)
	}
	covered := map[string]bool{}
	for base, list := range map[string]map[string]wrong{"email": emails, "push": pushes} {
		for name, w := range list {
			t.Run(base+"/"+name, func(t *testing.T) {
				c, f := email(t), facts()
				if base == "push" {
					c = push(t)
				}
				w.change(t, &c, &f)
				out := run(t, c, f)
				if got := ids(out.Findings); got != w.want {
					t.Errorf("found %q, want %q", got, w.want)
					for _, f := range out.Findings {
						t.Logf("%s: %s", f.ID(), f.Message)
					}
				}
				if len(out.Findings) == 0 {
					return
				}
				first := out.Findings[0]
				if !strings.Contains(first.Message, w.says) {
					t.Errorf("it says %q, want %q in it", first.Message, w.says)
				}
				if first.Remedy == "" || len(first.Trail) != len(first.Path) || strings.HasSuffix(first.Message, ".") {
					t.Errorf("it lacks something: %+v", first)
				}
				for _, f := range out.Findings {
					covered[f.Check] = true
				}
			})
		}
	}
	for _, k := range check.Checks() {
		if !covered[k.ID] && !k.Online {
			t.Errorf("no campaign raises %s", k.ID)
		}
	}
}

// What is checked needs facts: without them a check is not made, and the result says so.
func TestWithoutFacts(t *testing.T) {
	c := set(t, email(t), htmlAt, page("<p>{{user.first_name}} {{ContentBlock['unknown']}}</p>"))
	out := run(t, c, check.Facts{})
	if got := ids(out.Findings); got != "(default-missing) (value-unescaped)" {
		t.Errorf("found %q", got)
	}
	for id, want := range map[string]string{
		"audience-empty": "the audience was not counted", "event-unknown": "the settings of the workspace are not known",
		"product-set-unknown": "the content of the workspace is not known", "send-at-night": "the time is not known",
		"duplicate-audience": "the other campaigns are not known", "unsubscribe-missing": "the email includes content blocks, which are not known",
	} {
		if !slices.Contains(out.Skipped, check.Skipped{Check: id, Why: want}) {
			t.Errorf("%s is not among the skipped, which are %v", id, out.Skipped)
		}
	}
}

// people are a service's users.
type people struct {
	engine.Service
	engine.AudienceReader
	list []engine.User
}

func (p people) EstimateAudience(context.Context, engine.AudienceRequest) (engine.AudienceCount, error) {
	return engine.AudienceCount{Total: len(p.list), Matched: len(p.list)}, nil
}

func (p people) AudienceMembers(context.Context, engine.AudienceRequest) ([]engine.User, error) {
	return p.list, nil
}

// Values that break HTML or a link are counted among the audience, and the filters that they need are offered.
func TestUnescapedValues(t *testing.T) {
	svc := people{list: []engine.User{
		{ID: "1", Attributes: map[string]any{"First Name": "M & <Sons> Ltd", "City": "New York", "Age": 5}},
		{ID: "2", Attributes: map[string]any{"First Name": "Ann", "City": "Bern"}},
		{ID: "3", Attributes: map[string]any{"City": "New York"}},
	}}
	for _, tt := range []struct{ name, html, fixed, says string }{
		{"text", "<p>{{user.first_name|default('x')}} {% for user in [1] %}{{ user }}{% endfor %}</p>", "<p>{{user.first_name|default('x')|e}} {% for user in [1] %}{{ user }}{% endfor %}</p>", "the value of 1 of 3 recipients needs it"},
		{"link", `<a href="https://shop.eu/s?city={{ UserAttribute['City'] }}&amp;x=1">x y</a>`, `<a href="https://shop.eu/s?city={{ UserAttribute['City']|urlencode }}&amp;x=1">x y</a>`, "“UserAttribute['City']” has no |urlencode, and the value of 2 of 3 recipients needs it"},
		{"both", `<p>{{ "Dear " ~ user.first_name|d("x") }}</p><img src="https://cdn.shop.eu/{{user.city}}.png" alt="{{user.city}}" width="1">`, `<p>{{ "Dear " ~ user.first_name|d("x")|e }}</p><img src="https://cdn.shop.eu/{{user.city|urlencode}}.png" alt="{{user.city|e}}" width="1">`, "“user.city” has no |urlencode"},
		{"nobody needs it", "<p>{{user.city}}</p>", "<p>{{user.city|e}}</p>", "“user.city” has no |e"},
		{"escaped", `<p>{{user.first_name|d("x")|e}}{{ user.first_name|d("x")|safe }}{% filter e %}{{ user.first_name|d("x") }}{% endfilter %}</p><style>{{ user.first_name|d("x") }}</style>`, "", ""},
		{"whole link", `<a href="{{user.city}}">x y</a>`, "", ""},
		{"condition", "{% if user.first_name == 'x' %}<p>a</p>{% endif %}", "", ""},
		{"two by a name", `{% set who = user.first_name|d("x") ~ user.city|d("y") %}<p>{{ who }}</p>`, `{% set who = user.first_name|d("x") ~ user.city|d("y") %}<p>{{ who|e }}</p>`, "the value of 1 of 3 recipients needs it"},
		{"block", "{{ContentBlock['hello']}}", "", "“user.first_name|d('x')” has no |e"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := set(t, email(t), htmlAt, page(tt.html))
			f := facts()
			f.Workspace.ContentBlocks = append(f.Workspace.ContentBlocks, engine.ContentBlock{Name: "hello", Source: "<p>{{ user.first_name|d('x') }}</p>"})
			f, err := f.WithAudience(t.Context(), svc, c)
			if err != nil {
				t.Fatal(err)
			}
			found, ok := run(t, c, f).Find("value-unescaped@" + htmlAt)
			want := ""
			if tt.fixed != "" {
				want = page(tt.fixed)
			}
			if needed := strings.Contains(found.Message, "needs it"); ok && needed != (found.Severity == check.Warning) {
				t.Errorf("severity %s of %q", found.Severity, found.Message)
			}
			if ok != (tt.says != "") || !strings.Contains(found.Message, tt.says) || found.Fix != want {
				t.Errorf("found %q, fixed as %q", found.Message, found.Fix)
			}
		})
	}
}

// The HTML's own preheader is replaced by the preview text.
func TestOtherPreheaderIsReplaced(t *testing.T) {
	c := set(t, email(t), htmlAt, `<div style="display:none">Placeholder of the {{user.city}}</div>`+page(""))
	found, _ := run(t, c, facts()).Find("preview-text-unused@" + htmlAt)
	if found.Fix != page("") || !found.Fixes(c.Document()) {
		t.Errorf("fixed as %q", found.Fix)
	}
	c = set(t, email(t), htmlAt, "{{ContentBlock['footer']}}"+page(""))
	f := facts()
	f.Workspace.ContentBlocks[0].Source = `<div style="display:none">Placeholder of the template</div>` + footer
	if found, ok := run(t, c, f).Find("preview-text-unused@" + htmlAt); !ok || found.Fix != "" {
		t.Errorf("in a block: %v, fixed as %q", ok, found.Fix)
	}
}

// A link to unsubscribe and an address count wherever they come from.
func TestUnsubscribeIsFoundWhereverItIs(t *testing.T) {
	for name, html := range map[string]string{
		"nested block":       strings.Replace(page(""), "'footer'", "'outer'", 1),
		"branch":             strings.Replace(page(""), "{{ContentBlock['footer']}}", "{% if user.city == 'x' %}{{ContentBlock['footer']}}{% endif %}", 1),
		"attribute":          strings.Replace(page(""), "{{ContentBlock['footer']}}", `Shop, Main Street 1, 10435 Berlin <a href="{{UserAttribute['City']|default('https://shop.eu/unsubscribe')}}">Leave</a>`, 1),
		"beside an error":    page("<p>{{UserAttribute['City']}, hello</p>"),
		"American address":   strings.Replace(page(""), "{{ContentBlock['footer']}}", `<p>Shop Inc., 1600 Main Street, Springfield, IL 62701 <a href="https://shop.eu/optout">opt out</a></p>`, 1),
		"British address":    strings.Replace(page(""), "{{ContentBlock['footer']}}", `<p>Shop Ltd, 1 High Street, London SW1A 1AA <a href="https://shop.eu/optout">opt out</a></p>`, 1),
		"split over a table": strings.Replace(page(""), "{{ContentBlock['footer']}}", `<table><tr><td>Main Street 12<br>10435 Berlin</td><td><a href="https://shop.eu/abmelden">Abmelden</a></td></tr></table>`, 1),
	} {
		out := run(t, set(t, email(t), htmlAt, html), facts())
		for _, f := range out.Findings {
			if f.Check == "unsubscribe-missing" || f.Check == "address-missing" {
				t.Errorf("%s: %s", name, f.Message)
			}
		}
	}
}

func TestDismissals(t *testing.T) {
	c, f := set(t, email(t), mailAt+"subject", "THE AUTUMN SHOES ARE HERE"), facts()
	found := run(t, c, f).Findings
	if len(found) != 1 {
		t.Fatalf("found %v", found)
	}
	if want := "subject-caps@campaign_content.content.email.subject"; found[0].ID() != want {
		t.Errorf("the id is %s, want %s", found[0].ID(), want)
	}
	f.Dismissed = []engine.Dismissal{found[0].Dismiss("ann@shop.eu", "It is meant", now)}
	out := run(t, c, f)
	if len(out.Findings) != 0 || len(out.Dismissed) != 1 || out.Dismissed[0].Dismissed.Reason != "It is meant" {
		t.Errorf("after the dismissal it is %+v", out)
	}
	if _, ok := out.Find(found[0].ID()); !ok {
		t.Error("the dismissed finding is not found")
	}
	if stale := check.Stale(c, f.Dismissed); len(stale) != 0 {
		t.Errorf("stale are %v", stale)
	}
	c = set(t, c, mailAt+"subject", "ALL AUTUMN SHOES ARE HERE")
	if out := run(t, c, f); len(out.Findings) != 1 || len(check.Stale(c, f.Dismissed)) != 1 {
		t.Errorf("a dismissal holds for another text: %+v", out)
	}
}

// What a saved template has is found where the campaign names the template.
func TestTemplates(t *testing.T) {
	f := facts()
	f.Content = check.NewContent(engine.ContentItem{Template: &engine.ContentTemplate{
		ID: "t1", Version: 1, Channel: catalog.Email, Content: parse(t, `{"html_content":`+string(doc.NewString(page(`<a href="#">x y</a>`)).Encode())+`}`),
	}})
	c := set(t, set(t, email(t), htmlAt, nil), mailAt+"custom_template_id", "t1")
	out := run(t, c, f)
	if ids(out.Findings) != "link-placeholder" || out.Findings[0].Path.String() != mailAt+"custom_template_id" {
		t.Errorf("found %+v", out.Findings)
	}
}

func TestCampaignsThatAreOverAreNotCounted(t *testing.T) {
	c, f := email(t), facts()
	c.Status, f.Audience.Count.Matched = catalog.Sent, 0
	out := run(t, c, f)
	if len(out.Findings) != 0 || !slices.Contains(out.Skipped, check.Skipped{Check: "audience-empty", Why: "the campaign is over"}) {
		t.Errorf("found %v, skipped %v", out.Findings, out.Skipped)
	}
}

func TestReadOnlyChannelsAndEndedContexts(t *testing.T) {
	c := email(t)
	c.Channel = catalog.SMS
	if out := run(t, c, facts()); len(out.Findings)+len(out.Skipped) != 0 {
		t.Errorf("found %v", out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := check.Run(ctx, email(t), facts()); err == nil {
		t.Error("an ended context ends nothing")
	}
}

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range check.Checks() {
		if seen[k.ID] || k.Title == "" || k.Why == "" || k.Remedy == "" || strings.ToLower(k.ID) != k.ID {
			t.Errorf("the row %+v is not complete", k)
		}
		seen[k.ID] = true
		if got, ok := check.Of(k.ID); !ok || got.Title != k.Title {
			t.Errorf("%s is not found by its id", k.ID)
		}
	}
}
