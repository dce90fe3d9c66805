package audience

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"bugle/engine"
	"bugle/engine/catalog"
)

// The evaluator agrees with a naive one, which reads the JSON of the filters over again for every
// profile, and takes a date for all its half hours.
func TestAgreesWithTheNaive(t *testing.T) { rapid.Check(t, agreesWithTheNaive) }

// FuzzNaive does the same, led by what the evaluator did.
func FuzzNaive(f *testing.F) {
	for n := range 40 {
		f.Add(bytes.Repeat([]byte{byte(n * 37), byte(n), 3, byte(255 - n*5), 0, 1}, 200))
	}
	f.Fuzz(rapid.MakeFuzz(agreesWithTheNaive))
}

func agreesWithTheNaive(t *rapid.T) {
	n := naive{zone: rapid.SampledFrom(naiveZones).Draw(t, "zone")}
	n.segments = map[string]any{"List": []string{"ann", "bob"}, "Rule": drawGroup(t, 1)}
	w := engine.Workspace{Timezone: n.zone.String(), Segments: []engine.Segment{{Name: "List", Members: []string{"ann", "bob"}}, {Name: "Rule"}}}
	w.Segments[1].Filters = n.segments["Rule"].(map[string]any)
	filters := map[string]any{"included_filters": drawGroup(t, 2), "excluded_filters": drawGroup(t, 2)}
	for _, name := range []string{"is_all_user_campaign", "send_campaign_to_opt_out_users"} {
		filters[name] = rapid.IntRange(0, 4).Draw(t, name) == 0
	}
	b, err := json.Marshal(filters)
	if err != nil {
		t.Fatal(err)
	}
	var body engine.AudienceRequest
	if err := body.Filters.UnmarshalJSON(b); err != nil {
		t.Fatal(err)
	}
	a, problems := Compile(body.Filters, Env{Workspace: w, Now: noon})
	if len(problems) > 0 {
		t.Fatalf("%s: %v", b, problems)
	}
	for range 4 {
		p := drawProfile(t)
		got, want := a.Match(&p), n.audience(filters, p)
		if got != want {
			said, _ := json.Marshal(p)
			t.Fatalf("got %v, the naive says %v\nzone %s\nfilters %s\nprofile %s", got, want, n.zone, b, said)
		}
		if r := a.Explain(&p); r.Matched != got || len(r.Decisive()) == 0 {
			t.Fatalf("explained as %+v, is %v", r, got)
		}
	}
}

var naiveZones = func() (out []*time.Location) {
	// Clocks change at 00:00 UTC + 1 h in Berlin, at midnight in Havana and Beirut; Kathmandu is 5:45 off.
	for _, name := range []string{"UTC", "Europe/Berlin", "America/Havana", "Asia/Beirut", "Asia/Kathmandu"} {
		loc, err := time.LoadLocation(name)
		if err != nil {
			panic(err)
		}
		out = append(out, loc)
	}
	return out
}()

var (
	drawnTexts   = []string{"", "a", "B", "ab", "Ab", "b a", "É", "éa", "7", "true"}
	drawnNumbers = []any{-1, 0, 1, 2.5, 7, "7", 1e2, 10}
	drawnDates   = []string{
		"2026-11-21", "2026-11-20", "2026-11-22", "2026-11-21T12:00:00Z", "2026-11-21T12:30:00Z", "2026-11-21T00:00", "2026-11-20T23:30:00-05:00",
		"2026-10-25", "2026-10-25T00:30", "2026-11-01", "2026-11-01T00:30:00", "2026-11-01T05:30:00Z", "2026-03-08", "2026-03-29", "2026-03-28T22:00:00Z", "2026-11-14T12:00:00Z",
	}
)

func pick[T any](t *rapid.T, from []T) T { return rapid.SampledFrom(from).Draw(t, "one") }

