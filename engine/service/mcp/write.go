package mcp

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/mjml"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

func createDraft() *tool {
	return &tool{
		name: "create_draft", title: "Create a draft",
		help: "Create a draft campaign. Components that are given are checked first, and nothing is created if one is invalid. describe_field describes them.",
		arguments: []schema.Field{
			required(choice(rChannel, "The channel.", writableChannels()...)),
			required(choice(rType, "When and how often the campaign is sent.", creatableTypes()...)),
			text(rName, "The name of the campaign.", schema.Length{Max: 1000}),
			{Name: "components", Kind: schema.Object, Open: true, Help: "Components of the campaign by name, such as basic_details and campaign_content. Email campaigns need connector."},
			keyArgument(),
		},
		results: []schema.Field{
			required(text(aID, "The id of the new campaign.")), required(text(rStatus, "The status of the new campaign.")),
			text(aRevision, "The revision of the new campaign."),
			required(flag("replayed", "Whether an earlier call with the same idempotency_key created the campaign.")),
		},
		run: func(ctx context.Context, s *Server, args doc.Value) (result, error) {
			by, err := s.Author(ctx)
			if err != nil {
				return result{}, err
			}
			components := args.Get("components")
			if !components.Exists() {
				components = doc.NewObject()
			}
			if name := args.Get(rName).Text(); name != "" {
				components = engine.WithName(components, name)
			}
			body := engine.NewDraftBody(engine.Channel(args.Get(rChannel).Text()), engine.DeliveryType(args.Get(rType).Text()), by, components)
			if body, err = compiled(ctx, engine.ParseRecord(body).Channel, doc.Value{}, body); err != nil {
				return result{}, err
			}
			made, err := s.Service.Create(ctx, engine.CreateRequest{Call: callOf(args), Body: body})
			if err != nil {
				return result{}, err
			}
			summary := "Created draft " + made.ID
			if made.Replayed {
				summary += ", by an earlier call with this idempotency_key"
			}
			ms := append(members(made.Document()), doc.M("replayed", doc.NewBool(made.Replayed)))
			if c, err := s.Service.Get(ctx, made.ID); err == nil {
				ms = append(ms, doc.M(aRevision, doc.NewString(c.StateRevision())))
				summary += ", revision " + c.StateRevision()
			}
			return result{doc.NewObject(ms...), summary}, nil
		},
	}
}

func writableChannels() []catalog.Channel {
	return slices.DeleteFunc(slices.Clone(catalog.Channels), func(ch catalog.Channel) bool { return !ch.Writable() })
}

func creatableTypes() (types []catalog.DeliveryType) {
	for _, ch := range writableChannels() {
		for _, t := range catalog.DeliveryTypes(ch) {
			if t.Offered && !slices.Contains(types, t.Type) {
				types = append(types, t.Type)
			}
		}
	}
	return types
}

// callOf returns the ids of a call, with the key of the caller or a new one.
func callOf(args doc.Value) engine.Call {
	c := engine.NewCall()
	if key := args.Get(aKey).Text(); key != "" {
		c.IdempotencyKey = strings.ToLower(key)
	}
	return c
}

// edited returns the results of the tools that change a draft.
func edited() []schema.Field {
	return []schema.Field{
		required(text(aID, "The id of the campaign.")),
		required(text(aRevision, "The revision after the call.")),
		required(flag("changed", "Whether the call changed anything.")),
		problemsField("What the change made wrong or left incomplete. It is saved all the same, as the campaign is a draft. Only present if there is anything."),
	}
}

func patchCampaign() *tool {
	return &tool{
		name: "patch_campaign", title: "Change a field of a draft", destructive: true, idempotent: true,
		help: "Set or remove one value of a draft. Everything else stays as it is. The change is refused if somebody has changed the value since the revision that you " +
			"read, and if the field is unknown or takes no such value. Undo and history show it. MJML as the HTML of an email is compiled.",
		arguments: []schema.Field{
			idArgument(),
			required(pathArgument("The dotted path of the value, beginning with a component. Missing objects on the way are made; an index after the last element appends.")),
			required(text(aRevision, "The revision that get_campaign or your last change returned.", schema.Length{Min: 1, Max: 100})),
			{Name: "value", Help: "The new value. Leave it out to remove the value."},
			flag("remove", "Remove the value."),
		},
		results: edited(),
		run: func(ctx context.Context, s *Server, args doc.Value) (result, error) {
			at, err := pathOf(args)
			if err != nil {
				return result{}, err
			}
			value, remove := args.Get("value"), args.Get("remove").True()
			switch {
			case remove && value.Kind() == doc.Null:
				value = doc.Value{}
			case remove && value.Exists():
				return result{}, refuse("remove", "use value or remove, not both")
			case !remove && !value.Exists():
				return result{}, refuse("value", "the new value is missing; to remove the old one, set remove to true")
			}
			return s.edit(ctx, args, at, func(before doc.Value) (doc.Value, string, error) {
				if remove {
					return value, "removed " + at.String(), nil
				}
				return value, "set " + at.String(), nil
			})
		},
	}
}

