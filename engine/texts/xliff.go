package texts

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/files"
	"bugle/engine/message/template"
)

// The parts of XLIFF 1.2 that are written and read (http://docs.oasis-open.org/xliff/v1.2/os/xliff-core.html).
type (
	xliff struct {
		XMLName xml.Name    `xml:"urn:oasis:names:tc:xliff:document:1.2 xliff"`
		Version string      `xml:"version,attr"`
		Files   []xliffFile `xml:"file"`
	}
	xliffFile struct {
		Original string      `xml:"original,attr"` // the id of the campaign
		Source   string      `xml:"source-language,attr"`
		Target   string      `xml:"target-language,attr,omitempty"`
		Datatype string      `xml:"datatype,attr"`
		Note     string      `xml:"header>note,omitempty"`
		Units    []xliffUnit `xml:"body>trans-unit"`
	}
	xliffUnit struct {
		ID       string         `xml:"id,attr"` // the path
		MaxWidth int            `xml:"maxwidth,attr,omitempty"`
		SizeUnit string         `xml:"size-unit,attr,omitempty"`
		Space    string         `xml:"http://www.w3.org/XML/1998/namespace space,attr"`
		Source   inline         `xml:"source"`
		Target   *inline        `xml:"target"`
		Context  []xliffContext `xml:"context-group>context"`
		Note     string         `xml:"note,omitempty"`
	}
	xliffContext struct {
		Type string `xml:"context-type,attr"`
		Text string `xml:",chardata"`
	}
)

// The contexts that are read again.
const (
	contextCheck     = "x-check"
	contextLocale    = "x-locale"
	contextVariation = "x-variation"
)

// inline is a text with its expressions in elements of their own, which translation tools protect.
type inline string

// MarshalXML writes the text.
func (s inline) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	var b bytes.Buffer
	n := 0
	for part := range template.Parts(string(s)) {
		before, after := "", ""
		if isTag(part) {
			n++
			before, after = fmt.Sprintf(`<ph id="%d">`, n), "</ph>"
		}
		b.WriteString(before)
		if err := xml.EscapeText(&b, []byte(part.Source)); err != nil {
			return fmt.Errorf("writing XML: %w", err)
		}
		b.WriteString(after)
	}
	return e.EncodeElement(struct {
		XML string `xml:",innerxml"`
	}{b.String()}, start)
}

// UnmarshalXML reads the text, whatever elements a tool has put into it.
func (s *inline) UnmarshalXML(d *xml.Decoder, _ xml.StartElement) error {
	var b strings.Builder
	for depth := 1; depth > 0; {
		token, err := d.Token()
		if err != nil {
			return err //nolint:wrapcheck // of the decoder that calls this
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			b.Write(t)
		}
	}
	*s = inline(b.String())
	return nil
}

// language matches what XML allows as the name of a language.
var language = regexp.MustCompile(`^[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*$`)

// XLIFF returns the texts as XLIFF 1.2, a file for each locale. source is the language of the default locale, such as
// "en". It fails for a text with characters that XML cannot have.
func (f File) XLIFF(source string) ([]byte, error) {
	if !language.MatchString(source) {
		return nil, fmt.Errorf("%q is not a language; use a tag such as en or de-AT", source)
	}
	out := xliff{Version: "1.2"}
	at := map[string]int{}
	for _, u := range f.Units {
		if !isXML(u.Text) || !isXML(u.Source) || !isXML(u.Path.String()) {
			return nil, fmt.Errorf("the text at %s has control characters, which XML cannot have; export it as CSV instead", u.Path)
		}
		i, ok := at[u.Locale]
		if !ok {
			target := u.Locale
			switch {
			case u.Locale == engine.DefaultLocale:
				target = source
			case !language.MatchString(target):
				target = "und"
			}
			i = len(out.Files)
			at[u.Locale] = i
			out.Files = append(out.Files, xliffFile{Original: f.Campaign, Source: source, Target: target, Datatype: "plaintext", Note: f.Name})
		}
		x := xliffUnit{ID: u.Path.String(), Space: "preserve", Source: inline(u.Source), Note: strings.TrimSpace(u.Place + ". " + u.Help)}
		if u.Limit > 0 {
			x.MaxWidth, x.SizeUnit = u.Limit, "char"
		}
		if u.Text != "" {
			text := inline(u.Text)
			x.Target = &text
		}
		x.Context = []xliffContext{{contextLocale, u.Locale}, {contextVariation, u.Variation}, {contextCheck, u.Check}}
		out.Files[i].Units = append(out.Files[i].Units, x)
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	e := xml.NewEncoder(&b)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return nil, fmt.Errorf("writing XML: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// isXML reports whether XML can have all characters of a text.
func isXML(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
	})
}

// ParseXLIFF reads what [File.XLIFF] wrote and a translation tool saved.
func ParseXLIFF(text string) (File, error) {
	d := xml.NewDecoder(strings.NewReader(text))
	var encoding error
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if !strings.EqualFold(label, "UTF-16") { // which the text was
			encoding = fmt.Errorf("its encoding is %s; save the file as UTF-8", label)
			return nil, encoding
		}
		return in, nil
	}
	var in xliff
	if err := d.Decode(&in); err != nil {
		line, _ := d.InputPos()
		var syntax *xml.SyntaxError
		switch {
		case errors.As(err, &syntax):
			return File{}, &SyntaxError{syntax.Line, syntax.Msg}
		case encoding != nil:
			return File{}, &SyntaxError{line, encoding.Error()}
		case errors.Is(err, io.EOF):
			return File{}, &SyntaxError{line, "the file is cut short"}
		}
		return File{}, &SyntaxError{line, "it is not XLIFF 1.2: " + err.Error()}
	}
	var f File
	for _, file := range in.Files {
		if f.Campaign == "" {
			f.Campaign, f.Name = file.Original, file.Note
		} else if file.Original != f.Campaign {
			return File{}, &SyntaxError{0, "it has several campaigns; use one file for each"}
		}
		for _, x := range file.Units {
			u := Unit{Source: string(x.Source), Limit: x.MaxWidth, Line: lineOf(text, x.ID)}
			for _, c := range x.Context {
				switch c.Type {
				case contextCheck:
					u.Check = c.Text
				case contextLocale:
					u.Locale = c.Text
				case contextVariation:
					u.Variation = c.Text
				}
			}
			if x.Target != nil {
				u.Text = string(*x.Target)
			}
			var err error
			if u.Path, err = doc.ParsePath(x.ID); err != nil || len(u.Path) == 0 || u.Check == "" {
				return File{}, &SyntaxError{u.Line, "the unit " + strconv.Quote(x.ID) + " is not as `bugle texts export` wrote it"}
			}
			f.Units = append(f.Units, u)
		}
	}
	return f, nil
}

// lineOf returns the line of the unit with an id, from 1, or 0.
func lineOf(text, id string) int {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(id)); err != nil {
		return 0
	}
	i := strings.Index(text, `id="`+b.String()+`"`)
	if i < 0 {
		return 0
	}
	line, _ := doc.LineColumn(text, i)
	return line
}

// Parse reads a file of either format, in an encoding that [files.Decode] reads: XLIFF begins with <.
func Parse(b []byte) (File, error) {
	b, err := files.Decode(b)
	if err != nil {
		return File{}, err
	}
	var f File
	text := string(b)
	if files.IsMisread(text) {
		return f, files.ErrMisread
	}
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "<") {
		f, err = ParseXLIFF(text)
	} else {
		f, err = ParseCSV(text)
	}
	if err == nil && len(f.Units) == 0 {
		err = errors.New("it has no texts")
	}
	return f, err
}
