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
	"bugle/engine/local"
	"bugle/engine/personalize"
	"bugle/engine/schema"
)

// heldCampaign is one campaign as a file holds it.
type heldCampaign struct {
	where string // the file, and where in it, for people
	body  doc.Value
	err   error // why it cannot be taken; nothing else is known then
}

// The ends of the names of files that hold campaigns.
var (
	jsonEnds = []string{".json", ".jsonl", ".ndjson"}
	yamlEnds = []string{".yaml", ".yml"}
)

func isCampaignFile(name string) bool {
	end := strings.ToLower(filepath.Ext(name))
	return slices.Contains(jsonEnds, end) || slices.Contains(yamlEnds, end)
}

// readCampaigns reads the campaigns of a file: one in JSON, one a line in JSON lines, one a document
// in YAML. A file that holds none that can be read gives one with an error.
func (f *factory) readCampaigns(ctx context.Context, name string) []heldCampaign {
	b, err := f.read(ctx, name)
	var held []heldCampaign
	if err == nil {
		held, err = parseCampaigns(name, b)
	}
	if err == nil && len(held) == 0 {
		err = documentError{fmt.Errorf("%s holds no campaign", inputName(name))}
	}
	if err != nil {
		return []heldCampaign{{where: inputName(name), err: err}}
	}
	return held
}

func parseCampaigns(name string, b []byte) ([]heldCampaign, error) {
	b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	end := strings.ToLower(filepath.Ext(name))
	switch first := bytes.TrimSpace(b); {
	case isYAML(name):
		return parseYAML(name, b)
	case slices.Contains(jsonEnds, end), len(first) > 0 && (first[0] == '{' || first[0] == '['):
		return parseJSON(name, b)
	}
	return parseYAML(name, b)
}

func isYAML(name string) bool { return slices.Contains(yamlEnds, strings.ToLower(filepath.Ext(name))) }

// yamlDocument gives the one object of a YAML file.
func yamlDocument(name string, b []byte) (doc.Value, error) {
	docs, err := parseYAML(name, b)
	switch {
	case err != nil:
		return doc.Value{}, err
	case len(docs) != 1:
		return doc.Value{}, documentError{fmt.Errorf("%s holds %d documents, and one is wanted", inputName(name), len(docs))}
	}
	return docs[0].body, docs[0].err
}

// isExport reports whether a document is a campaign as `bugle export` writes it: with its id, and
// nothing of what changes by itself.
func isExport(v doc.Value) bool {
	rec := engine.ParseRecord(v)
	return rec.ID != "" && rec.CreatedBy != "" && rec.Status == "" && rec.UpdatedBy == "" && rec.CreatedAt.IsZero()
}

func parseYAML(name string, b []byte) ([]heldCampaign, error) {
	docs, err := yamldoc.Parse(b)
	if err != nil {
		return nil, documentError{fmt.Errorf("%s is not YAML that can be taken: %w", inputName(name), err)}
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

// parseJSON reads one document, or one a line where the first line is one.
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
		return heldCampaign{where: where, err: documentError{fmt.Errorf("%s must hold an object, not %s", where, article(v.Kind()))}}
	}
	return heldCampaign{where: where, body: v}
}

// checkEnv is what a check without a write knows of the service's workspace.
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

// newBody gives the body of the request that creates what a file holds: as a record, an export or a
// body of a create request has it. Who created it stays, where by does not say another.
func newBody(v doc.Value, by, author string) doc.Value {
	rec := engine.ParseRecord(v)
	return engine.NewDraftBody(rec.Channel, rec.DeliveryType, cmp.Or(by, rec.CreatedBy, author), rec.Body)
}

// checkNew refuses a body that creating would refuse, as far as that is known before.
func checkNew(body doc.Value, env schema.Env) error {
	if err := fits(body); err != nil {
		return err
	}
	ch := engine.ParseRecord(body).Channel
	table := ch
	if !ch.Writable() {
		table = catalog.Push // which says what is wrong with the channel
	}
	return engine.Invalid(catalog.CreateRequest(table).Validate(body, env))
}

func fits(v doc.Value) error {
	if n := len(v.Encode()); n > local.MaxBody {
		return engine.Errorf(engine.ValidationFailed, http.StatusRequestEntityTooLarge, "the campaign is %d KiB long, and %d KiB are allowed", n>>10, local.MaxBody>>10)
	}
	return nil
}

func newImport(f *factory) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Create drafts from files",
		Long: "Create a draft from each campaign in the files: JSON, YAML, or JSON lines. They hold bodies of\n" +
			"create requests, campaigns as `bugle get` prints them, or exports; each becomes a new draft. All\n" +
			"are checked first: where one is not valid, none is created. Exits with 3 then.",
		Example: "  bugle import campaigns/*.yaml\n  bugle import --by ann@example.com - < campaigns.jsonl",
		Args:    someFiles("to import"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return importFiles(cmd.Context(), f, args, by)
		},
	}
	cmd.Flags().StringVar(&by, "by", "", "`e-mail` address of who creates them (default: what the files say, or the workspace's author)")
	return cmd
}

// someFiles wants one file at least.
func someFiles(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return misused("name the files %s, or - for standard input", what)
		}
		return nil
	}
}

// imported is what became of one campaign.
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
		for _, h := range f.readCampaigns(ctx, file) {
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
	return f.printImported(rows)
}

func (f *factory) printImported(rows []*imported) error {
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
	if f.json {
		if err := f.printJSON(map[string]any{"campaigns": rows}); err != nil {
			return err
		}
		return silentlyIf(code)
	}
	for _, row := range rows {
		switch {
		case row.Error != nil:
			fmt.Fprintln(f.err, "bugle: "+clean(ofFile(row.File, *row.Error)))
		case row.ID != "":
			fmt.Fprintln(f.out, line(row.File+": created draft "+row.ID+" "+row.Name))
		}
	}
	if code != exitDone && made == 0 {
		fmt.Fprintln(f.err, "Nothing was created.")
	}
	return silentlyIf(code)
}

// ofFile gives a failure with the file that it is about, where it does not begin with it itself.
func ofFile(where string, fail failure) string {
	text := fail.text()
	if strings.HasPrefix(text, where) || strings.HasPrefix(text, "cannot read "+where) {
		return text
	}
	return where + ": " + text
}

// worse gives the exit code of two that says more: that something could not be done outweighs that
// something is not valid, and that outweighs a refusal.
func worse(a, b int) int {
	order := []int{exitDone, exitRefused, exitInvalid, exitMisused, exitFailed}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// silentlyIf ends with a code when all has been said.
func silentlyIf(code int) error {
	if code == exitDone {
		return nil
	}
	return silentError(code)
}