func drawGroup(t *rapid.T, depth int) map[string]any {
	var filters []any
	for range rapid.IntRange(0, 3).Draw(t, "filters") {
		switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
		case kind == 0 && depth > 0:
			filters = append(filters, drawGroup(t, depth-1))
		case kind == 1 && depth > 1:
			filters = append(filters, map[string]any{"filter_type": "custom_segments", "name": pick(t, []string{"List", "Rule"})})
		case kind <= 2:
			filters = append(filters, drawAction(t))
		default:
			filters = append(filters, drawAttribute(t, []string{"text", "number", "date", "flag", "any"}))
		}
	}
	return map[string]any{"filter_operator": pick(t, []string{"and", "or"}), "filters": filters}
}

func drawAction(t *rapid.T) map[string]any {
	f := map[string]any{"filter_type": "actions", "action_name": pick(t, []string{"Bought", "Seen"})}
	if rapid.Bool().Draw(t, "counted") {
		f["execution"] = map[string]any{"type": pick(t, []string{"atleast", "atmost", "exactly"}), "count": rapid.IntRange(0, 3).Draw(t, "count")}
	}
	if rapid.Bool().Draw(t, "said") {
		f["executed"] = rapid.Bool().Draw(t, "executed")
	}
	if rapid.Bool().Draw(t, "narrowed") {
		var conditions []any
		for range rapid.IntRange(0, 2).Draw(t, "conditions") {
			conditions = append(conditions, drawAttribute(t, []string{"text", "number", engine.AttrEventTime}))
		}
		f["attributes"] = map[string]any{"filter_operator": pick(t, []string{"and", "or"}), "filters": conditions}
	}
	return f
}

func drawAttribute(t *rapid.T, names []string) map[string]any {
	dataType := pick(t, []string{"string", "double", "bool", "datetime"})
	operator := pick(t, catalog.Operators(dataType))
	f := map[string]any{
		"filter_type": "user_attributes", "name": pick(t, names), "data_type": dataType, "operator": operator,
		"negate": rapid.Bool().Draw(t, "negate"), "case_sensitive": rapid.Bool().Draw(t, "case"),
	}
	operand, _ := catalog.OperandOf(dataType, operator)
	switch operand {
	case catalog.OneValue:
		f["value"] = drawOperand(t, dataType)
	case catalog.SomeValues:
		f["value"] = []any{"x", drawOperand(t, dataType), drawOperand(t, dataType)}
		if dataType == "double" {
			f["value"] = []any{drawOperand(t, dataType), drawOperand(t, dataType)}
		}
	case catalog.TwoValues:
		f["value"] = []any{drawOperand(t, dataType), drawOperand(t, dataType)}
	case catalog.Days:
		f["value"] = rapid.SampledFrom([]int{0, 1, 7, 20, 27, 258}).Draw(t, "days")
	}
	return f
}

func drawOperand(t *rapid.T, dataType string) any {
	switch dataType {
	case "double":
		return pick(t, drawnNumbers)
	case "bool":
		return pick(t, []any{true, false, "true"})
	case "datetime":
		return pick(t, drawnDates)
	}
	return pick(t, drawnTexts)
}

