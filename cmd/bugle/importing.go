package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugle/cmd/bugle/internal/yamldoc"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/personalize"
	"bugle/engine/schema"
	"bugle/engine/service/local"
)

// heldCampaign is one campaign of a file.
type heldCampaign struct {
	where string // the file, and where in it, for people
	body  doc.Value
	err   error // why it cannot be used; the body is empty then
}

// The extensions of campaign files.
var (
	jsonEnds = []string{".json", ".jsonl", ".ndjson"}
	yamlEnds = []string{".yaml", ".yml"}
)

func isCampaignFile(name string) bool {
	end := strings.ToLower(filepath.Ext(name))
	return slices.Contains(jsonEnds, end) || slices.Contains(yamlEnds, end)
}

// readCampaigns reads the campaigns of a file: one in JSON, one per line in JSON lines, one per document in YAML. If
// none can be read, it returns one with the error.
func readCampaigns(ctx context.Context, s streams, name string) []heldCampaign {
	b, err := s.read(ctx, name)
	var held []heldCampaign
	if err == nil {
		held, err = parseCampaigns(name, b)
	}
	if err == nil && len(held) == 0 {
		err = documentError{fmt.Errorf("%s has no campaign", inputName(name))}
	}
	if err != nil {
		return []heldCampaign{{where: inputName(name), err: err}}
	}
	return held
}

func parseCampaigns(name string, b []byte) ([]heldCampaign, error) {
	b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	end := strings.ToLower(filepath.Ext(name))
	if !isYAML(name) && (slices.Contains(jsonEnds, end) || looksLikeJSON(b)) {
		return parseJSON(name, b)
	}
	return parseYAML(name, b)
}

func isYAML(name string) bool { return slices.Contains(yamlEnds, strings.ToLower(filepath.Ext(name))) }

// yamlDocument returns the one object of a YAML file.
func yamlDocument(name string, b []byte) (doc.Value, error) {
	docs, err := parseYAML(name, b)
	switch {
	case err != nil:
		return doc.Value{}, err
	case len(docs) != 1:
		return doc.Value{}, documentError{fmt.Errorf("%s must have one YAML document, not %d", inputName(name), len(docs))}
	}
	return docs[0].body, docs[0].err
}

// isExport reports whether a document is a campaign as `bugle export` writes it: with its id, and without state and
// times.
func isExport(v doc.Value) bool {
	rec := engine.ParseRecord(v)
	return rec.ID != "" && rec.CreatedBy != "" && rec.Status == "" && rec.UpdatedBy == "" && rec.CreatedAt.IsZero()
}

func parseYAML(name string, b []byte) ([]heldCampaign, error) {
	docs, err := yamldoc.Parse(b)
	if err != nil {
		return nil, documentError{fmt.Errorf("cannot use %s as YAML: %w", inputName(name), err)}
	}
	var out []heldCampaign
	for i, v := range docs {
		where := inputName(name)
		if len(docs) > 1 {
			where = fmt.Sprintf("%s, document %d", where, i+1)
		}
		out = append(out, held(where, v))
	}
	return out, nil
}

// parseJSON reads one document, or one per line if the first line is a document.
func parseJSON(name string, b []byte) ([]heldCampaign, error) {
	v, err := doc.Parse(b)
	if err == nil {
		return []heldCampaign{held(inputName(name), v)}, nil
	}
	lines := bytes.Split(b, []byte("\n"))
	full := slices.IndexFunc(lines, func(l []byte) bool { return len(bytes.TrimSpace(l)) > 0 })
	if full >= 0 {
		if _, lerr := doc.Parse(lines[full]); lerr != nil {
			return nil, documentError{fmt.Errorf("%s is not valid JSON: %w", inputName(name), err)}
		}
	}
	var out []heldCampaign
	for i, l := range lines {
		if len(bytes.TrimSpace(l)) == 0 {
			continue
		}
		where := fmt.Sprintf("%s, line %d", inputName(name), i+1)
		v, err := doc.Parse(l)
		if err != nil {
			out = append(out, heldCampaign{where: where, err: documentError{fmt.Errorf("%s is not valid JSON: %w", where, err)}})
			continue
		}
		out = append(out, held(where, v))
	}
	return out, nil
}

func held(where string, v doc.Value) heldCampaign {
	if v.Kind() != doc.Object {
		return heldCampaign{where: where, err: documentError{fmt.Errorf("%s must be an object, not %s", where, article(v.Kind()))}}
	}
	return heldCampaign{where: where, body: v}
}

