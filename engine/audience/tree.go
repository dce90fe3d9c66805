package audience

import (
	"slices"
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// Kind is the kind of a node in a filter tree.
type Kind string

// The kinds. Unknown is a filter with an unknown type, or one nested in an action that is not about its
// event.
const (
	Group          Kind = "group"
	Attribute      Kind = "attribute"       // on a user attribute
	Action         Kind = "action"          // on what the user did
	Segment        Kind = "segment"         // on a segment of the workspace
	EventAttribute Kind = "event attribute" // a condition on an action's events
	Unknown        Kind = "unknown"
)

// Label returns the display name of the kind.
func (k Kind) Label() string {
	switch k {
	case Attribute:
		return optionTitle(filterNode().Child(mType), typeAttribute)
	case Action:
		return optionTitle(filterNode().Child(mType), typeAction)
	case Segment:
		return optionTitle(filterNode().Child(mType), typeSegment)
	case EventAttribute:
		return optionTitle(eventNode().Child(mType), typeAttribute)
	}
	return phrase.Capitalize(string(k))
}

// Help describes the kind as a clause.
func (k Kind) Help() string {
	switch k {
	case Attribute:
		return "such as age, city or plan"
	case Action:
		return "something they did or didn't"
	case Segment:
		return "members of a segment"
	case EventAttribute:
		return "a condition on the action"
	}
	return ""
}

// Node is one line of a filter tree: a group, or a filter in one.
type Node struct {
	Kind  Kind
	Path  doc.Path // in the document
	Depth int      // 0 for a component's groups
	Title string   // of a component's group, such as "Include"; empty for others
	Join  string   // "and" or "or": of a group its own, of a filter its group's
	Index int      // of a filter, among those in its group with a line
	Count int      // number of a group's filters, or of an action's conditions
	Text  string   // the node without its children in plain English
	// Negated reports that the filter is negated: negate of an attribute, executed false of an action.
	Negated bool
	// Problems is the number of problems at the node or below it.
	Problems int
	// Absent reports a component's group that is not in the document yet, but can be added to.
	Absent bool
}

// Nodes flattens the filters at a path, a component with filter groups or a group: each node is followed by
// its children. problems are those of root, for example from a validation.
func Nodes(root doc.Value, at doc.Path, env Env, problems []schema.Problem) []Node {
	f := flattener{root: root, words: newDescriber(env), problems: problems}
	if shapeAt(root, at) == groupShape {
		f.group(at, 0, groupNode().Label())
		return f.out
	}
	component := catalog.SegmentationDetails
	if shapeAt(root, at) == triggerShape {
		component = catalog.TriggerCondition
	}
	table := catalog.Campaign(catalog.Push).Root().Child(string(component))
	for _, name := range catalog.FilterGroups(component) {
		f.group(at.Child(name), 0, table.Child(name).Label())
	}
	return f.out
}

type flattener struct {
	root     doc.Value
	words    describer
	problems []schema.Problem
	out      []Node
}

func (f *flattener) group(at doc.Path, depth int, title string) {
	v := f.root.Lookup(at)
	f.add(Node{
		Kind: Group, Path: at, Depth: depth, Title: title, Join: joinOf(v), Count: v.Get(mFilters).Len(),
		Text: f.words.groupLine(v), Absent: !v.Exists(),
	})
	f.filters(at, depth+1, false)
}

// filters adds the filters of the group at a path.
func (f *flattener) filters(at doc.Path, depth int, ofEvent bool) {
	group := f.root.Lookup(at)
	hidden := -1
	if ofEvent && isFilter(at.Parent()) {
		if action := f.root.Lookup(at.Parent()); isDescribable(action) {
			hidden = withinOf(action)
		}
	}
	for i, v := range group.Get(mFilters).Elems() {
		if i == hidden {
			continue // shown in the line of the action
		}
		p := at.Child(mFilters).Elem(i)
		if hidden >= 0 && i > hidden {
			i-- // among those that have a line
		}
		n := Node{Kind: kindOf(v, ofEvent), Path: p, Depth: depth, Join: joinOf(group), Index: i, Text: f.words.line(v)}
		switch n.Kind {
		case Group:
			n.Join, n.Count = joinOf(v), v.Get(mFilters).Len()
			f.add(n)
			f.filters(p, depth+1, ofEvent)
		case Action:
			n.Count = v.Get(mConditions).Get(mFilters).Len()
			if isDescribable(v) && withinOf(v) >= 0 {
				n.Count--
			}
			n.Negated = v.Get(mExecuted).Kind() == doc.Bool && !v.Get(mExecuted).True()
			f.add(n)
			f.filters(p.Child(mConditions), depth+1, true)
		default:
			n.Negated = v.Get(mNegate).True()
			f.add(n)
		}
	}
}

func (f *flattener) add(n Node) {
	for _, p := range f.problems {
		if p.Severity == schema.Error && p.Path.HasPrefix(n.Path) {
			n.Problems++
		}
	}
	f.out = append(f.out, n)
}

// shape is the type of the object with the filters.
type shape uint8

const (
	segmentationShape shape = iota
	triggerShape
	groupShape
)

// shapeAt determines the shape from the name of the component in the path, or else from the value.
func shapeAt(root doc.Value, at doc.Path) shape {
	switch at.Last().Name {
	case string(catalog.SegmentationDetails):
		return segmentationShape
	case string(catalog.TriggerCondition):
		return triggerShape
	case mIncluded, mSecondary, mExcluded, mConditions, mFilters: // filters: the group of a segment
		return groupShape
	}
	return shapeOf(root.Lookup(at))
}

// IsTrigger reports whether the filters at a path start a campaign: a trigger, its group of events, or a
// filter in it. The other groups of a trigger do not.
func IsTrigger(root doc.Value, at doc.Path) bool {
	if shapeAt(root, at) == triggerShape {
		return true
	}
	i := slices.Index(at, doc.Name(mIncluded))
	return i >= 0 && shapeAt(root, at[:i]) == triggerShape
}

// shapeOf assumes a segmentation if nothing indicates otherwise.
func shapeOf(filters doc.Value) shape {
	out := segmentationShape
	for name := range filters.Members() {
		switch {
		case name == mFilters || name == mJoin:
			return groupShape
		case name == mExcluded || name == mEverybody || name == mOptOut:
			return segmentationShape
		case name == mSecondary || strings.HasPrefix(name, "trigger_"):
			out = triggerShape
		}
	}
	return out
}

// kindOf returns the kind of a filter. ofEvent reports that it is a condition of an action.
func kindOf(f doc.Value, ofEvent bool) Kind {
	t := f.Get(mType).Text()
	switch {
	case t == "" && f.Get(mFilters).Exists():
		return Group
	case ofEvent && (t == "" || t == typeAttribute): // a service may leave the type out
		return EventAttribute
	case ofEvent:
		return Unknown
	case t == typeAttribute:
		return Attribute
	case t == typeAction:
		return Action
	case t == typeSegment:
		return Segment
	}
	return Unknown
}

// joinOf returns how a group joins its filters; "and" by default.
func joinOf(group doc.Value) string {
	if group.Get(mJoin).Text() == joinOr {
		return joinOr
	}
	return joinAnd
}

// isFilter reports whether a path is that of a filter, not of a component's group.
func isFilter(p doc.Path) bool {
	return len(p) >= 2 && p.Last().IsIndex && p[len(p)-2] == doc.Name(mFilters)
}

// groupOf returns the path of the group that contains a filter.
func groupOf(p doc.Path) doc.Path { return p[:len(p)-2] }

// ofEvents reports whether a path is that of an action's conditions, or of one of them.
func ofEvents(p doc.Path) bool { return slices.Contains(p, doc.Name(mConditions)) }

// actionOf returns the path of the action that contains a condition.
func actionOf(p doc.Path) doc.Path { return p[:slices.Index(p, doc.Name(mConditions))] }

// groupNode, filterNode and similar functions return the tables of filters in campaigns.
func groupNode() *schema.Node {
	return catalog.Campaign(catalog.Push).Root().Child(string(catalog.SegmentationDetails)).Child(mIncluded)
}

func filterNode() *schema.Node { return groupNode().Child(mFilters).Element }
func eventNode() *schema.Node  { return filterNode().Child(mConditions).Child(mFilters).Element }
