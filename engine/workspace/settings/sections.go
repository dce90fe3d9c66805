package settings

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/contentapi"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
)

// The group headings in the list of sections.
const (
	groupWorkspace = "Workspace"
	groupPeople    = "People"
	groupDelivery  = "Delivery"
	groupNames     = "Names"
	groupContent   = "Content"
	groupAccess    = "Access"
)

// The sources of the tables.
const (
	refOperations = "CONTRACT.md, Requests"
	refTests      = "CONTRACT.md, Test sends"
	refContent    = "CONTRACT.md, Personalization"
	refAccess     = "CONTRACT.md, Authentication"
	refFilters    = "CONTRACT.md, Audience"
	refBasics     = "CONTRACT.md, basic_details"
	refLocales    = "CONTRACT.md, Content"
)

var sections = sync.OnceValue(func() []*Section {
	all := []*Section{
		generalSection(), flagsSection(),
		usersSection(), segmentsSection(), attributesSection(), eventsSection(),
		connectorsSection(), gatewaysSection(),
		categoriesSection(), teamsSection(), localesSection(),
		blocksSection(), productsSection(), apisSection(), templatesSection(),
		keysSection(),
	}
	for _, s := range all {
		s.schema = sync.OnceValue(s.schema) // compiling all of them would slow down the start of every command
	}
	return all
})

// required is the requirement of a mandatory field.
func required() []schema.Required { return []schema.Required{{}} }

// printable refuses names that users could not type again.
var printable = schema.Pattern{Re: regexp.MustCompile(`^\S(.*\S)?$`), Text: "a name without spaces at its ends"}

func nameField(name, title, help, example string) schema.Field {
	return schema.Field{
		Name: name, Title: title, Kind: schema.String, Help: help, Example: example, Required: required(),
		Rules: []schema.Rule{schema.Length{Min: 1, Max: 100}, printable},
	}
}

func table(id, title, ref, help string, fields ...schema.Field) *schema.Schema {
	return schema.MustCompile(schema.Field{ID: "settings." + id, Title: title, Kind: schema.Object, Ref: ref, Help: help, Fields: fields})
}

// member returns a column with the value of a field.
func member(title, name string, least, most int) Column {
	return Column{Title: title, MinWidth: least, MaxWidth: most, Text: func(v doc.Value) string { return plain(v.Get(name)) }}
}

// countOf returns a column with the number of items in a field.
func countOf(title, name string) Column {
	return Column{Title: title, MinWidth: 6, MaxWidth: 11, Number: true, HidePriority: 2, Text: func(v doc.Value) string {
		return fmt.Sprint(v.Get(name).Len())
	}}
}

// plain formats a value on one line.
func plain(v doc.Value) string {
	switch v.Kind() {
	case doc.String:
		return v.Text()
	case doc.Bool:
		if v.True() {
			return "yes"
		}
		return ""
	case doc.Array:
		var out []string
		for _, e := range v.Elems() {
			out = append(out, plain(e))
		}
		return strings.Join(out, ", ")
	case doc.Absent, doc.Null:
		return ""
	}
	return string(v.Encode())
}

// general holds the settings that are not lists.
type general struct {
	Name        string               `json:"name"`
	Timezone    string               `json:"timezone"`
	Publish     string               `json:"publish"`
	Versioning  bool                 `json:"versioning"`
	Author      string               `json:"author,omitempty"`
	ContentAPIs engine.ContentPolicy `json:"content_apis,omitzero"`
}