func replaceText() *tool {
	return &tool{
		name: "replace_text", title: "Replace text in a draft", destructive: true,
		help: "Search and replace inside one text of a draft. The text to find is matched exactly, with case and spaces. Refused if it is not there, or there more than " +
			"once without all.",
		arguments: []schema.Field{
			idArgument(),
			required(pathArgument("The dotted path of the text.")),
			required(text("find", "The text to find.", schema.Length{Min: 1})),
			text("replace", "The text to put in its place. Without it, the text is removed."),
			flag("all", "Replace every match."),
			text(aRevision, "The revision that you read. With it, the change is refused if somebody has changed the text since.", schema.Length{Min: 1, Max: 100}),
		},
		results: append([]schema.Field{required(number("matches", "How often the text was found.", 0, 1e9))}, edited()...),
		run: func(ctx context.Context, s *Server, args doc.Value) (result, error) {
			at, err := pathOf(args)
			if err != nil {
				return result{}, err
			}
			find, replace := args.Get("find").Text(), args.Get("replace").Text()
			matches := 0
			res, err := s.edit(ctx, args, at, func(before doc.Value) (doc.Value, string, error) {
				if before.Kind() != doc.String {
					return before, "", refuse(aPath, "%s is no text, but %s", at, kind(before))
				}
				old := mjml.Editable(before.Text())
				matches = strings.Count(old, find)
				switch places := occurrences(old, find); {
				case places == 0:
					return before, "", conflict("the text to find is not in %s; read it again, and copy it exactly", at)
				case places > 1 && !args.Get("all").True():
					return before, "", conflict("the text to find is in %s %d times; find a longer text, or set all to true", at, places)
				}
				return doc.NewString(strings.ReplaceAll(old, find, replace)), "replaced text in " + at.String(), nil
			})
			if err != nil {
				return res, err
			}
			res.data = doc.NewObject(append(members(res.data), doc.M("matches", doc.NewInt(int64(matches))))...)
			res.text = "Found in " + phrase.Count(matches, "place") + ". " + res.text
			return res, nil
		},
	}
}

func kind(v doc.Value) string {
	if !v.Exists() {
		return "missing"
	}
	return v.Kind().String()
}

// occurrences counts the places where a text begins in another one, also where they overlap.
func occurrences(in, text string) (n int) {
	for i := 0; ; n++ {
		next := strings.Index(in[i:], text)
		if next < 0 {
			return n
		}
		i += next + 1
	}
}

// attempts is how often a change is tried while others change the same draft.
const attempts = 5

// edit changes the value at a path of the draft in the arguments. change returns the new value, absent to remove it, and a
// note for the history; it may run several times.
func (s *Server) edit(ctx context.Context, args doc.Value, at doc.Path, change func(before doc.Value) (doc.Value, string, error)) (result, error) {
	by, err := s.Author(ctx)
	if err != nil {
		return result{}, err
	}
	for try := 1; ; try++ {
		res, stale, err := s.editOnce(ctx, args, at, by, change)
		if !stale || try == attempts {
			return res, err
		}
	}
}

// editOnce is one try of [Server.edit]. It reports whether somebody else changed the campaign after it was read, so that nothing
// was saved.
func (s *Server) editOnce(ctx context.Context, args doc.Value, at doc.Path, by string, change func(before doc.Value) (doc.Value, string, error)) (res result, stale bool, err error) {
	c, err := s.Service.Get(ctx, args.Get(aID).Text())
	if err != nil {
		return res, false, err
	}
	if err := changeable(c, at); err != nil {
		return res, false, err
	}
	before := c.Body.Lookup(at)
	if err := s.unchangedSince(ctx, args.Get(aRevision).Text(), c, at); err != nil {
		return res, false, err
	}
	value, note, err := change(before)
	if err != nil {
		return res, false, err
	}
	if string(normalized(before).Encode()) == string(value.Encode()) {
		return outcome(c, false, nil, "Nothing to change."), false, nil
	}
	after := c
	if after.Body, err = c.Body.Set(at, value); err != nil {
		return res, false, refuse(aPath, "cannot change %s: %w", at, err)
	}
	if after.Body, err = compiled(ctx, c.Channel, c.Body, after.Body); err != nil {
		return res, false, err
	}
	if value := after.Body.Lookup(at); before.Exists() && string(value.Encode()) == string(before.Encode()) { // the same MJML
		return outcome(c, false, nil, "Nothing to change."), false, nil
	}
	problems, err := s.newProblems(ctx, c, after)
	if err != nil {
		return res, false, err
	}
	if err := unfit(problems, at); err != nil {
		return res, false, err
	}
	if after, err = s.save(ctx, c, after, at, by, "assistant: "+note); err != nil {
		return res, edit.IsConflict(err), err
	}
	return outcome(after, true, problems, phrase.Sentence(note)), false, nil
}

// compiled returns a body in which the MJML of emails was compiled to HTML, or an error with what is wrong with it.
func compiled(ctx context.Context, ch engine.Channel, before, body doc.Value) (doc.Value, error) {
	out, err := mjml.CompileBody(ctx, ch, before, body)
	if e := engine.AsError(err); e != nil {
		e.Message = strings.Replace(e.Message, "the campaign", "the MJML", 1) + ", and nothing was saved"
	}
	return out, err
}