func drawProfile(t *rapid.T) engine.User {
	value := func() any {
		all := []any{nil, true, "False", []any{}, []any{"a", 7.0}, map[string]any{"a": 1}, json.Number("2.50")}
		switch rapid.IntRange(0, 3).Draw(t, "value") {
		case 0:
			return pick(t, all)
		case 1:
			return pick(t, drawnNumbers)
		case 2:
			return pick(t, drawnDates)
		}
		return pick(t, drawnTexts)
	}
	p := engine.User{ID: pick(t, []string{"ann", "bob", "eve"}), OptedOut: rapid.IntRange(0, 3).Draw(t, "out") == 0, Attributes: map[string]any{}}
	for _, name := range []string{"text", "number", "date", "flag", "any"} {
		if rapid.IntRange(0, 4).Draw(t, "there") > 0 {
			p.Attributes[name] = value()
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, "events") {
		p.Events = append(p.Events, engine.Event{
			Name: pick(t, []string{"Bought", "Seen"}), At: noon.Add(time.Duration(rapid.IntRange(-60, 2).Draw(t, "ago")) * 12 * time.Hour),
			Attributes: map[string]any{"text": value(), "number": value()},
		})
	}
	return p
}

// naive evaluates filters as they stand in JSON.
type naive struct {
	zone     *time.Location
	segments map[string]any
}

func (n naive) audience(f map[string]any, p engine.User) bool {
	in := f["is_all_user_campaign"] == true || n.leaves(f["included_filters"]) > 0 && n.group(f["included_filters"], p, nil)
	out := n.leaves(f["excluded_filters"]) > 0 && n.group(f["excluded_filters"], p, nil)
	return in && !out && (!p.OptedOut || f["send_campaign_to_opt_out_users"] == true)
}

// leaves counts the filters of a group, and those of the groups in it.
func (n naive) leaves(g any) int {
	all := 0
	list, _ := g.(map[string]any)["filters"].([]any)
	for _, f := range list {
		if f.(map[string]any)["filter_type"] == nil {
			all += n.leaves(f)
		} else {
			all++
		}
	}
	return all
}

func (n naive) group(g any, p engine.User, e *engine.Event) bool {
	var answers []bool
	list, _ := g.(map[string]any)["filters"].([]any)
	for _, f := range list {
		if f.(map[string]any)["filter_type"] == nil && n.leaves(f) == 0 {
			continue
		}
		answers = append(answers, n.filter(f.(map[string]any), p, e))
	}
	if g.(map[string]any)["filter_operator"] == "or" {
		return slices.Contains(answers, true)
	}
	return !slices.Contains(answers, false)
}

func (n naive) filter(f map[string]any, p engine.User, e *engine.Event) bool {
	switch f["filter_type"] {
	case nil:
		return n.group(f, p, e)
	case "custom_segments":
		if members, ok := n.segments[f["name"].(string)].([]string); ok {
			return slices.Contains(members, p.ID)
		}
		rule := n.segments[f["name"].(string)]
		return n.leaves(rule) > 0 && n.group(rule, p, nil)
	case "actions":
		return n.action(f, p)
	}
	if e != nil {
		v, ok := e.Attributes[f["name"].(string)]
		if !ok && f["name"] == engine.AttrEventTime {
			v = e.At.Format(time.RFC3339)
		}
		return n.test(f, v) != (f["negate"] == true)
	}
	return n.test(f, p.Attributes[f["name"].(string)]) != (f["negate"] == true)
}

func (n naive) action(f map[string]any, p engine.User) bool {
	did := 0
	for _, e := range p.Events {
		conditions := f["attributes"]
		if e.Name == f["action_name"] && (conditions == nil || n.leaves(conditions) == 0 || n.group(conditions, p, &e)) {
			did++
		}
	}
	answer := did > 0
	if x, ok := f["execution"].(map[string]any); ok {
		answer = map[string]bool{"atleast": did >= x["count"].(int), "atmost": did <= x["count"].(int), "exactly": did == x["count"].(int)}[x["type"].(string)]
	}
	if f["executed"] == false {
		if x, ok := f["execution"].(map[string]any); ok && x["count"] == 0 {
			return did == 0
		}
		return !answer
	}
	return answer
}

// test asks an operator of a value without regard to negation.
func (n naive) test(f map[string]any, v any) bool {
	if v == nil {
		return false
	}
	if f["operator"] == "exists" {
		return true
	}
	if list, ok := v.([]any); ok {
		return slices.ContainsFunc(list, func(e any) bool { return n.test(f, e) })
	}
	if _, ok := v.(map[string]any); ok {
		return false
	}
	wanted, ok := f["value"].([]any)
	if !ok {
		wanted = []any{f["value"]}
	}
	switch f["data_type"] {
	case "bool":
		have := strings.ToLower(spelled(v))
		return have == spelled(wanted[0]) && have != "" && (have == "true" || have == "false")
	case "double":
		return naiveNumber(f["operator"].(string), v, wanted)
	case "datetime":
		text, _ := v.(string)
		return n.date(f["operator"].(string), text, wanted)
	}
	return naiveText(f["operator"].(string), spelled(v), wanted, f["case_sensitive"] == true)
}

func spelled(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func naiveText(operator, have string, wanted []any, sensitive bool) bool {
	test := map[string]func(a, b string) bool{
		"containsInTheFollowing": strings.Contains, "contains": strings.Contains,
		"startWithInTheFollowing": strings.HasPrefix, "endsWithInTheFollowing": strings.HasSuffix,
	}[operator]
	for _, w := range wanted {
		want := spelled(w)
		if !sensitive {
			have, want = strings.ToLower(have), strings.ToLower(want)
		}
		if test == nil && have == want || test != nil && want != "" && test(have, want) {
			return true
		}
	}
	return false
}

func naiveNumber(operator string, v any, wanted []any) bool {
	read := func(v any) (float64, bool) {
		if _, ok := v.(bool); ok {
			return 0, false
		}
		f, err := strconv.ParseFloat(spelled(v), 64)
		return f, err == nil
	}
	have, ok := read(v)
	if !ok {
		return false
	}
	var ws []float64
	for _, w := range wanted {
		f, _ := read(w)
		ws = append(ws, f)
	}
	switch operator {
	case "between":
		return have >= ws[0] && have <= ws[1] || have >= ws[1] && have <= ws[0]
	case "lessThan":
		return have < ws[0]
	case "greaterThan":
		return have > ws[0]
	}
	return slices.Contains(ws, have)
}

// date asks an operator of each half hour that a date stands for.
func (n naive) date(operator, text string, wanted []any) bool {
	if day, err := time.Parse("2006-01-02", text); err == nil {
		for t := day.Add(-24 * time.Hour); t.Before(day.Add(48 * time.Hour)); t = t.Add(15 * time.Minute) {
			if n.day(t) == text && n.moment(operator, t, wanted) {
				return true
			}
		}
		return false
	}
	t, ok := n.instant(text)
	return ok && n.moment(operator, t, wanted)
}

func (n naive) instant(text string) (time.Time, bool) {
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(layout, text, n.zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

func (n naive) day(t time.Time) string { return t.In(n.zone).Format("2006-01-02") }

func (n naive) moment(operator string, t time.Time, wanted []any) bool {
	local := noon.In(n.zone)
	off := func(sign int) time.Time {
		return time.Date(local.Year(), local.Month(), local.Day()+sign*wanted[0].(int), local.Hour(), local.Minute(), 0, 0, n.zone)
	}
	switch operator {
	case "today":
		return n.day(t) == n.day(noon)
	case "inTheLast":
		return !t.After(noon) && !t.Before(off(-1))
	case "inTheNext":
		return !t.Before(noon) && !t.After(off(1))
	}
	before := func(w any) bool {
		if v, ok := n.instant(w.(string)); ok {
			return t.Before(v)
		}
		return n.day(t) < w.(string)
	}
	after := func(w any) bool {
		if v, ok := n.instant(w.(string)); ok {
			return t.After(v)
		}
		return n.day(t) > w.(string)
	}
	switch operator {
	case "before":
		return before(wanted[0])
	case "after":
		return after(wanted[0])
	case "between":
		return !before(wanted[0]) && !after(wanted[1]) || !before(wanted[1]) && !after(wanted[0])
	}
	if v, ok := n.instant(wanted[0].(string)); ok {
		return n.day(t) == n.day(v)
	}
	return n.day(t) == wanted[0]
}
