// Package campaignfile reads campaigns and other documents from files: JSON, YAML, and folders with a main file and the texts
// beside it. What was read knows where in its files each value is.
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
	"sync"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/doc/yamldoc"
	"bugle/engine/files"
)

// IsRecord reports whether a document is the output of `bugle get`, with an id and a state, rather than the body of a
// request. The state may be unknown to this version.
func IsRecord(v doc.Value) bool {
	rec := engine.ParseRecord(v)
	return rec.ID != "" && rec.Status != "" && string(rec.Status) != string(catalog.Publish)
}

// Held is the campaign of a file.
type Held struct {
	Where    string // the file, for people
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

// Read reads the campaign of a JSON or YAML file, of a folder with a main file, or of standard input.
func Read(ctx context.Context, s cli.Streams, file File) Held {
	file, b, err := readFile(ctx, s, file)
	h := Held{Where: cli.InputName(file.Name), Err: err}
	if err == nil {
		h = Parse(file.Name, b)
	}
	h.Source.file = file
	return joined(h)
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
	return fmt.Errorf("no campaign files in %s; their names end with %s, %s", dir, jsonEnd, strings.Join(yamlEnds, " or "))
}

// Object reads an object from a JSON or YAML file, or from standard input. It may be anything, while a campaign may refer to
// other files.
func Object(ctx context.Context, s cli.Streams, name string) (doc.Value, error) {
	b, err := s.Read(ctx, name)
	if err != nil {
		return doc.Value{}, err
	}
	h := Parse(name, b)
	return h.Body, h.Err
}

// Parse returns the campaign of a JSON or YAML file, without the texts of other files that it refers to.
func Parse(name string, b []byte) Held {
	h := Held{Where: cli.InputName(name), Source: Source{file: File{Name: name}}}
	if b, h.Err = cli.Decode(name, b); h.Err != nil {
		return h
	}
	v, err := h.Source.parse(b)
	switch {
	case err != nil:
		h.Err = cli.DocumentError{Err: err}
	case v.Kind() != doc.Object:
		h.Err = cli.DocumentError{Err: fmt.Errorf("%s must be an object, not %s", h.Where, article(v.Kind()))}
	default:
		h.Body = v
	}
	return h
}

// parse returns the document of a text, and notes where its values are.
func (s *Source) parse(text []byte) (doc.Value, error) {
	name := cli.InputName(s.file.Name)
	if end := strings.ToLower(filepath.Ext(s.file.Name)); end == jsonEnd || !slices.Contains(yamlEnds, end) && looksLikeJSON(text) {
		s.json = sync.OnceValue(func() *doc.Places { return doc.NewPlaces(text) })
		v, err := doc.Parse(text)
		if err != nil {
			err = fmt.Errorf("%s is not valid JSON: %w", name, err)
		}
		return v, err
	}
	s.yaml = sync.OnceValue(func() *yamldoc.Places { return yamldoc.NewPlaces(text) })
	v, err := yamldoc.Parse(text)
	if err != nil {
		err = fmt.Errorf("cannot use %s as YAML: %w", name, err)
	}
	return v, err
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
		text, err := readPart(h.Source.file, name, min(left, engine.MaxBody))
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
		return "", fmt.Errorf("%s is too large; a campaign can have up to %d KiB", name, engine.MaxBody>>10)
	case err != nil:
		return "", fmt.Errorf("cannot read %s: %w", name, cli.Cause(err))
	}
	if b, err = files.Decode(b); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return string(b), nil
}
