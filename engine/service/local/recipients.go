package local

import (
	"context"
	"slices"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/delivery/webpush"
	"bugle/store"
)

// recipient is one user, address or device that a test is sent to.
type recipient struct {
	name       string // the identifier value of the test; the id of a segment's member
	address    string // email address
	identifier string // as in the test; empty for a segment's member
	value      string // of the identifier
	devices    []engine.Device
	attributes map[string]any // nil without a user
	event      map[string]any // attributes of the newest event that triggers the campaign
	why        string         // why nothing can be sent to it; empty if something can
}

// identifierKinds maps identifiers to the store's indexes of users; "" is the user's id.
var identifierKinds = map[string]string{
	"USER_ATTRIBUTE_UNIQUE_ID":   "",
	"ID":                         "",
	"USER_ATTRIBUTE_USER_EMAIL":  store.ByEmail,
	"EMAIL":                      store.ByEmail,
	"USER_ATTRIBUTE_USER_MOBILE": store.ByMobile,
	"MOBILE_NUMBER":              store.ByMobile,
	androidID:                    store.ByAdvertising,
	"ADVERTISING_IDENTIFIER":     store.ByAdvertising,
	"PUSH_ID":                    store.ByToken,
}

// recipients resolves the identifier values of a test. A value without a user is a recipient that fails; an
// unknown segment is refused.
func (s *Service) recipients(ctx context.Context, sp store.WorkspaceTx, w engine.Workspace, p *testPlan, meta doc.Value) ([]recipient, error) {
	identifier, values := meta.Get("identifier").Text(), meta.Get(mIdentValues).Strings()
	if identifier == "CUSTOM_SEGMENT" && len(values) > 0 {
		return s.members(ctx, sp, w, p, values[0])
	}
	var out []recipient
	seen := map[string]bool{}
	for _, value := range values {
		one := engine.RecipientKey(identifier, value)
		if seen[one] {
			continue // one message is enough
		}
		seen[one] = true
		r, err := s.recipient(sp, p, identifier, value)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func (s *Service) recipient(sp store.WorkspaceTx, p *testPlan, identifier, value string) (recipient, error) {
	name := value
	if endpoint, _, ok := webpush.ParseSubscription(value); ok && identifier == "PUSH_ID" {
		name = endpoint // the rest are the browser's keys
	}
	prof, found, err := find(sp, identifier, name)
	if err != nil {
		return recipient{}, err
	}
	r := recipient{why: engine.NoUserReason(identifier)}
	if found {
		r = recipientOf(p, prof)
	}
	r.name, r.identifier, r.value = name, identifier, value
	if identifier == "EMAIL" {
		r.address, r.why = value, ""
	}
	return r, nil
}

// find returns the user with an identifier value; the first by id if there are several.
func find(sp store.WorkspaceTx, identifier, value string) (engine.User, bool, error) {
	kind, ok := identifierKinds[identifier]
	if !ok || value == "" || len(value) > 4096 {
		return engine.User{}, false, nil
	}
	ids := []string{value}
	if kind != "" {
		var err error
		if ids, err = sp.FindProfiles(kind, value); err != nil {
			return engine.User{}, false, err
		}
	}
	for _, id := range ids {
		prof, found, err := profile(sp, id)
		// The index has the advertising ids of every platform, and folds more letters of addresses than ASCII.
		switch {
		case err != nil:
			return prof, found, err
		case !found, identifier == androidID && !hasAndroid(prof, value),
			kind == store.ByEmail && engine.IndexRecipient(engine.IdentifierValues(identifier, prof), identifier, value) < 0:
			continue
		}
		return prof, true, nil
	}
	return engine.User{}, false, nil
}

// androidID is the identifier for Android advertising ids only; ADVERTISING_IDENTIFIER includes those of iOS.
const androidID = "SVC_GAID"

func hasAndroid(p engine.User, advertisingID string) bool {
	return slices.ContainsFunc(p.Devices, func(d engine.Device) bool {
		return d.Platform == string(catalog.Android) && d.AdvertiseID == advertisingID
	})
}

// members returns the first members of a segment: those on its list in order, then those that match its
// filters.
func (s *Service) members(ctx context.Context, sp store.WorkspaceTx, w engine.Workspace, p *testPlan, name string) ([]recipient, error) {
	const target = mTestMeta + "." + mIdentValues
	at := slices.IndexFunc(w.Segments, func(seg engine.Segment) bool { return seg.Name == name })
	if at < 0 {
		return nil, refuse(target, "there is no segment named %q in this workspace", name)
	}
	seg := w.Segments[at]
	var out []recipient
	for _, id := range seg.TestUserIDs() {
		prof, found, err := profile(sp, id)
		if err != nil {
			return nil, err
		}
		r := recipient{name: id, why: "this user of the segment no longer exists"}
		if found {
			r = recipientOf(p, prof)
		}
		out = append(out, r)
	}
	if seg.Group().Exists() && len(out) < engine.MaxTestMembers {
		more, err := s.audiences.members(ctx, sp, engine.AudienceRequest{Filters: audience.SegmentFilters(name), Limit: engine.MaxTestMembers + len(seg.Members)})
		if engine.AsError(err) != nil {
			return nil, refuse(target, "cannot use the segment %q: %v", name, err)
		}
		if err != nil {
			return nil, err
		}
		for _, prof := range more {
			if len(out) < engine.MaxTestMembers && !slices.Contains(seg.Members, prof.ID) {
				out = append(out, recipientOf(p, prof))
			}
		}
	}
	if len(out) == 0 {
		return nil, refuse(target, "the segment %q has no users", name)
	}
	return out, nil
}

// recipientOf returns the recipient for a user.
func recipientOf(p *testPlan, prof engine.User) recipient {
	r := recipient{name: prof.ID, devices: prof.Devices, attributes: prof.Attributes, event: engine.TriggerAttributes(p.document, prof)}
	if p.channel == catalog.Email {
		r.address, r.why = engine.EmailAddress(p.document, prof)
	}
	return r
}

// on returns the recipient's devices on a platform, or why there are none.
func (r recipient) on(platform string) (devices []engine.Device, why string) {
	return engine.TestDevices(r.identifier, r.value, &engine.User{Devices: r.devices}, platform)
}
