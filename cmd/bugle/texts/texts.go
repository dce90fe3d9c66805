// Package texts implements the commands that export the texts of a campaign for translation, and import them again.
package texts

import (
	"context"
	"fmt"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/report"
	"bugle/engine"
	"bugle/engine/message/mjml"
	"bugle/engine/phrase"
	"bugle/engine/texts"
)

// The formats of files for translation.
const (
	formatCSV   = "csv"
	formatXLIFF = "xliff"
)

var formatChoices = cli.Choices{{Value: formatCSV, Help: "for spreadsheets"}, {Value: formatXLIFF, Help: "XLIFF 1.2, for translation tools"}}

// New returns the command bugle texts.
func New(f *cli.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "texts",
		Short: "Export and import texts for translation",
		Long: "Writes the texts of a campaign into a file for translators, and puts them back: each text of each locale and\n" +
			"variation, with its place, the text of the default locale, and how many characters are shown.",
	}
	cmd.AddCommand(newExport(f), newImport(f))
	return cmd
}

// newExport returns the command bugle texts export.
func newExport(f *cli.Factory) *cobra.Command {
	format, source := formatCSV, "en"
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Export the texts of a campaign",
		Long: "Prints each text that users read on a line of its own. Translators change the column text of a CSV file, or the\n" +
			"targets of an XLIFF file, and leave expressions such as {{ user.name }} as they are, but for the text of a\n" +
			"fallback: {{ user.name|default('you') }}. An empty text is one that the locale\n" +
			"lacks. `bugle texts import` puts the texts back.",
		Example: "  bugle texts export 65f0a1b2c3d4e5f60718293a > spring-sale.csv\n" +
			"  bugle texts export 65f0a1b2c3d4e5f60718293a --format xliff --source-language de > spring-sale.xlf",
		Args:              cli.Exactly(1, "the ID of a campaign"),
		ValidArgsFunction: f.CompleteIDs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.JSON && cmd.Flags().Changed("format") {
				return cli.Misused("--json and --format cannot be combined")
			}
			svc, id, err := f.Campaign(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			c, err := svc.Get(cmd.Context(), id)
			if err != nil {
				return err
			}
			return export(&f.Printer, texts.Of(c), format, source)
		},
	}
	cli.ChoiceFlag(cmd, cli.OneOf(&format, formatChoices), "format", "`format` of the file: csv or xliff")
	cmd.Flags().StringVar(&source, "source-language", source, "`language` of the default locale in an XLIFF file")
	return cmd
}

func export(p *cli.Printer, file texts.File, format, source string) error {
	switch {
	case p.JSON:
		return p.PrintJSON(map[string]any{"campaign": file.Campaign, "name": file.Name, "texts": append([]texts.Unit{}, file.Units...)})
	case len(file.Units) == 0:
		return fmt.Errorf("campaign %s has no texts yet", file.Campaign)
	case format == formatXLIFF:
		b, err := file.XLIFF(source)
		if err != nil {
			return cli.Misuse(err)
		}
		return p.WriteJSON(string(b))
	}
	return p.WriteJSON(string(file.CSV()))
}

// importing holds the flags of import.
type importing struct {
	by                 string
	merge, dryRun, yes bool
}

// newImport returns the command bugle texts import.
func newImport(f *cli.Factory) *cobra.Command {
	var i importing
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Import translated texts",
		Long: "Reads a file that `bugle texts export` wrote and a translator changed, prints what it changes, and updates the\n" +
			"campaign. Nothing is changed if one text cannot be imported: one whose expressions differ from the original, or\n" +
			"one that changed in the campaign since the export. With --merge, the file replaces texts that changed meanwhile;\n" +
			"texts that only changed in the campaign stay in any case. Texts that are empty in the file stay, too.",
		Example: "  bugle texts import --dry-run spring-sale.csv\n  bugle texts import --merge spring-sale.xlf",
		Args:    cli.Exactly(1, "a file, or - for standard input"),
		RunE:    func(cmd *cobra.Command, args []string) error { return i.run(cmd.Context(), f, args[0]) },
	}
	cmd.Flags().BoolVar(&i.merge, "merge", false, "replace texts that changed in the campaign since the export")
	cli.AddYes(cmd, &i.yes)
	cli.AddDryRun(cmd, &i.dryRun)
	cli.AddBy(cmd, &i.by)
	return cmd
}

