package files

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/campaignfile"
	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/mjml"
	"bugle/engine/schema"
)

// newBody returns the body of the request that creates the campaign of a file: a record, an export or the body of a
// create request. Its creator stays unless by is set.
func newBody(v doc.Value, by, author string) doc.Value {
	rec := engine.ParseRecord(v)
	return engine.NewDraftBody(rec.Channel, rec.DeliveryType, cmp.Or(by, rec.CreatedBy, author), rec.Body)
}

// checkNew returns an error for a body that create would refuse, as far as that can be determined without creating it.
func checkNew(body doc.Value, env schema.Env) error {
	if err := cli.Fits(body); err != nil {
		return err
	}
	return engine.Invalid(catalog.CreateRequest(engine.ParseRecord(body).Channel).Validate(body, env))
}

// importing holds the flags of import.
type importing struct {
	by    string
	force bool
}

// NewImport returns the command bugle import.
func NewImport(f *cli.Factory) *cobra.Command {
	var i importing
	cmd := &cobra.Command{
		Use:   "import FILE...|DIR",
		Short: "Create drafts from files",
		Long: "Each campaign in the JSON, YAML or JSON lines files, or in a folder of them, becomes a new draft. It can be the\n" +
			"output of `bugle get` or `bugle export`, or the body of a create request. All campaigns are checked first: if one\n" +
			"is invalid, none is created and the exit code is 3.\n\n" +
			"If an import is interrupted or fails, run it again to create the other drafts: what was created from the same\n" +
			"campaign of a file in the last 24 hours is not created again (a remote may remember it for another time).\n" +
			"`bugle create` always creates another draft. A file with a revision is not imported if somebody changed its\n" +
			"campaign since then, unless you use --force.",
		Example: "  bugle import campaigns/*.yaml\n  bugle import --by ann@example.com - < campaigns.jsonl",
		Args:    someFiles("files or a folder"),
		RunE:    func(cmd *cobra.Command, args []string) error { return i.run(cmd.Context(), f, args) },
	}
	cli.AddBy(cmd, &i.by)
	cli.AddForce(cmd, &i.force, "import also files that are older than their campaigns")
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

// The results of import for one campaign.
const (
	resultCreated  = "created"
	resultExisting = "already created" // by an earlier run
	resultNone     = "not created"
	resultUnknown  = "unknown" // there was no response
)

// imported is the result for one campaign.
type imported struct {
	File   string       `json:"file"`
	Name   string       `json:"name,omitempty"`
	ID     string       `json:"id,omitempty"`
	Result string       `json:"result"`
	Error  *cli.Failure `json:"error,omitempty"`

	from, body doc.Value
	err        error
}

func (i importing) run(ctx context.Context, f *cli.Factory, args []string) error {
	svc, err := f.Campaigns(ctx)
	if err != nil {
		return err
	}
	env, err := cli.CheckEnv(ctx, svc)
	if err != nil {
		return err
	}
	author, err := f.Signer(ctx, svc, "")
	if err != nil {
		return err
	}
	creator, err := f.Creator(ctx, svc, i.by)
	if err != nil {
		return err
	}
	var rows []*imported
	for _, file := range campaignfile.Files(args...) {
		for _, h := range campaignfile.ReadAll(ctx, f.Streams, file) {
			row := &imported{File: h.Where, Result: resultNone, from: h.Body, err: h.Err}
			if h.Err == nil {
				row.body, row.Name = newBody(h.Body, i.by, author), engine.CampaignName(h.Body)
				if env.Record = (doc.Value{}); engine.IsExternal(svc) && (campaignfile.IsRecord(h.Body) || campaignfile.IsExport(h.Body)) {
					env.Record = row.body
				}
				if row.body, row.err = mjml.CompileBody(ctx, engine.ParseRecord(row.body).Channel, doc.Value{}, row.body); row.err == nil {
					row.err = checkNew(row.body, env)
				}
				if row.err == nil && !i.force {
					row.err = cli.OrForce(checkSource(ctx, svc, h), "create a draft from the older file")
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
			if row.create(ctx, f, creator); stops(row.err) {
				break
			}
		}
	}
	return printImported(&f.Printer, rows)
}

// checkSource returns an error if the campaign that a file was made from is in the workspace and was changed since.
func checkSource(ctx context.Context, svc engine.Service, h campaignfile.Held) error {
	id := engine.ParseRecord(h.Body).ID
	if h.Revision == "" || id == "" {
		return nil
	}
	now, err := svc.Get(ctx, id)
	if e := engine.AsError(err); e != nil && e.Code == engine.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	return now.CheckRevision(h.Revision)
}

// create creates the draft, and prints it: with the limits of a service, the next one may take a while.
func (r *imported) create(ctx context.Context, f *cli.Factory, creator *cli.Creator) {
	if r.err = ctx.Err(); r.err != nil {
		return
	}
	var made engine.Created
	if made, r.err = creator.Create(ctx, r.from, r.body); r.err != nil {
		if engine.AsError(r.err) == nil {
			r.Result = resultUnknown
		}
		return
	}
	r.ID, r.Result = made.ID, resultCreated
	if made.Replayed {
		r.Result = resultExisting
	}
	if !f.JSON {
		fmt.Fprintln(f.Out, cli.Line(r.File+": "+r.Result+" draft "+r.ID+" "+r.Name))
	}
}

// stops reports whether an error is not about one campaign, so that the others need not be tried.
func stops(err error) bool {
	e := engine.AsError(err)
	return err != nil && (e == nil || cli.ExitCode(err) == cli.ExitFailed || e.HTTP >= http.StatusInternalServerError ||
		slices.Contains([]engine.Code{engine.RateLimited, engine.Unauthorized, engine.Forbidden}, e.Code))
}

func printImported(p *cli.Printer, rows []*imported) error {
	code, made := cli.ExitDone, 0
	for _, row := range rows {
		if row.err != nil {
			fail := cli.FailureOf(row.err)
			row.Error = &fail
			code = worse(code, cli.ExitCode(row.err))
			if !p.JSON {
				fmt.Fprintln(p.Err, "bugle: "+cli.Clean(ofFile(row.File, fail)))
			}
		}
		if row.ID != "" {
			made++
		}
	}
	switch {
	case p.JSON:
		if err := p.PrintJSON(map[string]any{"campaigns": rows}); err != nil {
			return err
		}
	case made < len(rows) && made == 0:
		fmt.Fprintln(p.Err, "No drafts were created.")
	case made < len(rows):
		fmt.Fprintf(p.Err, "%d of %d drafts were created. Run the command again to create the others; none is created twice.\n", made, len(rows))
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
