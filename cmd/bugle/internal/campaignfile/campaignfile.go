// Package campaignfile reads campaigns and other documents from files: JSON, JSON lines, YAML, and folders with a main file
// and the texts beside it. What was read knows where in its files each value is.
package campaignfile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/doc/yamldoc"
	"bugle/engine/files"
	"bugle/engine/service/local"
)

// IsRecord reports whether a document is the output of `bugle get`, with an id and a state, rather than the body of a
// request. The state may be unknown to this version.
func IsRecord(v doc.Value) bool {
	rec := engine.ParseRecord(v)
	return rec.ID != "" && rec.Status != "" && string(rec.Status) != string(catalog.Publish)
}

// Held is one campaign of a file.
type Held struct {
	Where    string // file and position in it, for people
	Body     doc.Value
	Revision string // that the file was made from (CONTRACT.md, Revisions); it is not in the body
	Err      error  // why it cannot be used; then the body is empty
	Source   Source
}

// Folder returns the folder that the user named with the file in it, or that of a file that the user named; empty for
// standard input.
func (h Held) Folder() string {
	if name := h.Source.file.Name; name != "" && name != cli.Stdin {
		return cmp.Or(h.Source.file.in, filepath.Dir(name))
	}
	return ""
}

// ReadAll reads the campaigns of a file: one in JSON, one per line in JSON lines, one per document in YAML, or that
// of a folder with a main file. If none can be read, it returns one with the error.
func ReadAll(ctx context.Context, s cli.Streams, file File) []Held {
	file, b, err := readFile(ctx, s, file)
	var held []Held
	if err == nil {
		held, err = Parse(file.Name, b)
	}
	if err != nil {
		return []Held{{Where: cli.InputName(file.Name), Err: err, Source: Source{file: file}}}
	}
	for i := range held {
		held[i].Source.file, held[i].Source.index = file, i
		held[i] = joined(held[i])
	}
	return held
}

// Read reads the one campaign of a JSON or YAML file, of a folder with a main file, or of standard input.
func Read(ctx context.Context, s cli.Streams, file File) Held {
	return only(ReadAll(ctx, s, file))
}

// only returns the one document of a file.
func only(all []Held) Held {
	if len(all) == 1 {
		return all[0]
	}
	file := all[0].Source.file.Name
	err := cli.DocumentError{Err: fmt.Errorf("%s must have one document, not %d", cli.InputName(file), len(all))}
	return Held{Where: cli.InputName(file), Err: err, Source: Source{file: all[0].Source.file}}
}

// readFile returns the content of a file, or of the main file of a folder, which it returns, too.
func readFile(ctx context.Context, s cli.Streams, file File) (File, []byte, error) {
	file, _ = file.Main()
	if file.in == "" {
		if IsFolder(file.Name) {
			return file, nil, folderError(file.Name)
		}
		b, err := s.Read(ctx, file.Name)
		return file, b, err
	}
	b, err := file.Text(cli.MaxInput)
	return file, b, cli.ReadError(file.Name, err)
}

// folderError is the error of reading a folder that is not a campaign.
func folderError(dir string) error {
	if files := Files(dir); files[0].Name != dir {
		return fmt.Errorf("%s is a folder; choose one of its files, such as %s", dir, files[0].Name)
	}
	ends := slices.Concat(jsonEnds, yamlEnds)
	return fmt.Errorf("no campaign files in %s; their names end with %s or %s", dir, strings.Join(ends[:len(ends)-1], ", "), ends[len(ends)-1])
}

// Object reads an object from a JSON or YAML file, or from standard input. It may be anything, while a campaign may refer to
// other files.
func Object(ctx context.Context, s cli.Streams, name string) (doc.Value, error) {
	b, err := s.Read(ctx, name)
	if err != nil {
		return doc.Value{}, err
	}
	all, err := Parse(name, b)
	if err != nil {
		return doc.Value{}, err
	}
	h := only(all)
	return h.Body, h.Err
}

// Parse returns the campaigns of a JSON or YAML file, at least one, without the texts of other files that it refers to. Its
// error is about the whole file; errors about one campaign are in its entry.
func Parse(name string, b []byte) (out []Held, err error) {
	if b, err = cli.Decode(name, b); err != nil {
		return nil, err
	}
	end := strings.ToLower(filepath.Ext(name))
	if slices.Contains(jsonEnds, end) || !slices.Contains(yamlEnds, end) && looksLikeJSON(b) {
		out, err = parseJSON(name, b)
	} else {
		out, err = parseYAML(name, b)
	}
	if err == nil && len(out) == 0 {
		err = cli.DocumentError{Err: fmt.Errorf("%s has no campaign", cli.InputName(name))}
	}
	return out, err
}

