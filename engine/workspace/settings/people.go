package settings

import (
	"errors"
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/workspace/userfile"
)

// filterTable returns the table of a campaign's filter groups, or of the part at a path below.
func filterTable(below ...any) schema.Field {
	component := catalog.SegmentationDetails
	p := doc.P(string(component), catalog.FilterGroups(component)[0]).Join(doc.P(below...)...)
	return *catalog.Campaign(catalog.Push).At(p).Field
}

// dataType is the field for the data type of an attribute.
func dataType() schema.Field {
	of := filterTable("filters", 0, "data_type")
	return schema.Field{Name: "data_type", Title: "Type", Kind: schema.String, Options: of.Options, Required: required(),
		Help: "The type of the attribute's values. It decides which comparisons filters offer."}
}

func attributeTable(of string) []schema.Field {
	return []schema.Field{
		nameField("name", "Name", "What the attribute is called, for users, filters and expressions.", "City"),
		dataType(),
		{Name: "category", Title: "Category", Kind: schema.String, Example: "Tracked Standard Attribute", Help: "The group under which attributes of " + of + " are listed."},
	}
}

func typeColumn() Column {
	return Column{Title: "Type", MinWidth: 8, MaxWidth: 14, HidePriority: 1, Text: func(v doc.Value) string {
		for _, o := range filterTable("filters", 0, "data_type").Options {
			if o.Value == v.Get("data_type").Text() {
				return o.Title()
			}
		}
		return v.Get("data_type").Text()
	}}
}

func attributesSection() *Section {
	s := &Section{
		ID: "attributes", Title: "User attributes", Singular: "user attribute", Group: groupPeople, Name: "name", fresh: `{"data_type":"string"}`,
		Example: "City data_type=string",
		Help:    "What you know about users. Filters and personalization suggest these names; users can have other attributes too.",
		Empty:   "There are no user attributes yet. Press n to add one.",
		schema: func() *schema.Schema {
			return table("attributes", "User attribute", refFilters, "An attribute that users have, such as a city.", attributeTable("users")...)
		},
		Columns: []Column{member("Name", "name", 12, 40), typeColumn(), {Title: "Category", MinWidth: 10, HidePriority: 3, Text: func(v doc.Value) string { return v.Get("category").Text() }}},
	}
	l := newListStore(s, func(w *engine.Workspace) *[]engine.Attribute { return &w.Attributes })
	l.lists = func(engine.Attribute) []string { return []string{"user_attributes"} }
	s.store = l
	return s
}

func eventsSection() *Section {
	s := &Section{
		ID: "events", Title: "Events", Singular: "event", Group: groupPeople, Name: "name",
		Example: "'Product Viewed' business=off",
		Help:    "What users do, and what happens in your business. Filters, triggers and goals suggest these names.",
		Empty:   "There are no events yet. Press n to add one.",
		schema: func() *schema.Schema {
			return table("events", "Event", refFilters, "Something that a user does, or that happens in the business.",
				nameField("name", "Name", "What the event is called.", "Product Viewed"),
				schema.Field{Name: "business", Title: "Business event", Kind: schema.Bool, Default: "false", Help: "The event happens in your business, such as a price drop, not to a single user."},
				schema.Field{Name: "attributes", Title: "Attributes", Kind: schema.List, Help: "What is recorded each time it happens.", Rules: []schema.Rule{distinctNames},
					Elem: &schema.Field{ID: "settings.events.attribute", Title: "Attribute", Kind: schema.Object, Help: "Something recorded with the event.", Fields: attributeTable("events")}},
			)
		},
		Columns: []Column{
			member("Name", "name", 14, 40),
			{Title: "Kind", MinWidth: 8, MaxWidth: 8, HidePriority: 1, Text: func(v doc.Value) string {
				if v.Get("business").True() {
					return "business"
				}
				return "user"
			}},
			{Title: "Attributes", MinWidth: 12, HidePriority: 2, Text: func(v doc.Value) string {
				var out []string
				for _, a := range v.Get("attributes").Elems() {
					out = append(out, a.Get("name").Text())
				}
				return strings.Join(out, ", ")
			}},
		},
	}
	l := newListStore(s, func(w *engine.Workspace) *[]engine.EventType { return &w.Events })
	l.lists = func(e engine.EventType) []string {
		if e.Business {
			return []string{"business_events"}
		}
		return []string{"events"}
	}
	s.store = l
	return s
}

