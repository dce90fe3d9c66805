package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"bugle/cmd/bugle/internal/yamldoc"
	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/files"
	"bugle/engine/service/local"
)

// Location is a place in a file. Line and Column are from 1, in characters, and 0 if they are not known.
type Location struct {
	File   string
	Line   int
	Column int
}

// String returns the location as compilers write it: file:line:column.
func (l Location) String() string {
	switch {
	case l.Line == 0:
		return l.File
	case l.Column == 0:
		return fmt.Sprintf("%s:%d", l.File, l.Line)
	}
	return fmt.Sprintf("%s:%d:%d", l.File, l.Line, l.Column)
}

// offset returns the byte at the location in a text; its end if there is no such place.
func (l Location) offset(text string) (at int) {
	for range l.Line - 1 {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	for i := range text[at:] {
		if l.Column--; l.Column <= 0 {
			return at + i
		}
	}
	return len(text)
}

// Source is the text that a campaign was read from. It knows where in its files each value is. The zero Source is of a
// campaign that was read from no file.
type Source struct {
	name   string // of the file
	line   int    // of a JSON lines file, from 0
	places func() places
	parts  []files.Part
}

// places are where the values of a document are in its text.
type places interface {
	Position(doc.Path) (line, column int)
	TextPosition(p doc.Path, offset int) (line, column int)
}

// newSource returns the source of a document in a file: the one with a number from 0 if it is YAML. The text is read
// for places when the first one is asked for.
func newSource(name string, text []byte, yaml bool, document int) Source {
	return Source{name: name, places: sync.OnceValue(func() places {
		if yaml {
			return yamldoc.NewPlaces(text, document)
		}
		return doc.NewPlaces(text)
	})}
}

// Exists reports whether there is a file.
func (s Source) Exists() bool { return s.name != "" }

// File returns the location of the whole file.
func (s Source) File() Location { return Location{File: InputName(s.name)} }

// At returns the location of the value at p: of the file that has its text, if that is another one, else of its field.
func (s Source) At(p doc.Path) Location { return s.In(p, -1) }

// In returns the location of a byte of the text at p; of the whole value if offset is negative.
func (s Source) In(p doc.Path, offset int) Location {
	if !s.Exists() {
		return Location{}
	}
	for _, part := range s.parts {
		if p.Equal(part.Path) {
			l := Location{File: filepath.Join(filepath.Dir(s.name), filepath.FromSlash(part.Name))}
			l.Line, l.Column = doc.LineColumn(part.Text, max(offset, 0))
			return l
		}
	}
	l := s.File()
	if s.places == nil {
		return l
	}
	if l.Line, l.Column = s.places().Position(p); offset >= 0 {
		l.Line, l.Column = s.places().TextPosition(p, offset)
	}
	l.Line += s.line
	return l
}

// Files returns the names of the files that the campaign was read from, its main file first.
func (s Source) Files() []string {
	out := []string{s.name}
	for _, p := range s.parts {
		out = append(out, filepath.Join(filepath.Dir(s.name), filepath.FromSlash(p.Name)))
	}
	return out
}

// Of returns the location of an error of reading the campaign, as far as it is known.
func (s Source) Of(err error) Location {
	l := s.File()
	var syntax *doc.SyntaxError
	var part *files.PartError
	switch {
	case errors.As(err, &syntax):
		l.Line, l.Column = syntax.Line+s.line, syntax.Column
	case errors.As(err, &part):
		return s.At(part.Path)
	}
	return l
}

// MainFile returns the main file of a folder with a campaign, and false if the name is not of such a folder.
func MainFile(dir string) (string, bool) {
	if info, err := os.Stat(dir); dir == Stdin || err != nil || !info.IsDir() {
		return "", false
	}
	for _, main := range files.MainNames {
		if info, err := os.Stat(filepath.Join(dir, main)); err == nil && info.Mode().IsRegular() {
			return filepath.Join(dir, main), true
		}
	}
	return "", false
}

// mainFile returns the main file of a folder with a campaign, and any other name unchanged.
func mainFile(name string) string {
	if main, ok := MainFile(name); ok {
		return main
	}
	return name
}

// NoteRevision writes the id and the revision of a changed campaign into the file that it was read from, if the file has a
// revision, so that the next change goes on from there. It prints a warning if it cannot, also if the campaign does not have
// the entity tag of the change anymore, if that is known.
func (h HeldCampaign) NoteRevision(ctx context.Context, s Streams, svc engine.Service, up engine.Updated) {
	if h.Revision == "" || h.Source.name == Stdin {
		return
	}
	if err := h.noteRevision(ctx, svc, up); err != nil {
		fmt.Fprintln(s.Err, "bugle: "+Line(fmt.Sprintf("warning: the new revision could not be written into %s: %v; get or export the campaign again before you change it next", h.Source.name, Cause(err))))
	}
}

func (h HeldCampaign) noteRevision(ctx context.Context, svc engine.Service, up engine.Updated) error {
	now, err := svc.Get(ctx, up.ID)
	if err != nil {
		return err
	}
	if up.ETag != "" && now.Tag() != up.ETag {
		return errors.New("somebody else has changed the campaign since")
	}
	revision := now.StateRevision()
	if IsExport(h.Body) {
		revision = now.ContentRevision()
	}
	name, err := filepath.EvalSymlinks(h.Source.name)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text := string(b)
	for _, f := range [][3]string{{"id", h.Body.Get("id").Text(), up.ID}, {engine.FieldRevision, h.Revision, revision}} {
		if f[1] == "" || f[1] == f[2] {
			continue
		}
		from := h.Source.At(doc.P(f[0])).offset(text)
		i := strings.Index(text[from:], f[1])
		if i < 0 || strings.ContainsAny(text[from:from+i], ",\n") {
			return errors.New("the file was changed")
		}
		text = text[:from+i] + f[2] + text[from+i+len(f[1]):]
	}
	_, err = files.Write(name, []byte(text))
	return err
}

// IsFolder reports whether an argument is a folder that is no campaign itself.
func IsFolder(arg string) bool {
	info, err := os.Stat(arg)
	return err == nil && info.IsDir() && arg != Stdin && mainFile(arg) == arg
}

// isMainFile reports whether a file is the main file of a folder, which may refer to the files beside it.
func isMainFile(name string) bool { return slices.Contains(files.MainNames, filepath.Base(name)) }

// joined adds the texts that are kept beside the main file of a folder, and takes the revision out of the body.
func joined(h HeldCampaign) HeldCampaign {
	switch r := h.Body.Get(engine.FieldRevision); r.Kind() {
	case doc.String, doc.Number:
		h.Revision = strings.Trim(string(r.Encode()), `"`)
		fallthrough
	case doc.Null:
		h.Body = h.Body.Delete(doc.P(engine.FieldRevision))
	}
	if h.Err != nil || !isMainFile(h.Source.name) {
		return h
	}
	dir := filepath.Dir(h.Source.name)
	body, parts, err := files.Join(h.Body, func(name string) (string, error) { return readPart(dir, name) })
	if err != nil {
		h.Body, h.Err = doc.Value{}, DocumentError{fmt.Errorf("cannot use %s: %w", h.Where, err)}
		return h
	}
	h.Body, h.Source.parts = body, parts
	return h
}

// readPart returns the text of a file in a folder. Links do not lead out of the folder.
func readPart(dir, name string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", fmt.Errorf("cannot read the folder %s: %w", dir, Cause(err))
	}
	defer func() { _ = root.Close() }()
	name = filepath.FromSlash(name)
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no file %s in %s; add it, or write the text into the field without the @", name, dir)
	case err != nil && strings.Contains(err.Error(), "escapes"):
		return "", fmt.Errorf("%s is a link that leads out of the folder; put a copy of the file there", name)
	case err != nil:
		return "", fmt.Errorf("cannot read %s: %w", name, Cause(err))
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a file", name)
	case info.Size() > local.MaxBody:
		return "", fmt.Errorf("%s has %d KiB; a campaign can have up to %d KiB", name, info.Size()>>10, local.MaxBody>>10)
	}
	file, err := root.Open(name)
	if err != nil {
		return "", fmt.Errorf("cannot read %s: %w", name, Cause(err))
	}
	defer func() { _ = file.Close() }()
	b, err := io.ReadAll(io.LimitReader(file, local.MaxBody+1))
	if err != nil {
		return "", fmt.Errorf("cannot read %s: %w", name, Cause(err))
	}
	if !utf8.Valid(b) {
		return "", fmt.Errorf("%s is not UTF-8 text", name)
	}
	return string(b), nil
}

// CampaignFiles returns the campaign files in a folder and its subfolders, in order and without hidden ones. It returns
// an argument that is not a folder unchanged.
func CampaignFiles(arg string) []string {
	if info, err := os.Stat(arg); arg == Stdin || err != nil || !info.IsDir() {
		return []string{arg}
	}
	var out []string
	err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			out = append(out, path) // reading it will report why
		case path != arg && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return filepath.SkipDir
			}
		case !d.IsDir() && IsCampaignFile(path):
			out = append(out, path)
		}
		return nil
	})
	if err != nil || len(out) == 0 {
		return []string{arg} // reading it will report that it is a folder
	}
	return out
}
