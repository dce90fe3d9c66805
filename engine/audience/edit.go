package audience

import (
	"errors"
	"fmt"
	"slices"

	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// The editing of a tree of filters. Each function takes the root that paths start from, a campaign or
// any part of it, and returns a new one; where it refuses, the root comes back as it was, and the error
// is a sentence for people. A path that comes back leads to what was edited, wherever it now is.

// Kinds returns what [AddFilter] can add at a group or filter, the most common first.
func Kinds(root doc.Value, at doc.Path) []Kind {
	if ofEvents(at) {
		return []Kind{EventAttribute}
	}
	kinds := []Kind{Attribute, Action, Segment}
	if IsTrigger(root, at) {
		kinds = []Kind{Action, Attribute, Segment}
	}
	if isFilter(at) && kindOf(root.Lookup(at), false) == Action {
		return append(kinds, EventAttribute)
	}
	return kinds
}

// AddFilter adds a new filter to the group at a path, which may be absent, or after the filter there. A
// condition on event attributes is added to the action there.
func AddFilter(root doc.Value, at doc.Path, kind Kind) (doc.Value, doc.Path, error) {
	if !slices.Contains(Kinds(root, at), kind) {
		return root, at, fmt.Errorf("a filter on %s can't go here", nouns[kind])
	}
	if !isFilter(at) {
		return insert(root, at, root.Lookup(at).Get(mFilters).Len(), blank(kind))
	}
	v := root.Lookup(at)
	switch {
	case !v.Exists():
		return root, at, errNoFilter
	case kind == EventAttribute && !ofEvents(at):
		conditions := at.Child(mConditions)
		return insert(root, conditions, root.Lookup(conditions).Get(mFilters).Len(), blank(kind))
	case kindOf(v, ofEvents(at)) == Group:
		return insert(root, at, v.Get(mFilters).Len(), blank(kind))
	}
	return insert(root, groupOf(at), at.Last().Index+1, blank(kind))
}

var errNoFilter = errors.New("this filter no longer exists")

var nouns = map[Kind]string{
	Group: "a group", Attribute: "user attributes", Action: "actions", Segment: "segments", EventAttribute: "event attributes",
	Unknown: "something unknown",
}

// blank returns a new filter with its defaults.
func blank(kind Kind) doc.Value {
	text := func(name, s string) doc.Member { return doc.M(name, doc.NewString(s)) }
	const dataType = "string"
	switch kind {
	case Action:
		return doc.NewObject(text(mType, typeAction), doc.M(mExecuted, doc.NewBool(true)),
			doc.M(mExecution, doc.NewObject(text(mCounting, "atleast"), doc.M(mTimes, doc.NewInt(1)))))
	case Segment:
		return doc.NewObject(text(mType, typeSegment))
	}
	return doc.NewObject(text(mType, typeAttribute), text(mDataType, dataType), text(mOperator, catalog.Operators(dataType)[0]))
}

// insert adds a filter to a group, and creates the group if necessary. A new exclusion group joins its
// filters with or.
func insert(root doc.Value, group doc.Path, i int, filter doc.Value) (doc.Value, doc.Path, error) {
	out := root
	if !root.Lookup(group).Get(mJoin).Exists() {
		join := joinAnd
		if group.Last().Name == mExcluded {
			join = joinOr
		}
		var err error
		if out, err = root.Set(group.Child(mJoin), doc.NewString(join)); err != nil {
			return root, group, fmt.Errorf("cannot change the group: %w", err)
		}
	}
	p := group.Child(mFilters).Elem(i)
	out, err := out.Insert(p, filter)
	if err != nil {
		return root, group, fmt.Errorf("cannot put the filter here: %w", err)
	}
	return out, p, nil
}

// Move moves a filter up (negative) or down in its group, as far as possible.
func Move(root doc.Value, p doc.Path, by int) (doc.Value, doc.Path, error) {
	if err := there(root, p); err != nil {
		return root, p, err
	}
	last := root.Lookup(groupOf(p)).Get(mFilters).Len() - 1
	to := max(0, min(p.Last().Index+by, last))
	out, err := root.Move(p, to)
	if err != nil {
		return root, p, fmt.Errorf("cannot move the filter: %w", err)
	}
	return out, p.Parent().Elem(to), nil
}

// Indent makes a filter on an attribute a condition of the action before it. Nothing else can be nested,
// because groups cannot contain groups.
func Indent(root doc.Value, p doc.Path) (doc.Value, doc.Path, error) {
	if err := there(root, p); err != nil {
		return root, p, err
	}
	f, i := root.Lookup(p), p.Last().Index
	switch kind := kindOf(f, ofEvents(p)); {
	case kind == EventAttribute:
		return root, p, errors.New("it is already part of its event, and can't go deeper")
	case kind != Attribute:
		return root, p, errors.New("only an attribute filter can become a condition of an event; groups can't contain groups")
	case i == 0 || kindOf(root.Lookup(p.Parent().Elem(i-1)), false) != Action:
		return root, p, errors.New("there is no event above to move it into; groups can't contain groups")
	}
	conditions := p.Parent().Elem(i - 1).Child(mConditions)
	return retyped(root, p, conditions, root.Lookup(conditions).Get(mFilters).Len())
}

// Outdent moves a condition of an action after the action as a filter on a user attribute. A group inside a
// group, which only other services send, is replaced by its filters.
func Outdent(root doc.Value, p doc.Path) (doc.Value, doc.Path, error) {
	if err := there(root, p); err != nil {
		return root, p, err
	}
	f, outer := root.Lookup(p), groupOf(p)
	switch {
	case kindOf(f, ofEvents(p)) == Group:
		return dissolve(root, p)
	case isFilter(outer):
		out, to, err := insert(root, groupOf(outer), outer.Last().Index+1, f)
		if err != nil {
			return root, p, err
		}
		return remove(out, p), to, nil
	case ofEvents(p):
		action := actionOf(p)
		return retyped(root, p, groupOf(action), action.Last().Index+1)
	}
	return root, p, errors.New("the filter is already at the top level")
}

// retyped moves a filter on an attribute into another group, and sets its type if it has none.
func retyped(root doc.Value, p, group doc.Path, i int) (doc.Value, doc.Path, error) {
	f, err := root.Lookup(p).Set(doc.P(mType), doc.NewString(typeAttribute))
	if err != nil {
		return root, p, fmt.Errorf("cannot change the filter: %w", err)
	}
	out, to, err := insert(root, group, i, f)
	if err != nil {
		return root, p, err
	}
	return remove(out, p), to, nil
}

func dissolve(root doc.Value, p doc.Path) (doc.Value, doc.Path, error) {
	out, first := root.Delete(p), p
	for i, f := range root.Lookup(p).Get(mFilters).Elems() {
		var err error
		if out, err = out.Insert(p.Parent().Elem(p.Last().Index+i), f); err != nil {
			return root, p, fmt.Errorf("cannot ungroup: %w", err)
		}
	}
	return out, first, nil
}

// Duplicate inserts a copy of a filter after it.
func Duplicate(root doc.Value, p doc.Path) (doc.Value, doc.Path, error) {
	if err := there(root, p); err != nil {
		return root, p, err
	}
	return insert(root, groupOf(p), p.Last().Index+1, root.Lookup(p))
}

// Negate negates a filter, or removes the negation. A filter on a segment cannot be negated; exclude its
// users with an exclusion filter instead.
func Negate(root doc.Value, p doc.Path) (doc.Value, error) {
	if err := there(root, p); err != nil {
		return root, err
	}
	f := root.Lookup(p)
	member, now := mNegate, f.Get(mNegate).True()
	switch kindOf(f, ofEvents(p)) {
	case Action:
		member, now = mExecuted, f.Get(mExecuted).Kind() != doc.Bool || f.Get(mExecuted).True()
	case Attribute, EventAttribute:
	case Segment:
		return root, errors.New("a segment can't be inverted; to leave out its users, move it to Exclude")
	default:
		return root, errors.New("a group can't be inverted; invert its filters one by one")
	}
	out, err := root.Set(p.Child(member), doc.NewBool(!now))
	if err != nil {
		return root, fmt.Errorf("cannot invert the filter: %w", err)
	}
	return out, nil
}

// Remove removes a filter, or a component's group with all its filters. An action without conditions loses
// its attributes.
func Remove(root doc.Value, p doc.Path) (doc.Value, error) {
	if !root.Lookup(p).Exists() || len(p) == 0 {
		return root, errNoFilter
	}
	return remove(root, p), nil
}

func remove(root doc.Value, p doc.Path) doc.Value {
	out := root.Delete(p)
	if isFilter(p) && isFilter(groupOf(p).Parent()) && groupOf(p).Last().Name == mConditions && out.Lookup(p.Parent()).Len() == 0 {
		return out.Delete(groupOf(p))
	}
	return out
}

// SetJoin sets how a group joins its filters: "and" or "or". The path of an action means its conditions.
func SetJoin(root doc.Value, group doc.Path, join string) (doc.Value, error) {
	if join != joinAnd && join != joinOr {
		return root, fmt.Errorf("filters can be joined by %s or %s, not %q", joinAnd, joinOr, join)
	}
	if isFilter(group) {
		switch kindOf(root.Lookup(group), ofEvents(group)) {
		case Action:
			group = group.Child(mConditions)
		case Group:
		default:
			group = groupOf(group)
		}
	}
	if !root.Lookup(group).Get(mFilters).Exists() {
		return root, errors.New("there are no filters to join yet; add one first")
	}
	out, err := root.Set(group.Child(mJoin), doc.NewString(join))
	if err != nil {
		return root, fmt.Errorf("cannot change the group: %w", err)
	}
	return out, nil
}

func there(root doc.Value, p doc.Path) error {
	switch {
	case !isFilter(p):
		return errors.New("this works on a single filter; choose one in the group")
	case !root.Lookup(p).Exists():
		return errNoFilter
	}
	return nil
}
