package edit

import (
	"context"
	"slices"
	"strings"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/mjml"
	"bugle/engine/schema"
)

// compiling is what a session knows of the MJML in its document.
type compiling struct {
	tried doc.Value // the document that was compiled last, or is being compiled
	done  doc.Value // the newest one that was compiled
	// failed are the problems of texts that could not be compiled. They count as long as the text stays.
	failed []failedText
}

type failedText struct {
	text    string
	problem schema.Problem
}

// CompileFunc compiles the MJML of a document. Pass its result to [Session.FinishCompile], unless it fails because ctx
// has ended.
type CompileFunc func(ctx context.Context) (CompileResult, error)

// CompileResult is the result of a [CompileFunc].
type CompileResult struct {
	base, out doc.Value
	problems  []schema.Problem
}

// Compile returns a function that compiles the MJML of the document, which takes about a second. It returns nil if there
// is none, and after it was called for the current document.
func (s *Session) Compile() CompileFunc {
	k := &s.compiling
	if s.root.Same(k.tried) {
		return nil
	}
	k.tried = s.root
	if !mjml.Pending(s.schema, k.done, s.root) {
		k.done = s.root
		return nil
	}
	table, before, base := s.schema, k.done, s.root
	return func(ctx context.Context) (CompileResult, error) {
		out, problems, err := mjml.UpdateAll(ctx, table, before, base)
		return CompileResult{base, out, problems}, err
	}
}

// FinishCompile puts the compiled HTML in the place of the MJML it was made from, as part of the change that brought the
// MJML, and reports whether the document changed. The caller saves it then. A text that was edited meanwhile stays, and
// so does that of a campaign that is live or of another service as long as nobody has edited it.
func (s *Session) FinishCompile(r CompileResult) (changed bool) {
	k := &s.compiling
	k.failed = nil
	for _, p := range r.problems {
		k.failed = append(k.failed, failedText{r.base.Lookup(p.Path).Text(), p})
	}
	root := s.root
	for _, c := range doc.Diff(r.base, r.out) {
		if now := root.Lookup(c.Path); now.Kind() != doc.String || now.Text() != c.Before.Text() {
			continue
		}
		if with, err := root.Set(c.Path, c.After); err == nil {
			root = with
		}
	}
	current := r.base.Same(s.root)
	if !root.Same(s.root) && (s.SavesInPlace() || s.Edited()) && s.Locked(root) == "" {
		s.rules.History.amend(s.id, s.root, root)
		s.root, changed = root, true
	}
	if current {
		k.tried, k.done = s.root, s.root
	}
	s.Check()
	return changed
}

// withReasons replaces the problems of MJML that was not compiled by the reasons.
func (k compiling) withReasons(root doc.Value, problems []schema.Problem) []schema.Problem {
	if len(k.failed) == 0 {
		return problems
	}
	var out []schema.Problem
	for _, p := range problems {
		at := len(out)
		if strings.HasSuffix(p.Rule, catalog.RuleCompiled) {
			for _, f := range k.failed {
				if f.problem.Path.Equal(p.Path) && f.text == root.Lookup(p.Path).Text() {
					out = append(out, f.problem)
				}
			}
		}
		if len(out) == at {
			out = append(out, p)
		}
	}
	return slices.Clip(out)
}
