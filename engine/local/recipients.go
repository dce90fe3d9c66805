package local

import (
	"context"
	"fmt"
	"net/mail"
	"slices"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/delivery/webpush"
	"bugle/engine/doc"
	"bugle/store"
)

// recipient is one user, address or device that a test goes to.
type recipient struct {
	name       string // as the tester named it; a member of a segment by its id
	address    string // where mail goes
	token      string // PUSH_ID: the device itself
	devices    []engine.Device
	attributes map[string]any // nil without a profile
	event      map[string]any // attributes of the newest event that the campaign is triggered by
	why        string         // why nothing can go to it; empty where it can
}

// identifierKinds say by which index of profiles an identifier finds; "" is the profile's own id.
var identifierKinds = map[string]struct{ kind, what string }{
	"USER_ATTRIBUTE_UNIQUE_ID":   {"", "id"},
	"ID":                         {"", "id"},
	"USER_ATTRIBUTE_USER_EMAIL":  {store.ByEmail, "e-mail address"},
	"EMAIL":                      {store.ByEmail, "e-mail address"},
	"USER_ATTRIBUTE_USER_MOBILE": {store.ByMobile, "phone number"},
	"MOBILE_NUMBER":              {store.ByMobile, "phone number"},
	androidID:                    {store.ByAdvertising, "advertising id"},
	"ADVERTISING_IDENTIFIER":     {store.ByAdvertising, "advertising id"},
	"PUSH_ID":                    {store.ByToken, "push token"},
}

// recipients resolves the identifier values of a test. A value that finds nobody is a recipient
// that fails; a segment that is not there is refused.
func (s *Service) recipients(ctx context.Context, sp store.Space, w engine.Workspace, p *testPlan, meta doc.Value) ([]recipient, error) {
	identifier, values := meta.Get("identifier").Text(), meta.Get(mIdentValues).Strings()
	if identifier == "CUSTOM_SEGMENT" && len(values) > 0 {
		return s.members(ctx, sp, w, p, values[0])
	}
	var out []recipient
	for _, value := range values {
		r, err := s.recipient(sp, p, identifier, value)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func (s *Service) recipient(sp store.Space, p *testPlan, identifier, value string) (recipient, error) {
	name := value
	if endpoint, _, ok := webpush.Parse(value); ok && identifier == "PUSH_ID" {
		name = endpoint // the rest are the browser's keys
	}
	prof, found, err := find(sp, identifier, name)
	if err != nil {
		return recipient{}, err
	}
	r := recipient{name: name}
	switch {
	case found:
		r = known(p, prof)
		r.name = name
	case identifier != "EMAIL" && identifier != "PUSH_ID":
		r.why = "there is no user with this " + identifierKinds[identifier].what
	}
	switch identifier {
	case "EMAIL":
		r.address, r.why = value, ""
	case "PUSH_ID":
		r.token = value
	}
	return r, nil
}

// find gives the profile that an identifier's value leads to; of several the first by id.
func find(sp store.Space, identifier, value string) (engine.Profile, bool, error) {
	by, ok := identifierKinds[identifier]
	if !ok || value == "" || len(value) > 4096 {
		return engine.Profile{}, false, nil
	}
	ids := []string{value}
	if by.kind != "" {
		var err error
		if ids, err = sp.FindProfiles(by.kind, value); err != nil {
			return engine.Profile{}, false, err
		}
	}
	for _, id := range ids {
		prof, found, err := profile(sp, id)
		if err != nil || found && (identifier != androidID || hasAndroid(prof, value)) {
			return prof, found, err
		}
	}
	return engine.Profile{}, false, nil
}

// androidID is the identifier that is an Android advertising id alone, where ADVERTISING_IDENTIFIER
// is an iOS one too.
const androidID = "SVC_GAID"

func hasAndroid(p engine.Profile, advertisingID string) bool {
	return slices.ContainsFunc(p.Devices, func(d engine.Device) bool {
		return d.Platform == string(catalog.Android) && d.AdvertiseID == advertisingID
	})
}

// members gives the first members of a segment: those that it lists, in their order, and then those
// that its filters pick.
func (s *Service) members(ctx context.Context, sp store.Space, w engine.Workspace, p *testPlan, name string) ([]recipient, error) {
	const target = mTestMeta + "." + mIdentValues
	at := slices.IndexFunc(w.Segments, func(seg engine.Segment) bool { return seg.Name == name })
	if at < 0 {
		return nil, refuse(target, "there is no segment named %q in this workspace", name)
	}
	seg := w.Segments[at]
	var out []recipient
	for _, id := range seg.TestMembers() {
		prof, found, err := profile(sp, id)
		if err != nil {
			return nil, err
		}
		r := recipient{name: id, why: "this member of the segment is no user any more"}
		if found {
			r = known(p, prof)
		}
		out = append(out, r)
	}
	if seg.Group().Exists() && len(out) < engine.MaxTestMembers {
		more, err := s.inSegment(ctx, sp, name, engine.MaxTestMembers+len(seg.Members))
		if engine.AsError(err) != nil {
			return nil, refuse(target, "the segment %q cannot be used: %v", name, err)
		}
		if err != nil {
			return nil, err
		}
		for _, prof := range more {
			if len(out) < engine.MaxTestMembers && !slices.Contains(seg.Members, prof.ID) {
				out = append(out, known(p, prof))
			}
		}
	}
	if len(out) == 0 {
		return nil, refuse(target, "the segment %q has no members", name)
	}
	return out, nil
}

// known gives the recipient that a profile is.
func known(p *testPlan, prof engine.Profile) recipient {
	r := recipient{name: prof.ID, devices: prof.Devices, attributes: prof.Attributes, event: triggering(p.document, prof)}
	if p.channel != catalog.Email {
		return r
	}
	attr := p.document.Get(string(catalog.BasicDetails)).Get("user_attribute_identifier").Text()
	if attr == "" {
		attr = engine.AttrEmail
	}
	address, _ := prof.Attributes[attr].(string)
	if _, err := mail.ParseAddress(address); err != nil {
		r.why = fmt.Sprintf("the user's attribute %s is no e-mail address", attr)
		if address == "" {
			r.why = fmt.Sprintf("the user has no attribute %s", attr)
		}
	}
	r.address = address
	return r
}

// triggering gives the attributes of the user's newest event of the kind that the campaign's
// trigger names first; nil where there is none.
func triggering(document doc.Value, prof engine.Profile) map[string]any {
	filters := document.Get(string(catalog.TriggerCondition)).Get("included_filters").Get("filters")
	name := ""
	for _, f := range filters.Elems() {
		if name = f.Get("action_name").Text(); name != "" {
			break
		}
	}
	for i := len(prof.Events) - 1; i >= 0 && name != ""; i-- {
		if prof.Events[i].Name == name {
			return prof.Events[i].Attributes
		}
	}
	return nil
}

// on gives the devices that a recipient has on a platform, or why there is none.
func (r recipient) on(platform string) (devices []engine.Device, why string) {
	label := catalog.Platform(platform).Label()
	for _, d := range r.devices {
		switch {
		case r.token != "" && d.Token != r.token:
		case d.Platform == platform:
			devices = append(devices, d)
		case r.token != "":
			return nil, fmt.Sprintf("the token belongs to a device for %s, not for %s", catalog.Platform(d.Platform).Label(), label)
		}
	}
	switch {
	case len(devices) > 0:
		return devices, ""
	case r.token != "":
		return []engine.Device{{Platform: platform, Token: r.token}}, ""
	}
	return nil, "the user has no device for " + label
}