func generalSection() *Section {
	s := &Section{
		ID: "settings", Title: "General", Singular: "general settings", Group: groupWorkspace, Single: true,
		Example: "publish=enabled timezone=Europe/Berlin",
		Help:    "The workspace's name and time zone, and whether the API can publish.",
		schema: func() *schema.Schema {
			return table("settings", "General", refOperations, "The general settings of the workspace.",
				nameField("name", "Name", "The workspace's name.", "Northwind"),
				schema.Field{Name: "timezone", Title: "Time zone", Kind: schema.String, Required: required(), Example: "Europe/Berlin",
					Help:  "The time zone for dates and times in this workspace.",
					Rules: []schema.Rule{schema.Format{As: schema.Zone, Plain: true}}},
				schema.Field{Name: "publish", Title: "Publishing by API", Kind: schema.String, Required: required(),
					Help: "Whether campaigns can be published through the HTTP API. You can always publish from here.",
					Options: []schema.Option{
						{Value: engine.PublishBeta, Label: "Not allowed", Help: "the API refuses to publish"},
						{Value: engine.PublishEnabled, Label: "Allowed", Help: "the API publishes campaigns"},
					}},
				schema.Field{Name: "versioning", Title: "Versioning", Kind: schema.Bool, Ref: "CONTRACT.md, Versions",
					Help: "Save every update of a live campaign as a new version."},
				schema.Field{Name: "author", Title: "Author", Kind: schema.String, Example: "ann@example.com",
					Help:  "The email address to record as the author of changes made here, if you have not set your own.",
					Rules: []schema.Rule{schema.Format{As: schema.Email, Plain: true}}},
				schema.Field{Name: "content_apis", Title: "Content API access", Kind: schema.Object, Ref: refContent,
					Help: "The servers content APIs may call. All others are blocked.",
					Fields: []schema.Field{
						{Name: "hosts", Title: "Hosts", Kind: schema.List, Example: "api.example.com", Rules: []schema.Rule{schema.Unique{}},
							Help: "Host names, with an optional port. *.example.com allows all subdomains.",
							Elem: &schema.Field{Title: "Host", Kind: schema.String, Help: "One host name.", Example: "api.example.com"}},
						{Name: "private", Title: "Private networks", Kind: schema.Bool,
							Help: "Also allow listed hosts with loopback, private or link-local addresses."},
					}},
			)
		},
		Columns: []Column{member("Name", "name", 8, 30), member("Time zone", "timezone", 8, 30), member("Publish", "publish", 6, 10), member("Author", "author", 8, 0)},
		check: func(_ engine.Workspace, v doc.Value) []schema.Problem {
			if err := contentapi.CheckHosts(v.Get("content_apis").Get("hosts").Strings()); err != nil {
				return []schema.Problem{problem(doc.P("content_apis", "hosts"), "hosts", err.Error())}
			}
			return nil
		},
	}
	s.store = singleStore[general]{
		of: s,
		get: func(w engine.Workspace) general {
			return general{w.Name, w.Timezone, w.Publish, w.Versioning, w.Author, w.ContentAPIs}
		},
		set: func(w *engine.Workspace, g general) {
			w.Name, w.Timezone, w.Publish, w.Versioning, w.Author, w.ContentAPIs = g.Name, g.Timezone, g.Publish, g.Versioning, g.Author, g.ContentAPIs
		},
	}
	return s
}

// flagHelp explains the feature flags.
var flagHelp = map[string]string{
	engine.FlagAudienceLimit: "Campaigns can limit how many messages they send.",
	engine.FlagQueuing:       "Event-triggered push messages can wait in a queue when the frequency cap stops them.",
	engine.FlagPortfolio:     "Attributes belong to projects, and filters name the project.",
}

// featureTable returns the table of the feature flags.
func featureTable() *schema.Schema {
	root := schema.Field{ID: "settings.features", Title: "Features", Kind: schema.Object, Open: true, Ref: "CONTRACT.md, campaign_audience_limit", Help: "The features that are on in this workspace."}
	for _, name := range engine.KnownFlags() {
		root.Fields = append(root.Fields, schema.Field{Name: name, Kind: schema.Bool, Default: "false", Help: flagHelp[name]})
	}
	return schema.MustCompile(root)
}

func flagsSection() *Section {
	s := &Section{
		ID: "features", Title: "Features", Singular: "features", Group: groupWorkspace, Single: true, schema: featureTable,
		Example: "queuing=on",
		Help:    "Optional features of this workspace. Campaigns can't use a feature that is off.",
		Columns: []Column{{Title: "Turned on", MinWidth: 10, Text: func(v doc.Value) string {
			var on []string
			for name, m := range v.Members() {
				if m.True() {
					on = append(on, strings.ReplaceAll(name, "_", " "))
				}
			}
			if len(on) == 0 {
				return "none"
			}
			return strings.Join(on, ", ")
		}}},
	}
	s.store = singleStore[map[string]bool]{
		of: s,
		get: func(w engine.Workspace) map[string]bool {
			out := map[string]bool{}
			for _, name := range engine.KnownFlags() {
				out[name] = w.Flags[name]
			}
			for name, on := range w.Flags {
				out[name] = on
			}
			return out
		},
		set: func(w *engine.Workspace, flags map[string]bool) { w.Flags = flags },
	}
	return s
}

// namesSection returns a section whose records are only names.
func namesSection(id, title, one, ref, help, example, list string, at func(*engine.Workspace) *[]string) *Section {
	s := &Section{
		ID: id, Title: title, Singular: one, Help: help, Group: groupNames, Name: "name", Example: example,
		Empty: "There is no " + one + " yet. Press n to add one.",
		schema: func() *schema.Schema {
			return table(id, title, ref, help, nameField("name", "Name", "The name of the "+one+". Campaigns refer to it by this name.", example))
		},
		Columns: []Column{member("Name", "name", 12, 0)},
	}
	s.store = newNames(s, list, at)
	return s
}

