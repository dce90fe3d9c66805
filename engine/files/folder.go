package files

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/mjml"
	"bugle/engine/schema"
)

// A campaign can be kept in a folder: a main file, and beside it a file for each long text, which the main file refers
// to. In the main file, the field of such a text has reference at the end of its name, and the name of the file as its
// value: html_content@ is email.html. Which fields that can be is in the tables ([catalog.TextFile]).
//
// HTML that was compiled from MJML has two files: email.mjml, which the main file refers to and people edit, and beside it
// email.html, which is used as long as it was compiled from that MJML.

// MainNames are the names that the main file of a folder can have.
var MainNames = []string{"campaign.yaml", "campaign.yml", "campaign.json"}

// reference ends the name of a field whose text is in a file. A field of this name that a campaign already has gets
// another one.
const reference = "@"

// Names of the two files of HTML that was compiled end with these.
const (
	extMJML = ".mjml"
	extHTML = ".html"
)

// partExtensions are the extensions of the files that [Split] creates for texts.
var partExtensions = []string{extHTML, extMJML, ".txt"}

// Part is a text of a campaign that is kept in a file of its own.
type Part struct {
	Path doc.Path // of the text in the campaign
	Name string   // of the file, relative to the folder
	Text string
}

// Split returns the document of the main file of a campaign's folder, and the texts that are kept beside it.
func Split(c engine.Campaign) (main doc.Value, parts []Part) {
	main = Document(c)
	s := splitter{table: catalog.Campaign(c.Channel), taken: map[string]bool{}}
	for _, name := range MainNames {
		s.taken[name] = true
	}
	return s.value(nil, main), s.parts
}

type splitter struct {
	table *schema.Schema
	taken map[string]bool // names of files, in lower case: some file systems do not tell them apart
	parts []Part
}

func (s *splitter) value(p doc.Path, v doc.Value) doc.Value {
	switch v.Kind() {
	case doc.Array:
		var elems []doc.Value
		for i, e := range v.Elems() {
			elems = append(elems, s.value(p.Elem(i), e))
		}
		return doc.NewArray(elems...)
	case doc.Object:
		return s.object(p, v)
	}
	return v
}

func (s *splitter) object(p doc.Path, v doc.Value) doc.Value {
	var ms []doc.Member
	for name, m := range v.Members() {
		at := p.Child(name)
		file, ok := catalog.TextFile(s.table, at, m)
		switch {
		case ok && decodesAsIs(m.Text()):
			file, text := s.free(file), m.Text()
			if source := mjml.Editable(text); mjml.InField(s.table.At(at)) && mjml.IsSource(source) {
				if source != text {
					s.parts = append(s.parts, Part{Path: at, Name: file, Text: text})
				}
				file, text = strings.TrimSuffix(file, extHTML)+extMJML, source
			}
			s.parts = append(s.parts, Part{Path: at, Name: file, Text: text})
			ms = append(ms, doc.M(name+reference, doc.NewString(file)))
		case refers(s.table, p, name):
			ms = append(ms, doc.M(name+reference, s.value(at, m)))
		default:
			ms = append(ms, doc.M(name, s.value(at, m)))
		}
	}
	return doc.NewObject(ms...)
}

// decodesAsIs reports whether a file with a text is read as that text: not one with NUL, or a byte order mark first.
func decodesAsIs(text string) bool {
	b, err := Decode([]byte(text))
	return err == nil && string(b) == text
}

// free returns a name of a file that no other text has.
func (s *splitter) free(name string) string {
	ext := filepath.Ext(name)
	for n, first := 2, strings.TrimSuffix(name, ext); s.taken[strings.ToLower(name)]; n++ {
		name = first + "-" + strconv.Itoa(n) + ext
	}
	s.taken[strings.ToLower(name)] = true
	return name
}

// refers reports whether a field of the object at p has the name of a reference.
func refers(table *schema.Schema, p doc.Path, name string) bool {
	of := strings.TrimRight(name, reference)
	return of != name && catalog.HasTextFile(table.At(p.Child(of)))
}

// PartError reports a reference of a main file that cannot be followed.
type PartError struct {
	Path doc.Path // of the reference in the main file
	Err  error
}

func (e *PartError) Error() string { return e.Path.String() + ": " + e.Err.Error() }

func (e *PartError) Unwrap() error { return e.Err }

// Join returns the document of a campaign whose main file is main, and the texts that were kept beside it. read returns
// the text of a file by its name. An error of a reference is a *[PartError].
func Join(main doc.Value, read func(name string) (string, error)) (doc.Value, []Part, error) {
	j := joiner{table: catalog.Campaign(engine.ParseRecord(main).Channel), read: read}
	out, err := j.value(nil, main)
	return out, j.parts, err
}

