package catalog

import (
	"fmt"
	"strings"

	"bugle/engine/schema"
)

func init() {
	handCases = append(handCases, contentCases()...)
	handCases = append(handCases, geofenceCases()...)
}

var atPublish = schema.Env{Stage: schema.Publish}

// pushWith is a push campaign whose campaign_content is the given members.
func pushWith(members string, platforms ...string) string {
	list := ""
	if len(platforms) > 0 {
		list = `"basic_details":{"platforms":["` + strings.Join(platforms, `","`) + `"]},`
	}
	return `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME",` + list + `"campaign_content":{` + members + `}}`
}

func emailWith(members string) string {
	return `{"channel":"EMAIL","campaign_delivery_type":"ONE_TIME","campaign_content":{` + members + `}}`
}

const (
	flatPush  = `"push":{"android":{"basic_details":{"title":"Hi"}}}`
	oneCell   = `{"variation_1":{"push":{"android":{"basic_details":{"title":"Hi"}}}}}`
	twoCells  = `{"variation_1":{"push":{}},"variation_2":{"push":{}}}`
	abTest    = `"variation_details":{"no_of_variations":2}`
	wrongCell = `{"variation_2":{"push":{}}}`
)

func contentCases() []ruleCase {
	const content = "campaign_content.content"
	return []ruleCase{
		{
			rule: content + "#one_shape", schema: "campaign push",
			accept: []string{
				pushWith(`"content":{` + flatPush + `}`),
				pushWith(`"locales":[],"content":{` + flatPush + `}`),
				pushWith(`"variation_details":{},"content":{` + flatPush + `}`),
				pushWith(`"variation_details":{"no_of_variations":1},"content":{` + flatPush + `}`),
				pushWith(`"locales":["de"],` + abTest + `,"content":{"default":` + twoCells + `,"de":` + twoCells + `}`),
				pushWith(`"content":{}`),
			},
			refuse: []string{
				pushWith(`"content":{` + flatPush + `,"default":` + oneCell + `}`),
				pushWith(`"locales":["de"],"content":{` + flatPush + `}`),
				pushWith(abTest + `,"content":{` + flatPush + `}`),
				pushWith(`"variation_details":{"distribution_type":"MANUAL"},"content":{` + flatPush + `}`),
			},
		},
		{
			rule: content + "#default_locale", schema: "campaign push",
			accept: []string{pushWith(`"content":{"default":` + oneCell + `}`), pushWith(`"content":{` + flatPush + `}`), pushWith(`"content":{}`)},
			refuse: []string{pushWith(`"locales":["de"],"content":{"de":` + oneCell + `}`)},
		},
		{
			rule: content + "#listed_locales", schema: "campaign push",
			accept: []string{pushWith(`"locales":["de"],"content":{"default":` + oneCell + `,"de":` + oneCell + `}`), pushWith(`"content":{"default":` + oneCell + `}`)},
			refuse: []string{
				pushWith(`"locales":["fr"],"content":{"default":` + oneCell + `,"de":` + oneCell + `}`),
				pushWith(`"content":{"default":` + oneCell + `,"Default":` + oneCell + `}`),
			},
		},
		{
			rule: content + "#every_cell", schema: "campaign push", env: atPublish,
			accept: []string{
				pushWith(`"locales":["de"],` + abTest + `,"content":{"default":` + twoCells + `,"de":` + twoCells + `}`),
				pushWith(`"content":{"default":` + oneCell + `}`),
				pushWith(`"content":{` + flatPush + `}`),
				pushWith(`"variation_details":{"distribution_type":"MANUAL","manual_distribution_percentage":{"variation_2":100}},"content":{"default":` + wrongCell + `}`),
			},
			refuse: []string{
				pushWith(`"locales":["de"],"content":{"default":` + oneCell + `}`),
				pushWith(abTest + `,"content":{"default":` + oneCell + `}`),
				pushWith(`"locales":["de"],` + abTest + `,"content":{"default":` + twoCells + `,"de":` + oneCell + `}`),
				pushWith(`"content":{"default":` + wrongCell + `}`),
				pushWith(`"variation_details":{"no_of_variations":9000000000000000000},"content":{"default":` + oneCell + `}`),
			},
		},
		{ // the same while it is still being built
			rule: content + "#every_cell", schema: "campaign push",
			accept: []string{pushWith(`"locales":["de"],` + abTest + `,"content":{"default":` + oneCell + `}`)},
		},
		{
			rule: "push#platform_content", schema: "campaign push", env: atPublish,
			accept: []string{
				pushWith(`"content":{`+flatPush+`}`, "ANDROID"),
				pushWith(`"content":{"default":`+oneCell+`}`, "ANDROID"),
				pushWith(`"content":{` + flatPush + `}`),
			},
			refuse: []string{
				pushWith(`"content":{`+flatPush+`}`, "ANDROID", "WEB"),
				pushWith(`"content":{"push":{"ios":{}}}`, "IOS"),
				pushWith(`"content":{"default":`+twoCells+`}`, "ANDROID"),
			},
		},
		{rule: content + ".email#applies", schema: "campaign push", accept: []string{pushWith(`"content":{` + flatPush + `}`)}, refuse: []string{pushWith(`"content":{"email":{"subject":"Hi"}}`)}},
		{rule: content + ".push#applies", schema: "campaign email", accept: []string{emailWith(`"content":{"email":{"subject":"Hi"}}`)}, refuse: []string{emailWith(`"content":{` + flatPush + `}`)}},
		{rule: content + ".*.*.email#applies", schema: "campaign push", accept: []string{pushWith(`"content":{"default":` + oneCell + `}`)}, refuse: []string{pushWith(`"content":{"default":{"variation_1":{"email":{}}}}`)}},
		{rule: content + ".*.*.push#applies", schema: "campaign email", accept: []string{emailWith(`"content":{"default":{"variation_1":{"email":{}}}}`)}, refuse: []string{emailWith(`"content":{"default":` + oneCell + `}`)}},
		percentages("names_variations",
			[]string{`2,"manual_distribution_percentage":{"variation_1":50,"variation_2":50}`, `1,"manual_distribution_percentage":{"variation_1":100}`},
			[]string{
				`2,"manual_distribution_percentage":{"variation_1":100}`,
				`2,"manual_distribution_percentage":{"variation_1":50,"variation_2":25,"variation_3":25}`,
				`1000000000000,"manual_distribution_percentage":{"variation_1":100}`,
			}),
		percentages("sums_to_100",
			[]string{`2,"manual_distribution_percentage":{"variation_1":50,"variation_2":50}`, `2,"manual_distribution_percentage":{"variation_1":0,"variation_2":1e2}`},
			[]string{
				`2,"manual_distribution_percentage":{"variation_1":50,"variation_2":49}`,
				`2,"manual_distribution_percentage":{"variation_1":150,"variation_2":-50}`,
			}),
	}
}

