package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/personalize"
	"bugle/engine/schema"
)

func newLint(f *factory) *cobra.Command {
	var stage string
	cmd := &cobra.Command{
		Use:   "lint FILE…",
		Short: "Check campaign files without a store",
		Long: "Check campaign files as create does (--stage draft) or as publishing does (--stage publish).\n" +
			"What depends on a workspace, such as the names of its connectors, is not checked. Exits with 3\n" +
			"when a file is not valid.",
		Example: "  bugle lint campaigns/*.json\n  bugle lint --stage publish --json - < campaign.json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return misused("name the files to check, or - for standard input")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			env := schema.Env{Stage: schema.Draft}
			switch stage {
			case "draft":
			case "publish":
				env = schema.Env{Stage: schema.Publish, Now: time.Now(), Expression: personalize.Parse}
			default:
				return misused("--stage is draft or publish, not %q", stage)
			}
			return f.lint(args, env)
		},
	}
	cmd.Flags().StringVar(&stage, "stage", "draft", "draft or publish")
	return cmd
}

// linted is the outcome for one file.
type linted struct {
	File     string      `json:"file"`
	Valid    bool        `json:"valid"`
	Error    string      `json:"error,omitempty"`
	Problems []lintedRow `json:"problems"`
}

type lintedRow struct {
	Path     string `json:"path"`
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
}

// lint checks each file and says of all of them how they stand; a file that cannot be read
// does not keep the others from being checked.
func (f *factory) lint(files []string, env schema.Env) error {
	var out []linted
	code := exitDone
	for _, name := range files {
		l := linted{File: name, Problems: []lintedRow{}}
		body, err := f.document(name)
		var problems []schema.Problem
		if err != nil {
			l.Error = err.Error()
			var syntax *doc.SyntaxError
			var usage usageError
			if errors.As(err, &syntax) || errors.As(err, &usage) {
				code = max(code, exitInvalid)
			} else {
				code = max(code, exitFailed)
			}
		} else {
			problems = lintDocument(body, env)
			l.Valid = len(schema.Errors(problems)) == 0
			if !l.Valid {
				code = max(code, exitInvalid)
			}
		}
		out = append(out, l.with(problems))
		if f.json {
			continue
		}
		switch {
		case err != nil:
			fmt.Fprintln(f.err, clean(l.Error))
		case l.Valid:
			fmt.Fprintf(f.out, "%s: valid\n", clean(name))
		}
		f.printProblems(name+": ", problems)
	}
	if f.json {
		if err := f.printJSON(map[string]any{"files": out}); err != nil {
			return err
		}
	}
	if code != exitDone {
		return silentError(code)
	}
	return nil
}

func (l linted) with(ps []schema.Problem) linted {
	for _, p := range ps {
		sev := "error"
		if p.Severity == schema.Notice {
			sev = "notice"
		}
		l.Problems = append(l.Problems, lintedRow{p.Path.String(), p.Rule, sev, p.Message})
	}
	return l
}

// lintDocument checks a campaign as a file holds it: the body of a create request, or a record
// with its id and state.
func lintDocument(v doc.Value, env schema.Env) []schema.Problem {
	rec := engine.ParseRecord(v)
	if rec.ID != "" {
		v = rec.Document()
	}
	if env.Stage == schema.Draft || !rec.Channel.Writable() {
		return catalog.CreateRequest(rec.Channel).Validate(v, env)
	}
	return catalog.Campaign(rec.Channel).Validate(v.Delete(doc.P("request_id")), env)
}