// Made returns the names of the files that [Split] has made of the texts that a main file refers to. Other names in it are
// of files that somebody else has written.
func Made(main doc.Value) (names []string) {
	_, parts, _ := Join(main, func(string) (string, error) { return "", nil }) // those before an error
	table := catalog.Campaign(engine.ParseRecord(main).Channel)
	for _, p := range parts {
		name, ok := catalog.TextFile(table, p.Path, doc.NewString("\n"))
		ext := filepath.Ext(name)
		base, source := strings.CutSuffix(p.Name, extMJML)
		if !source {
			base = strings.TrimSuffix(p.Name, ext)
		}
		number, numbered := strings.CutPrefix(base, strings.TrimSuffix(name, ext)+"-")
		if _, err := strconv.ParseUint(number, 10, 16); !ok || base+ext != name && (!numbered || err != nil) {
			continue
		}
		if names = append(names, p.Name); source {
			names = append(names, base+extHTML)
		}
	}
	return names
}

type joiner struct {
	table *schema.Schema
	read  func(name string) (string, error)
	parts []Part
}

func (j *joiner) value(p doc.Path, v doc.Value) (doc.Value, error) {
	switch v.Kind() {
	case doc.Array:
		var elems []doc.Value
		for i, e := range v.Elems() {
			e, err := j.value(p.Elem(i), e)
			if err != nil {
				return v, err
			}
			elems = append(elems, e)
		}
		return doc.NewArray(elems...), nil
	case doc.Object:
		return j.object(p, v)
	}
	return v, nil
}

func (j *joiner) object(p doc.Path, v doc.Value) (doc.Value, error) {
	var ms []doc.Member
	changed := false
	for name, m := range v.Members() {
		var err error
		was := m
		if !refers(j.table, p, name) {
			m, err = j.value(p.Child(name), m)
		} else {
			of := strings.TrimSuffix(name, reference)
			if !strings.HasSuffix(of, reference) {
				m, err = j.text(p, name, of, v)
			} else {
				m, err = j.value(p.Child(name), m)
			}
			name = of
		}
		if err != nil {
			return v, err
		}
		changed = changed || !m.Same(was)
		ms = append(ms, doc.M(name, m))
	}
	if !changed && len(ms) == v.Len() && !j.renamed(p, v) {
		return v, nil
	}
	return doc.NewObject(ms...), nil
}

// renamed reports whether a field of an object has the name of a reference.
func (j *joiner) renamed(p doc.Path, v doc.Value) bool {
	for name := range v.Members() {
		if refers(j.table, p, name) {
			return true
		}
	}
	return false
}

// text returns the text that a field of an object refers to.
func (j *joiner) text(p doc.Path, name, of string, object doc.Value) (doc.Value, error) {
	at := p.Child(name)
	failed := func(err error) (doc.Value, error) { return doc.Value{}, &PartError{Path: at, Err: err} }
	file := object.Get(name)
	switch {
	case object.Get(of).Exists():
		return failed(fmt.Errorf("%s is there too; keep one of the two", of))
	case file.Text() == "":
		return failed(errors.New("must be the name of a file in the folder, such as email.html"))
	case !filepath.IsLocal(filepath.FromSlash(file.Text())):
		return failed(fmt.Errorf("%s leads out of the folder; use the name of a file in it", file.Text()))
	case !slices.Contains(partExtensions, strings.ToLower(filepath.Ext(file.Text()))):
		return failed(fmt.Errorf("the name of %s must end with %s", file.Text(), strings.Join(partExtensions, ", ")))
	}
	text, err := j.read(file.Text())
	if err != nil {
		return failed(err)
	}
	part := Part{Path: p.Child(of), Name: file.Text(), Text: text}
	if base, ok := strings.CutSuffix(file.Text(), extMJML); ok {
		if part, err = j.compiled(part, base+extHTML); err != nil {
			return failed(err)
		}
	}
	j.parts = append(j.parts, part)
	return doc.NewString(part.Text), nil
}

// compiled returns the file of that name if it was compiled from a source, and otherwise the source.
func (j *joiner) compiled(source Part, name string) (Part, error) {
	html, err := j.read(name)
	if err != nil { // it is compiled again
		return source, nil
	}
	from, ok := mjml.Source(html)
	switch {
	case ok && doc.UnixLines(from) == doc.UnixLines(source.Text):
		return Part{Path: source.Path, Name: name, Text: doc.UnixLines(html)}, nil
	case !ok && mjml.Without(html) != html:
		return source, fmt.Errorf("%s was changed after it was compiled; change %s instead, or refer to %[1]s and remove the comment at its end", name, source.Name)
	}
	return source, nil
}
