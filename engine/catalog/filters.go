package catalog

import (
	"math"
	"slices"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

const refFilters = "CONTRACT.md, Audience"

// operators are the operators of each data type in the order of the contract.
var operators = []struct {
	dataType  string
	operators []string
}{
	{"bool", []string{"is", "exists"}},
	{"double", []string{"in", "between", "lessThan", "greaterThan", "exists"}},
	{"string", []string{
		"in", "contains", "containsInTheFollowing", "startWithInTheFollowing", "endsWithInTheFollowing", "exists", "is",
	}},
	{"datetime", []string{"inTheLast", "on", "between", "before", "after", "inTheNext", "exists", "today"}},
}

// Phrase is the text for an operator in a sentence, between an attribute's name and the value.
type Phrase struct {
	Is, IsNot     string // after a name and a verb of its own: Price "is above" 500
	With, Without string // after "with" and a name: with Price "above" 500
	Unit          string // after the value, in the plural; empty where it has none
}

// operatorLabels are the operators' labels and phrases.
var operatorLabels = map[string]struct {
	label  string
	phrase Phrase
}{
	"is":                      {"is", Phrase{Is: "is", IsNot: "is not", With: "", Without: "not"}},
	"exists":                  {"exists", Phrase{Is: "is known", IsNot: "is not known", With: "known", Without: "not known"}},
	"in":                      {"one of", Phrase{Is: "is", IsNot: "is not", With: "", Without: "not"}},
	"between":                 {"between", Phrase{Is: "is between", IsNot: "is not between", With: "between", Without: "not between"}},
	"lessThan":                {"less than", Phrase{Is: "is below", IsNot: "is not below", With: "below", Without: "not below"}},
	"greaterThan":             {"greater than", Phrase{Is: "is above", IsNot: "is not above", With: "above", Without: "not above"}},
	"contains":                {"contains", Phrase{Is: "contains", IsNot: "does not contain", With: "containing", Without: "not containing"}},
	"containsInTheFollowing":  {"contains one of", Phrase{Is: "contains", IsNot: "does not contain", With: "containing", Without: "not containing"}},
	"startWithInTheFollowing": {"starts with one of", Phrase{Is: "starts with", IsNot: "does not start with", With: "starting with", Without: "not starting with"}},
	"endsWithInTheFollowing":  {"ends with one of", Phrase{Is: "ends with", IsNot: "does not end with", With: "ending with", Without: "not ending with"}},
	"inTheLast":               {"in the last … days", Phrase{Is: "is in the last", IsNot: "is not in the last", With: "in the last", Without: "not in the last", Unit: "days"}},
	"on":                      {"on", Phrase{Is: "is on", IsNot: "is not on", With: "on", Without: "not on"}},
	"before":                  {"before", Phrase{Is: "is before", IsNot: "is not before", With: "before", Without: "not before"}},
	"after":                   {"after", Phrase{Is: "is after", IsNot: "is not after", With: "after", Without: "not after"}},
	"inTheNext":               {"in the next … days", Phrase{Is: "is in the next", IsNot: "is not in the next", With: "in the next", Without: "not in the next", Unit: "days"}},
	"today":                   {"today", Phrase{Is: "is today", IsNot: "is not today", With: "today", Without: "not today"}},
}

// OperatorPhrase returns the phrase of an operator, or false if it is unknown.
func OperatorPhrase(operator string) (Phrase, bool) {
	w, ok := operatorLabels[operator]
	return w.phrase, ok
}

// Operators returns the operators of a data type in the order of the contract, or nil for an unknown data
// type.
func Operators(dataType string) []string {
	for _, o := range operators {
		if o.dataType == dataType {
			return o.operators
		}
	}
	return nil
}

// FilterGroups returns the fields of a component that are filter groups, in table order.
func FilterGroups(component Component) []string {
	n := Campaign(Push).Root().Child(string(component))
	if n == nil {
		return nil
	}
	var out []string
	for _, c := range n.Children {
		if c.Child("filters") != nil {
			out = append(out, c.Name)
		}
	}
	return out
}

// filterGroup returns a filter group: a field of a component with its own rules.
func filterGroup(name, title, help string, rules ...schema.Rule) schema.Field {
	return schema.Field{
		Name: name, Title: title, Help: help, Kind: schema.Object, Ref: refFilters, Rules: rules, Editor: schema.EditorFilters,
		Fields: groupFields("filter_group", "The conditions users must match.", filterTable()),
	}
}

func groupFields(id, help string, elem schema.Field) []schema.Field {
	return []schema.Field{
		{
			Name: "filter_operator", ID: id + ".filter_operator", Title: "Match", Kind: schema.String, Default: `"and"`,
			Help: "Whether users must match all conditions in the group, or any one of them.",
			Options: []schema.Option{
				{Value: "and", Label: "All", Help: "users must match every condition"},
				{Value: "or", Label: "Any", Help: "users must match at least one condition"},
			},
		},
		{Name: "filters", ID: id + ".filters", Kind: schema.List, Help: help, Elem: &elem, Rules: []schema.Rule{atMost(manyItems)}},
	}
}

// filterTable returns a filter in a component's group.
func filterTable() schema.Field {
	project := schema.Field{Required: []schema.Required{{When: schema.Flag{Name: portfolio}}}}
	return filterOf("filter", "user_attributes", "User attribute", "something known about the user, such as their city", project, eventFilterTable())
}

// eventFilterTable returns a filter nested in a filter on an action. With the type user_attributes it tests
// an attribute of the event. It has the other types too, because every filter has the same three
// (CONTRACT.md, Audience).
func eventFilterTable() schema.Field {
	project := schema.Field{Rules: []schema.Rule{schema.Forbidden{When: schema.Not{C: schema.Flag{Name: portfolio}}}}}
	deeper := schema.Field{Kind: schema.Object, Like: "event_filter"}
	return filterOf("event_filter", "event_attributes", "Event attribute", "something recorded with the event, such as a price", project, deeper)
}

// portfolio is the feature flag of workspaces whose attributes belong to projects.
const portfolio = "portfolio"

// filterOf returns the table of a filter whose attributes are in a list of the workspace. project configures
// project_name, and nested the filters in an action's attributes.
func filterOf(id, list, label, help string, project, nested schema.Field) schema.Field {
	attribute := schema.When("filter_type", "user_attributes")
	action := schema.When("filter_type", "actions")
	segment := schema.When("filter_type", "custom_segments")

	fields := []schema.Field{{
		Name: "filter_type", Title: "Filter type", Kind: schema.String, Required: []schema.Required{{}},
		Help: "What the condition checks.",
		Options: []schema.Option{
			{Value: "user_attributes", Label: label, Help: help},
			{Value: "actions", Label: "Action", Help: "something the user has done"},
			{Value: "custom_segments", Label: "Segment", Help: "whether the user is in a segment"},
		},
	}}
	for _, f := range attributeFields(list) {
		f.Applies = attribute
		if f.Name == "name" {
			f.Help = "The name of the " + strings.ToLower(label) + " or the segment."
			f.Applies = schema.When("filter_type", "user_attributes", "custom_segments")
			f.Required = []schema.Required{
				{When: attribute},
				{When: schema.All{segment, schema.Not{C: schema.Has{Path: "id"}}}},
			}
		}
		fields = append(fields, f)
	}
	project.Name, project.Kind, project.Applies, project.Example = "project_name", schema.String, attribute, "Retail"
	project.Help = "The project the attribute belongs to. Only for workspaces with the portfolio feature."
	fields = append(fields, project)
	for _, f := range actionFields(nested) {
		f.Applies = action
		fields = append(fields, f)
	}
	fields = append(fields, schema.Field{
		Name: "id", Title: "Segment ID", Kind: schema.String, Applies: segment,
		Help: "The segment's ID. You can leave it out if no other segment has the same name.", Example: "65f0a1b2c3d4e5f60718293a",
	})
	return schema.Field{
		ID: id, Kind: schema.Object, Ref: refFilters, Fields: fields,
		Open: true, Rules: []schema.Rule{closedFilters(fields)},
	}
}

// closedFilters refuses unknown fields in all filters but those on user attributes, which the contract leaves
// open (Audience).
func closedFilters(fields []schema.Field) schema.Named {
	known := map[string]bool{}
	for _, f := range fields {
		known[f.Name] = true
	}
	return schema.Named{
		ID: "closed", Text: "only user attribute filters may have other fields",
		Check: func(p schema.Place) []schema.Finding {
			kind := p.Value.Get("filter_type").Text()
			if kind != "actions" && kind != "custom_segments" {
				return nil
			}
			var out []schema.Finding
			for name := range p.Value.Members() {
				if !known[name] {
					out = append(out, schema.Finding{Path: doc.P(name), Message: "unknown field in a filter of type " + kind + "; remove it"})
				}
			}
			return out
		},
	}
}

// DataTypeLabel returns the display name of an attribute's data type, such as "Number". It returns unknown
// types unchanged.
func DataTypeLabel(dataType string) string {
	for _, f := range attributeFields("") {
		for _, o := range f.Options {
			if f.Name == "data_type" && o.Value == dataType {
				return o.Label
			}
		}
	}
	return dataType
}

// attributeFields returns the fields of a filter on an attribute of a user or an event.
func attributeFields(suggest string) []schema.Field {
	valueless := schema.Unless("operator", "exists", "today")
	return []schema.Field{
		{
			Name: "data_type", Kind: schema.String, Required: []schema.Required{{}},
			Help: "The attribute's type. It decides which comparisons are available.",
			Options: []schema.Option{
				{Value: "string", Label: "Text"}, {Value: "double", Label: "Number"},
				{Value: "datetime", Label: "Date and time"}, {Value: "bool", Label: "Yes or no"},
			},
		},
		{Name: "category", Kind: schema.String, Help: "The group the attribute is listed under.", Example: "Tracked Standard Attribute"},
		{
			Name: "name", Kind: schema.String, Required: []schema.Required{{}}, Suggest: suggest,
			Help: "The attribute's name.", Example: "City",
		},
		{
			Name: "operator", Kind: schema.String, Required: []schema.Required{{}}, Options: operatorOptions(),
			Help: "How the attribute is compared with the value.",
		},
		{
			Name: "value", Kind: schema.Any, Used: valueless, Required: []schema.Required{{}}, Example: "Berlin",
			Help:  "The value to compare with: one value or a list, two values for between, or a number of days for in the last and in the next.",
			Rules: []schema.Rule{valueFits},
		},
		{
			Name: "value1", Title: "Second value", Kind: schema.Any, Used: schema.When("operator", "between"),
			Help:  "The end of the range, when Value holds only its start.",
			Rules: []schema.Rule{secondValueFits},
		},
		{Name: "case_sensitive", Kind: schema.Bool, Default: "false", Help: "Treat upper and lower case as different."},
		{Name: "negate", Title: "Invert", Kind: schema.Bool, Default: "false", Help: "Match the users who do not meet this condition."},
		{
			Name: "is_dynamic_value", Title: "Value is an expression", Kind: schema.Bool, Default: "false",
			Help: "The value is a personalization expression, filled in when the message is sent.",
		},
	}
}

// operatorOptions returns each operator once, offered for its data types.
func operatorOptions() []schema.Option {
	var out []schema.Option
	for _, row := range operators {
		for _, op := range row.operators {
			if slices.ContainsFunc(out, func(o schema.Option) bool { return o.Value == op }) {
				continue
			}
			o := schema.Option{Value: op, Label: operatorLabels[op].label}
			if types := typesWith(op); len(types) < len(operators) {
				o.When = schema.When("data_type", types...)
			}
			out = append(out, o)
		}
	}
	return out
}

func typesWith(op string) []string {
	var types []string
	for _, row := range operators {
		if slices.Contains(row.operators, op) {
			types = append(types, row.dataType)
		}
	}
	return types
}

// actionFields returns the fields of a filter on what a user did, with nested filters as attributes.
func actionFields(nested schema.Field) []schema.Field {
	return []schema.Field{
		{
			Name: "action_name", Title: "Event", Kind: schema.String, Required: []schema.Required{{}}, Suggest: "events",
			Help: "The event the user did or did not do.", Example: "Product Viewed",
		},
		{
			Name: "execution", Title: "How often", Kind: schema.Object, Help: "How many times the event must have happened.",
			Fields: []schema.Field{
				{
					Name: "type", Title: "Comparison", Kind: schema.String, Required: []schema.Required{{}},
					Help: "How the number of times is compared.",
					Options: []schema.Option{
						{Value: "atleast", Label: "At least"}, {Value: "atmost", Label: "At most"}, {Value: "exactly", Label: "Exactly"},
					},
				},
				{
					Name: "count", Title: "Times", Kind: schema.Integer, Required: []schema.Required{{}},
					Help: "The number of times.", Example: "1", Rules: []schema.Rule{schema.Range{Min: 0, Max: math.Inf(1)}},
				},
			},
		},
		{Name: "executed", Title: "Has done it", Kind: schema.Bool, Default: "true", Help: "On: users who did it. Off: users who did not."},
		{
			Name: "attributes", Title: "Event attributes", Kind: schema.Object,
			Help:   "Only count events whose attributes match these conditions.",
			Fields: groupFields("event_filter_group", "The conditions the event's attributes must match.", nested),
		},
		{Name: "condition", Title: "Condition label", Kind: schema.String, Help: "Your own label for this condition.", Example: "Viewed twice"},
	}
}
