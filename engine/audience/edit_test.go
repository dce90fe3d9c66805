package audience

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// drawn returns a tree as lines: depth, kind, path and words.
func drawn(root doc.Value, at doc.Path) string {
	var b strings.Builder
	for _, n := range Nodes(root, at, Env{}, nil) {
		fmt.Fprintf(&b, "%s%s: %s%s\n", strings.Repeat("  ", n.Depth), n.Kind, map[bool]string{true: "not "}[n.Negated], n.Text)
	}
	return b.String()
}

const nameless = `{"filter_type":"user_attributes","name":%q,"data_type":"bool","operator":"exists"}`

func attributes(names ...string) string {
	var out []string
	for _, name := range names {
		out = append(out, fmt.Sprintf(nameless, name))
	}
	return filterGroup("and", out...)
}

// names2 returns the names in a group, in order, actions by their event with their conditions in brackets.
func order(group doc.Value) string {
	var out []string
	for _, f := range group.Get(mFilters).Elems() {
		switch kindOf(f, true) {
		case Group:
			out = append(out, "("+order(f)+")")
		case Unknown:
			out = append(out, f.Get(mEvent).Text()+"["+order(f.Get(mConditions))+"]")
		default:
			out = append(out, f.Get(mName).Text())
		}
	}
	return strings.Join(out, " ")
}

