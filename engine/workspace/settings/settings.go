// Package settings describes the settings of a workspace as sections of records. Each section has a schema
// for its records and columns for a table of them, so that screens and commands handle all sections in the
// same way.
//
// A record is a [doc.Value] with the JSON of its Go value, so that a form can edit it without losing
// anything, not even the spelling of numbers.
package settings

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/message/template"
	"bugle/engine/phrase"
	"bugle/engine/schema"
)

// Section is one kind of record in a workspace. Sections are immutable.
type Section struct {
	ID       string // the noun of its commands, such as "blocks"
	Title    string // plural, capitalized
	Singular string // such as "content block"
	Help     string // one or two sentences
	Group    string // its group heading
	Empty    string // what to do if there are no records yet

	Columns []Column
	// Single reports that the section consists of one record without a name, which always exists.
	Single bool
	// Name is the field with a record's name; "" if Single.
	Name string
	// Label is the field with what users call a record whose name is issued; may be empty.
	Label string
	// SearchOnly reports that there may be millions of records, which are searched instead of listed.
	SearchOnly bool
	// Fixed has the fields that users cannot set, and why.
	Fixed map[string]string
	// Trial is a clause that describes [Section.Try], such as "send a test message"; "" if there is no trial.
	Trial string
	// Example is a record as the arguments of a command: its name, unless Single, and fields with their values.
	Example string

	schema  func() *schema.Schema // of one record; compiled on first use
	fresh   string                // a new record as JSON
	store   recordStore
	check   func(w engine.Workspace, v doc.Value) []schema.Problem // additional checks; may be nil
	variant func(v doc.Value) *schema.Schema                       // nil: Schema
}

// Column is a column in the table of a section's records.
type Column struct {
	Title string
	Text  func(doc.Value) string
	// MinWidth and MaxWidth are in characters. MaxWidth 0 means no limit.
	MinWidth, MaxWidth int
	// HidePriority is the order in which columns are hidden if space is short: highest first, 0 never.
	HidePriority int
	Number       bool // aligned right
}

// recordStore stores the records of a section. svc is a service, which is checked for the needed capability.
type recordStore interface {
	// unavailable returns why svc has no such records, or "".
	unavailable(svc any) string
	list(ctx context.Context, svc any, text string, limit int) ([]doc.Value, error)
	put(ctx context.Context, svc any, r PutRequest) (Saved, error)
	remove(ctx context.Context, svc any, name string) error
	uses(ctx context.Context, svc any, name string) ([]engine.ContentUse, error)
}

// PutRequest is a request to store a record.
type PutRequest struct {
	// Name is the name of the record to replace; "" adds one. Records of a single section have no name.
	Name  string
	Value doc.Value
	// Base is the record that the edits started from. If it has changed since, nothing is stored. Absent
	// means to overwrite.
	Base doc.Value
	// Force renames a record even if campaigns refer to the old name.
	Force bool
}

// Saved is a stored record.
type Saved struct {
	Name string // its current name
	// Secret is the new API key, which is not stored and only returned once.
	Secret string
	// Note is a sentence about the record for the user; may be empty.
	Note string
}

// InUse is the error for removing or renaming something that is referenced.
type InUse struct {
	Uses []engine.ContentUse
	err  *engine.Error
}

// Error lists the references, one per line.
func (e *InUse) Error() string { return e.err.Error() }

// Unwrap returns the error in the form of a service's error.
func (e *InUse) Unwrap() error { return e.err }

// Sections returns all sections in display order.
func Sections() []*Section { return sections() }

// Find returns the section with an id, ignoring case and separators.
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

// Unavailable returns a sentence that says why a service has no such records, or "".
func (s *Section) Unavailable(svc any) string { return s.store.unavailable(svc) }

// List returns at most limit records that contain text, sorted by name. A limit of 0 means all.
func (s *Section) List(ctx context.Context, svc any, text string, limit int) ([]doc.Value, error) {
	if why := s.Unavailable(svc); why != "" {
		return nil, errUnavailable(why)
	}
	return s.store.list(ctx, svc, text, limit)
}

// Get returns one record, or NOT_FOUND.
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

// New returns the initial value of a new record.
func (s *Section) New() doc.Value {
	v, err := doc.Parse([]byte(s.fresh))
	if err != nil {
		return doc.NewObject()
	}
	return v
}

// Copy returns a copy of a record as a new one: without its name and fields that users cannot set.
func (s *Section) Copy(v doc.Value) doc.Value {
	v = s.Settable(v)
	if s.Name == "" || !v.Get(s.Name).Exists() {
		return v
	}
	out, err := v.Set(doc.P(s.Name), doc.NewString(s.NameOf(v)+s.copySuffix()))
	if err != nil {
		return v
	}
	return out
}

