package engine

import (
	"context"

	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// fName is the field of basic_details with the campaign's name.
const fName = "name"

// NewDraftBody returns the body of a create request (CONTRACT.md, Create): the required head fields followed
// by components, an object that may be absent. Head fields and response-only fields among the components are
// left out.
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
	return doc.NewObject(append(ms, requestMembers(ch, given)...)...)
}

// CampaignName returns the campaign's name, or "" if it has none.
func CampaignName(components doc.Value) string {
	return components.Get(string(catalog.BasicDetails)).Get(fName).Text()
}

// WithName returns the components with the campaign's name set, or removed if name is empty. It returns
// components unchanged if basic_details is not an object.
func WithName(components doc.Value, name string) doc.Value {
	if name == CampaignName(components) {
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

// fTimezone is the field of scheduling_details that names the campaign's time zone.
const fTimezone = "timezone"

// Draft holds the initial values of a new draft.
type Draft struct {
	Channel      Channel
	DeliveryType DeliveryType
	CreatedBy    string // an email address
	Components   doc.Value
}

// Create creates the draft in the workspace's time zone, with the [catalog.StartValues] of its type. If the service refuses
// these, or the components, the draft is created without them, and rest are all components.
func (d Draft) Create(ctx context.Context, service Service) (made Created, rest doc.Value, err error) {
	given, all := d.Components, d.inWorkspaceZone(ctx, service)
	for _, v := range catalog.StartValues(d.Channel, d.DeliveryType) {
		if started, err := all.Set(v.Path, v.Value); err == nil && !given.Lookup(v.Unless).Exists() {
			all = started
		}
	}
	for _, components := range []doc.Value{all, given, {}} {
		made, err = service.Create(ctx, CreateRequest{Call: NewCall(), Body: NewDraftBody(d.Channel, d.DeliveryType, d.CreatedBy, components)})
		if e := AsError(err); e == nil || e.Code != ValidationFailed {
			return made, rest, err
		}
		rest = all
	}
	return made, rest, err
}

// Clone creates a draft with the content of a campaign, and its name with (copy), also where the service does not do so
// itself.
func Clone(ctx context.Context, svc Service, id, by string) (Created, error) {
	if manager, ok := svc.(CampaignManager); ok {
		return manager.Clone(ctx, id, by)
	}
	c, err := svc.Get(ctx, id)
	if err != nil {
		return Created{}, err
	}
	c = c.InRequest()
	body := WithName(NewDraftBody(c.Channel, c.DeliveryType, by, c.Body), CampaignName(c.Body)+" (copy)")
	return svc.Create(ctx, CreateRequest{Call: NewCall(), Body: body})
}

// inWorkspaceZone returns the components with the workspace's time zone as the campaign's, where its delivery type needs
// a schedule and the components name no zone. They come back unchanged for a service that does not share its settings.
func (d Draft) inWorkspaceZone(ctx context.Context, service Service) doc.Value {
	keeper, ok := service.(WorkspaceStore)
	at := doc.P(string(catalog.SchedulingDetails), fTimezone)
	if !ok || !catalog.NeedsSchedule(d.DeliveryType) || d.Components.Lookup(at).Exists() {
		return d.Components
	}
	w, err := keeper.Workspace(ctx)
	if err != nil || w.Timezone == "" {
		return d.Components
	}
	zoned, err := d.Components.Set(at, doc.NewString(w.Timezone))
	if err != nil {
		return d.Components
	}
	return zoned
}
