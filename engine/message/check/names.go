package check

import (
	"slices"
	"strings"
	"unicode"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/contentapi"
	"bugle/engine/message/template"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// suggested are the lists of a workspace whose names the tables suggest and do not check, each with the check that
// does and what the names are. Attributes that every event has are known to all.
var suggested = map[string]struct{ check, what string }{
	"events": {"event-unknown", "event"}, "business_events": {"event-unknown", "business event"},
	"user_attributes": {"attribute-unknown", "user attribute"}, "event_attributes": {"attribute-unknown", "event attribute"},
	"trigger_dates": {"attribute-unknown", "event attribute"}, "segments": {"segment-unknown", "segment"},
}

// unknownNames finds names that the workspace does not have, in the fields of the document and in the expressions of the
// messages.
func unknownNames(r *run) {
	w := *r.facts.Workspace
	r.names(nil, r.schema.Root(), r.own, w)
	uses := assemble.NewAttributeScanner(w)
	users, _ := w.Lists("user_attributes")
	for _, m := range r.messages {
		for _, t := range m.texts {
			var absent, wrong []string
			for _, e := range r.uses(t.Source) {
				if e.Root == rootUser && e.Name != "" {
					for _, u := range uses.Scan("{{ " + lookUp(e) + " }}") { // which knows the name in snake case too
						if !slices.Contains(users, u.Name) {
							absent = appendNew(absent, unknown("user attribute", u.Name, users))
						}
					}
				}
				if why := r.unknownEventAttribute(w, e); why != "" {
					wrong = appendNew(wrong, why)
				}
			}
			if len(absent) > 0 {
				wrong = slices.Insert(wrong, 0, "The workspace has no "+some(absent))
			}
			if len(wrong) > 0 {
				r.find("attribute-unknown", t.Path, m.TestKey, "%s", some(wrong))
			}
		}
	}
}

// unknownEventAttribute says why the event that starts the campaign has no such attribute; empty where it has, or
// the event is not known either.
func (r *run) unknownEventAttribute(w engine.Workspace, e template.Expression) string {
	if e.Root != rootEvent && e.Root != rootBusinessEvent || e.Name == "" {
		return ""
	}
	business := r.campaign.DeliveryType == catalog.BusinessEventTriggered
	name := engine.TriggerEvent(r.own)
	if business {
		name = r.own.Get(string(catalog.BasicDetails)).Get("business_event").Text()
	}
	switch {
	case name == "" && catalog.NeedsSchedule(r.campaign.DeliveryType) && !e.Optional:
		return "No event starts this campaign, so that " + quote(e.Name) + " has no value"
	case name == "":
		return ""
	}
	for _, event := range w.Events {
		if event.Name != name || event.Business != business {
			continue
		}
		known := []string{engine.AttrEventTime}
		for _, a := range event.Attributes {
			known = append(known, a.Name)
		}
		if slices.ContainsFunc(known, func(n string) bool { return folded(n) == folded(e.Name) }) {
			return ""
		}
		return "The event " + quote(name) + " has no " + unknown("attribute", e.Name, known[1:])
	}
	return ""
}

// lookUp returns the expression that looks a name up, and nothing else.
func lookUp(e template.Expression) string {
	quote := "'"
	if strings.Contains(e.Name, quote) {
		quote = `"`
	}
	return e.Root + "[" + quote + e.Name + quote + "]"
}

// folded returns the letters and digits of a name in lower case: expressions may spell it in snake case.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

func appendNew[T comparable](list []T, s T) []T {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// unknown names what is not known, and what may have been meant.
func unknown(what, name string, known []string) string {
	s := what + " " + quote(name)
	if near := phrase.Nearest(name, known); near != "" {
		s += " (did you mean " + quote(near) + "?)"
	}
	return s
}

// names walks the document along its table.
func (r *run) names(p doc.Path, n *schema.Node, v doc.Value, w engine.Workspace) {
	if n == nil || len(p) > 60 {
		return
	}
	switch v.Kind() {
	case doc.String:
		r.named(p, n.Suggest, v.Text(), w)
	case doc.Array:
		for i, e := range v.Elems() {
			r.names(p.Elem(i), n.Element, e, w)
		}
	case doc.Object:
		for name, m := range v.Members() {
			if len(p) == 0 && name == string(catalog.CampaignContent) {
				continue // its names stand in expressions
			}
			child := n.Child(name)
			if child == nil {
				continue
			}
			if list := child.Suggest; suggested[list].check != "" && v.Get("filter_type").Text() == typeSegment {
				if name == "name" {
					r.named(p.Child(name), "segments", m.Text(), w)
				}
				continue
			}
			r.names(p.Child(name), child, m, w)
		}
	}
}

// typeSegment is the type of filters whose name is that of a segment.
const typeSegment = "custom_segments"

// named finds a name that is not in a list of the workspace.
func (r *run) named(at doc.Path, list, name string, w engine.Workspace) {
	s, ok := suggested[list]
	if !ok || name == "" || schema.HasExpression(name) || name == engine.AttrEventTime && s.what == "event attribute" {
		return
	}
	if list == "trigger_dates" {
		list = "event_attributes"
	}
	if known, _ := w.Lists(list); !slices.Contains(known, name) {
		r.find(s.check, at, noCell, "The workspace has no %s", unknown(s.what, name, known))
	}
}

// unknownBlocks finds content blocks that are not there.
func unknownBlocks(r *run) {
	r.eachUse(rootBlock, func(m *message, at doc.Path, names []string) {
		known, _ := r.facts.Workspace.Lists("content_blocks")
		r.absent("content-block-unknown", "content block", m, at, names, known)
	})
}

// unknownContent finds product sets and content APIs that are not there.
func unknownContent(r *run) {
	r.eachUse(rootProducts, func(m *message, at doc.Path, names []string) {
		r.absent("product-set-unknown", "product set", m, at, names, r.facts.Content.names(engine.KindProducts))
	})
	r.eachUse(rootAPI, func(m *message, at doc.Path, names []string) {
		r.absent("content-api-unknown", "content API", m, at, names, r.facts.Content.names(engine.KindAPI))
	})
}

func (r *run) absent(id, what string, m *message, at doc.Path, names, known []string) {
	var wrong []string
	for _, name := range names {
		if !slices.Contains(known, name) {
			wrong = append(wrong, unknown(what, name, known))
		}
	}
	if len(wrong) > 0 {
		r.find(id, at, m.TestKey, "The workspace has no %s", some(wrong))
	}
}

// eachUse calls found with the names that each text looks up in a root.
func (r *run) eachUse(root string, found func(m *message, at doc.Path, names []string)) {
	for _, m := range r.messages {
		for _, t := range m.texts {
			var names []string
			for _, e := range r.uses(t.Source) {
				if e.Root == root && e.Name != "" {
					names = appendNew(names, e.Name)
				}
			}
			if len(names) > 0 {
				found(m, t.Path, names)
			}
		}
	}
}

// refusedAPIs finds content APIs whose host may not be called, where a message needs the answer.
func refusedAPIs(r *run) {
	for _, m := range r.messages {
		for _, t := range m.texts {
			var why []string
			for _, e := range r.uses(t.Source) {
				item, err := r.facts.Content.ContentItem(r.ctx, engine.ContentRef{Kind: engine.KindAPI, Name: e.Name})
				if e.Root != rootAPI || e.Optional || err != nil {
					continue
				}
				if err := contentapi.Allowed(r.facts.Workspace.ContentAPIs, *item.API); err != nil {
					why = appendNew(why, "The content API "+quote(e.Name)+" may not be called: "+err.Error())
				}
			}
			if len(why) > 0 {
				r.find("content-api-refused", t.Path, m.TestKey, "%s", some(why))
			}
		}
	}
}

// valueMissing finds expressions without a value for some recipients.
func valueMissing(r *run) {
	a := r.facts.Audience
	if a.Read == 0 {
		return
	}
	for _, m := range r.messages {
		for _, t := range m.texts {
			var lack []string
			for _, b := range r.bare(t.Source) {
				if n := a.Missing[b.source]; n > 0 {
					lack = append(lack, b.source+" has no value for "+r.share(n))
				}
			}
			if len(lack) > 0 {
				r.find("value-missing", t.Path, m.TestKey, "%s", some(lack))
			}
		}
	}
}

// share counts users among those that were looked at.
func (r *run) share(n int) string {
	a := r.facts.Audience
	of := phrase.Count(a.Read, "recipient")
	if a.Read < a.Count.Matched {
		of = "the first " + of
	}
	return phrase.Thousands(n) + " of " + of
}

// defaultMissing notes expressions without a default, where it is not known that all recipients have a value. What the
// event of a trigger has is there whenever it happens.
func defaultMissing(r *run) {
	for _, m := range r.messages {
		for _, t := range m.texts {
			var open []string
			for _, b := range r.bare(t.Source) {
				known := b.root != rootUser
				if a := r.facts.Audience; a != nil && a.Read > 0 {
					_, counted := a.Missing[b.source]
					known = known || counted || a.Read >= a.Count.Matched
				}
				if !known {
					open = append(open, b.source)
				}
			}
			if len(open) > 0 {
				r.find("default-missing", t.Path, m.TestKey, "%s %s no default", some(open), has(len(open)))
			}
		}
	}
}

func has(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}
