// Package settings describes what a workspace keeps as sections of records, as data: each section has
// a table, which says what a record is, and columns, which say what is worth seeing of many. Screens
// and commands that work on one section work on all.
//
// A record travels as a [doc.Value], the JSON of its Go value, so that a form can edit it and nothing
// of it is lost on the way: numbers keep their spelling.
package settings

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/personalize"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// Section is one kind of record of a workspace. Sections are immutable.
type Section struct {
	ID       string // as commands name it, such as "content-blocks"
	Title    string // the plural, with a capital
	Singular string // one of them, such as "content block"
	Help     string // what they are for, in a sentence or two
	Group    string // the heading under which it is listed
	Empty    string // what to do where there is none yet

	Schema  *schema.Schema // of one record
	Columns []Column
	// Single says that the section is one record, which is always there and has no name.
	Single bool
	// Name is the member that names a record; "" where Single.
	Name string
	// SearchOnly says that there may be millions: they are found by a text, not listed in full.
	SearchOnly bool
	// Fixed returns the members that nobody sets by hand, and why.
	Fixed map[string]string
	// Trial is what [Section.Try] does, as a clause such as "send a test message"; "" where it does nothing.
	Trial string

	fresh   string // what a new record begins with, as JSON
	store   recordStore
	check   func(w engine.Workspace, v doc.Value) []schema.Problem // beyond the table; nil: nothing
	variant func(v doc.Value) *schema.Schema                       // nil: Schema
}

// Column is what one column of a table shows of each record.
type Column struct {
	Title string
	Text  func(doc.Value) string
	// MinWidth and Most are how many cells it needs and can use; Most 0 means as many as there are.
	MinWidth, MaxWidth int
	// HidePriority is how soon it gives way where there is little room: the highest first, 0 never.
	HidePriority int
	Number       bool // it stands at the right
}

// recordStore keeps the records of a section. svc is a service, asked for the capability that it needs.
type recordStore interface {
	// unavailable says why svc has no such records, "" where it has.
	unavailable(svc any) string
	list(ctx context.Context, svc any, text string, limit int) ([]doc.Value, error)
	put(ctx context.Context, svc any, r PutRequest) (Saved, error)
	remove(ctx context.Context, svc any, name string) error
	uses(ctx context.Context, svc any, name string) ([]engine.ContentUse, error)
}

// PutRequest says what to keep.
type PutRequest struct {
	// Name names the record that Value takes the place of; "" adds one. A single section has no names.
	Name  string
	Value doc.Value
	// Base is the record as the edits found it. Where it is another one now, nothing is kept; absent:
	// whatever is there is replaced.
	Base doc.Value
	// Force renames a record though campaigns refer to it by the old one.
	Force bool
}

// Saved is what became of a record.
type Saved struct {
	Name string // that it has now
	// Secret is shown this once: the API key. Nothing keeps it.
	Secret string
	// Note says what is worth knowing of it, as a sentence; may be empty.
	Note string
}

// InUse refuses to take a name away that something refers to.
type InUse struct {
	Uses []engine.ContentUse
	err  *engine.Error
}

// Error names what would be left behind, a line each.
func (e *InUse) Error() string { return e.err.Error() }

// Unwrap returns the refusal as those of services are.
func (e *InUse) Unwrap() error { return e.err }

// Sections lists the sections, in the order in which they are shown.
func Sections() []*Section { return sections() }

// Find returns the section of that id. Case, and what joins words, do not matter.
func Find(id string) (*Section, bool) {
	plain := func(s string) string {
		return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
	}
	for _, s := range Sections() {
		if plain(s.ID) == plain(id) || plain(s.Title) == plain(id) || plain(s.Singular) == plain(id) {
			return s, true
		}
	}
	return nil, false
}

// Unavailable says why a service has no such records, as a sentence; "" where it has.
func (s *Section) Unavailable(svc any) string { return s.store.unavailable(svc) }

// List returns the records by name: those that hold text, at most limit; 0 means all.
func (s *Section) List(ctx context.Context, svc any, text string, limit int) ([]doc.Value, error) {
	if why := s.Unavailable(svc); why != "" {
		return nil, errUnavailable(why)
	}
	return s.store.list(ctx, svc, text, limit)
}

