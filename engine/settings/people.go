package settings

import (
	"strings"

	"bugle/engine"
	"bugle/engine/audience"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/profiles"
	"bugle/engine/schema"
)

// filterTable gives the table of filter groups of campaigns; at a path below, that of a part of it.
func filterTable(below ...any) schema.Field {
	component := catalog.SegmentationDetails
	p := doc.P(string(component), catalog.FilterGroups(component)[0]).Join(doc.P(below...)...)
	return *catalog.Campaign(catalog.Push).At(p).Field
}

// dataType is the type of an attribute, as filters know it.
func dataType() schema.Field {
	of := filterTable("filters", 0, "data_type")
	return schema.Field{Name: "data_type", Title: "Type", Kind: schema.String, Options: of.Options, Required: must(),
		Help: "What values the attribute has. It decides which operators filters offer."}
}

func attributeTable(of string) []schema.Field {
	return []schema.Field{
		nameField("name", "Name", "What the attribute is called, in profiles, filters and expressions.", "City"),
		dataType(),
		{Name: "category", Title: "Category", Kind: schema.String, Example: "Tracked Standard Attribute", Help: "The group under which attributes of " + of + " are listed."},
	}
}

func typeColumn() Column {
	return Column{Title: "Type", Least: 8, Most: 14, Late: 1, Text: func(v doc.Value) string {
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
		ID: "attributes", Title: "User attributes", One: "user attribute", Group: groupPeople, Name: "name", fresh: `{"data_type":"string"}`,
		Help:    "What is known of users. Filters and expressions offer these names; a profile may have others.",
		Empty:   "There is no user attribute yet. n adds one; filters and expressions offer it then.",
		Schema:  table("attributes", "User attribute", refFilters, "Something that is known of users.", attributeTable("users")...),
		Columns: []Column{member("Name", "name", 12, 40), typeColumn(), {Title: "Category", Least: 10, Late: 3, Text: func(v doc.Value) string { return v.Get("category").Text() }}},
	}
	l := newListed(s, func(w *engine.Workspace) *[]engine.Attribute { return &w.Attributes })
	l.lists = func(engine.Attribute) []string { return []string{"user_attributes"} }
	s.keeper = l
	return s
}

func eventsSection() *Section {
	s := &Section{
		ID: "events", Title: "Events", One: "event", Group: groupPeople, Name: "name",
		Help:  "What users do, and what happens in the business. Filters, triggers and goals offer these names.",
		Empty: "There is no event yet. n adds one; triggers and goals offer it then.",
		Schema: table("events", "Event", refFilters, "Something that a user does, or that happens in the business.",
			nameField("name", "Name", "What the event is called.", "Product Viewed"),
			schema.Field{Name: "business", Title: "Business event", Kind: schema.Bool, Default: "false", Help: "It happens in the business, such as a drop of a price, and not to a user."},
			schema.Field{Name: "attributes", Title: "Attributes", Kind: schema.List, Help: "What is known of each time it happens.", Rules: []schema.Rule{distinctNames},
				Elem: &schema.Field{ID: "settings.events.attribute", Title: "Attribute", Kind: schema.Object, Help: "Something that is known of the event.", Fields: attributeTable("events")}},
		),
		Columns: []Column{
			member("Name", "name", 14, 40),
			{Title: "Of", Least: 8, Most: 8, Late: 1, Text: func(v doc.Value) string {
				if v.Get("business").True() {
					return "business"
				}
				return "user"
			}},
			{Title: "Attributes", Least: 12, Late: 2, Text: func(v doc.Value) string {
				var out []string
				for _, a := range v.Get("attributes").Elems() {
					out = append(out, a.Get("name").Text())
				}
				return strings.Join(out, ", ")
			}},
		},
	}
	l := newListed(s, func(w *engine.Workspace) *[]engine.EventType { return &w.Events })
	l.lists = func(e engine.EventType) []string {
		if e.Business {
			return []string{"business_events"}
		}
		return []string{"events"}
	}
	s.keeper = l
	return s
}

var distinctNames = schema.Named{
	ID: "distinct_names", Says: "each has a name of its own",
	Check: func(p schema.Place) []schema.Finding {
		var out []schema.Finding
		seen := map[string]bool{}
		for i, e := range p.Value.Elems() {
			name := e.Get("name").Text()
			if name != "" && seen[name] {
				out = append(out, schema.Finding{Path: doc.P(i, "name"), Message: "there is another one of this name"})
			}
			seen[name] = true
		}
		return out
	},
}

func segmentsSection() *Section {
	group := filterTable()
	filters := schema.Field{
		Name: "filters", Title: "By filters", Kind: schema.Object, Ref: refFilters, Editor: schema.EditorFilters, Fields: group.Fields,
		Help: "The users that filters pick, beside those on the list. They are found anew for every send.",
	}
	s := &Section{
		ID: "segments", Title: "Segments", One: "segment", Group: groupPeople, Name: "name", Trial: "see who matches",
		Help:  "Named sets of users: those on a list, and those that filters pick. Filters and test sends offer them.",
		Empty: "There is no segment yet. n makes one, by a list of users or by filters.",
		Fixed: map[string]string{"id": "It is given when the segment is made, and stays."},
		Schema: table("segments", "Segment", refFilters, "A named set of users.",
			nameField("name", "Name", "What the segment is called. Filters and test sends refer to it by this name.", "Loyal customers"),
			schema.Field{Name: "members", Title: "By list", Kind: schema.List, Help: "The ids of users who are in it, whatever filters say.", Example: "USER_1",
				Elem: &schema.Field{Title: "User", Kind: schema.String, Help: "The id of one user.", Example: "USER_1"}},
			filters,
			schema.Field{Name: "id", Title: "Id", Kind: schema.String, Applies: schema.Has{Path: "id"}, Help: "The id of the segment, by which filters can name it, too."},
		),
		Columns: []Column{member("Name", "name", 14, 40), {Title: "Made of", Least: 12, Text: segmentWords}},
		check:   checkSegment,
	}
	l := newListed(s, func(w *engine.Workspace) *[]engine.Segment { return &w.Segments })
	l.lists = func(engine.Segment) []string { return []string{"segments"} }
	l.prepare = prepareSegment
	s.keeper = l
	return s
}

// segmentWords says what a segment is made of.
func segmentWords(v doc.Value) string {
	var parts []string
	if n := v.Get("members").Len(); n > 0 {
		parts = append(parts, "a list of "+counted(n, "user"))
	}
	if f := v.Get("filters"); f.Get("filters").Len() > 0 {
		parts = append(parts, audience.Line(f, audience.Env{}))
	}
	if len(parts) == 0 {
		return "nobody yet"
	}
	return strings.Join(parts, "; ")
}

// checkSegment finds what keeps filters from being evaluated, such as a segment that is made of itself.
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
	_, problems := audience.Compile(audience.OfSegment(now.Name), audience.Env{Workspace: w})
	var out []schema.Problem
	for _, p := range problems {
		p.Path = doc.P("filters")
		out = append(out, p)
	}
	return out
}