var distinctNames = schema.Named{
	ID: "distinct_names", Text: "a different name for each",
	Check: func(p schema.Place) []schema.Finding {
		var out []schema.Finding
		seen := map[string]bool{}
		for i, e := range p.Value.Elems() {
			name := e.Get("name").Text()
			if name != "" && seen[name] {
				out = append(out, schema.Finding{Path: doc.P(i, "name"), Message: "this name is already used"})
			}
			seen[name] = true
		}
		return out
	},
}

func segmentsSection() *Section {
	s := &Section{
		ID: "segments", Title: "Segments", Singular: "segment", Group: groupPeople, Name: "name", Trial: "see who matches",
		Example: "Testers members=USER_1,USER_2",
		Help:    "Named groups of users, by list or by filters. Audiences and test sends can use them.",
		Empty:   "There are no segments yet. Press n to create one from a list of users or from filters.",
		Fixed:   map[string]string{"id": "It is set when the segment is created, and never changes."},
		schema: func() *schema.Schema {
			return table("segments", "Segment", refFilters, "A named set of users.",
				nameField("name", "Name", "What the segment is called. Filters and test sends refer to it by this name.", "Loyal customers"),
				schema.Field{Name: "members", Title: "By list", Kind: schema.List, Help: "The IDs of users who are always in the segment.", Example: "USER_1",
					Elem: &schema.Field{Title: "User", Kind: schema.String, Help: "One user's ID.", Example: "USER_1"}},
				schema.Field{
					Name: "filters", Title: "By filters", Kind: schema.Object, Ref: refFilters, Editor: schema.EditorFilters, Fields: filterTable().Fields,
					Help: "Users who match these filters, in addition to those on the list. The filters are evaluated again for every send.",
				},
				schema.Field{Name: "id", Title: "ID", Kind: schema.String, Applies: schema.Has{Path: "id"}, Help: "The segment's ID. Filters can use it instead of the name."},
			)
		},
		Columns: []Column{member("Name", "name", 14, 40), {Title: "Users", MinWidth: 12, Text: describeSegment}},
		check:   checkSegment,
	}
	l := newListStore(s, func(w *engine.Workspace) *[]engine.Segment { return &w.Segments })
	l.lists = func(engine.Segment) []string { return []string{"segments"} }
	l.prepare = prepareSegment
	s.store = l
	return s
}

// describeSegment describes the members of a segment.
func describeSegment(v doc.Value) string {
	var parts []string
	if n := v.Get("members").Len(); n > 0 {
		parts = append(parts, phrase.Count(n, "user")+" by ID")
	}
	if f := v.Get("filters"); f.Get("filters").Len() > 0 {
		parts = append(parts, audience.DescribeFilter(f, audience.Env{}))
	}
	if len(parts) == 0 {
		return "nobody yet"
	}
	return strings.Join(parts, "; ")
}

// checkSegment finds filters that cannot be evaluated, such as a segment that contains itself.
func checkSegment(w engine.Workspace, v doc.Value) []schema.Problem {
	group := v.Get("filters")
	if group.Get("filters").Len() == 0 {
		return nil
	}
	now, err := fromDoc[engine.Segment](v)
	if err != nil {
		return []schema.Problem{problem(nil, "record", err.Error())}
	}
	others := w.Segments
	w.Segments = []engine.Segment{now}
	for _, s := range others {
		if s.Name != now.Name && (s.ID != now.ID || now.ID == "") {
			w.Segments = append(w.Segments, s)
		}
	}
	_, problems := audience.Compile(audience.SegmentFilters(now.Name), audience.Env{Workspace: w})
	var out []schema.Problem
	for _, p := range problems {
		p.Path = doc.P("filters")
		out = append(out, p)
	}
	return out
}

