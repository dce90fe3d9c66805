// Package report prints what is wrong with campaigns for people and for tools: as lines, and as JSON.
package report

import (
	"errors"
	"strings"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/doc"
	"bugle/engine/message/check"
	"bugle/engine/message/template"
	"bugle/engine/schema"
)

// Level is how much a diagnostic matters.
type Level string

// The levels.
const (
	Error   Level = "error"
	Warning Level = "warning"
	Note    Level = "note"
)

// Diagnostic is one thing that is wrong at a place, in the form that it has in the output of --json.
type Diagnostic struct {
	Path                  string `json:"path"`    // of the value; empty for the whole campaign
	Message               string `json:"message"` // one or two sentences
	Level                 Level  `json:"severity"`
	Rule                  string `json:"rule,omitempty"` // id of the rule or check
	ID                    string `json:"id,omitempty"`   // that a warning can be dismissed by
	campaignfile.Location        // without a file if the campaign is in none

	line string // for people; empty for what cannot be read
}

// String returns the diagnostic for people, on one line: with its place, as compilers write it, if it is in a file.
func (d Diagnostic) String() string {
	switch {
	case d.line == "":
		return cli.Line(d.Location.String() + ": " + d.text())
	case d.File == "":
		return d.line
	case d.Level != Error && d.ID != "":
		return cli.Line(d.Location.String()+": "+string(d.Level)) + ": " + d.line
	}
	return cli.Line(d.Location.String()) + ": " + d.line
}

// text returns the message with the path before it.
func (d Diagnostic) text() string {
	if d.Path == "" {
		return d.Message
	}
	return d.Path + ": " + d.Message
}

// problem returns the diagnostic of a problem of the document that was read from src.
func problem(p schema.Problem, document doc.Value, src campaignfile.Source) Diagnostic {
	d := Diagnostic{Location: src.In(p.Path, problemOffset(p, document)), Path: p.Path.String(), Rule: p.Rule, Level: Error, Message: p.Message, line: cli.ProblemLine(p)}
	if p.Severity == schema.Notice {
		d.Level = Note
	}
	return d
}

// problemOffset returns where in its text a problem is, or -1 if it is about all of it.
func problemOffset(p schema.Problem, document doc.Value) int {
	if p.Line > 0 {
		return campaignfile.Location{Line: p.Line}.Offset(document.Lookup(p.Path).Text())
	}
	if !strings.HasSuffix(p.Rule, "#"+schema.Expressions{}.Key()) {
		return -1
	}
	text := document.Lookup(p.Path).Text()
	var at *template.Error
	if !errors.As(template.Check(text), &at) || at.Line == 0 {
		return -1
	}
	return campaignfile.Location{Line: at.Line, Column: at.Column}.Offset(text)
}

// finding returns the diagnostic of a finding in the document that was read from src.
func finding(f check.Finding, document doc.Value, src campaignfile.Source) Diagnostic {
	offset := -1
	if v := document.Lookup(f.Path); v.Kind() == doc.String {
		if at, ok := f.Offset(v.Text()); ok {
			offset = at
		}
	}
	d := Diagnostic{
		Location: src.In(f.Path, offset), Path: f.Path.String(), Rule: f.Check, ID: f.ID(), Level: Warning,
		Message: strings.TrimSuffix(f.Message, ".") + ". " + f.Remedy, line: cli.FindingLine(f),
	}
	if f.Severity == check.Note {
		d.Level = Note
	}
	return d
}

// All returns the diagnostics of problems and findings in the document that was read from src.
func All(problems []schema.Problem, findings []check.Finding, document doc.Value, src campaignfile.Source) []Diagnostic {
	list := []Diagnostic{}
	for _, p := range problems {
		list = append(list, problem(p, document, src))
	}
	for _, f := range findings {
		list = append(list, finding(f, document, src))
	}
	return list
}

// ruleUnusable is the rule of what cannot be read.
const ruleUnusable = "file"

// Failure returns the diagnostic of an error of reading a campaign.
func Failure(h campaignfile.Held) Diagnostic {
	return Diagnostic{Location: h.Source.Of(h.Err), Rule: ruleUnusable, Level: Error, Message: h.Err.Error()}
}
