package catalog

import (
	"strings"

	"bugle/engine/schema"
)

// The generated cases hold a table to itself. These hold the content tables to the sentences
// of the contract: what they name is spelled out here a second time, on purpose.
func init() {
	for _, c := range []struct {
		rule           string
		stage          schema.Stage
		accept, refuse []string
	}{
		{"push.android.custom_template_id#required", schema.Draft,
			[]string{`android {"template_type":"Custom","custom_template_id":"x"}`, `android {"template_type":"TIMER"}`},
			[]string{`android {"template_type":"Custom"}`}},
		{"push.ios.custom_template_id#required", schema.Draft,
			[]string{`ios {"template_type":"Custom","custom_template_id":"x"}`}, []string{`ios {"template_type":"Custom","custom_template_id":""}`}},
		{"push.android.custom_template_id#unused", schema.Draft,
			[]string{`android {"template_type":"Custom","custom_template_id":"x"}`}, []string{`android {"template_type":"BASIC","custom_template_id":"x"}`}},
		{"push.android.template_type#enum", schema.Draft,
			[]string{`android {"template_type":"TIMER_WITH_PROGRESS_BAR"}`}, []string{`android {"template_type":"CUSTOM"}`, `android {"template_type":"basic"}`}},
		{"push.ios.template_type#enum", schema.Draft,
			[]string{`ios {"template_type":"SIMPLE_IMAGE_CAROUSEL"}`}, []string{`ios {"template_type":"TIMER"}`, `ios {"template_type":"IMAGE_BANNER_WITH_TEXT"}`}},
		{"push.web.template_type#enum", schema.Draft, []string{`web {"template_type":"BASIC"}`}, []string{`web {"template_type":"Custom"}`}},
		{"push.android.timer#required", schema.Draft,
			[]string{`android {"template_type":"TIMER","timer":{"time_period":"PM"}}`, `android {"template_type":"STYLIZED_BASIC"}`},
			[]string{`android {"template_type":"TIMER"}`, `android {"template_type":"TIMER_WITH_PROGRESS_BAR"}`}},
		{"push.android.timer.specific_time#required", schema.Draft,
			[]string{`timer {"personalized_value":true,"specific_time":"2026-12-01T18:00:00Z"}`, `timer {"personalized_value":false}`},
			[]string{`timer {"personalized_value":true}`}},
		{"push.android.timer.duration_hour#required", schema.Draft,
			[]string{`timer {"personalized_value":false,"duration_hour":"1"}`, `timer {"personalized_value":true}`}, []string{`timer {"personalized_value":false}`}},
		{"push.android.timer.duration_minute#required", schema.Draft,
			[]string{`timer {"personalized_value":false,"duration_minute":"1"}`}, []string{`timer {"personalized_value":false,"duration_hour":"1"}`}},
		{"push.android.timer.duration_hour#required.2", schema.Draft,
			[]string{`timer {"timer_ends_at":"SPECIFIC_TIME_USER_TIMEZONE"}`}, []string{`timer {"timer_ends_at":"DURATION"}`}},
		{"push.android.timer.duration_hour#type", schema.Draft, []string{`timer {"duration_hour":"2"}`}, []string{`timer {"duration_hour":2}`}},
		{"push.android.timer.time_period#required", schema.Draft,
			[]string{`timer {"timer_ends_at":"DURATION"}`, `timer {"timer_ends_at":"SPECIFIC_TIME_CAMPAIGN_TIMEZONE","time_period":"PM"}`},
			[]string{`timer {"timer_ends_at":"SPECIFIC_TIME_CAMPAIGN_TIMEZONE"}`, `timer {"timer_ends_at":"SPECIFIC_TIME_USER_TIMEZONE"}`}},
		{"push.android.basic_details.banner_image_url#required", schema.Draft,
			[]string{`android {"template_type":"IMAGE_BANNER_WITH_TEXT","basic_details":{"banner_image_url":"https://a.b/c"}}`, `android {"basic_details":{"title":"x"}}`},
			[]string{`android {"template_type":"IMAGE_BANNER_WITH_TEXT","basic_details":{"title":"x"}}`}},
		{"push.android.basic_details#required", schema.Draft, nil, []string{`android {"template_type":"IMAGE_BANNER_WITH_TEXT"}`, `android {"template_type":"SIMPLE_IMAGE_CAROUSEL"}`}},
		{"push.android.basic_details.title#required", schema.Publish,
			[]string{`android {"template_type":"BASIC","basic_details":{"title":"x"}}`, `android {"template_type":"Custom","basic_details":{"summary":"x"}}`},
			[]string{`android {"template_type":"BASIC","basic_details":{"title":""}}`, `android {"basic_details":{"message":"x"}}`}},
		{"push.android.basic_details.title#required", schema.Draft, []string{`android {"template_type":"BASIC","basic_details":{"message":"x"}}`}, nil},
		{"push.ios.basic_details.message#required", schema.Publish, nil, []string{`ios {"template_type":"BASIC","basic_details":{"title":"x"}}`}},
		{"push.ios.basic_details.image_url#required", schema.Draft, nil, []string{`ios {"template_type":"SIMPLE_IMAGE_CAROUSEL","basic_details":{"title":"x"}}`}},
		{"push.web.basic_details.redirect_url#required", schema.Publish, nil, []string{`web {"basic_details":{"title":"x","message":"y"}}`}},
		{"push.android.template_backup#required", schema.Publish,
			[]string{`android {"template_type":"BASIC"}`, `android {"template_type":"Custom"}`},
			[]string{`android {"template_type":"STYLIZED_BASIC"}`, `android {"template_type":"TIMER"}`, `android {"template_type":"IMAGE_BANNER_WITH_TEXT"}`}},
		{"push.ios.template_backup#required", schema.Publish, []string{`ios {"template_type":"Custom"}`}, []string{`ios {"template_type":"STYLIZED_BASIC"}`}},
		{"push.android.template_backup#required", schema.Draft, []string{`android {"template_type":"STYLIZED_BASIC"}`}, nil},
		{"push.android.advanced.dismiss_button_text#required", schema.Draft,
			[]string{`android {"advanced":{"make_notification_sticky":false}}`},
			[]string{`android {"advanced":{"make_notification_sticky":true}}`, `android {"advanced":{"auto_dismiss_notification":true}}`}},
		{"push.android.advanced.auto_dismiss_notification_time_value#required", schema.Draft, nil, []string{`android {"advanced":{"auto_dismiss_notification":true}}`}},
		{"push.android.advanced.auto_dismiss_notification_time_granularity#enum", schema.Draft,
			[]string{`android {"advanced":{"auto_dismiss_notification":true,"auto_dismiss_notification_time_granularity":"DAYS"}}`},
			[]string{`android {"advanced":{"auto_dismiss_notification":true,"auto_dismiss_notification_time_granularity":"WEEKS"}}`}},
		{"push.android.basic_details#unknown", schema.Draft, nil, []string{`android {"basic_details":{"titel":"x"}}`}},
		{"push.ios.basic_details#extra_member", schema.Draft, nil, []string{`ios {"basic_details":{"titel":"x"}}`}},
		{"push.web.basic_details#extra_member", schema.Draft, nil, []string{`web {"basic_details":{"titel":"x"}}`}},
		{"push.android.advanced#extra_member", schema.Draft, nil, []string{`android {"advanced":{"x":"x"}}`}},
		{"push.android.timer#unknown", schema.Draft, nil, []string{`timer {"x":"x"}`}},
		{"carousel.slide.image_click_action_value#required", schema.Draft, nil,
			[]string{`android {"template_type":"SIMPLE_IMAGE_CAROUSEL","basic_details":{"carousel_content":{"slide_data":[{"image_click_action":"RICH_LANDING"}]}}}`}},
	} {
		handCases = append(handCases, ruleCase{
			rule: c.rule, schema: "campaign push", env: schema.Env{Stage: c.stage}, accept: contentOf(c.accept), refuse: contentOf(c.refuse),
		})
	}
	handCases = append(handCases, emailSpecCases()...)
}

