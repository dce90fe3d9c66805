// Package schema implements the command schema, which prints the tables of the specification for people or as JSON
// Schema.
package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/openapi"
	"bugle/engine/schema"
	"bugle/engine/service/remote"
	records "bugle/engine/workspace/settings"
)

// schemaForm is the output of `bugle schema`.
type schemaForm struct {
	stage               string
	jsonSchema, openAPI bool
}

// New returns the command bugle schema.
func New(f *cli.Factory) *cobra.Command {
	form := schemaForm{stage: cli.StageDraft}
	cmd := &cobra.Command{
		Use:   "schema [TABLE [PATH]]",
		Short: "Show the fields of campaigns and requests",
		Long: "Campaigns, requests and workspace records are checked against tables of fields. Without a table, lists\n" +
			"them all; with one, describes its fields, or those below a path. --json-schema prints a table as\n" +
			"JSON Schema 2020-12, and --openapi the whole API as OpenAPI 3.1.",
		Example: "  bugle schema\n  bugle schema campaign push scheduling_details\n" +
			"  bugle schema workspace connectors\n" +
			"  bugle schema --json-schema --stage publish campaign email > email.schema.json\n" +
			"  bugle schema --openapi > openapi.json",
		ValidArgsFunction: completeTables,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case form.jsonSchema && form.openAPI:
				return cli.Misused("--json-schema and --openapi cannot be combined")
			case cmd.Flags().Changed("stage") && !form.jsonSchema:
				return cli.Misused("--stage needs --json-schema")
			case form.openAPI && len(args) > 0:
				return cli.Misused("--openapi covers the whole API; leave out the table")
			case form.openAPI:
				return f.PrintDoc(openapi.Document(cli.Version()))
			case form.jsonSchema && len(args) == 0:
				return cli.Misused("--json-schema needs a table; `bugle schema` lists them")
			case len(args) == 0:
				return printTables(&f.Printer)
			}
			return form.table(f, args)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&form.jsonSchema, "json-schema", false, "print the table as JSON Schema 2020-12")
	fl.BoolVar(&form.openAPI, "openapi", false, "print the API as OpenAPI 3.1")
	cli.ChoiceFlag(cmd, cli.OneOf(&form.stage, cli.StageChoices), "stage", "`stage` of the JSON Schema: draft or publish")
	return cmd
}

// tables returns by name the tables of the specification, of the sections of a workspace, and of a dialect.
func tables() map[string]*schema.Schema {
	all := catalog.All()
	all["dialect"] = remote.DialectTable()
	for _, s := range records.Sections() {
		all["workspace "+s.ID] = s.Schema()
	}
	return all
}

func tableChoices() (cs cli.Choices) {
	all := tables()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		cs = append(cs, cli.Choice{Value: name, Help: all[name].Root().Help})
	}
	return cs
}

// completeTables completes the words of the name of a table, one at a time.
func completeTables(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, c := range tableChoices() {
		words := strings.Fields(c.Value)
		if len(words) <= len(args) || !slices.Equal(words[:len(args)], args) {
			continue
		}
		help := c.Help
		if len(words) > len(args)+1 {
			help = ""
		}
		if next := cobra.CompletionWithDesc(words[len(args)], help); !slices.Contains(out, next) {
			out = append(out, next)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// findTable returns the table that the arguments name, and the path after its name, if any.
func findTable(args []string) (name string, s *schema.Schema, path string, err error) {
	cs := tableChoices()
	name, err = cs.Find(strings.Join(args, " "))
	if err != nil && len(args) > 1 {
		if name, err = cs.Find(strings.Join(args[:len(args)-1], " ")); err == nil {
			path = args[len(args)-1]
		}
	}
	if err != nil {
		return "", nil, "", cli.Misused("unknown table %q; `bugle schema` lists them", strings.Join(args, " "))
	}
	return name, tables()[name], path, nil
}

// table prints one table.
func (form schemaForm) table(f *cli.Factory, args []string) error {
	name, s, path, err := findTable(args)
	if err != nil {
		return err
	}
	if form.jsonSchema {
		if path != "" {
			return cli.Misused("--json-schema prints whole tables; leave out %s", path)
		}
		stage := schema.Draft
		if form.stage == cli.StagePublish {
			stage = schema.Publish
		}
		return f.PrintDoc(s.JSONSchema(schema.ExportOptions{Stage: stage}))
	}
	rows := fieldRows(s, path)
	if len(rows) == 0 {
		return cli.Misused("the table %q has no field %q; `bugle schema %s` lists them", name, path, name)
	}
	if f.JSON {
		return f.PrintJSON(map[string]any{"table": name, "help": s.Root().Help, "fields": rows})
	}
	fmt.Fprintln(f.Out, name+": "+s.Root().Help)
	for _, r := range rows {
		fmt.Fprintf(f.Out, "\n%s  (%s)\n", r.Path, r.Kind)
		for _, note := range r.Notes {
			for _, l := range strings.Split(ansi.Wordwrap(note, noteWidth, ""), "\n") {
				fmt.Fprintln(f.Out, "    "+l)
			}
		}
	}
	return nil
}

// noteWidth is the width of the notes in columns.
const noteWidth = 92

// fieldRow describes one field.
type fieldRow struct {
	Path  string   `json:"path"`
	Kind  string   `json:"kind"`
	Title string   `json:"title"`
	Notes []string `json:"notes"`
}

// fieldRows returns the fields at and below a path, all if it is empty, in the order of the table.
func fieldRows(s *schema.Schema, path string) []fieldRow {
	var rows []fieldRow
	for at, n := range s.All() {
		if path != "" && at != path && !strings.HasPrefix(at, path+".") && !strings.HasPrefix(at, path+"[") {
			continue
		}
		notes := slices.DeleteFunc(s.Reference(n), func(note string) bool { return note == "" })
		if n.Like != "" {
			notes = append(notes, "Has the same fields as the object around it.")
		}
		rows = append(rows, fieldRow{Path: at, Kind: n.Kind.String(), Title: n.Label(), Notes: notes})
	}
	return rows
}

// printTables lists the tables.
func printTables(p *cli.Printer) error {
	l := cli.List{Name: "tables", Noun: "table", Head: []string{"TABLE", "DESCRIPTION"}}
	all := tables()
	for _, c := range tableChoices() {
		fields := int64(len(fieldRows(all[c.Value], "")))
		l.Add(doc.NewObject(doc.M("name", doc.NewString(c.Value)), doc.M("help", doc.NewString(c.Help)), doc.M("fields", doc.NewInt(fields))), c.Value, c.Help)
	}
	return p.PrintList(l, nil)
}