func categoriesSection() *Section {
	return namesSection("categories", "Categories", "subscription category", refBasics,
		"The kinds of email people can sign up for. Every promotional email belongs to one.", "Newsletter",
		"subscription_categories", func(w *engine.Workspace) *[]string { return &w.SubscriptionCategories })
}

func teamsSection() *Section {
	return namesSection("teams", "Teams", "team", refBasics, "The teams that own campaigns.", "Growth",
		"teams", func(w *engine.Workspace) *[]string { return &w.Teams })
}

func localesSection() *Section {
	s := namesSection("locales", "Locales", "locale", refLocales,
		"The languages messages are written in, besides the default one.", "de",
		"locales", func(w *engine.Workspace) *[]string { return &w.Locales })
	s.check = func(_ engine.Workspace, v doc.Value) []schema.Problem {
		if v.Get("name").Text() == "default" {
			return []schema.Problem{problem(doc.P("name"), "default", "the default locale always exists and can't be added")}
		}
		return nil
	}
	return s
}

// keyScopes is the field for the scopes of an API key.
func keyScopes() schema.Field {
	scopes := schema.Field{Name: "scopes", Title: "Scopes", Kind: schema.List, Required: required(), Rules: []schema.Rule{schema.Unique{}, schema.Items{Min: 1}},
		Help: "What the key is allowed to do.", Elem: &schema.Field{Title: "Scope", Kind: schema.String, Help: "One thing the key is allowed to do."}}
	help := map[string]string{
		engine.ScopeView: "view campaigns", engine.ScopeManage: "view, create, change and test campaigns",
		engine.ScopePublish: "do everything, including publishing",
	}
	for _, name := range engine.KnownScopes() {
		scopes.Elem.Options = append(scopes.Elem.Options, schema.Option{Value: name, Label: name, Help: help[name]})
	}
	return scopes
}

// keysSection returns the section of the HTTP API's credentials.
func keysSection() *Section {
	moment := func(title, field string, priority int) Column {
		return Column{Title: title, MinWidth: 17, MaxWidth: 17, HidePriority: priority, Text: func(v doc.Value) string {
			at, err := time.Parse(time.RFC3339, v.Get(field).Text())
			if err != nil {
				return v.Get(field).Text()
			}
			return timeparse.Moment(at.Local(), time.Now())
		}}
	}
	s := &Section{
		ID: "keys", Title: "API keys", Singular: "API key", Group: groupAccess, Name: "id", Label: "name",
		Example: "nightly scopes=campaigns:view expires_at=2030-01-01",
		Help:    "Keys for the HTTP API. A key is shown only once, when you create it.",
		Empty:   "There are no API keys yet, so nobody can call the HTTP API. Press n to create one.",
		fresh:   `{"scopes":["` + strings.Join(engine.KnownScopes(), `","`) + `"]}`,
		Fixed: map[string]string{
			"id": "It is set when the key is created.", "created_at": "It is the time when the key was created.",
			"used_at": "It is the time when the key was used last.",
		},
		schema: func() *schema.Schema {
			return table("keys", "API key", refAccess, "A key for the HTTP API.",
				schema.Field{Name: "name", Title: "Name", Kind: schema.String, Help: "What the key is for, such as a program or a machine.", Example: "nightly export",
					Rules: []schema.Rule{schema.Length{Max: 100}, printable}},
				keyScopes(),
				schema.Field{Name: "expires_at", Title: "Expires", Kind: schema.Time, Help: "When the key stops working. Leave it empty for a key that does not expire.", Example: "2030-01-01T09:00"},
				schema.Field{Name: "id", Title: "ID", Kind: schema.String, Applies: schema.Has{Path: "id"}, Help: "The ID the key is listed under, and deleted by."},
				schema.Field{Name: "created_at", Title: "Created", Kind: schema.Time, Applies: schema.Has{Path: "created_at"}, Help: "When the key was created."},
				schema.Field{Name: "used_at", Title: "Last used", Kind: schema.Time, Applies: schema.Has{Path: "used_at"}, Help: "When the key was used last, to the hour."})
		},
		Columns: []Column{
			member("ID", "id", 24, 24), member("Name", "name", 10, 24), moment("Created", "created_at", 3), moment("Last used", "used_at", 1),
			moment("Expires", "expires_at", 2), member("Scopes", "scopes", 12, 0),
		},
	}
	l := newListStore(s, func(w *engine.Workspace) *[]engine.APIKey { return &w.Keys })
	l.prepare, l.shown = prepareKey, withoutHash
	s.store = l
	return s
}