// copySuffix returns the suffix for the name of a copy, if names may contain spaces.
func (s *Section) copySuffix() string {
	if s.Name == "name" && s.ID != "apis" && s.ID != "products" {
		return " copy"
	}
	return "_copy"
}

// Schema returns the table of one record.
func (s *Section) Schema() *schema.Schema { return s.schema() }

// Table returns the table for a record.
func (s *Section) Table(v doc.Value) *schema.Schema {
	if s.variant != nil {
		if t := s.variant(v); t != nil {
			return t
		}
	}
	return s.Schema()
}

// Env returns the environment for checking records of the workspace.
func Env(w engine.Workspace) schema.Env {
	return schema.Env{Stage: schema.Draft, Flags: w.Flags, Lists: w.Lists, Expression: template.Check}
}

// Check returns the problems of a record in the order of its table.
func (s *Section) Check(w engine.Workspace, v doc.Value) []schema.Problem {
	out := s.Table(v).Validate(v, Env(w))
	if s.check != nil && len(schema.Errors(out)) == 0 {
		out = append(out, s.check(w, v)...)
	}
	return out
}

// Put stores a record. It returns VALIDATION_FAILED if the table refuses it or its name is taken, and
// *[InUse] if renaming it would break references.
func (s *Section) Put(ctx context.Context, svc any, r PutRequest) (Saved, error) {
	r, err := s.checked(ctx, svc, r)
	if err != nil {
		return Saved{}, err
	}
	return s.store.put(ctx, svc, r)
}

// checked returns the request with its record as it is stored, or why Put refuses it.
func (s *Section) checked(ctx context.Context, svc any, r PutRequest) (PutRequest, error) {
	if why := s.Unavailable(svc); why != "" {
		return r, errUnavailable(why)
	}
	w, err := workspaceOf(ctx, svc)
	if err != nil {
		return r, err
	}
	r.Value = canonical(s.Table(r.Value), r.Value, w.Timezone)
	if err := s.invalid(s.Check(w, r.Value)); err != nil {
		return r, err
	}
	if !s.Single && r.Name != "" && r.Name != s.NameOf(r.Value) && !r.Force {
		uses, err := s.store.uses(ctx, svc, r.Name)
		if err != nil {
			return r, err
		}
		if len(uses) > 0 {
			return r, s.inUse(r.Name, "would still refer to the old name", uses)
		}
	}
	return r, nil
}

// Changes returns what Put would change in the record that has the name of the request, or refuses it as Put does. Fields
// that users cannot set do not count, nor does an empty value in the place of none. A new record has no name in the request.
func (s *Section) Changes(ctx context.Context, svc any, r PutRequest) ([]doc.Change, error) {
	r, err := s.checked(ctx, svc, r)
	if err != nil {
		return nil, err
	}
	before := doc.NewObject()
	if s.Single || r.Name != "" {
		if before, err = s.Get(ctx, svc, r.Name); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(doc.Diff(s.Settable(before), s.Settable(r.Value)), func(c doc.Change) bool {
		return isEmpty(c.Before) && isEmpty(c.After)
	}), nil
}

// Settable returns the record without what users cannot set.
func (s *Section) Settable(v doc.Value) doc.Value {
	for member := range s.Fixed {
		v = v.Delete(doc.P(member))
	}
	return v
}

// isEmpty reports whether a value says no more than its absence.
func isEmpty(v doc.Value) bool {
	switch v.Kind() {
	case doc.Absent, doc.Null:
		return true
	case doc.String:
		return v.Text() == ""
	case doc.Bool:
		return !v.True()
	case doc.Array, doc.Object:
		return v.Len() == 0
	}
	return false
}

// Delete deletes a record. If it is referenced and force is false, it returns *[InUse].
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

// Uses returns the references to a record.
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

// DescribeUse describes where something is used.
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

// problem returns a problem that is not from a table.
func problem(p doc.Path, rule, message string) schema.Problem {
	return schema.Problem{Path: p, Rule: "settings#" + rule, Message: message}
}

// Problems converts an error to problems of the fields of a record.
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
	if perr != nil || s.Schema().At(p) == nil {
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

// errChanged returns the error for a concurrent change.
func (s *Section) errChanged(name string) error {
	what := fmt.Sprintf("the %s %q was", s.Singular, name)
	if s.Single {
		what = "the " + s.Singular + " were"
	}
	e := engine.Errorf(engine.BadRequest, http.StatusConflict, "%s changed by someone else in the meantime; check it again", what)
	e.Target = s.Name
	return e
}

// Issued reports whether records get their names when they are created, as API keys do. They are not changed afterwards, and
// cannot be copied to another workspace.
func (s *Section) Issued() bool { return s.Fixed[s.Name] != "" }

// Count formats a number of records: "3 teams".
func (s *Section) Count(n int) string {
	if n == 1 {
		return "1 " + s.Singular
	}
	return fmt.Sprintf("%d %s", n, phrase.Uncapitalize(s.Title))
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