func article(k doc.Kind) string {
	switch k {
	case doc.Null, doc.Absent:
		return k.String()
	case doc.Array, doc.Object:
		return "an " + k.String()
	}
	return "a " + k.String()
}

// IsExport reports whether a document is a campaign as `bugle export` writes it: with its id, and without state and
// times.
func IsExport(v doc.Value) bool {
	rec := engine.ParseRecord(v)
	return rec.ID != "" && rec.CreatedBy != "" && rec.Status == "" && rec.UpdatedBy == "" && rec.CreatedAt.IsZero()
}

func parseYAML(name string, b []byte) ([]Held, error) {
	docs, err := yamldoc.Parse(b)
	if err != nil {
		return nil, cli.DocumentError{Err: fmt.Errorf("cannot use %s as YAML: %w", cli.InputName(name), err)}
	}
	var out []Held
	for i, v := range docs {
		where := cli.InputName(name)
		if len(docs) > 1 {
			where = fmt.Sprintf("%s, document %d", where, i+1)
		}
		out = append(out, held(where, v, newYAML(name, b, i)))
	}
	return out, nil
}

// parseJSON reads one document, or one per line if the first line is a document.
func parseJSON(name string, b []byte) ([]Held, error) {
	v, err := doc.Parse(b)
	if err == nil {
		return []Held{held(cli.InputName(name), v, newJSON(name, b, 0))}, nil
	}
	first, _, _ := bytes.Cut(bytes.TrimSpace(b), []byte("\n"))
	if _, lerr := doc.Parse(first); lerr != nil {
		return nil, cli.DocumentError{Err: fmt.Errorf("%s is not valid JSON: %w", cli.InputName(name), err)}
	}
	var out []Held
	for i, l := range bytes.Split(b, []byte("\n")) {
		if len(bytes.TrimSpace(l)) == 0 {
			continue
		}
		where := fmt.Sprintf("%s, line %d", cli.InputName(name), i+1)
		src := newJSON(name, l, i)
		v, err := doc.Parse(l)
		if err != nil {
			out = append(out, Held{Where: where, Err: cli.DocumentError{Err: fmt.Errorf("%s is not valid JSON: %w", where, err)}, Source: src})
			continue
		}
		out = append(out, held(where, v, src))
	}
	return out, nil
}

func held(where string, v doc.Value, src Source) Held {
	if v.Kind() != doc.Object {
		return Held{Where: where, Err: cli.DocumentError{Err: fmt.Errorf("%s must be an object, not %s", where, article(v.Kind()))}, Source: src}
	}
	return Held{Where: where, Body: v, Source: src}
}

// looksLikeJSON reports whether a text begins like a JSON object or array, or is empty. Anything else is YAML.
func looksLikeJSON(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) == 0 || b[0] == '{' || b[0] == '['
}

// isMainFile reports whether a file is the main file of a folder, which may refer to the files beside it.
func isMainFile(name string) bool { return slices.Contains(files.MainNames, filepath.Base(name)) }

// joined adds the texts that are kept beside the main file of a folder, and takes the revision out of the body.
func joined(h Held) Held {
	switch r := h.Body.Get(engine.FieldRevision); r.Kind() {
	case doc.String, doc.Number:
		h.Revision = strings.Trim(string(r.Encode()), `"`)
		fallthrough
	case doc.Null:
		h.Body = h.Body.Delete(doc.P(engine.FieldRevision))
	}
	if h.Err != nil || !isMainFile(h.Source.file.Name) {
		return h
	}
	left := cli.MaxInput // a text can be referred to again and again
	body, parts, err := files.Join(h.Body, func(name string) (string, error) {
		text, err := readPart(h.Source.file, name, min(left, local.MaxBody))
		left -= len(text)
		return text, err
	})
	if err != nil {
		h.Body, h.Err = doc.Value{}, cli.DocumentError{Err: fmt.Errorf("cannot use %s: %w", h.Where, err)}
		return h
	}
	h.Body, h.Source.parts = body, parts
	return h
}

// readPart returns the text of a file that a main file refers to.
func readPart(main File, name string, limit int) (string, error) {
	b, err := main.beside(name).Text(limit)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no file %s in %s; add it, or write the text into the field without the @", name, filepath.Dir(main.Name))
	case errors.Is(err, files.ErrTooLarge):
		return "", fmt.Errorf("%s is too large; a campaign can have up to %d KiB", name, local.MaxBody>>10)
	case err != nil:
		return "", fmt.Errorf("cannot read %s: %w", name, cli.Cause(err))
	}
	if b, err = files.Decode(b); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return string(b), nil
}