// Get returns one record; NOT_FOUND where there is none of that name.
func (s *Section) Get(ctx context.Context, svc any, name string) (doc.Value, error) {
	if why := s.Unavailable(svc); why != "" {
		return doc.Value{}, errUnavailable(why)
	}
	if g, ok := s.store.(interface {
		get(ctx context.Context, svc any, name string) (doc.Value, error)
	}); ok {
		return g.get(ctx, svc, name)
	}
	all, err := s.store.list(ctx, svc, "", 0)
	if err != nil {
		return doc.Value{}, err
	}
	for _, v := range all {
		if s.Single || s.NameOf(v) == name {
			return v, nil
		}
	}
	return doc.Value{}, s.errNotFound(name)
}

// NameOf returns the name of a record.
func (s *Section) NameOf(v doc.Value) string {
	if s.Single {
		return s.Singular
	}
	return v.Get(s.Name).Text()
}

// New returns what a new record begins with.
func (s *Section) New() doc.Value {
	v, err := doc.Parse([]byte(s.fresh))
	if err != nil {
		return doc.NewObject()
	}
	return v
}

// Copy returns a record as the beginning of another: without its name, and what nobody sets by hand.
func (s *Section) Copy(v doc.Value) doc.Value {
	for member := range s.Fixed {
		v = v.Delete(doc.P(member))
	}
	if s.Name == "" || !v.Get(s.Name).Exists() {
		return v
	}
	out, err := v.Set(doc.P(s.Name), doc.NewString(s.NameOf(v)+s.copySuffix()))
	if err != nil {
		return v
	}
	return out
}

// copySuffix is what the name of a copy ends with, where names may have spaces.
func (s *Section) copySuffix() string {
	if s.Name == "name" && s.ID != "content-apis" && s.ID != "product-sets" {
		return " copy"
	}
	return "_copy"
}

// Table returns the table of a record as it stands.
func (s *Section) Table(v doc.Value) *schema.Schema {
	if s.variant != nil {
		if t := s.variant(v); t != nil {
			return t
		}
	}
	return s.Schema
}

// Env is what the checks of a record know of the workspace.
func Env(w engine.Workspace) schema.Env {
	return schema.Env{Stage: schema.Draft, Flags: w.Flags, Lists: w.Lists, Expression: personalize.Parse}
}

// Check finds what is wrong with a record, in the order of its table.
func (s *Section) Check(w engine.Workspace, v doc.Value) []schema.Problem {
	out := s.Table(v).Validate(v, Env(w))
	if s.check != nil && len(schema.Errors(out)) == 0 {
		out = append(out, s.check(w, v)...)
	}
	return out
}

// Put keeps a record. One that the table refuses is VALIDATION_FAILED with the problems; a name that is
// taken as well; one that would leave references behind is [*InUse].
func (s *Section) Put(ctx context.Context, svc any, r PutRequest) (Saved, error) {
	if why := s.Unavailable(svc); why != "" {
		return Saved{}, errUnavailable(why)
	}
	w, err := workspaceOf(ctx, svc)
	if err != nil {
		return Saved{}, err
	}
	r.Value = canonical(s.Table(r.Value), r.Value, w.Timezone)
	if err := s.invalid(s.Check(w, r.Value)); err != nil {
		return Saved{}, err
	}
	if !s.Single && r.Name != "" && r.Name != s.NameOf(r.Value) && !r.Force {
		uses, err := s.store.uses(ctx, svc, r.Name)
		if err != nil {
			return Saved{}, err
		}
		if len(uses) > 0 {
			return Saved{}, s.inUse(r.Name, "would still refer to the old name", uses)
		}
	}
	return s.store.put(ctx, svc, r)
}

// Delete removes a record; where something refers to it, and force is not said, it is [*InUse].
func (s *Section) Delete(ctx context.Context, svc any, name string, force bool) error {
	if why := s.Unavailable(svc); why != "" {
		return errUnavailable(why)
	}
	if s.Single {
		return refuse("", "%s cannot be deleted, only changed", strings.ToLower(s.Title))
	}
	if !force {
		uses, err := s.store.uses(ctx, svc, name)
		if err != nil {
			return err
		}
		if len(uses) > 0 {
			return s.inUse(name, "would no longer work", uses)
		}
	}
	return s.store.remove(ctx, svc, name)
}