func usersSection() *Section {
	platform := schema.Field{Name: "platform", Title: "Platform", Kind: schema.String, Required: required(), Help: "The device's platform."}
	for _, p := range catalog.Platforms {
		platform.Options = append(platform.Options, schema.Option{Value: string(p), Label: p.Label()})
	}
	s := &Section{
		ID: "users", Title: "Users", Singular: "user", Group: groupPeople, Name: "id", SearchOnly: true,
		Example: "USER_1 attributes.City=Oslo",
		Help:    "The people who get messages: their attributes, devices and events.",
		Empty:   "There are no users yet. Press n to add one, or i to import a CSV or JSON Lines file.",
		schema: func() *schema.Schema {
			return table("users", "User", refTests, "One user of the workspace's apps.",
				schema.Field{Name: "id", Title: "ID", Kind: schema.String, Required: required(), Help: "The user's permanent internal ID.", Example: "USER_1", Rules: []schema.Rule{schema.Length{Min: 1, Max: 256}}},
				schema.Field{Name: "attributes", Title: "Attributes", Kind: schema.Map, Help: "What you know about the user.",
					Elem: &schema.Field{Title: "Attribute", Kind: schema.Any, Help: "The value of one attribute."}},
				schema.Field{Name: "devices", Title: "Devices", Kind: schema.List, Help: "The apps and browsers that get the user's push messages.",
					Elem: &schema.Field{ID: "settings.users.device", Title: "Device", Kind: schema.Object, Help: "An app or a browser.", Fields: []schema.Field{
						platform,
						{Name: "token", Title: "Token", Kind: schema.String, Required: required(), Help: "The device's push token, or the endpoint of a browser's subscription.", Example: "fcm-token"},
						{Name: "advertising_id", Title: "Advertising ID", Kind: schema.String, Help: "GAID on Android, IDFA on iOS."},
						{Name: "keys", Title: "Subscription keys", Kind: schema.Object, Used: schema.When("platform", string(catalog.Web)), Help: "The keys that encrypt messages to a browser.", Fields: []schema.Field{
							{Name: "p256dh", Title: "p256dh", Kind: schema.String, Required: required(), Help: "The public key of the subscription, in base64url."},
							{Name: "auth", Title: "auth", Kind: schema.String, Required: required(), Help: "The authentication secret of the subscription, in base64url."},
						}},
					}}},
				schema.Field{Name: "events", Title: "Events", Kind: schema.List, Help: "What the user did, oldest first.",
					Elem: &schema.Field{ID: "settings.users.event", Title: "Event", Kind: schema.Object, Help: "Something the user did.", Fields: []schema.Field{
						{Name: "name", Title: "Event", Kind: schema.String, Required: required(), Suggest: "events", Help: "What the user did.", Example: "Product Viewed"},
						{Name: "at", Title: "When", Kind: schema.Time, Required: required(), Help: "When it happened.", Example: "2026-12-01T09:00:00Z"},
						{Name: "attributes", Title: "Attributes", Kind: schema.Map, Help: "What was recorded with this event.",
							Elem: &schema.Field{Title: "Attribute", Kind: schema.Any, Help: "The value of one attribute."}},
					}}},
				schema.Field{Name: "opted_out", Title: "Opted out", Kind: schema.Bool, Default: "false", Help: "The user does not want messages."},
			)
		},
		Columns: []Column{
			member("ID", "id", 10, 24),
			{Title: "Name", MinWidth: 10, MaxWidth: 24, Text: func(v doc.Value) string {
				p, err := fromDoc[engine.User](v)
				if err != nil {
					return ""
				}
				return p.DisplayName()
			}},
			{Title: "Email", MinWidth: 14, HidePriority: 1, Text: func(v doc.Value) string { return v.Get("attributes").Get(engine.AttrEmail).Text() }},
			{Title: "Devices", MinWidth: 7, MaxWidth: 18, HidePriority: 2, Text: func(v doc.Value) string {
				var out []string
				for _, d := range v.Get("devices").Elems() {
					out = append(out, catalog.Platform(d.Get("platform").Text()).Label())
				}
				return strings.Join(out, ", ")
			}},
		},
		check: func(w engine.Workspace, v doc.Value) []schema.Problem {
			p, err := fromDoc[engine.User](v)
			if err == nil {
				err = userfile.Check(p, w)
			}
			var value *userfile.ValueError
			switch {
			case errors.As(err, &value):
				return []schema.Problem{problem(value.Path, "type", value.Err.Error())}
			case err != nil:
				return []schema.Problem{problem(nil, "profile", err.Error())}
			}
			return nil
		},
	}
	s.store = userStore{s}
	return s
}
