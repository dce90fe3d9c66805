package catalog

import (
	"fmt"
	"math"
	"regexp"
	"strconv"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

var (
	variationName  = regexp.MustCompile(`^variation_[1-9][0-9]*$`)
	variationNames = schema.Keys{Re: variationName, Text: "variation_ and a number, such as variation_1"}
	cellNames      = schema.Keys{
		Re: regexp.MustCompile(`^(?:control|variation_[1-9][0-9]*)$`), Text: "variation_ and a number, such as variation_1, or control",
	}
)

// variationDetails returns campaign_content.variation_details: the A/B test.
func variationDetails() schema.Field {
	manual := schema.When("distribution_type", "MANUAL")
	optimizer := schema.When("distribution_type", "OPTIMIZER")
	return schema.Field{
		Name: "variation_details", Title: "A/B test", Kind: schema.Object,
		Help: "How many versions of the message you test, and how the audience is split between them.",
		Fields: []schema.Field{
			{
				Name: "distribution_type", Title: "Split", Kind: schema.String, Help: "How the audience is split between the variations.",
				Options: []schema.Option{
					{Value: "OPTIMIZER", Label: "Optimizer", Help: "sends more and more users the best variation"},
					{Value: "MANUAL", Label: "Manual", Help: "uses the percentages you set"},
				},
			},
			{
				Name: "no_of_variations", Title: "Number of variations", Kind: schema.Integer, Help: "How many versions of the message you test.", Example: "2",
				Rules: []schema.Rule{schema.Range{Min: 1, Max: math.Inf(1)}},
			},
			{
				Name: "manual_distribution_percentage", Title: "Percentages", Kind: schema.Map,
				Help: "The percentage of users who get each variation.", Example: "variation_1: 60, variation_2: 40",
				Used: manual, Required: []schema.Required{{When: manual}},
				Elem: &schema.Field{Title: "Percentage", Kind: schema.Integer, Help: "The percentage of users who get this variation.", Example: "50"},
				Rules: []schema.Rule{
					variationNames,
					schema.Guard{When: manual, At: schema.Publish, Ref: refPublish, Rule: schema.Named{
						ID: "names_variations", Text: "one percentage for each variation", Check: percentagesNameVariations,
					}},
					schema.Guard{When: manual, At: schema.Publish, Ref: refPublish, Rule: schema.Named{
						ID: "sums_to_100", Text: "each percentage is between 0 and 100, and they add up to 100", Check: percentagesSum,
					}},
				},
			},
			{
				Name: "optimizer_campaign_duration", Title: "Optimizer duration", Kind: schema.Integer, Unit: "hours",
				Help: "How long the optimizer collects data before it picks a winner.", Example: "6",
				Used: optimizer, Required: []schema.Required{{When: optimizer}}, Rules: []schema.Rule{atLeastOne},
			},
			{
				Name: "optimizer_distribution_metric", Title: "Optimizer metric", Kind: schema.String, Help: "What decides which variation is best.",
				Used: optimizer, Required: []schema.Required{{When: optimizer}},
				Options: []schema.Option{
					{Value: "OPEN_RATE", Label: "Open rate"}, {Value: "CLICK_RATE", Label: "Click rate"}, {Value: "BOTH", Label: "Both"},
				},
			},
		},
	}
}

// maxReported limits the findings of one rule, so that a huge number of variations does not fill the screen
// or the memory.
const maxReported = 20

// variations returns the names of the variations of a content component in order: no_of_variations of them,
// or else those with a percentage, or else variation_1. It returns at most limit names.
func variations(campaignContent doc.Value, limit int) []string {
	details := campaignContent.Get("variation_details")
	if n, ok := details.Get("no_of_variations").Int(); ok && n >= 1 {
		names := make([]string, 0, min(n, int64(limit)))
		for i := int64(1); i <= n && len(names) < limit; i++ {
			names = append(names, "variation_"+strconv.FormatInt(i, 10))
		}
		return names
	}
	var names []string
	for name := range details.Get("manual_distribution_percentage").Members() {
		if len(names) < limit && variationName.MatchString(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return []string{"variation_1"}
	}
	return names
}

func percentagesNameVariations(p schema.Place) []schema.Finding {
	n, ok := p.Object.Get("no_of_variations").Int()
	if !ok || n < 1 {
		return nil
	}
	given := make(map[string]bool, p.Value.Len()) // Get walks the members
	for name := range p.Value.Members() {
		given[name] = true
	}
	var out []schema.Finding
	for i := int64(1); i <= n && len(out) < maxReported; i++ {
		name := "variation_" + strconv.FormatInt(i, 10)
		if !given[name] {
			out = append(out, schema.Finding{Path: doc.P(name), Message: fmt.Sprintf("missing: each of the %d variations needs a percentage", n)})
		}
	}
	for name := range p.Value.Members() {
		if !variationName.MatchString(name) {
			continue
		}
		if i, err := strconv.ParseInt(name[len("variation_"):], 10, 64); err != nil || i > n {
			out = append(out, schema.Finding{Path: doc.P(name), Message: fmt.Sprintf("there are only %d variations; remove it or raise no_of_variations", n)})
		}
	}
	return out
}

func percentagesSum(p schema.Place) []schema.Finding {
	var sum float64
	for name, v := range p.Value.Members() {
		f, ok := v.Float()
		if !ok {
			return nil
		}
		if f < 0 || f > 100 {
			return []schema.Finding{{Path: doc.P(name), Message: "must be between 0 and 100, not " + v.Literal()}}
		}
		sum += f
	}
	if sum == 100 {
		return nil
	}
	return []schema.Finding{{Message: fmt.Sprintf("must add up to 100, not %v", sum)}}
}