// Uses returns what refers to a record.
func (s *Section) Uses(ctx context.Context, svc any, name string) ([]engine.ContentUse, error) {
	if why := s.Unavailable(svc); why != "" {
		return nil, errUnavailable(why)
	}
	return s.store.uses(ctx, svc, name)
}

func (s *Section) inUse(name, what string, uses []engine.ContentUse) *InUse {
	e := engine.Errorf(engine.BadRequest, http.StatusConflict, "the %s %q is used in %s, which %s", s.Singular, name, phrase.Count(len(uses), "place"), what)
	for _, u := range uses {
		e.Details = append(e.Details, engine.Detail{Target: name, Message: DescribeUse(u)})
	}
	return &InUse{uses, e}
}

// DescribeUse tells where something is used.
func DescribeUse(u engine.ContentUse) string {
	if u.Campaign == "" {
		return "the " + u.In.String()
	}
	name := u.Name
	if name == "" {
		name = u.Campaign
	}
	return "the campaign " + name + " (" + u.Status.Label() + ")"
}

func (s *Section) invalid(problems []schema.Problem) error {
	bad := schema.Errors(problems)
	if len(bad) == 0 {
		return nil
	}
	e := engine.Errorf(engine.ValidationFailed, http.StatusBadRequest, "the %s %s %s", s.Singular, map[bool]string{false: "has", true: "have"}[s.Single], phrase.Count(len(bad), "problem"))
	e.Target, e.Problems = bad[0].Path.String(), bad
	for _, p := range bad {
		e.Details = append(e.Details, engine.Detail{Target: p.Path.String(), Message: p.Message})
	}
	return e
}

// problem makes one that no table found.
func problem(p doc.Path, rule, message string) schema.Problem {
	return schema.Problem{Path: p, Rule: "settings#" + rule, Message: message}
}

// Problems returns what a refusal says of a record, for the fields that it is about.
func (s *Section) Problems(err error) []schema.Problem {
	e := engine.AsError(err)
	switch {
	case e == nil:
		return nil
	case len(e.Problems) > 0:
		return e.Problems
	case e.Code != engine.ValidationFailed:
		return nil
	}
	p, perr := doc.ParsePath(e.Target)
	if perr != nil || s.Schema.At(p) == nil {
		p = nil
	}
	return []schema.Problem{problem(p, "refused", e.Message)}
}

func (s *Section) errNotFound(name string) error {
	e := engine.Errorf(engine.NotFound, http.StatusNotFound, "there is no %s %q in this workspace", s.Singular, name)
	e.Target = s.Name
	return e
}

func (s *Section) errNameTaken(name string) error {
	return s.invalid([]schema.Problem{problem(doc.P(s.Name), "unique", fmt.Sprintf("there is already a %s named %q; choose another name", s.Singular, name))})
}

func refuse(target, format string, args ...any) *engine.Error {
	e := engine.Errorf(engine.ValidationFailed, http.StatusBadRequest, format, args...)
	e.Target = target
	return e
}

func errUnavailable(why string) error {
	return engine.Errorf(engine.NotFound, http.StatusNotImplemented, "%s", why)
}

// errChanged says that somebody else was faster.
func (s *Section) errChanged(name string) error {
	what := fmt.Sprintf("the %s %q was", s.Singular, name)
	if s.Single {
		what = "the " + s.Singular + " were"
	}
	e := engine.Errorf(engine.BadRequest, http.StatusConflict, "%s changed by someone else in the meantime; check it again", what)
	e.Target = s.Name
	return e
}

// Count tells how many there are of a number of records, in words: "3 teams".
func (s *Section) Count(n int) string {
	if n == 1 {
		return "1 " + s.Singular
	}
	return fmt.Sprintf("%d %s", n, lower(s.Title))
}

// lower makes the first letter small, unless the word is written in capitals.
func lower(title string) string {
	if len(title) > 1 && title[1] >= 'A' && title[1] <= 'Z' {
		return title
	}
	return strings.ToLower(title[:1]) + title[1:]
}

func byName(s *Section, list []doc.Value) []doc.Value {
	slices.SortStableFunc(list, func(a, b doc.Value) int {
		x, y := s.NameOf(a), s.NameOf(b)
		if c := strings.Compare(strings.ToLower(x), strings.ToLower(y)); c != 0 {
			return c
		}
		return strings.Compare(x, y)
	})
	return list
}
