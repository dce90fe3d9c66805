package cli

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"bugle/cmd/bugle/internal/yamldoc"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// IsRecord reports whether a document is the output of `bugle get`, with an id and a state, rather than the body of a
// request. The state may be unknown to this version.
func IsRecord(v doc.Value) bool {
	rec := engine.ParseRecord(v)
	return rec.ID != "" && rec.Status != "" && string(rec.Status) != string(catalog.Publish)
}

// HeldCampaign is one campaign of a file.
type HeldCampaign struct {
	Where    string // file and position in it, for people
	Body     doc.Value
	Revision string // that the file was made from (CONTRACT.md, Revisions); it is not in the body
	Err      error  // why it cannot be used; then the body is empty
	Source   Source
}

// File name extensions of campaign files.
var (
	jsonEnds = []string{".json", ".jsonl", ".ndjson"}
	yamlEnds = []string{".yaml", ".yml"}
)

// IsCampaignFile reports whether a file name has an extension of campaign files.
func IsCampaignFile(name string) bool {
	end := strings.ToLower(filepath.Ext(name))
	return slices.Contains(jsonEnds, end) || slices.Contains(yamlEnds, end)
}

// ReadCampaigns reads the campaigns of a file: one in JSON, one per line in JSON lines, one per document in YAML, or that
// of a folder with a main file. If none can be read, it returns one with the error.
func (s Streams) ReadCampaigns(ctx context.Context, file File) []HeldCampaign {
	file, b, err := s.readFile(ctx, file)
	var held []HeldCampaign
	if err == nil {
		held, err = ParseCampaigns(file.Name, b)
	}
	if err == nil && len(held) == 0 {
		err = DocumentError{fmt.Errorf("%s has no campaign", InputName(file.Name))}
	}
	if err != nil {
		return []HeldCampaign{{Where: InputName(file.Name), Err: err, Source: Source{file: file}}}
	}
	for i := range held {
		held[i].Source.file = file
		held[i] = joined(held[i])
	}
	return held
}

// Campaign reads the one campaign of a JSON or YAML file, of a folder with a main file, or of standard input.
func (s Streams) Campaign(ctx context.Context, file File) HeldCampaign {
	file, b, err := s.readFile(ctx, file)
	if err != nil {
		return HeldCampaign{Where: InputName(file.Name), Err: err, Source: Source{file: file}}
	}
	if b, err = decode(file.Name, b); err != nil {
		return HeldCampaign{Where: InputName(file.Name), Err: err, Source: Source{file: file}}
	}
	yaml := isYAML(file.Name) || file.Name == Stdin && !looksLikeJSON(b)
	body, err := parseDocument(file.Name, b, yaml)
	source := newSource(file.Name, b, yaml, 0)
	source.file = file
	return joined(HeldCampaign{Where: InputName(file.Name), Body: body, Err: err, Source: source})
}

// readFile returns the content of a file, or of the main file of a folder, which it returns, too.
func (s Streams) readFile(ctx context.Context, file File) (File, []byte, error) {
	file, _ = file.Main()
	if file.in == "" {
		b, err := s.Read(ctx, file.Name)
		return file, b, err
	}
	b, err := file.Text(MaxInput)
	return file, b, unreadable(file.Name, err)
}

// CampaignDocument returns the document of [Streams.Campaign].
func (s Streams) CampaignDocument(ctx context.Context, name string) (doc.Value, error) {
	h := s.Campaign(ctx, File{Name: name})
	return h.Body, h.Err
}

// ParseCampaigns returns the campaigns of a JSON or YAML file, without the texts of other files that it refers to. Its
// error is about the whole file; errors about one campaign are in its entry.
func ParseCampaigns(name string, b []byte) ([]HeldCampaign, error) {
	b, err := decode(name, b)
	if err != nil {
		return nil, err
	}
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
		return doc.Value{}, DocumentError{fmt.Errorf("%s must have one YAML document, not %d", InputName(name), len(docs))}
	}
	return docs[0].Body, docs[0].Err
}

// IsExport reports whether a document is a campaign as `bugle export` writes it: with its id, and without state and
// times.
func IsExport(v doc.Value) bool {
	rec := engine.ParseRecord(v)
	return rec.ID != "" && rec.CreatedBy != "" && rec.Status == "" && rec.UpdatedBy == "" && rec.CreatedAt.IsZero()
}

func parseYAML(name string, b []byte) ([]HeldCampaign, error) {
	docs, err := yamldoc.Parse(b)
	if err != nil {
		return nil, DocumentError{fmt.Errorf("cannot use %s as YAML: %w", InputName(name), err)}
	}
	var out []HeldCampaign
	for i, v := range docs {
		where := InputName(name)
		if len(docs) > 1 {
			where = fmt.Sprintf("%s, document %d", where, i+1)
		}
		out = append(out, held(where, v, newSource(name, b, true, i)))
	}
	return out, nil
}

// parseJSON reads one document, or one per line if the first line is a document.
func parseJSON(name string, b []byte) ([]HeldCampaign, error) {
	v, err := doc.Parse(b)
	if err == nil {
		return []HeldCampaign{held(InputName(name), v, newSource(name, b, false, 0))}, nil
	}
	lines := bytes.Split(b, []byte("\n"))
	full := slices.IndexFunc(lines, func(l []byte) bool { return len(bytes.TrimSpace(l)) > 0 })
	if full >= 0 {
		if _, lerr := doc.Parse(lines[full]); lerr != nil {
			return nil, DocumentError{fmt.Errorf("%s is not valid JSON: %w", InputName(name), err)}
		}
	}
	var out []HeldCampaign
	for i, l := range lines {
		if len(bytes.TrimSpace(l)) == 0 {
			continue
		}
		where := fmt.Sprintf("%s, line %d", InputName(name), i+1)
		src := newSource(name, l, false, 0)
		src.line = i
		v, err := doc.Parse(l)
		if err != nil {
			out = append(out, HeldCampaign{Where: where, Err: DocumentError{fmt.Errorf("%s is not valid JSON: %w", where, err)}, Source: src})
			continue
		}
		out = append(out, held(where, v, src))
	}
	return out, nil
}

func held(where string, v doc.Value, src Source) HeldCampaign {
	if v.Kind() != doc.Object {
		return HeldCampaign{Where: where, Err: DocumentError{fmt.Errorf("%s must be an object, not %s", where, article(v.Kind()))}, Source: src}
	}
	return HeldCampaign{Where: where, Body: v, Source: src}
}

// looksLikeJSON reports whether a text begins like a JSON object or array, or is empty. Anything else is YAML.
func looksLikeJSON(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) == 0 || b[0] == '{' || b[0] == '['
}
