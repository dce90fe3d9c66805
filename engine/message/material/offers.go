package material

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/personalize"
)

// Offers are what can be put between the braces of a text, beside what a workspace's settings name. The
// zero Offers are empty.
type Offers struct{ expressions []string }

// mostLookedAt is how many products of a set are looked at for their members.
const mostLookedAt = 100

// ReadOffers reads which product sets there are, with the members of their products, and which content APIs.
func ReadOffers(ctx context.Context, from Source) (Offers, error) {
	var o Offers
	sets, err := from.Content(ctx, engine.KindProducts)
	if err != nil {
		return o, err
	}
	for _, item := range sets {
		members := map[string]bool{}
		for _, p := range item.Products.Products[:min(len(item.Products.Products), mostLookedAt)] {
			for name := range p {
				members[name] = true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			o.expressions = append(o.expressions, "ProductSet"+step(item.Products.Name)+"[0]"+step(name))
		}
	}
	apis, err := from.Content(ctx, engine.KindAPI)
	if err != nil {
		return o, err
	}
	for _, item := range apis {
		var args []string
		for _, p := range item.API.Params {
			args = append(args, quoted(p))
		}
		o.expressions = append(o.expressions, "ContentApi"+step(item.API.Name)+"("+strings.Join(args, ", ")+")")
	}
	return o, nil
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// step returns what looks a name up, behind what it is looked up in.
func step(name string) string {
	if plainName.MatchString(name) {
		return "." + name
	}
	return "[" + quoted(name) + "]"
}

func quoted(name string) string {
	if strings.Contains(name, "'") {
		return `"` + name + `"`
	}
	return "'" + name + "'"
}

// The lists of [Offers.List] that a workspace has none of.
const (
	listExpressions = "expressions"         // as they stand between the braces; the arguments of a call are the names of its parameters
	listFilters     = "expression_filters"  // what can stand behind |
	listTrigger     = "trigger_attributes"  // of the event that starts the campaign
	listBusiness    = "business_attributes" // of its business event

	listTriggerDates = "trigger_dates" // the dates among the attributes of the event that starts the campaign
)

// List returns what a form of a document offers from a list: one of a workspace, or for its texts.
func (o Offers) List(w engine.Workspace, document doc.Value, list string) []string {
	switch list {
	case listExpressions:
		return o.expressions
	case listFilters:
		const first = "default" // what a message needs most
		rest := slices.DeleteFunc(personalize.FilterNames(), func(name string) bool { return name == first || len(name) == 1 })
		return append([]string{first}, rest...)
	case listTrigger:
		return attributesOf(w, engine.TriggerEvent(document), false, "")
	case listTriggerDates:
		return attributesOf(w, engine.TriggerEvent(document), false, "datetime")
	case listBusiness:
		return attributesOf(w, document.Get(string(catalog.BasicDetails)).Get("business_event").Text(), true, "")
	}
	names, _ := w.Lists(list)
	return names
}

// attributesOf returns the attributes of an event that have the data type, all of them where that is
// empty.
func attributesOf(w engine.Workspace, event string, business bool, dataType string) []string {
	var out []string
	for _, e := range w.Events {
		if e.Name == event && e.Business == business {
			for _, a := range e.Attributes {
				if dataType == "" || a.DataType == dataType {
					out = append(out, a.Name)
				}
			}
		}
	}
	return out
}
