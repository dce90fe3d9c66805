package engine

import (
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Document returns the outcome as the API shows it (CONTRACT.md, Validate): errors alone,
// each with its dotted path.
func (v Validation) Document() doc.Value {
	ms := []doc.Member{doc.M("valid", doc.NewBool(v.Valid))}
	if bad := schema.Errors(v.Problems); len(bad) > 0 {
		items := make([]doc.Value, len(bad))
		for i, p := range bad {
			items[i] = doc.NewObject(doc.M("field", doc.NewString(p.Path.String())), doc.M("issue", doc.NewString(p.Message)))
		}
		ms = append(ms, doc.M("errors", doc.NewArray(items...)))
	}
	return doc.NewObject(ms...)
}

// SignedBy returns a create request's body with its creator set; unchanged where by is empty.
func SignedBy(body doc.Value, by string) doc.Value { return withHead(body, fCreatedBy, by) }

// UpdatedBy returns an update request's body with who updates set, where it says nobody yet.
func UpdatedBy(body doc.Value, by string) doc.Value {
	if body.Get(fUpdatedBy).Exists() {
		return body
	}
	return withHead(body, fUpdatedBy, by)
}

func withHead(body doc.Value, name, value string) doc.Value {
	if value == "" {
		return body
	}
	out, err := body.Set(doc.P(name), doc.NewString(value))
	if err != nil { // no object: the service says so
		return body
	}
	return out
}

// Public returns the settings without what is secret, even hashed: the API keys by id alone.
func (w Workspace) Public() Workspace {
	keys := make([]APIKey, len(w.Keys))
	for i, k := range w.Keys {
		k.Hash = ""
		keys[i] = k
	}
	w.Keys = keys
	for _, list := range []*[]string{&w.SubscriptionCategories, &w.Teams, &w.Locales} {
		if *list == nil {
			*list = []string{}
		}
	}
	if w.Connectors == nil {
		w.Connectors = []Connector{}
	}
	flags := map[string]bool{}
	for _, name := range KnownFlags() {
		flags[name] = w.Flags[name]
	}
	for name, on := range w.Flags {
		flags[name] = on
	}
	w.Flags = flags
	return w
}
