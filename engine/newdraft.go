package engine

import (
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// fName is the member of basic_details that holds what people call the campaign.
const fName = "name"

// NewDraftBody gives the body of a create request (spec.md, Create Campaign): the head members
// that it must have, then components, an object that may be absent. Head members among the
// components, as a record has them, and what else only responses have are left out.
func NewDraftBody(ch Channel, dt DeliveryType, createdBy string, components doc.Value) doc.Value {
	ms := []doc.Member{
		doc.M(fChannel, doc.NewString(string(ch))),
		doc.M(fDeliveryType, doc.NewString(string(dt))),
		doc.M(fCreatedBy, doc.NewString(createdBy)),
	}
	var given []doc.Member
	for name, v := range components.Members() {
		given = append(given, doc.M(name, v))
	}
	return doc.NewObject(append(ms, sent(ch, given)...)...)
}

// NameOf gives what people call the campaign with these components; empty where it has no name.
func NameOf(components doc.Value) string {
	return components.Get(string(catalog.BasicDetails)).Get(fName).Text()
}

// WithName gives the components with the campaign's name set, or taken out where name is empty.
// Components that hold something else where the name belongs come back unchanged.
func WithName(components doc.Value, name string) doc.Value {
	if name == NameOf(components) {
		return components
	}
	at := doc.P(string(catalog.BasicDetails), fName)
	if name == "" {
		return components.Delete(at)
	}
	named, err := components.Set(at, doc.NewString(name))
	if err != nil {
		return components
	}
	return named
}