func usersSection() *Section {
	platform := schema.Field{Name: "platform", Title: "Platform", Kind: schema.String, Required: must(), Help: "What the device runs."}
	for _, p := range catalog.Platforms {
		platform.Options = append(platform.Options, schema.Option{Value: string(p), Label: p.Label()})
	}
	s := &Section{
		ID: "users", Title: "Users", One: "user", Group: groupPeople, Name: "id", Searched: true,
		Help:  "The profiles of the people who get messages: attributes, devices and what they did.",
		Empty: "There are no users yet. n adds one, i imports a CSV or JSON lines file.",
		Schema: table("users", "User", refTests, "One user of the workspace's apps.",
			schema.Field{Name: "id", Title: "Id", Kind: schema.String, Required: must(), Help: "The permanent internal id of the user.", Example: "USER_1", Rules: []schema.Rule{schema.Length{Min: 1, Max: 256}}},
			schema.Field{Name: "attributes", Title: "Attributes", Kind: schema.Map, Help: "What is known of the user, by the names of the workspace.",
				Elem: &schema.Field{Title: "Attribute", Kind: schema.Any, Help: "The value of one attribute."}},
			schema.Field{Name: "devices", Title: "Devices", Kind: schema.List, Help: "The apps and browsers that take the user's push notifications.",
				Elem: &schema.Field{ID: "settings.users.device", Title: "Device", Kind: schema.Object, Help: "An app or a browser.", Fields: []schema.Field{
					platform,
					{Name: "token", Title: "Token", Kind: schema.String, Required: must(), Help: "What the push service knows the device by; of a browser, the endpoint of its subscription.", Example: "fcm-token"},
					{Name: "advertising_id", Title: "Advertising id", Kind: schema.String, Help: "GAID on Android, IDFA on iOS."},
					{Name: "keys", Title: "Keys of the subscription", Kind: schema.Object, Used: schema.When("platform", string(catalog.Web)), Help: "What messages to a browser are encrypted with.", Fields: []schema.Field{
						{Name: "p256dh", Title: "p256dh", Kind: schema.String, Required: must(), Help: "The public key of the subscription, in base64url."},
						{Name: "auth", Title: "auth", Kind: schema.String, Required: must(), Help: "The authentication secret of the subscription, in base64url."},
					}},
				}}},
			schema.Field{Name: "events", Title: "Events", Kind: schema.List, Help: "What the user did, the oldest first.",
				Elem: &schema.Field{ID: "settings.users.event", Title: "Event", Kind: schema.Object, Help: "Something that the user did.", Fields: []schema.Field{
					{Name: "name", Title: "Event", Kind: schema.String, Required: must(), Suggest: "events", Help: "What the user did.", Example: "Product Viewed"},
					{Name: "at", Title: "When", Kind: schema.Time, Required: must(), Help: "When it happened.", Example: "2026-12-01T09:00:00Z"},
					{Name: "attributes", Title: "Attributes", Kind: schema.Map, Help: "What is known of this time that it happened.",
						Elem: &schema.Field{Title: "Attribute", Kind: schema.Any, Help: "The value of one attribute."}},
				}}},
			schema.Field{Name: "opted_out", Title: "Opted out", Kind: schema.Bool, Default: "false", Help: "The user wants no messages."},
		),
		Columns: []Column{
			member("Id", "id", 10, 24),
			{Title: "Name", Least: 10, Most: 24, Text: func(v doc.Value) string {
				p, err := fromDoc[engine.Profile](v)
				if err != nil {
					return ""
				}
				return p.DisplayName()
			}},
			{Title: "E-mail", Least: 14, Late: 1, Text: func(v doc.Value) string { return v.Get("attributes").Get(engine.AttrEmail).Text() }},
			{Title: "Devices", Least: 7, Most: 18, Late: 2, Text: func(v doc.Value) string {
				var out []string
				for _, d := range v.Get("devices").Elems() {
					out = append(out, catalog.Platform(d.Get("platform").Text()).Label())
				}
				return strings.Join(out, ", ")
			}},
		},
		check: func(_ engine.Workspace, v doc.Value) []schema.Problem {
			p, err := fromDoc[engine.Profile](v)
			if err == nil {
				err = profiles.Check(p)
			}
			if err != nil {
				return []schema.Problem{problem(nil, "profile", err.Error())}
			}
			return nil
		},
	}
	s.keeper = users{s}
	return s
}