// outcome is what an import changes, in the output of --json.
type outcome struct {
	ID       string              `json:"id"`
	Applied  bool                `json:"applied"`
	Changes  []texts.Change      `json:"changes"`
	Problems []report.Diagnostic `json:"problems"`
}

func (i importing) run(ctx context.Context, f *cli.Factory, name string) error {
	b, err := f.Read(ctx, name)
	if err != nil {
		return err
	}
	file, err := texts.Parse(b)
	if err != nil {
		return cli.DocumentError{Err: fmt.Errorf("cannot use %s: %w", cli.InputName(name), err)}
	}
	svc, err := f.Campaigns(ctx)
	if err != nil {
		return err
	}
	c, err := svc.Get(ctx, file.Campaign)
	if err != nil {
		return err
	}
	changes, problems := texts.Compare(c, file)
	var stale []texts.Problem
	for _, change := range changes {
		if change.Stale != "" && !i.merge {
			stale = append(stale, texts.Problem{Unit: change.Unit, Message: change.Stale + "; export the texts again, or use --merge"})
		}
	}
	code := cli.ExitDone
	switch {
	case len(problems) > 0:
		code = cli.ExitInvalid
	case len(stale) > 0:
		code = cli.ExitFailed
	}
	problems = append(problems, stale...)
	out := outcome{ID: c.ID, Changes: append([]texts.Change{}, changes...), Problems: []report.Diagnostic{}}
	for _, problem := range problems {
		at := campaignfile.Location{File: cli.InputName(name), Line: problem.Line}
		out.Problems = append(out.Problems, report.Diagnostic{Path: problem.Path.String(), Message: problem.Message, Level: report.Error, Location: at})
	}
	if !f.JSON {
		out.print(&f.Printer)
	}
	if out.Applied = code == cli.ExitDone && !i.dryRun && len(changes) > 0; out.Applied {
		if out.ID, err = i.update(ctx, f, svc, c, changes); err != nil {
			return err
		}
		if out.ID == "" {
			fmt.Fprintln(f.Out, "No changes made.")
			return nil
		}
	}
	switch what := phrase.Count(len(changes), "text"); {
	case f.JSON:
		err = f.PrintJSON(out)
	case out.Applied:
		fmt.Fprintln(f.Out, cli.Line(fmt.Sprintf("Updated %s of %s %s", what, out.ID, engine.CampaignName(c.Body))))
	case len(problems) > 0:
		fmt.Fprintln(f.Err, "No changes made.")
	case len(changes) == 0:
		fmt.Fprintln(f.Out, "No texts changed.")
	default:
		fmt.Fprintln(f.Out, what+" would change.")
	}
	if err != nil {
		return err
	}
	return cli.Silent(code)
}

// update changes the texts of a campaign. The id is empty if the user does not want that.
func (i importing) update(ctx context.Context, f *cli.Factory, svc engine.Service, c engine.Campaign, changes []texts.Change) (id string, err error) {
	body, err := texts.Apply(c.Body, changes)
	if err != nil {
		return "", err
	}
	if body, err = mjml.CompileBody(ctx, c.Channel, c.Body, body); err != nil {
		return "", err
	}
	by, err := f.Signer(ctx, svc, i.by)
	if err != nil {
		return "", err
	}
	up, err := f.Update(ctx, svc, c, body, by, len(changes), i.yes)
	return up.ID, err
}

// print prints the changes and the problems for people.
func (o outcome) print(p *cli.Printer) {
	for _, c := range o.Changes {
		note := ""
		if c.Stale != "" {
			note = " (" + c.Stale + ")"
		}
		fmt.Fprintln(p.Out, cli.Line("~ "+c.Path.String()+note))
		for _, side := range []struct{ sign, text string }{{"-", c.Before}, {"+", c.Text}} {
			if side.text != "" {
				fmt.Fprintln(p.Out, "    "+side.sign+" "+excerpt(side.text))
			}
		}
	}
	for _, d := range o.Problems {
		fmt.Fprintln(p.Err, cli.Line("bugle: "+d.Location.String()+": "+d.Path+": "+d.Message))
	}
}

// excerpt returns the beginning of a text on one line.
func excerpt(s string) string { return ansi.Truncate(cli.Line(s), maxExcerpt, "…") }

// maxExcerpt is the width of a text that is shown.
const maxExcerpt = 90
