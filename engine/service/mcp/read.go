package mcp

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/check"
	"bugle/engine/message/mjml"
	"bugle/engine/message/template"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/search/index"
	"bugle/engine/search/query"
)

// The sizes of a page of search_campaigns.
const (
	usualPage = 20
	maxPage   = 100
)

func searchCampaigns() *tool {
	return &tool{
		name: "search_campaigns", title: "Search campaigns", readOnly: true,
		help: "Search the campaigns of the workspace, newest change first. Words match names, tags, teams and creators. Filters narrow: status:draft,active " +
			"channel:push type:periodic tag:sale by:ann team:growth platform:ios updated:<7d created:2026-03 start:+7d id:65f0 is:archived|all|live; sort:name " +
			"sorts, and ! before a filter excludes. An empty query lists all but archived campaigns.",
		arguments: []schema.Field{
			text("query", `What to search for, such as: spring status:draft tag:sale`, schema.Length{Max: 1000}),
			withDefault(number("limit", "How many campaigns to return at most.", 1, maxPage), usualPage),
			withDefault(number("page", "The number of the page, from 1.", 1, 1_000_000), 1),
		},
		results: []schema.Field{
			required(number("total", "How many campaigns match.", 0, 1e9)),
			required(number("page", "The number of this page.", 1, 1_000_000)),
			required(flag("more", "Whether there are more pages.")),
			objects(rCampaigns, "The campaigns of this page, without their components. Only present if there are any.", append(engine.HeadFields(),
				text(rName, "The name of the campaign."), text("team", "The team."), texts("tags", "The tags."), texts("platforms", "The platforms of a push campaign."))...),
		},
		run: func(ctx context.Context, s *Server, args doc.Value) (result, error) {
			limit, page := whole(args, "limit", usualPage), whole(args, "page", 1)
			now := s.Now()
			q, problems := query.Parse(args.Get("query").Text(), query.Env{Now: now})
			if len(problems) > 0 {
				p := problems[0]
				words := p.String()
				if len(p.Allowed) > 0 && p.Nearest == "" {
					words = strings.TrimSuffix(words, ".") + "; choose from " + strings.Join(p.Allowed, ", ")
				}
				return result{}, refuse("query", "cannot read the query: %s", phrase.Uncapitalize(words))
			}
			ix, err := index.Complete(ctx, s.Service, now)
			if err != nil {
				return result{}, err
			}
			found, err := ix.Search(ctx, q, index.SearchOptions{Now: now})
			if err != nil {
				return result{}, err
			}
			from := (page - 1) * limit
			var rows []engine.Summary
			if from < found.Len() {
				rows = found.Rows(from, min(from+limit, found.Len()))
			}
			var vs []doc.Value
			more := from+len(rows) < found.Len() && len(rows) > 0
			summary := fmt.Sprintf("%s found, page %d", phrase.Count(found.Len(), "campaign"), page)
			for _, row := range rows {
				vs = append(vs, summarized(row))
				summary += fmt.Sprintf("\n%s %s %s %s %q", row.ID, row.Status, row.Channel, row.DeliveryType, row.Title())
			}
			if more {
				summary += fmt.Sprintf("\nThere are more; ask for page %d.", page+1)
			}
			return result{doc.NewObject(
				doc.M("total", doc.NewInt(int64(found.Len()))), doc.M("page", doc.NewInt(int64(page))), doc.M("more", doc.NewBool(more)), arrayMember(rCampaigns, vs),
			), summary}, nil
		},
	}
}

func withDefault(f schema.Field, n int) schema.Field {
	f.Default = fmt.Sprint(n)
	return f
}

// whole returns a number among the arguments, or the usual one.
func whole(args doc.Value, name string, usual int) int {
	if n, ok := args.Get(name).Int(); ok {
		return int(n)
	}
	return usual
}

// summarized returns a row as search_campaigns shows it.
func summarized(row engine.Summary) doc.Value {
	ms := members(engine.Campaign{Head: row.Head}.Record())
	return doc.NewObject(append(ms, textMember(rName, row.Name), textMember("team", row.Team), stringsMember("tags", row.Tags), stringsMember("platforms", row.Platforms))...)
}

func stringsMember(name string, ss []string) doc.Member {
	if len(ss) == 0 {
		return doc.Member{}
	}
	return doc.M(name, doc.NewStrings(ss...))
}

