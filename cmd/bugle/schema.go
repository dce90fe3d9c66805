package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"bugle/engine/catalog"
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

func newSchema(f *factory) *cobra.Command {
	form := schemaForm{stage: stageDraft}
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
				return misused("--json-schema and --openapi cannot be combined")
			case cmd.Flags().Changed("stage") && !form.jsonSchema:
				return misused("--stage needs --json-schema")
			case form.openAPI && len(args) > 0:
				return misused("--openapi covers the whole API; leave out the table")
			case form.openAPI:
				return f.printDoc(openapi.Document(version()))
			case form.jsonSchema && len(args) == 0:
				return misused("--json-schema needs a table; `bugle schema` lists them")
			case len(args) == 0:
				return printTables(&f.printer)
			}
			return form.table(f, args)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&form.jsonSchema, "json-schema", false, "print the table as JSON Schema 2020-12")
	fl.BoolVar(&form.openAPI, "openapi", false, "print the API as OpenAPI 3.1")
	choiceFlag(cmd, oneOf(&form.stage, stageChoices), "stage", "`stage` of the JSON Schema: draft or publish")
	return cmd
}

// tables returns by name the tables of the specification, of the sections of a workspace, and of a dialect.
func tables() map[string]*schema.Schema {
	all := catalog.All()
	all["dialect"] = remote.DialectTable()
	for _, s := range records.Sections() {
		all["workspace "+s.ID] = s.Schema
	}
	return all
}

func tableChoices() (cs choices) {
	all := tables()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		cs = append(cs, choice{name, all[name].Root().Help})
	}
	return cs
}

// completeTables completes the words of the name of a table, one at a time.
func completeTables(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, c := range tableChoices() {
		words := strings.Fields(c.value)
		if len(words) <= len(args) || !slices.Equal(words[:len(args)], args) {
			continue
		}
		help := c.help
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
	name, err = cs.find(strings.Join(args, " "))
	if err != nil && len(args) > 1 {
		if name, err = cs.find(strings.Join(args[:len(args)-1], " ")); err == nil {
			path = args[len(args)-1]
		}
	}
	if err != nil {
		return "", nil, "", misused("unknown table %q; `bugle schema` lists them", strings.Join(args, " "))
	}
	return name, tables()[name], path, nil
}

// table prints one table.
func (form schemaForm) table(f *factory, args []string) error {
	name, s, path, err := findTable(args)
	if err != nil {
		return err
	}
	if form.jsonSchema {
		if path != "" {
			return misused("--json-schema prints whole tables; leave out %s", path)
		}
		stage := schema.Draft
		if form.stage == stagePublish {
			stage = schema.Publish
		}
		return f.printDoc(s.JSONSchema(schema.ExportOptions{Stage: stage}))
	}
	rows := fieldRows(s, path)
	if len(rows) == 0 {
		return misused("the table %q has no field %q; `bugle schema %s` lists them", name, path, name)
	}
	if f.json {
		return f.printJSON(map[string]any{"table": name, "help": s.Root().Help, "fields": rows})
	}
	fmt.Fprintln(f.out, name+": "+s.Root().Help)
	for _, r := range rows {
		fmt.Fprintf(f.out, "\n%s  (%s)\n", r.Path, r.Kind)
		for _, note := range r.Notes {
			for _, l := range strings.Split(ansi.Wordwrap(note, noteWidth, ""), "\n") {
				fmt.Fprintln(f.out, "    "+l)
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
func printTables(p *printer) error {
	if p.json {
		type table struct {
			Name   string `json:"name"`
			Help   string `json:"help"`
			Fields int    `json:"fields"`
		}
		var out []table
		all := tables()
		for _, c := range tableChoices() {
			out = append(out, table{c.value, c.help, len(fieldRows(all[c.value], ""))})
		}
		return p.printJSON(map[string]any{"tables": out})
	}
	var rows [][]string
	for _, c := range tableChoices() {
		rows = append(rows, []string{c.value, c.help})
	}
	return p.rows([]string{"TABLE", "DESCRIPTION"}, rows)
}
