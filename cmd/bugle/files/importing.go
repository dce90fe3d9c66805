package files

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/mjml"
	"bugle/engine/message/personalize"
	"bugle/engine/schema"
	"bugle/engine/service/local"
)

// checkEnv returns the data of the workspace that a validation without a write needs.
func checkEnv(ctx context.Context, svc engine.Service) (schema.Env, error) {
	env := schema.Env{Stage: schema.Draft, Now: time.Now(), Expression: personalize.Parse}
	k, ok := svc.(engine.WorkspaceStore)
	if !ok {
		return env, nil
	}
	w, err := k.Workspace(ctx)
	if err != nil {
		return env, err
	}
	if env.Flags = w.Flags; env.Flags == nil {
		env.Flags = map[string]bool{}
	}
	env.Lists = w.Lists
	return env, nil
}

// newBody returns the body of the request that creates the campaign of a file: a record, an export or the body of a
// create request. Its creator stays unless by is set.
func newBody(v doc.Value, by, author string) doc.Value {
	rec := engine.ParseRecord(v)
	return engine.NewDraftBody(rec.Channel, rec.DeliveryType, cmp.Or(by, rec.CreatedBy, author), rec.Body)
}

// checkNew returns an error for a body that create would refuse, as far as that can be determined without creating it.
func checkNew(body doc.Value, env schema.Env) error {
	if err := fits(body); err != nil {
		return err
	}
	ch := engine.ParseRecord(body).Channel
	table := ch
	if !ch.Writable() {
		table = catalog.Push // validation reports the wrong channel
	}
	return engine.Invalid(catalog.CreateRequest(table).Validate(body, env))
}

func fits(v doc.Value) error {
	if n := len(v.Encode()); n > local.MaxBody {
		return engine.Errorf(engine.ValidationFailed, http.StatusRequestEntityTooLarge, "the campaign has %d KiB; up to %d KiB are allowed", n>>10, local.MaxBody>>10)
	}
	return nil
}

// NewImport returns the command bugle import.
func NewImport(f *cli.Factory) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:   "import FILE...|DIR",
		Short: "Create drafts from files",
		Long: "Each campaign in the JSON, YAML or JSON lines files, or in a folder of them, becomes a new draft. It can be the\n" +
			"output of `bugle get` or `bugle export`, or the body of a create request. All campaigns are checked first: if one\n" +
			"is invalid, none is created and the exit code is 3.",
		Example: "  bugle import campaigns/*.yaml\n  bugle import --by ann@example.com - < campaigns.jsonl",
		Args:    someFiles("files or a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return importFiles(cmd.Context(), f, args, by)
		},
	}
	cmd.Flags().StringVar(&by, "by", "", "`email` address of the creator (default from the files, or the author of the workspace)")
	return cmd
}

// someFiles requires at least one file.
func someFiles(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cli.Misused("%s", cli.Takes(cmd, what+", or - for standard input"))
		}
		return nil
	}
}

// imported is the result for one campaign.
type imported struct {
	File  string       `json:"file"`
	Name  string       `json:"name,omitempty"`
	ID    string       `json:"id,omitempty"`
	Error *cli.Failure `json:"error,omitempty"`

	body doc.Value
	err  error
}

func importFiles(ctx context.Context, f *cli.Factory, args []string, by string) error {
	svc, err := f.Campaigns(ctx)
	if err != nil {
		return err
	}
	env, err := checkEnv(ctx, svc)
	if err != nil {
		return err
	}
	author, err := f.Signer(ctx, svc, "")
	if err != nil {
		return err
	}
	var rows []*imported
	var files []string
	for _, arg := range args {
		files = append(files, cli.CampaignFiles(arg)...)
	}
	for _, file := range files {
		for _, h := range cli.ReadCampaigns(ctx, f.Streams, file) {
			row := &imported{File: h.Where, err: h.Err}
			if h.Err == nil {
				row.body, row.Name = newBody(h.Body, by, author), engine.CampaignName(h.Body)
				if env.Record = (doc.Value{}); engine.IsExternal(svc) && (cli.IsRecord(h.Body) || cli.IsExport(h.Body)) {
					env.Record = row.body
				}
				if row.body, row.err = mjml.CompileBody(ctx, engine.ParseRecord(row.body).Channel, doc.Value{}, row.body); row.err == nil {
					row.err = checkNew(row.body, env)
				}
			}
			rows = append(rows, row)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if !slices.ContainsFunc(rows, func(r *imported) bool { return r.err != nil }) {
		for _, row := range rows {
			made, err := svc.Create(ctx, engine.CreateRequest{Body: row.body})
			if row.ID, row.err = made.ID, err; ctx.Err() != nil {
				break
			}
		}
	}
	return printImported(&f.Printer, rows)
}

func printImported(p *cli.Printer, rows []*imported) error {
	code, made := cli.ExitDone, 0
	for _, row := range rows {
		if row.err != nil {
			fail := cli.FailureOf(row.err)
			row.Error = &fail
			code = worse(code, cli.ExitCode(row.err))
		}
		if row.ID != "" {
			made++
		}
	}
	if p.JSON {
		if err := p.PrintJSON(map[string]any{"campaigns": rows}); err != nil {
			return err
		}
		return silentlyIf(code)
	}
	for _, row := range rows {
		switch {
		case row.Error != nil:
			fmt.Fprintln(p.Err, "bugle: "+cli.Clean(ofFile(row.File, *row.Error)))
		case row.ID != "":
			fmt.Fprintln(p.Out, cli.Line(row.File+": created draft "+row.ID+" "+row.Name))
		}
	}
	if code != cli.ExitDone && made == 0 {
		fmt.Fprintln(p.Err, "No drafts were created.")
	}
	return silentlyIf(code)
}

// ofFile returns the text of a failure, prefixed with the name of its file unless it has that prefix.
func ofFile(where string, fail cli.Failure) string {
	text := fail.Text()
	if strings.HasPrefix(text, where) || strings.HasPrefix(text, "cannot read "+where) || strings.HasPrefix(text, "cannot use "+where) {
		return text
	}
	return where + ": " + text
}

// worse returns the more severe of two exit codes: failure, then invalid input, then refusal.
func worse(a, b int) int {
	order := []int{cli.ExitDone, cli.ExitRefused, cli.ExitInvalid, cli.ExitMisused, cli.ExitFailed}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// silentlyIf returns an error for an exit code whose reason was already printed.
func silentlyIf(code int) error {
	if code == cli.ExitDone {
		return nil
	}
	return cli.Silent(code)
}
