package settings

import (
	"fmt"
	"sync"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/contentapi"
	"bugle/engine/message/template"
	"bugle/engine/schema"
)

func blocksSection() *Section {
	s := &Section{
		ID: "blocks", Title: "Content blocks", Singular: "content block", Group: groupContent, Name: "name",
		Example: "footer source=@footer.html",
		Help:    "Content that messages share, such as a footer: {{ContentBlock['footer']}}.",
		Empty:   "There are no content blocks yet. Press n to add one. Use it in messages as {{ContentBlock['name']}}.",
		schema: func() *schema.Schema {
			return table("blocks", "Content block", refContent, "Content that messages share.",
				nameField("name", "Name", "The block's name, for use in messages.", "footer"),
				schema.Field{Name: "source", Title: "Content", Kind: schema.String, Long: true, Template: true, Rules: []schema.Rule{schema.Expressions{}},
					Help: "The text or HTML of the block. You can use personalization and other blocks.", Example: "<p>You get this because you signed up.</p>"})
		},
		Columns: []Column{member("Name", "name", 12, 30), member("Content", "source", 16, 0)},
	}
	s.store = newContentStore(s, engine.KindBlock, func(i *engine.ContentItem) **engine.ContentBlock { return &i.Block })
	return s
}

func productsSection() *Section {
	s := &Section{
		ID: "products", Title: "Product sets", Singular: "product set", Group: groupContent, Name: "name", fresh: `{"products":[]}`,
		Example: "shoes products=@shoes.json",
		Help:    "Lists of products for messages: {{ProductSet.shoes[0].title}}.",
		Empty:   "There are no product sets yet. Press n to add one. Use it in messages as {{ProductSet.name[0].title}}.",
		schema: func() *schema.Schema {
			return table("products", "Product set", refContent, "A list of products.",
				nameField("name", "Name", "The set's name, for use in messages.", "bestsellers"),
				schema.Field{Name: "products", Title: "Products", Kind: schema.List, Help: "The products, in order.", Rules: []schema.Rule{schema.Items{Max: template.MaxItems}},
					Elem: &schema.Field{ID: "settings.products.product", Title: "Product", Kind: schema.Map, Help: "One product and its values.",
						Elem: &schema.Field{Title: "Value", Kind: schema.Any, Help: "One value of the product, such as its title or price."}}})
		},
		Columns: []Column{member("Name", "name", 12, 30), countOf("Products", "products"), {Title: "First", MinWidth: 12, HidePriority: 1, Text: func(v doc.Value) string {
			first := v.Get("products").At(0)
			if t := first.Get("title"); t.Exists() {
				return plain(t)
			}
			return plain(first)
		}}},
	}
	s.store = newContentStore(s, engine.KindProducts, func(i *engine.ContentItem) **engine.ProductSet { return &i.Products })
	return s
}

func apisSection() *Section {
	s := &Section{
		ID: "apis", Title: "Content APIs", Singular: "content API", Group: groupContent, Name: "name", Trial: "test the call",
		Example: "weather url=https://api.example.com/{city} params=city",
		Help:    "HTTP services that provide content when a message is sent: {{ContentApi.weather('Oslo').today}}.",
		Empty:   "There are no content APIs yet. Press n to add one. Its host must be allowed in the general settings.",
		schema: func() *schema.Schema {
			return table("apis", "Content API", refContent, "An HTTP service that provides content for messages.",
				nameField("name", "Name", "The API's name, for use in messages.", "weather"),
				schema.Field{Name: "url", Title: "URL", Kind: schema.String, Required: required(), Example: "https://api.example.com/weather/{city}",
					Help: "The URL, with {name} for each parameter in its path or query. Its host must be allowed in the general settings."},
				schema.Field{Name: "method", Title: "Method", Kind: schema.String, Default: `"GET"`, Help: "The HTTP method. Parameters that are not in the URL are sent in the query for GET, and in a JSON body for POST.",
					Options: []schema.Option{{Value: "GET", Label: "GET"}, {Value: "POST", Label: "POST"}}},
				schema.Field{Name: "params", Title: "Parameters", Kind: schema.List, Help: "The names of the parameters, in the order messages pass them.", Example: "city", Rules: []schema.Rule{schema.Unique{}},
					Elem: &schema.Field{Title: "Parameter", Kind: schema.String, Help: "The name of one parameter.", Example: "city"}},
				schema.Field{Name: "headers", Title: "Headers", Kind: schema.List, Help: "The headers to send with every call.",
					Elem: &schema.Field{ID: "settings.apis.header", Title: "Header", Kind: schema.Object, Help: "One header.", Fields: []schema.Field{
						{Name: "name", Title: "Name", Kind: schema.String, Required: required(), Help: "The name of the header.", Example: "X-API-Key"},
						{Name: "value", Title: "Value", Kind: schema.String, Help: "The value, unless it is a secret."},
						{Name: "env", Title: "Value from", Kind: schema.String, Help: "The environment variable that holds the value. Use this for secrets; they are never stored.", Example: "WEATHER_KEY"},
					}}},
				schema.Field{Name: "timeout_ms", Title: "Time limit", Kind: schema.Integer, Default: fmt.Sprint(engine.ContentTimeout.Milliseconds()),
					Help:  "The longest a call may take, in milliseconds.",
					Rules: []schema.Rule{schema.Range{Min: 0, Max: float64(engine.MaxContentTimeout.Milliseconds())}}},
			)
		},
		Columns: []Column{member("Name", "name", 10, 24), {Title: "Method", MinWidth: 6, MaxWidth: 6, HidePriority: 1, Text: func(v doc.Value) string {
			if m := v.Get("method").Text(); m != "" {
				return m
			}
			return "GET"
		}}, member("URL", "url", 20, 0)},
		check: func(_ engine.Workspace, v doc.Value) []schema.Problem {
			api, err := fromDoc[engine.ContentAPI](v)
			if err == nil {
				err = contentapi.Check(api)
			}
			if err != nil {
				return []schema.Problem{problem(nil, "api", err.Error())}
			}
			return nil
		},
	}
	s.store = newContentStore(s, engine.KindAPI, func(i *engine.ContentItem) **engine.ContentAPI { return &i.API })
	return s
}

