package assemble

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/template"
)

// Suggestions holds the completions that forms offer inside an expression and that the workspace's settings
// do not list. The zero value is empty.
type Suggestions struct{ expressions []string }

// maxSampledProducts limits the products of a set that are searched for field names.
const maxSampledProducts = 100

// LoadSuggestions loads the product sets, with the fields of their products, and the content APIs.
func LoadSuggestions(ctx context.Context, from Source) (Suggestions, error) {
	var o Suggestions
	sets, err := from.Content(ctx, engine.KindProducts)
	if err != nil {
		return o, err
	}
	for _, item := range sets {
		members := map[string]bool{}
		for _, p := range item.Products.Products[:min(len(item.Products.Products), maxSampledProducts)] {
			for name := range p {
				members[name] = true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			o.expressions = append(o.expressions, "ProductSet"+accessor(item.Products.Name)+"[0]"+accessor(name))
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
		o.expressions = append(o.expressions, "ContentApi"+accessor(item.API.Name)+"("+strings.Join(args, ", ")+")")
	}
	return o, nil
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// accessor returns the expression suffix that accesses a field: .name, or ['name'] if the name is no identifier.
func accessor(name string) string {
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

// The lists that [Suggestions.List] answers itself, because no workspace has them.
const (
	listExpressions = "expressions"         // without the braces; the arguments of a call are its parameter names
	listFilters     = "expression_filters"  // allowed after |
	listTrigger     = "trigger_attributes"  // of the event that starts the campaign
	listBusiness    = "business_attributes" // of its business event

	listTriggerDates = "trigger_dates" // the dates among the attributes of the event that starts the campaign
)

// List returns the suggestions of a list for a document: one of the lists above, or one of the workspace's
// (see [engine.Workspace.Lists]).
func (o Suggestions) List(w engine.Workspace, document doc.Value, list string) []string {
	switch list {
	case listExpressions:
		return o.expressions
	case listFilters:
		const first = "default" // the most useful one
		names := []string{first}
		for _, f := range template.Functions() {
			if f.Kind == template.FilterKind && f.Name != first {
				names = append(names, f.Name)
			}
		}
		slices.Sort(names[1:])
		return names
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

// attributesOf returns the names of an event's attributes of a data type, or all if dataType is empty.
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
