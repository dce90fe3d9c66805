package catalog

import "bugle/engine/doc"

// WithFilterTypes returns a campaign's body in which each filter nested in an action has a type of the
// specification. Earlier versions used event_attributes or none, which becomes user_attributes. Everything
// else stays as written. It returns false if nothing changed.
func WithFilterTypes(body doc.Value) (doc.Value, bool) {
	changed := false
	for _, component := range []Component{SegmentationDetails, TriggerCondition} {
		for _, name := range FilterGroups(component) {
			at := doc.P(string(component), name)
			group, ok := GroupWithFilterTypes(body.Lookup(at))
			if !ok {
				continue
			}
			if out, err := body.Set(at, group); err == nil {
				body, changed = out, true
			}
		}
	}
	return body, changed
}

// GroupWithFilterTypes is [WithFilterTypes] for one filter group.
func GroupWithFilterTypes(group doc.Value) (doc.Value, bool) {
	out := group
	for _, p := range untyped(nil, nil, group, false) {
		typed, err := out.Set(p, doc.NewString("user_attributes"))
		if err != nil {
			return group, false
		}
		out = typed
	}
	return out, !out.Same(group)
}

// untyped appends the paths of missing types in filters nested in an action. nested reports that the group
// itself is in an action.
func untyped(out []doc.Path, at doc.Path, group doc.Value, nested bool) []doc.Path {
	for i, f := range group.Get("filters").Elems() {
		p := at.Child("filters").Elem(i)
		kind, none := f.Get("filter_type"), f.Get("filter_type").Empty()
		switch {
		case f.Kind() != doc.Object:
		case none && f.Get("filters").Exists(): // a group in a group
			out = untyped(out, p, f, nested)
		case kind.Text() == "actions":
			out = untyped(out, p.Child("attributes"), f.Get("attributes"), true)
		case nested && (none || kind.Text() == "event_attributes"):
			out = append(out, p.Child("filter_type"))
		}
	}
	return out
}