// checkEnv returns what a check without a write knows about the workspace.
func checkEnv(ctx context.Context, svc engine.Service) (schema.Env, error) {
	env := schema.Env{Stage: schema.Draft, Now: time.Now(), Expression: personalize.Parse}
	k, ok := svc.(engine.WorkspaceKeeper)
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

// checkNew refuses a body that create would refuse, as far as that can be known without creating it.
func checkNew(body doc.Value, env schema.Env) error {
	if err := fits(body); err != nil {
		return err
	}
	ch := engine.ParseRecord(body).Channel
	table := ch
	if !ch.Writable() {
		table = catalog.Push // which reports what is wrong with the channel
	}
	return engine.Invalid(catalog.CreateRequest(table).Validate(body, env))
}

func fits(v doc.Value) error {
	if n := len(v.Encode()); n > local.MaxBody {
		return engine.Errorf(engine.ValidationFailed, http.StatusRequestEntityTooLarge, "the campaign has %d KiB; up to %d KiB are allowed", n>>10, local.MaxBody>>10)
	}
	return nil
}

func newImport(f *factory) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Create drafts from files",
		Long: "Each campaign in the JSON, YAML or JSON lines files becomes a new draft. It can be the output of\n" +
			"`bugle get` or `bugle export`, or the body of a create request. All campaigns are checked first: if one\n" +
			"is invalid, none is created and the exit code is 3.",
		Example: "  bugle import campaigns/*.yaml\n  bugle import --by ann@example.com - < campaigns.jsonl",
		Args:    someFiles("files"),
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
			return misused("%s", takes(cmd, what+", or - for standard input"))
		}
		return nil
	}
}

// imported is the result for one campaign.
type imported struct {
	File  string   `json:"file"`
	Name  string   `json:"name,omitempty"`
	ID    string   `json:"id,omitempty"`
	Error *failure `json:"error,omitempty"`

	body doc.Value
	err  error
}

func importFiles(ctx context.Context, f *factory, files []string, by string) error {
	svc, err := f.campaigns(ctx)
	if err != nil {
		return err
	}
	env, err := checkEnv(ctx, svc)
	if err != nil {
		return err
	}
	author, err := f.signer(ctx, svc, "")
	if err != nil {
		return err
	}
	var rows []*imported
	for _, file := range files {
		for _, h := range readCampaigns(ctx, f.streams, file) {
			row := &imported{File: h.where, err: h.err}
			if h.err == nil {
				row.body, row.Name = newBody(h.body, by, author), engine.NameOf(h.body)
				if env.Record = (doc.Value{}); engine.Foreign(svc) && (isRecord(h.body) || isExport(h.body)) {
					env.Record = row.body
				}
				row.err = checkNew(row.body, env)
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
	return printImported(&f.printer, rows)
}

func printImported(p *printer, rows []*imported) error {
	code, made := exitDone, 0
	for _, row := range rows {
		if row.err != nil {
			fail := failureOf(row.err)
			row.Error = &fail
			code = worse(code, exitCode(row.err))
		}
		if row.ID != "" {
			made++
		}
	}
	if p.json {
		if err := p.printJSON(map[string]any{"campaigns": rows}); err != nil {
			return err
		}
		return silentlyIf(code)
	}
	for _, row := range rows {
		switch {
		case row.Error != nil:
			fmt.Fprintln(p.err, "bugle: "+clean(ofFile(row.File, *row.Error)))
		case row.ID != "":
			fmt.Fprintln(p.out, line(row.File+": created draft "+row.ID+" "+row.Name))
		}
	}
	if code != exitDone && made == 0 {
		fmt.Fprintln(p.err, "No drafts were created.")
	}
	return silentlyIf(code)
}

// ofFile returns the text of a failure, after the name of its file unless it begins with that.
func ofFile(where string, fail failure) string {
	text := fail.text()
	if strings.HasPrefix(text, where) || strings.HasPrefix(text, "cannot read "+where) || strings.HasPrefix(text, "cannot use "+where) {
		return text
	}
	return where + ": " + text
}

// worse returns the more severe of two exit codes: a failure is worse than invalid input, and that is worse than a
// refusal.
func worse(a, b int) int {
	order := []int{exitDone, exitRefused, exitInvalid, exitMisused, exitFailed}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// silentlyIf returns an error for an exit code whose reason was already printed.
func silentlyIf(code int) error {
	if code == exitDone {
		return nil
	}
	return silent(code)
}