// changeable returns why a campaign cannot be changed at a path.
func changeable(c engine.Campaign, at doc.Path) error {
	switch {
	case !c.Channel.Writable():
		return conflict("%s campaigns can only be read here", c.Channel.Label())
	case c.Status != catalog.Draft:
		return conflict("the campaign is %s; only drafts can be changed here", c.Status)
	}
	var names []string
	for _, info := range catalog.Components(c.Channel) {
		names = append(names, string(info.Name))
	}
	if at[0].IsIndex || !slices.Contains(names, at[0].Name) {
		return refuse(aPath, "a path begins with a component of the campaign, not with %s: %s", at[:1], strings.Join(names, ", "))
	}
	return nil
}

// unchangedSince returns an error if somebody has changed the value at a path since a revision, or that cannot be known.
func (s *Server) unchangedSince(ctx context.Context, revision string, c engine.Campaign, at doc.Path) error {
	if revision == "" || revision == c.StateRevision() {
		return nil
	}
	history, ok := s.Service.(engine.RevisionReader)
	n, err := strconv.ParseInt(revision, 10, 64)
	if ok && err == nil && n < c.Revision {
		old, err := history.Revision(ctx, c.ID, n)
		if err == nil && len(doc.Diff(old.Body.Lookup(at), c.Body.Lookup(at))) == 0 {
			return nil
		}
		if e := engine.AsError(err); err != nil && (e == nil || e.Code != engine.NotFound) {
			return err
		}
	}
	return conflict("the draft has changed since revision %s; read it again, and repeat your change with revision %s if it still fits", revision, c.StateRevision())
}

// newProblems returns the problems that a change adds.
func (s *Server) newProblems(ctx context.Context, before, after engine.Campaign) ([]schema.Problem, error) {
	env, err := s.env(ctx, before)
	if err != nil {
		return nil, err
	}
	table, had := catalog.Campaign(before.Channel), map[string]bool{}
	for _, p := range schema.Errors(table.Validate(before.Document(), env)) {
		had[p.Rule+" "+p.Path.String()] = true
	}
	return slices.DeleteFunc(schema.Errors(table.Validate(after.Document(), env)), func(p schema.Problem) bool {
		return had[p.Rule+" "+p.Path.String()]
	}), nil
}

// neverRight are the rules that a value breaks whatever else is still missing in a draft.
var neverRight = []string{"#unknown", "#type", "#enum", "#applies"}

// unfit returns the error of a change that puts an unknown field, or a value that a field cannot have, at or below a path.
func unfit(problems []schema.Problem, at doc.Path) error {
	var bad []schema.Problem
	for _, p := range problems {
		if p.Path.HasPrefix(at) && slices.ContainsFunc(neverRight, func(rule string) bool { return strings.HasSuffix(p.Rule, rule) }) {
			bad = append(bad, p)
		}
	}
	err := engine.Invalid(bad)
	if e := engine.AsError(err); e != nil {
		e.Message = strings.Replace(e.Message, "the campaign", "the change", 1) + ", and nothing was saved"
		return e
	}
	return nil
}

// save stores a change on top of the revision that it was made from, and returns the campaign as it is then.
func (s *Server) save(ctx context.Context, before, after engine.Campaign, at doc.Path, by, note string) (engine.Campaign, error) {
	if d, ok := s.Service.(engine.DraftSaver); ok {
		head, err := d.Save(ctx, engine.SaveRequest{ID: before.ID, Revision: before.Revision, Body: after.Body, By: by, Note: note})
		after.Head = head
		return after, err
	}
	component := after.Body.Get(at[0].Name)
	if !component.Exists() {
		return after, engine.Errorf(engine.Unprocessable, http.StatusUnprocessableEntity, "this service cannot remove a whole component; remove the fields in %s instead", at[0].Name)
	}
	body := engine.UpdateBody(before.Head, by, doc.M(at[0].Name, component))
	if _, err := s.Service.Update(ctx, engine.UpdateRequest{Call: engine.NewCall(), ID: before.ID, IfMatch: before.Tag(), Body: body}); err != nil {
		return after, err
	}
	now, err := s.Service.Get(ctx, before.ID)
	if err != nil {
		return after, fmt.Errorf("the change was saved, but the campaign could not be read again: %w", err)
	}
	return now, nil
}

// maxListed is how many problems the result of a change lists.
const maxListed = 20

func outcome(c engine.Campaign, changed bool, problems []schema.Problem, summary string) result {
	summary += " Revision " + c.StateRevision() + "."
	if len(problems) > 0 {
		summary += " Saved, but not valid yet:" + lines(problems[:min(len(problems), maxListed)])
	}
	return result{doc.NewObject(
		doc.M(aID, doc.NewString(c.ID)), doc.M(aRevision, doc.NewString(c.StateRevision())), doc.M("changed", doc.NewBool(changed)),
		problemsOf(problems[:min(len(problems), maxListed)]),
	), summary}
}
