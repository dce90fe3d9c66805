package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

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
	file   File
	line   int // of a JSON lines file, from 0
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
	return Source{file: File{Name: name}, places: sync.OnceValue(func() places {
		if yaml {
			return yamldoc.NewPlaces(text, document)
		}
		return doc.NewPlaces(text)
	})}
}

// Exists reports whether there is a file.
func (s Source) Exists() bool { return s.file.Name != "" }

// File returns the location of the whole file.
func (s Source) File() Location { return Location{File: InputName(s.file.Name)} }

// At returns the location of the value at p: of the file that has its text, if that is another one, else of its field.
func (s Source) At(p doc.Path) Location { return s.In(p, -1) }

// In returns the location of a byte of the text at p; of the whole value if offset is negative.
func (s Source) In(p doc.Path, offset int) Location {
	if !s.Exists() {
		return Location{}
	}
	for _, part := range s.parts {
		if p.Equal(part.Path) {
			l := Location{File: filepath.Join(filepath.Dir(s.file.Name), filepath.FromSlash(part.Name))}
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
	out := []string{s.file.Name}
	for _, p := range s.parts {
		out = append(out, filepath.Join(filepath.Dir(s.file.Name), filepath.FromSlash(p.Name)))
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

// File is a file with campaigns, or a folder with the files of one. The user named it, unless it was found.
type File struct {
	Name string
	in   string // the folder that it was found in, which the user named; see [files.ReadIn]
}

// Found returns a file that was found in a folder that the user named.
func Found(in, name string) File { return File{name, in} }

// Beside returns a file that this one refers to, by its name relative to the folder of this one.
func (f File) Beside(name string) File {
	dir := filepath.Dir(f.Name)
	return Found(cmp.Or(f.in, dir), filepath.Join(dir, filepath.FromSlash(name)))
}

// Text returns the content of the file, of up to limit bytes. Its error does not have the name.
func (f File) Text(limit int) ([]byte, error) {
	if f.in == "" {
		return files.Read(f.Name, limit)
	}
	name, err := filepath.Rel(f.in, f.Name)
	if err != nil {
		return nil, err
	}
	return files.ReadIn(f.in, name, limit)
}

// Main returns the main file of a folder with a campaign, and false if the file is no such folder.
func (f File) Main() (File, bool) {
	stat := os.Stat
	if f.in != "" && f.Name != f.in {
		stat = os.Lstat // what was found is no link, while the user may have named one
	}
	if info, err := stat(f.Name); f.Name == Stdin || err != nil || !info.IsDir() {
		return f, false
	}
	for _, main := range files.MainNames {
		name := filepath.Join(f.Name, main)
		if info, err := os.Lstat(name); err == nil && !info.IsDir() {
			return Found(cmp.Or(f.in, f.Name), name), true
		}
	}
	return f, false
}

// NoteRevision writes the id and the revision of a changed campaign into the file that it was read from, if the file has a
// revision, so that the next change goes on from there. It prints a warning if it cannot, also if the campaign does not have
// the entity tag of the change anymore, if that is known.
func (h HeldCampaign) NoteRevision(ctx context.Context, s Streams, svc engine.Service, up engine.Updated) {
	if h.Revision == "" || h.Source.file.Name == Stdin {
		return
	}
	if err := h.noteRevision(ctx, svc, up); err != nil {
		fmt.Fprintln(s.Err, "bugle: "+Line(fmt.Sprintf("warning: the new revision could not be written into %s: %v; get or export the campaign again before you change it next", h.Source.file.Name, Cause(err))))
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
	at := h.Source.file
	if at.in == "" { // the user may have named a link
		if at.Name, err = filepath.EvalSymlinks(at.Name); err != nil {
			return err
		}
		at.in = filepath.Dir(at.Name)
	}
	name, err := filepath.Rel(at.in, at.Name)
	if err != nil {
		return err
	}
	b, err := files.Read(at.Name, MaxInput)
	if err != nil {
		return err
	}
	text := string(b)
	if !files.IsText(text) {
		return errors.New("it is not UTF-8 text")
	}
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
	_, err = files.Write(at.in, name, []byte(text))
	return err
}

// IsFolder reports whether an argument is a folder that is no campaign itself.
func IsFolder(arg string) bool {
	info, err := os.Stat(arg)
	_, ok := File{Name: arg}.Main()
	return err == nil && info.IsDir() && arg != Stdin && !ok
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
	if h.Err != nil || !isMainFile(h.Source.file.Name) {
		return h
	}
	left := MaxInput // a text can be referred to again and again
	body, parts, err := files.Join(h.Body, func(name string) (string, error) {
		text, err := readPart(h.Source.file, name, min(left, local.MaxBody))
		left -= len(text)
		return text, err
	})
	if err != nil {
		h.Body, h.Err = doc.Value{}, DocumentError{fmt.Errorf("cannot use %s: %w", h.Where, err)}
		return h
	}
	h.Body, h.Source.parts = body, parts
	return h
}

// readPart returns the text of a file that a main file refers to.
func readPart(main File, name string, limit int) (string, error) {
	b, err := main.Beside(name).Text(limit)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no file %s in %s; add it, or write the text into the field without the @", name, filepath.Dir(main.Name))
	case errors.Is(err, files.ErrTooLarge):
		return "", fmt.Errorf("%s is too large; a campaign can have up to %d KiB", name, local.MaxBody>>10)
	case err != nil:
		return "", fmt.Errorf("cannot read %s: %w", name, Cause(err))
	}
	if b, err = files.Decode(b); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return string(b), nil
}

// CampaignFiles returns the campaign files in a folder and its subfolders, in order and without hidden ones. It returns
// an argument that is not a folder unchanged.
func CampaignFiles(arg string) []File {
	if info, err := os.Stat(arg); arg == Stdin || err != nil || !info.IsDir() {
		return []File{{Name: arg}}
	}
	if out := FilesUnder(arg, arg); len(out) > 0 {
		return out
	}
	return []File{{Name: arg}} // reading it will report that it is a folder
}

// FilesUnder returns the campaign files in a folder that was found in another one, or is the same. What has the name of
// one but is a link or no file, and folders that cannot be read, are among them: reading them will report why.
func FilesUnder(in, dir string) (out []File) {
	under, err := filepath.Rel(in, dir)
	if err == nil {
		err = files.Walk(in, under, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() && IsCampaignFile(path) {
				out = append(out, Found(in, path))
			}
			return nil
		})
	}
	if err != nil {
		return []File{Found(in, dir)}
	}
	return out
}
