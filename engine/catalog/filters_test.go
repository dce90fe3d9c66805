package catalog

import (
	"fmt"
	"slices"
	"testing"

	"bugle/engine/schema"
)

// Every operator has a label and a phrase, and takes an operand.
func TestOperatorsHavePhrases(t *testing.T) {
	for _, row := range operators {
		for _, op := range row.operators {
			p, ok := OperatorPhrase(op)
			if !ok || p.Is == "" || p.IsNot == "" || p.Without == "" || operatorLabels[op].label == "" {
				t.Errorf("%s of %s reads %+v", op, row.dataType, p)
			}
			operand, ok := OperandOf(row.dataType, op)
			if !ok || (p.Unit != "") != (operand == Days) {
				t.Errorf("%s of %s takes %d, %v, and its unit is %q", op, row.dataType, operand, ok, p.Unit)
			}
		}
	}
	if len(operatorLabels) != len(operatorOptions()) {
		t.Errorf("%d operators have words, and there are %d", len(operatorLabels), len(operatorOptions()))
	}
	for _, c := range [][2]string{{"string", "near"}, {"money", "is"}, {"bool", "today"}, {"", ""}} {
		if _, ok := OperandOf(c[0], c[1]); ok {
			t.Errorf("%s has the operator %s", c[0], c[1])
		}
	}
	if _, ok := OperatorPhrase("near"); ok {
		t.Error("near has words")
	}
}

func TestFilterGroupsOfComponents(t *testing.T) {
	for component, want := range map[Component][]string{
		SegmentationDetails: {"included_filters", "excluded_filters"},
		TriggerCondition:    {"included_filters", "secondary_included_filters"},
		UTMParams:           nil,
		"other":             nil,
	} {
		if got := FilterGroups(component); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", component, got, want)
		}
	}
}

// The words say of a filter's value what the tables check of it.
func TestFilterValue(t *testing.T) {
	for filter, want := range map[string]bool{
		`{"data_type":"double","operator":"between","value":[1,2]}`:                true,
		`{"data_type":"double","operator":"between","value":1,"value1":2}`:         true,
		`{"data_type":"double","operator":"between","value":1,"value1":"two"}`:     false,
		`{"data_type":"double","operator":"between","value":1}`:                    false,
		`{"data_type":"datetime","operator":"inTheLast","value":-1}`:               false,
		`{"data_type":"datetime","operator":"on","value":"{{ x }}"}`:               true,
		`{"data_type":"string","operator":"exists"}`:                               true,
		`{"data_type":"bool","operator":"is","value":"maybe"}`:                     false,
		`{"data_type":"bool","operator":"is","value":"x","is_dynamic_value":true}`: true,
	} {
		words, ok := FilterValue(mustParse(t, filter))
		if ok != want || !ok && words == "" {
			t.Errorf("%s: %q, %v", filter, words, ok)
		}
	}
}

// The sub-filters of a goal's event attribute are open objects: any field is taken, without a word.
func TestGoalSubFiltersAreOpen(t *testing.T) {
	goal := `"conversion_goal_details":{"goals":[{"goal_name":"g","goal_event_name":"e","goal_event_attribute":{"name":"items","data_type":"ARRAY_OBJECT","condition":"is","filters":%s}}]}`
	for list, want := range map[string]int{
		`[{},{"name":"sku","condition":"between","data_type":"text","value":{"from":1},"own":[1.0,null]}]`: 0,
		`["sku",7]`: 2,
	} {
		v := mustParse(t, pushOf(OneTime, fmt.Sprintf(goal, list)))
		if got := Campaign(Push).Validate(v, caseEnv(schema.Draft, true)); len(got) != want {
			t.Errorf("%s: %v", list, got)
		}
	}
}
