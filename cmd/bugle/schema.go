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
	"bugle/engine/remote"
	"bugle/engine/schema"
)

// schemaForm says what `bugle schema` writes.
type schemaForm struct {
	stage               string
	jsonSchema, openAPI bool
}

func newSchema(f *factory) *cobra.Command {
	form := schemaForm{stage: stageDraft}
	cmd := &cobra.Command{
		Use:   "schema [TABLE [PATH]]",
		Short: "Show the tables of the specification, or export them",
		Long: "Show the tables that campaigns and requests are checked by: all of them by name, or the fields\n" +
			"of one with what each is for and takes, from a path on where one is given. --json-schema\n" +
			"writes a table as JSON Schema 2020-12, --openapi the whole API as an OpenAPI 3.1 document.\n" +
			"No store is needed.",
		Example: "  bugle schema campaign push scheduling_details\n" +
			"  bugle schema --json-schema --stage publish campaign email > email.schema.json\n" +
			"  bugle schema --openapi > openapi.json",
		ValidArgsFunction: completeTables,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case form.jsonSchema && form.openAPI:
				return misused("--json-schema is of one table, --openapi of the whole API; give one of them")
			case cmd.Flags().Changed("stage") && !form.jsonSchema:
				return misused("--stage goes with --json-schema; what is shown for people names the stages")
			case form.openAPI && len(args) > 0:
				return misused("--openapi takes no table: the document is of the whole API")
			case form.openAPI:
				return f.printDoc(openapi.Document(version()))
			case form.jsonSchema && len(args) == 0:
				return misused("say of which table: bugle schema --json-schema TABLE; `bugle schema` lists them")
			case len(args) == 0:
				return f.printTables()
			}
			return form.table(f, args)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&form.jsonSchema, "json-schema", false, "write the table as JSON Schema 2020-12")
	fl.BoolVar(&form.openAPI, "openapi", false, "write the API as an OpenAPI 3.1 document")
	choiceFlag(cmd, one{&form.stage, stageChoices}, "stage", "`stage` that the JSON Schema is for: draft or publish")
	return cmd
}

// tables are those of the specification, and that of a remote's dialect, by name.
func tables() map[string]*schema.Schema {
	all := catalog.All()
	all["dialect"] = remote.DialectTable()
	return all
}

func tableChoices() (cs choices) {
	all := tables()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		cs = append(cs, choice{name, all[name].Root().Help})
	}
	return cs
}

// completeTables completes the words of a table's name one by one.
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

// findTable gives the table that the arguments name, and the path behind its name, if any.
func findTable(args []string) (name string, s *schema.Schema, path string, err error) {
	cs := tableChoices()
	name, err = cs.find(strings.Join(args, " "))
	if err != nil && len(args) > 1 {
		if name, err = cs.find(strings.Join(args[:len(args)-1], " ")); err == nil {
			path = args[len(args)-1]
		}
	}
	if err != nil {
		return "", nil, "", misused("there is no table %q; there are %s", strings.Join(args, " "), strings.Join(cs.values(), ", "))
	}
	return name, tables()[name], path, nil
}

// table writes one table.
func (form schemaForm) table(f *factory, args []string) error {
	name, s, path, err := findTable(args)
	if err != nil {
		return err
	}
	if form.jsonSchema {
		if path != "" {
			return misused("--json-schema is of a whole table; leave out %s", path)
		}
		stage := schema.Draft
		if form.stage == stagePublish {
			stage = schema.Publish
		}
		return f.printDoc(s.JSONSchema(schema.ExportOptions{Stage: stage}))
	}
	rows := fieldRows(s, path)
	if len(rows) == 0 {
		return misused("the table %q has no field %q", name, path)
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

// noteWidth is how wide a line of notes is written.
const noteWidth = 92

// fieldRow is what is told of one field.
type fieldRow struct {
	Path  string   `json:"path"`
	Kind  string   `json:"kind"`
	Title string   `json:"title"`
	Notes []string `json:"notes"`
}

// fieldRows gives the fields at a path and below, all where it is empty, in the order of the table.
func fieldRows(s *schema.Schema, path string) []fieldRow {
	t := tableWalk{schema: s, path: path}
	t.below(s.Root(), "")
	return t.rows
}

// tableWalk gathers the fields of a table from a path on.
type tableWalk struct {
	schema *schema.Schema
	path   string
	rows   []fieldRow
}

// below adds what is in n, which is at a path. Elements of arrays are at [], members of any name at .*
func (t *tableWalk) below(n *schema.Node, at string) {
	if n.Like != "" { // its members are those of a table around it, without end
		return
	}
	for _, child := range n.Children {
		t.field(child, strings.TrimPrefix(at+"."+child.Name, "."))
	}
	switch {
	case n.Element == nil:
	case n.Kind == schema.List:
		t.field(n.Element, at+"[]")
	default:
		t.field(n.Element, at+".*")
	}
}

func (t *tableWalk) field(n *schema.Node, at string) {
	if t.path == "" || at == t.path || strings.HasPrefix(at, t.path+".") || strings.HasPrefix(at, t.path+"[") {
		notes := slices.DeleteFunc(t.schema.Notes(n), func(note string) bool { return note == "" })
		if n.Like != "" {
			notes = append(notes, "Its members are those of the object around it.")
		}
		t.rows = append(t.rows, fieldRow{Path: at, Kind: n.Kind.String(), Title: n.Label(), Notes: notes})
	}
	t.below(n, at)
}

// printTables lists the tables.
func (f *factory) printTables() error {
	if f.json {
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
		return f.printJSON(map[string]any{"tables": out})
	}
	var rows [][]string
	for _, c := range tableChoices() {
		rows = append(rows, []string{c.value, c.help})
	}
	return f.rows([]string{"TABLE", "WHAT IT IS"}, rows)
}