func TestNodes(t *testing.T) {
	root := parsed(t, `{"segmentation_details":{"included_filters":{"filter_operator":"or","filters":[
		{"filter_type":"user_attributes","name":"City","data_type":"string","operator":"is","value":"Bonn","negate":true},
		{"filter_type":"actions","action_name":"Bought","executed":false,"attributes":{"filters":[{"name":"price"}]}},
		{"filter_type":"custom_segments","name":"Staff"}]}}}`)
	component := at("segmentation_details")
	nodes := Nodes(root, component, Env{}, []schema.Problem{
		{Path: component.Join(at("included_filters", "filters", 1, "attributes", "filters", 0, "operator")...)},
		{Path: component.Join(at("included_filters", "filters", 2)...), Severity: schema.Notice},
		{Path: component.Join(at("is_all_user_campaign")...)},
	})
	var got []string
	for _, n := range nodes {
		got = append(got, fmt.Sprintf("%d %s %s %q %s %d/%d %q not=%v problems=%d absent=%v", n.Depth, n.Kind, n.Path, n.Title, n.Join, n.Index, n.Count, n.Text, n.Negated, n.Problems, n.Absent))
	}
	const in = "segmentation_details.included_filters"
	want := []string{
		`0 group ` + in + ` "Include" or 0/3 "Any of these" not=false problems=1 absent=false`,
		`1 attribute ` + in + `.filters[0] "" or 0/0 "City is not Bonn" not=true problems=0 absent=false`,
		`1 action ` + in + `.filters[1] "" or 1/1 "Did not do Bought" not=true problems=1 absent=false`,
		`2 event attribute ` + in + `.filters[1].attributes.filters[0] "" and 0/0 "price …" not=false problems=1 absent=false`,
		`1 segment ` + in + `.filters[2] "" or 2/0 "In the segment Staff" not=false problems=0 absent=false`,
		`0 group segmentation_details.excluded_filters "Exclude" and 0/0 "All of these" not=false problems=0 absent=true`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var titles []string
	for _, n := range Nodes(root, at("trigger_condition"), Env{}, nil) {
		titles = append(titles, n.Title)
	}
	if want := []string{"Event", "Other conditions"}; !slices.Equal(titles, want) {
		t.Errorf("the groups of a trigger are %q, want %q", titles, want)
	}
	if n := Nodes(root, component.Child("included_filters"), Env{}, nil); len(n) != 5 || !n[0].Path.Equal(component.Child("included_filters")) {
		t.Errorf("a group alone: %+v", n)
	}
}

// A new audience is made from nothing with edits alone, and the tables accept it once it is filled in.
func TestBuildEmptyContent(t *testing.T) {
	w := engine.Workspace{
		Attributes: []engine.Attribute{{Name: "Orders", DataType: "double", Category: "Custom Attribute"}},
		Events:     []engine.EventType{{Name: "Bought", Attributes: []engine.Attribute{{Name: "product", DataType: "string"}}}},
		Segments:   []engine.Segment{{ID: "S1", Name: "Staff"}},
	}
	root := parsed(t, `{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com"}`)
	in, out := at("segmentation_details", "included_filters"), at("segmentation_details", "excluded_filters")
	must := func(v doc.Value, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		root = v
	}
	add := func(at doc.Path, kind Kind, name string) doc.Path {
		t.Helper()
		v, p, err := AddFilter(root, at, kind)
		must(v, err)
		must(SetName(root, p, name, w))
		return p
	}
	orders := add(in, Attribute, "Orders")
	must(SetOperator(root, orders, "greaterThan"))
	must(root.Set(orders.Child("value"), doc.NewInt(3)))
	bought := add(orders, Action, "Bought")
	product := add(bought, EventAttribute, "product")
	must(root.Set(product.Child("value"), doc.NewStrings("Beans")))
	lately := add(product, EventAttribute, engine.AttrEventTime)
	must(root.Set(lately.Child("value"), doc.NewInt(30)))
	add(out, Segment, "Staff")

	if problems := schema.Errors(catalog.Campaign(catalog.Push).Validate(root, schema.Env{})); len(problems) > 0 {
		t.Errorf("the tables refuse %s: %v", root.Encode(), problems)
	}
	want := "Users whose Orders is above 3, and who did Bought at least once in the last 30 days with product Beans; not those in the segment Staff."
	if got := Describe(root, doc.P("segmentation_details"), Env{}); got != want {
		t.Errorf("got %s", got)
	}
	if got := root.Lookup(orders).Get("category").Text(); got != "Custom Attribute" {
		t.Errorf("the category is %q", got)
	}
	if got := root.Lookup(out).Get("filters").At(0).Get("id").Text(); got != "S1" {
		t.Errorf("the segment's id is %q", got)
	}
	if _, problems := Compile(root.Get("segmentation_details"), Env{Workspace: w}); len(problems) > 0 {
		t.Error(problems)
	}
}

func TestEdits(t *testing.T) {
	tree := `{"filters":[` + strings.TrimSuffix(strings.TrimPrefix(attributes("a", "b"), `{"filter_operator":"and","filters":[`), `]}`) +
		`,{"filter_type":"actions","action_name":"did","attributes":` + attributes("x", "y") + `},` + fmt.Sprintf(nameless, "c") + `]}`
	type edit func(doc.Value) (doc.Value, doc.Path, error)
	without := func(v doc.Value, err error) (doc.Value, doc.Path, error) { return v, nil, err }
	f := func(steps ...any) doc.Path { return at(append([]any{"filters"}, steps...)...) }
	condition := func(i int) doc.Path { return f(2, "attributes", "filters", i) }
	for name, c := range map[string]struct {
		edit edit
		want string // empty: refused
		path doc.Path
	}{
		"move down":                 {func(v doc.Value) (doc.Value, doc.Path, error) { return Move(v, f(0), 1) }, "b a did[x y] c", f(1)},
		"move up":                   {func(v doc.Value) (doc.Value, doc.Path, error) { return Move(v, f(3), -2) }, "a c b did[x y]", f(1)},
		"move past ends":            {func(v doc.Value) (doc.Value, doc.Path, error) { return Move(v, f(1), 9) }, "a did[x y] c b", f(3)},
		"move at an end":            {func(v doc.Value) (doc.Value, doc.Path, error) { return Move(v, f(0), -1) }, "a b did[x y] c", f(0)},
		"move a condition":          {func(v doc.Value) (doc.Value, doc.Path, error) { return Move(v, condition(0), 1) }, "a b did[y x] c", condition(1)},
		"move the root":             {func(v doc.Value) (doc.Value, doc.Path, error) { return Move(v, nil, 1) }, "", nil},
		"move nothing":              {func(v doc.Value) (doc.Value, doc.Path, error) { return Move(v, f(9), 1) }, "", f(9)},
		"duplicate":                 {func(v doc.Value) (doc.Value, doc.Path, error) { return Duplicate(v, f(1)) }, "a b b did[x y] c", f(2)},
		"duplicate action":          {func(v doc.Value) (doc.Value, doc.Path, error) { return Duplicate(v, f(2)) }, "a b did[x y] did[x y] c", f(3)},
		"remove":                    {func(v doc.Value) (doc.Value, doc.Path, error) { return without(Remove(v, f(0))) }, "b did[x y] c", nil},
		"remove nothing":            {func(v doc.Value) (doc.Value, doc.Path, error) { return without(Remove(v, f(7))) }, "", nil},
		"indent":                    {func(v doc.Value) (doc.Value, doc.Path, error) { return Indent(v, f(3)) }, "a b did[x y c]", condition(2)},
		"indent the first":          {func(v doc.Value) (doc.Value, doc.Path, error) { return Indent(v, f(0)) }, "", f(0)},
		"indent after an attribute": {func(v doc.Value) (doc.Value, doc.Path, error) { return Indent(v, f(1)) }, "", f(1)},
		"indent a condition":        {func(v doc.Value) (doc.Value, doc.Path, error) { return Indent(v, condition(1)) }, "", condition(1)},
		"outdent":                   {func(v doc.Value) (doc.Value, doc.Path, error) { return Outdent(v, condition(0)) }, "a b did[y] x c", f(3)},
		"outdent the outermost":     {func(v doc.Value) (doc.Value, doc.Path, error) { return Outdent(v, f(0)) }, "", f(0)},
		"add after":                 {func(v doc.Value) (doc.Value, doc.Path, error) { return AddFilter(v, f(0), Attribute) }, "a  b did[x y] c", f(1)},
		"add at the end":            {func(v doc.Value) (doc.Value, doc.Path, error) { return AddFilter(v, nil, Segment) }, "a b did[x y] c []", f(4)},
		"add a condition":           {func(v doc.Value) (doc.Value, doc.Path, error) { return AddFilter(v, f(2), EventAttribute) }, "a b did[x y ] c", condition(2)},
		"add after a condition":     {func(v doc.Value) (doc.Value, doc.Path, error) { return AddFilter(v, condition(0), EventAttribute) }, "a b did[x  y] c", condition(1)},
		"add an action to events":   {func(v doc.Value) (doc.Value, doc.Path, error) { return AddFilter(v, condition(0), Action) }, "", condition(0)},
		"add a condition to users":  {func(v doc.Value) (doc.Value, doc.Path, error) { return AddFilter(v, f(0), EventAttribute) }, "", f(0)},
		"add after nothing":         {func(v doc.Value) (doc.Value, doc.Path, error) { return AddFilter(v, f(9), Action) }, "", f(9)},
	} {
		root := parsed(t, tree)
		got, p, err := c.edit(root)
		switch {
		case c.want == "":
			if err == nil || !got.Same(root) {
				t.Errorf("%s: got %v with error %v, want it refused", name, order(got), err)
			}
		case err != nil || order(got) != c.want || !p.Equal(c.path):
			t.Errorf("%s: got %q at %s, %v; want %q at %s", name, order(got), p, err, c.want, c.path)
		}
		if !doc.Equal(root, parsed(t, tree)) {
			t.Errorf("%s changed the tree that it was given", name)
		}
	}
}

func TestRetype(t *testing.T) {
	root := parsed(t, `{"filters":[{"filter_type":"actions","action_name":"did","attributes":`+filterGroup("and", `{"name":"x"}`)+`}]}`)
	out, p, err := Outdent(root, at("filters", 0, "attributes", "filters", 0))
	if got := string(out.Encode()); err != nil || got != `{"filters":[{"filter_type":"actions","action_name":"did"},{"name":"x","filter_type":"user_attributes"}],"filter_operator":"and"}` {
		t.Errorf("outdented: %s, %v", got, err)
	}
	out, p, err = Indent(out, p)
	if got := out.Lookup(p).Get(mType).Text(); err != nil || got != "user_attributes" || !p.Equal(at("filters", 0, "attributes", "filters", 0)) {
		t.Errorf("indented: %s at %s, %v", got, p, err)
	}
}

// Groups in groups are no part of the contract, but a service may send them.
func TestNestedGroupsAreDissolved(t *testing.T) {
	root := parsed(t, `{"filters":[`+fmt.Sprintf(nameless, "a")+`,`+attributes("b", "c")+`,`+fmt.Sprintf(nameless, "d")+`]}`)
	out, p, err := Outdent(root, at("filters", 1))
	if err != nil || order(out) != "a b c d" || !p.Equal(at("filters", 1)) {
		t.Errorf("got %q at %s, %v", order(out), p, err)
	}
	out, p, err = Outdent(root, at("filters", 1, "filters", 0))
	if err != nil || order(out) != "a (c) b d" || !p.Equal(at("filters", 2)) {
		t.Errorf("got %q at %s, %v", order(out), p, err)
	}
	out, p, err = AddFilter(root, at("filters", 1), Attribute)
	if err != nil || order(out) != "a (b c ) d" || !p.Equal(at("filters", 1, "filters", 2)) {
		t.Errorf("got %q at %s, %v", order(out), p, err)
	}
	if got := drawn(root, nil); strings.Count(got, "\n") != 6 || !strings.Contains(got, "\n  group: All of these\n    attribute: b is known\n") {
		t.Errorf("drawn:\n%s", got)
	}
}

func TestNegateAndJoin(t *testing.T) {
	root := parsed(t, `{"included_filters":`+filterGroup("and", fmt.Sprintf(nameless, "a"), `{"filter_type":"actions","action_name":"did"}`, inSegment("Staff"))+`}`)
	f := func(i int) doc.Path { return at("included_filters", "filters", i) }
	for i, want := range []string{"a is not known", "Did not do did"} {
		once, err := Negate(root, f(i))
		if err != nil || DescribeFilter(once.Lookup(f(i)), Env{}) != want {
			t.Errorf("negated once: %s, %v", once.Lookup(f(i)).Encode(), err)
		}
		twice, err := Negate(once, f(i))
		if err != nil || DescribeFilter(twice.Lookup(f(i)), Env{}) != DescribeFilter(root.Lookup(f(i)), Env{}) {
			t.Errorf("negated twice: %s, %v", twice.Lookup(f(i)).Encode(), err)
		}
	}
	if out, err := Negate(root, f(2)); err == nil || !out.Same(root) {
		t.Error("a segment was negated")
	}
	for _, p := range []doc.Path{at("included_filters"), f(0)} { // of the filter, its group
		if out, err := SetJoin(root, p, "or"); err != nil || out.Get("included_filters").Get("filter_operator").Text() != "or" {
			t.Errorf("joined at %s: %s, %v", p, out.Encode(), err)
		}
	}
	for _, c := range []struct {
		p    doc.Path
		join string
	}{{at("included_filters"), "xor"}, {at("excluded_filters"), "or"}, {f(1), "or"}} {
		if out, err := SetJoin(root, c.p, c.join); err == nil || !out.Same(root) {
			t.Errorf("%s was joined by %s", c.p, c.join)
		}
	}
}

// Whatever is edited, a refusal leaves the tree alone, and a path that comes back leads to a filter.
func TestEditsKeepTheTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := doc.Value{}
		p := at("included_filters")
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			nodes := Nodes(root, nil, Env{}, nil)
			node := nodes[rapid.IntRange(0, len(nodes)-1).Draw(t, "node")]
			before, filters := root, countFilters(nodes)
			var err error
			change := 0
			switch rapid.IntRange(0, 5).Draw(t, "edit") {
			case 0:
				root, p, err = AddFilter(root, node.Path, pick(t, Kinds(root, node.Path)))
				change = 1
			case 1:
				root, p, err = Move(root, node.Path, rapid.IntRange(-3, 3).Draw(t, "by"))
			case 2:
				root, p, err = Indent(root, node.Path)
			case 3:
				root, p, err = Outdent(root, node.Path)
			case 4:
				root, p, err = Duplicate(root, node.Path)
				change = 1 + node.Count
			case 5:
				root, err = Negate(root, node.Path)
				p = node.Path
			}
			if err != nil {
				if !root.Same(before) {
					t.Fatalf("refused with %v, and changed", err)
				}
				continue
			}
			if now := countFilters(Nodes(root, nil, Env{}, nil)); now != filters+change {
				t.Fatalf("%d filters became %d in\n%s\nfrom\n%s", filters, now, root.Encode(), before.Encode())
			}
			if !isFilter(p) || !root.Lookup(p).Exists() {
				t.Fatalf("%s leads to no filter in %s", p, root.Encode())
			}
		}
	})
}

func countFilters(nodes []Node) int {
	n := 0
	for _, node := range nodes {
		if node.Kind != Group {
			n++
		}
	}
	return n
}