func templatesSection() *Section {
	s := &Section{
		ID: "templates", Title: "Templates", Singular: "template", Group: groupContent, Name: "id",
		Example: "welcome channel=EMAIL content=@welcome.json",
		Help:    "Saved messages that campaigns can use. Saving a template creates a new version.",
		Empty:   "There are no templates yet. Press n to create one. Campaigns use it as a custom template.",
		fresh:   `{"channel":"EMAIL","content":{}}`,
		Fixed:   map[string]string{"version": "Versions never change. Saving creates a new one.", "saved_at": "It is the time when this version was saved."},
		schema:  func() *schema.Schema { return templateTable(schema.Field{Kind: schema.Object, Open: true}) },
		variant: templateVariant,
		Columns: []Column{
			member("ID", "id", 12, 30), {Title: "Version", MinWidth: 7, MaxWidth: 7, Number: true, Text: func(v doc.Value) string { return v.Get("version").Literal() }},
			{Title: "For", MinWidth: 7, MaxWidth: 14, HidePriority: 1, Text: func(v doc.Value) string {
				if p := v.Get("platform").Text(); p != "" {
					return catalog.Platform(p).Label()
				}
				return catalog.Channel(v.Get("channel").Text()).Label()
			}},
			member("Name", "name", 10, 0),
		},
	}
	s.store = newContentStore(s, engine.KindTemplate, func(i *engine.ContentItem) **engine.ContentTemplate { return &i.Template })
	return s
}

func templateTable(content schema.Field) *schema.Schema {
	push := schema.When("channel", string(catalog.Push))
	content.Name, content.Title, content.Required, content.Applies, content.Used = "content", "Content", nil, nil, nil
	content.Help = "The fields of a message. Campaigns that use this template get them, and can override each one."
	// What the template itself is comes before the fields of its message, which stand in the same form.
	const ahead = 1
	id := nameField("id", "ID", "The template's ID, which campaigns refer to.", "welcome")
	id.Lead = ahead
	return table("templates", "Template", refContent, "A saved message.",
		id,
		schema.Field{Name: "name", Title: "Name", Kind: schema.String, Lead: ahead, Help: "A name that is easy to recognize.", Example: "Welcome email"},
		schema.Field{Name: "channel", Title: "Channel", Kind: schema.String, Lead: ahead, Required: required(), Help: "The channel of the campaigns that can use it.",
			Options: []schema.Option{{Value: string(catalog.Email), Label: catalog.Email.Label()}, {Value: string(catalog.Push), Label: catalog.Push.Label()}}},
		schema.Field{Name: "platform", Title: "Platform", Kind: schema.String, Lead: ahead, Applies: push, Required: []schema.Required{{When: push}}, Help: "The platform of the push message.",
			Options: []schema.Option{{Value: string(catalog.Android), Label: catalog.Android.Label()}, {Value: string(catalog.IOS), Label: catalog.IOS.Label()}}},
		content,
		schema.Field{Name: "version", Title: "Version", Kind: schema.Integer, Applies: schema.Has{Path: "version"}, Help: "The version number, starting at 1."},
		schema.Field{Name: "saved_at", Title: "Saved", Kind: schema.Time, Applies: schema.Has{Path: "saved_at"}, Help: "When this version was saved."},
	)
}

// templateTables have the content's table for each channel and platform.
var templateTables = sync.OnceValue(func() map[string]*schema.Schema {
	out := map[string]*schema.Schema{}
	add := func(key string, ch catalog.Channel, below ...any) {
		p := doc.P(string(catalog.CampaignContent), "content").Join(doc.P(below...)...)
		if n := catalog.Campaign(ch).At(p); n != nil {
			out[key] = templateTable(*n.Field)
		}
	}
	add(string(catalog.Email), catalog.Email, "email")
	for _, p := range []catalog.Platform{catalog.Android, catalog.IOS} {
		add(string(catalog.Push)+string(p), catalog.Push, "push", p.Member())
	}
	return out
})

func templateVariant(v doc.Value) *schema.Schema {
	key := v.Get("channel").Text()
	if key == string(catalog.Push) {
		key += v.Get("platform").Text()
	}
	return templateTables()[key]
}