// percentages is a case of manual_distribution_percentage; each text is the number of variations
// and what follows it in variation_details.
func percentages(rule string, accept, refuse []string) ruleCase {
	whole := func(texts []string) []string {
		out := make([]string, len(texts))
		for i, text := range texts {
			out[i] = pushWith(`"variation_details":{"distribution_type":"MANUAL","no_of_variations":` + text + `}`)
		}
		return out
	}
	return ruleCase{
		rule: "campaign_content.variation_details.manual_distribution_percentage#" + rule, schema: "campaign push", env: atPublish,
		accept: whole(accept), refuse: whole(refuse),
	}
}

func geofenceCases() []ruleCase {
	one := func(field, rule string, accept, refuse []string) ruleCase {
		whole := func(values []string) []string {
			out := make([]string, len(values))
			for i, v := range values {
				out[i] = fmt.Sprintf(`{"channel":"PUSH","campaign_delivery_type":"LOCATION_TRIGGERED","basic_details":{"geofences":{%q:%q}}}`, field, v)
			}
			return out
		}
		return ruleCase{rule: "push.basic_details.geofences." + field + "#" + rule, schema: "campaign push", accept: whole(accept), refuse: whole(refuse)}
	}
	return []ruleCase{
		one("latitude", "degrees", []string{"90", "-90", "0", "52.5219"}, []string{"90.1", "-91"}),
		one("longitude", "degrees", []string{"180", "-180", "13.4"}, []string{"180.5", "-200"}),
		one("radius", "positive", []string{"1", "0.5", "150"}, []string{"0", "0.0", "-3"}),
	}
}
