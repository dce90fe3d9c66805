package texts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/files"
	"bugle/engine/phrase"
)

// columns are the columns of a CSV file. A translator changes the text, and may remove columns but for those in needed.
var columns = []string{"campaign", "locale", "variation", "place", "limit", "source", "text", "path", "check"}

// needed are the columns that a file must have.
var needed = []string{"campaign", "source", "text", "path", "check"}

// bom begins a CSV file, because spreadsheets read it in another encoding otherwise.
const bom = "\uFEFF"

// CSV returns the texts as CSV (RFC 4180): a line for each text, in quotes if needed.
func (f File) CSV() []byte {
	var b strings.Builder
	b.WriteString(bom)
	line := func(cells []string) {
		for i, c := range cells {
			if i > 0 {
				b.WriteByte(',')
			}
			if strings.ContainsAny(c, "\",;\t\r\n") || c != strings.TrimSpace(c) {
				c = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
			}
			b.WriteString(c)
		}
		b.WriteString("\r\n")
	}
	line(columns)
	for _, u := range f.Units {
		limit := ""
		if u.Limit > 0 {
			limit = strconv.Itoa(u.Limit)
		}
		line([]string{f.Campaign, plainCell(u.Locale), plainCell(u.Variation), plainCell(u.Place), limit, plainCell(u.Source), plainCell(u.Text), plainCell(u.Path.String()), u.Check})
	}
	return []byte(b.String())
}

// formulas begin what a spreadsheet computes.
const formulas = "=+-@\t\r"

// plainCell returns a text so that a spreadsheet does not compute it: with an apostrophe, as people type one there.
func plainCell(s string) string {
	if rest := strings.TrimLeft(s, "'"); rest != "" && strings.ContainsRune(formulas, rune(rest[0])) {
		return "'" + s
	}
	return s
}

// textOfCell returns the text of [plainCell].
func textOfCell(s string) string {
	if rest := strings.TrimLeft(s, "'"); rest != s && rest != "" && strings.ContainsRune(formulas, rune(rest[0])) {
		return s[1:]
	}
	return s
}

// SyntaxError reports what is wrong with a file, and where.
type SyntaxError struct {
	Line int // from 1; 0 if unknown
	Msg  string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Msg
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
}

// ParseCSV reads what [File.CSV] wrote and a spreadsheet saved, also with semicolons, tabs or a line "sep=". It keeps line breaks as
// they are, which encoding/csv does not.
func ParseCSV(text string) (File, error) {
	separator, size := files.Separator(text)
	r := csvReader{text: text, separator: separator, at: size, line: 1 + files.LineEnds(text[:size])}
	first := r.line
	names, err := r.record()
	if err != nil {
		return File{}, err
	}
	for i := range names {
		names[i] = strings.ToLower(strings.TrimSpace(names[i]))
	}
	for _, name := range needed {
		if !slices.Contains(names, name) {
			return File{}, &SyntaxError{first, fmt.Sprintf("there is no column %q; use a file that `bugle texts export` wrote", name)}
		}
	}
	var f File
	for r.at < len(r.text) {
		line := r.line
		cells, err := r.record()
		if err != nil {
			return File{}, err
		}
		if !slices.ContainsFunc(cells, func(c string) bool { return c != "" }) {
			continue
		}
		if len(cells) > len(names) && slices.ContainsFunc(cells[len(names):], func(c string) bool { return c != "" }) {
			return File{}, &SyntaxError{line, fmt.Sprintf("it has %s, but there are %s; put texts with %q into quotes", phrase.Count(len(cells), "cell"), phrase.Count(len(names), "column"), string(separator))}
		}
		cell := func(name string) string {
			if i := slices.Index(names, name); i >= 0 && i < len(cells) {
				return cells[i]
			}
			return ""
		}
		u := Unit{
			Locale: textOfCell(cell("locale")), Variation: textOfCell(cell("variation")), Place: textOfCell(cell("place")),
			Source: textOfCell(cell("source")), Text: textOfCell(cell("text")), Check: cell("check"), Line: line,
		}
		u.Limit, _ = strconv.Atoi(cell("limit"))
		if u.Path, err = doc.ParsePath(textOfCell(cell("path"))); err != nil || len(u.Path) == 0 {
			return File{}, &SyntaxError{line, "the column path is not as `bugle texts export` wrote it"}
		}
		if id := cell("campaign"); f.Campaign == "" {
			f.Campaign = id
		} else if id != f.Campaign {
			return File{}, &SyntaxError{line, "another campaign; use one file for each"}
		}
		f.Units = append(f.Units, u)
	}
	if len(f.Units) == 0 {
		return f, &SyntaxError{first, "no text comes after this line, which was read as the names of the columns: " + strings.Join(names, ", ")}
	}
	return f, nil
}

// csvReader reads records of CSV.
type csvReader struct {
	text      string
	separator byte
	at, line  int
}

// record reads the cells up to the end of a line.
func (r *csvReader) record() (cells []string, err error) {
	for {
		cell, err := r.cell()
		if err != nil {
			return nil, err
		}
		cells = append(cells, cell)
		switch {
		case r.at < len(r.text) && r.text[r.at] == r.separator:
			r.at++
		case strings.HasPrefix(r.text[r.at:], "\r\n"):
			r.at, r.line = r.at+2, r.line+1
			return cells, nil
		case r.at < len(r.text): // a line break
			r.at, r.line = r.at+1, r.line+1
			return cells, nil
		default:
			return cells, nil
		}
	}
}

func (r *csvReader) cell() (string, error) {
	if r.at >= len(r.text) || r.text[r.at] != '"' {
		end := strings.IndexAny(r.text[r.at:], string(r.separator)+"\r\n")
		if end < 0 {
			end = len(r.text) - r.at
		}
		s := r.text[r.at : r.at+end]
		r.at += end
		return s, nil
	}
	var b strings.Builder
	began := r.line
	for r.at++; ; {
		end := strings.IndexByte(r.text[r.at:], '"')
		if end < 0 {
			return "", &SyntaxError{began, "a quote is not closed"}
		}
		part := r.text[r.at : r.at+end]
		b.WriteString(part)
		r.line += files.LineEnds(part)
		if r.at += end + 1; r.at >= len(r.text) || r.text[r.at] != '"' {
			break
		}
		b.WriteByte('"')
		r.at++
	}
	if r.at < len(r.text) && r.text[r.at] != r.separator && r.text[r.at] != '\r' && r.text[r.at] != '\n' {
		return "", &SyntaxError{r.line, "there is text after a quote"}
	}
	return b.String(), nil
}