// componentNames returns the components that campaigns can have.
func componentNames() (names []catalog.Component) {
	for _, ch := range catalog.Channels {
		for _, c := range catalog.Components(ch) {
			if !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

func getCampaign() *tool {
	return &tool{
		name: "get_campaign", title: "Get a campaign", readOnly: true,
		help: "Read a campaign: the whole record, or one component of it. Returns the revision too, which the tools that change a draft take. " +
			"The HTML of an email that was compiled from MJML is returned as its MJML.",
		arguments: []schema.Field{
			idArgument(),
			choice("component", "Return only this component, such as campaign_content.", componentNames()...),
		},
		results: []schema.Field{
			required(text(aRevision, "The revision that was read.")),
			{Name: rCampaign, Kind: schema.Object, Open: true, Help: "The record; with a component, the record without the other components."},
		},
		run: func(ctx context.Context, s *Server, args doc.Value) (result, error) {
			c, err := s.Service.Get(ctx, args.Get(aID).Text())
			if err != nil {
				return result{}, err
			}
			revision := c.StateRevision()
			if name := args.Get("component").Text(); name != "" {
				c.Body = doc.NewObject(doc.M(name, c.Body.Get(name)))
			}
			c.Body = mjml.EditableAll(catalog.Campaign(c.Channel), c.Body)
			record := c.Record()
			return result{
				doc.NewObject(doc.M(aRevision, doc.NewString(revision)), doc.M(rCampaign, record)),
				fmt.Sprintf("Revision %s\n%s", revision, record.Encode()),
			}, nil
		},
	}
}

func describeField() *tool {
	return &tool{
		name: "describe_field", title: "Describe a field", readOnly: true,
		help: "Describe a field of campaigns, or the fields of an object: its type, the allowed values, when it is required, and its other rules. Without a path, " +
			"describes the components of a campaign.",
		arguments: []schema.Field{
			pathArgument("The dotted path of the field. Elements of lists can be written as [] or with an index."),
			choice("table", "The table to look in. By default, those of push and email campaigns.", slices.Sorted(maps.Keys(catalog.All()))...),
		},
		results: []schema.Field{required(objects("fields", "One description for each kind of campaign where they differ.",
			required(texts("tables", "The tables that this describes.")),
			text(aPath, "The path of the field."), required(text("type", "The JSON type.")), text("title", "What forms call it."),
			texts("notes", "What it is for and its rules, one sentence each."),
			objects("allowed_values", "The only values that it can have.", required(schema.Field{Name: "value", Help: "The value."}), text("help", "What it means.")),
			texts("workspace_values", "What this workspace has configured for it."),
			objects("fields", "The fields of an object, or of the elements of a list.", required(text(aPath, "The path.")), required(text("type", "The JSON type.")),
				text("help", "What it is for."), flag("required", "Whether it is always required to publish.")),
		))},
		run: func(ctx context.Context, s *Server, args doc.Value) (result, error) {
			names := []string{"campaign push", "campaign email"}
			if t := args.Get("table").Text(); t != "" {
				names = []string{t}
			}
			w, err := s.workspace(ctx)
			if err != nil {
				return result{}, err
			}
			path := args.Get(aPath).Text()
			var vs []doc.Value
			var summaries []string
			for _, name := range names {
				d, ok := describe(catalog.All()[name], path, w)
				if !ok {
					continue
				}
				if len(vs) > 0 && doc.Equal(d, vs[0].Delete(doc.P("tables"))) {
					vs[0], _ = vs[0].Set(doc.P("tables"), doc.NewStrings(names...))
					summaries[0] = strings.Replace(summaries[0], names[0], strings.Join(names, ", "), 1)
					continue
				}
				vs = append(vs, doc.NewObject(append([]doc.Member{doc.M("tables", doc.NewStrings(name))}, members(d)...)...))
				summaries = append(summaries, descriptionText(name, d))
			}
			if len(vs) == 0 {
				return result{}, engine.Errorf(engine.NotFound, http.StatusNotFound, "no field %q in %s; describe_field without a path lists the components", path, strings.Join(names, " or "))
			}
			return result{doc.NewObject(doc.M("fields", doc.NewArray(vs...))), strings.Join(summaries, "\n\n")}, nil
		},
	}
}

// find returns the node of a table at a path, which can be spelled as in the tables or as in a document.
func find(s *schema.Schema, path string) (at string, n *schema.Node) {
	if path == "" {
		return "", s.Root()
	}
	if p, err := doc.ParsePath(path); err == nil {
		n = s.At(p)
	}
	for each, node := range s.All() {
		if each == path || node == n {
			return each, node
		}
	}
	return path, n
}

// describe returns what a table says about a field.
func describe(s *schema.Schema, path string, w engine.Workspace) (doc.Value, bool) {
	at, n := find(s, path)
	if n == nil {
		return doc.Value{}, false
	}
	var allowed, fields []doc.Value
	for _, o := range n.Options {
		allowed = append(allowed, doc.NewObject(doc.M("value", o.Literal(n.Kind)), textMember("help", o.Help)))
	}
	for below, child := range s.All() {
		if !isBelow(below, at) {
			continue
		}
		ms := []doc.Member{doc.M(aPath, doc.NewString(below)), doc.M("type", doc.NewString(child.Kind.String())), textMember("help", child.Help)}
		if slices.ContainsFunc(child.Required, func(r schema.Required) bool { return r.When == nil && r.At.Covers(schema.Publish) }) {
			ms = append(ms, doc.M("required", doc.NewBool(true)))
		}
		fields = append(fields, doc.NewObject(ms...))
	}
	notes := slices.DeleteFunc(s.Reference(n), func(note string) bool { return note == "" })
	ms := []doc.Member{textMember(aPath, at), doc.M("type", doc.NewString(n.Kind.String())), textMember("title", n.Label()), stringsMember("notes", notes)}
	ms = append(ms, arrayMember("allowed_values", allowed))
	if configured, ok := w.Lists(n.Suggest); ok && n.Suggest != "" {
		ms = append(ms, stringsMember("workspace_values", configured))
	}
	return doc.NewObject(append(ms, arrayMember("fields", fields))...), true
}

// isBelow reports whether a path of a table is that of a field of the object at another one, or of the object in the
// elements there.
func isBelow(path, at string) bool {
	rest, ok := strings.CutPrefix(path, at)
	if !ok || rest == "" {
		return false
	}
	for _, element := range []string{"[]", ".*"} {
		if rest == element {
			return true
		}
		rest = strings.TrimPrefix(rest, element)
	}
	if at != "" {
		if rest, ok = strings.CutPrefix(rest, "."); !ok {
			return false
		}
	}
	return rest != "" && !strings.ContainsAny(rest, ".[")
}

// descriptionText returns a description as text.
func descriptionText(table string, d doc.Value) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (%s)", table, d.Get(aPath).Text(), d.Get("type").Text())
	for _, note := range d.Get("notes").Strings() {
		b.WriteString("\n" + note)
	}
	if names := d.Get("workspace_values").Strings(); len(names) > 0 {
		b.WriteString("\nIn this workspace: " + strings.Join(names, ", "))
	}
	for _, f := range d.Get("fields").Elems() {
		fmt.Fprintf(&b, "\n- %s (%s)", f.Get(aPath).Text(), f.Get("type").Text())
		if f.Get("required").True() {
			b.WriteString(", required")
		}
		if help := f.Get("help").Text(); help != "" {
			b.WriteString(": " + help)
		}
	}
	return b.String()
}

func validateCampaign() *tool {
	return &tool{
		name: "validate_campaign", title: "Validate a campaign", readOnly: true,
		help: "Check if a campaign is ready to publish. Returns each problem, which must be fixed, and each warning, which should be looked at, with the path of " +
			"the field and what to do.",
		arguments: []schema.Field{idArgument()},
		results: []schema.Field{
			required(flag("valid", "Whether the campaign can be published.")), problemsField("What is wrong. Only present if something is."),
			objects(rWarnings, "What is likely a mistake. Only present if there is anything.",
				required(text("check", "The id of the check that found it.")), required(text("severity", "How much it matters: warning or note.")),
				required(text(aPath, "The path of the field in the campaign, with dots; empty for the whole campaign.")),
				required(text("message", "What was found, and what to do."))),
		},
		run: func(ctx context.Context, s *Server, args doc.Value) (result, error) {
			v, err := s.Service.Validate(ctx, args.Get(aID).Text())
			if err != nil {
				return result{}, err
			}
			bad := schema.Errors(v.Problems)
			summary := "Valid. This campaign is ready to publish."
			if !v.Valid {
				summary = "Not valid yet: " + phrase.Count(len(bad), "problem") + " to fix." + lines(bad)
			}
			found, err := s.warnings(ctx, args.Get(aID).Text())
			if err != nil {
				return result{}, err
			}
			var vs []doc.Value
			for _, f := range found {
				message := f.Message + ". " + f.Remedy
				vs = append(vs, doc.NewObject(doc.M("check", doc.NewString(f.Check)), doc.M("severity", doc.NewString(string(f.Severity))),
					doc.M(aPath, doc.NewString(f.Path.String())), doc.M("message", doc.NewString(message))))
				summary += fmt.Sprintf("\n  %s: %s: %s", f.Severity, f.Place(), message)
			}
			return result{doc.NewObject(doc.M("valid", doc.NewBool(v.Valid)), problemsOf(bad), arrayMember(rWarnings, vs)), summary}, nil
		},
	}
}

// warnings returns what the checks find in a campaign, without what was dismissed.
func (s *Server) warnings(ctx context.Context, id string) ([]check.Finding, error) {
	c, err := s.Service.Get(ctx, id)
	if err != nil || !c.Channel.Writable() {
		return nil, err
	}
	facts, err := check.Load(ctx, s.Service, s.Dismissals, c, s.Now())
	if err != nil {
		return nil, err
	}
	found, err := check.Run(ctx, c, facts)
	return found.Findings, err
}

func previewMessage() *tool {
	return &tool{
		name: "preview_message", title: "Preview a message", readOnly: true, open: true, // content APIs are called
		help: "Resolve the personalization in the content of a campaign for one user. Nothing is sent. Expressions without a value for the user stay as they are, " +
			"and are listed.",
		arguments: []schema.Field{
			idArgument(),
			required(text("user", "The email address of the user, or else the unique id.", schema.Length{Min: 1, Max: 1000})),
			{Name: "event_attributes", Kind: schema.Object, Open: true, Help: "Attributes of the event that triggers the campaign, by name."},
		},
		results: []schema.Field{
			required(schema.Field{Name: string(catalog.CampaignContent), Kind: schema.Object, Open: true, Help: "The content for this user."}),
			objects("unresolved", "The expressions that have no value. Only present if there are any.", required(text("field", "The path of the field.")), required(text("expression", "The expression."))),
		},
		run: func(ctx context.Context, s *Server, args doc.Value) (result, error) {
			c, err := s.Service.Get(ctx, args.Get(aID).Text())
			if err != nil {
				return result{}, err
			}
			content := c.Body.Get(string(catalog.CampaignContent))
			if !content.Exists() {
				return result{}, engine.Errorf(engine.Unprocessable, http.StatusUnprocessableEntity, "the campaign has no content yet")
			}
			user := args.Get("user").Text()
			body := engine.PreviewBody(c.Channel, user, content)
			if event := args.Get("event_attributes"); event.Len() > 0 {
				body = doc.NewObject(append(members(body), doc.M("event_attributes", event))...)
			}
			shown, err := s.Service.Preview(ctx, engine.PreviewRequest{Call: engine.NewCall(), Body: body})
			if err != nil {
				return result{}, err
			}
			if shown.UnknownUser {
				return result{}, engine.Errorf(engine.NotFound, http.StatusNotFound, "no user with the address or id %q in this workspace", user)
			}
			summary := string(shown.Content.Encode())
			var vs []doc.Value
			for _, u := range shown.Unresolved {
				vs = append(vs, doc.NewObject(doc.M("field", doc.NewString(u.Field)), doc.M("expression", doc.NewString(u.Expression))))
				summary += fmt.Sprintf("\n%s: no value for %s", u.Field, u.Expression)
			}
			return result{doc.NewObject(doc.M(string(catalog.CampaignContent), shown.Content), arrayMember("unresolved", vs)), summary}, nil
		},
	}
}

// env is what a check of a campaign knows.
func (s *Server) env(ctx context.Context, c engine.Campaign) (schema.Env, error) {
	env := schema.Env{Stage: schema.Publish, Now: c.CheckTime(s.Now()), Expression: template.Check}
	if engine.IsExternal(s.Service) {
		env.Record = c.Document()
		return env, nil
	}
	w, err := s.workspace(ctx)
	env.Flags, env.Lists = w.Flags, w.Lists
	if env.Flags == nil {
		env.Flags = map[string]bool{}
	}
	return env, err
}
