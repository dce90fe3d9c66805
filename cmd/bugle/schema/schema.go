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
		Example: "  bugle schema\n  bugle schema campaign-push scheduling_details\n" +
			"  bugle schema workspace-connectors\n" +
			"  bugle schema --json-schema --stage publish campaign-email > email.schema.json\n" +
			"  bugle schema --openapi > openapi.json",
		Args:              cli.Between(0, 2, "a table, and the path of a field"),
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
	all := map[string]*schema.Schema{"dialect": remote.DialectTable()}
	for name, s := range catalog.All() {
		all[strings.ReplaceAll(name, " ", "-")] = s
	}
	for _, s := range records.Sections() {
		all["workspace-"+s.ID] = s.Schema()
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

// completeTables completes the name of a table.
func completeTables(_ *cobra.Command, args []string, _ string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		for _, c := range tableChoices() {
			out = append(out, cobra.CompletionWithDesc(c.Value, c.Help))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// table prints one table.
func (form schemaForm) table(f *cli.Factory, args []string) error {
	name, err := tableChoices().Find(args[0])
	if err != nil {
		return cli.Misused("unknown table %q; `bugle schema` lists them", args[0])
	}
	s, path := tables()[name], strings.Join(args[1:], "")
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