// contentOf turns "android {…}", "ios {…}", "web {…}" and "timer {…}" into whole campaigns.
func contentOf(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		name, object, _ := strings.Cut(text, " ")
		if name == "timer" {
			name, object = "android", `{"template_type":"TIMER","timer":`+object+`}`
		}
		out[i] = pushWith(`"content":{"push":{"` + name + `":` + object + `}}`)
	}
	return out
}

func emailSpecCases() []ruleCase {
	mail := func(rule string, stage schema.Stage, accept, refuse string) ruleCase {
		c := ruleCase{rule: "email.content" + rule, schema: "campaign email", env: schema.Env{Stage: stage}}
		if accept != "" {
			c.accept = []string{emailWith(`"content":{"email":` + accept + `}`)}
		}
		if refuse != "" {
			c.refuse = []string{emailWith(`"content":{"email":` + refuse + `}`)}
		}
		return c
	}
	details := func(rule string, stage schema.Stage, accept, refuse string) ruleCase {
		return ruleCase{
			rule: "email.basic_details." + rule, schema: "campaign email", env: schema.Env{Stage: stage},
			accept: []string{`{"channel":"EMAIL","basic_details":` + accept + `}`}, refuse: []string{`{"channel":"EMAIL","basic_details":` + refuse + `}`},
		}
	}
	return []ruleCase{
		mail("#not_both", schema.Draft, `{"html_content":"x"}`, `{"html_content":"x","custom_template_id":"y"}`),
		mail("#one_of", schema.Publish, `{"custom_template_id":"y"}`, `{"subject":"x"}`),
		mail("#one_of", schema.Draft, `{"subject":"x"}`, ""),
		mail(".subject#required", schema.Publish, `{"custom_template_id":"y"}`, `{"html_content":"x"}`),
		mail(".from_address#required", schema.Publish, `{"from_address":"a@b.co"}`, `{"custom_template_id":"y"}`),
		mail(".cc_ids[]#email", schema.Draft, `{"cc_ids":["a@b.co"]}`, `{"cc_ids":["a@b.co","b"]}`),
		mail(".email_editor#enum", schema.Draft, `{"email_editor":"Code Editor"}`, `{"email_editor":"CODE"}`),
		details("subscription_category#required", schema.Inline, `{"subscription_category":"Offers"}`, `{"content_type":"TRANSACTIONAL"}`),
		details("subscription_category#required.2", schema.Publish, `{"content_type":"TRANSACTIONAL"}`, `{"content_type":"PROMOTIONAL"}`),
		details("content_type#required", schema.Inline, `{"content_type":"TRANSACTIONAL"}`, `{"name":"x"}`),
		details("name#required", schema.Inline, `{"name":"x"}`, `{"team":"x"}`),
	}
}
