package userfile

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/files"
	"bugle/engine/phrase"
)

// The columns of a CSV file that are not attributes. Their names are case-insensitive.
const (
	columnID       = "id" // -
	columnOptedOut = "opted_out"
	tokenSuffix    = "_token" // of a platform's column: android_token
	adSuffix       = "_advertising_id"
)

// Columns returns the columns of a CSV file that are not attributes, the required one first.
func Columns() []string {
	out := []string{columnID, columnOptedOut}
	for _, p := range platforms() {
		out = append(out, p+tokenSuffix)
	}
	return append(out, strings.ToLower(string(catalog.Android))+adSuffix, strings.ToLower(string(catalog.IOS))+adSuffix)
}

func platforms() []string {
	var out []string
	for _, p := range []catalog.Platform{catalog.Android, catalog.IOS, catalog.Web} {
		out = append(out, strings.ToLower(string(p)))
	}
	return out
}

// column stores one cell in the user.
type column func(row *engine.UserRow, cell string) error

func readCSV(r io.Reader, w engine.Workspace) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		line := &lineLimiter{Reader: &lineEnds{Reader: r}, left: maxLine}
		in, first, err := records(line)
		var names []string
		var columns []column
		if err == nil {
			names, columns, err = header(in, w.Attributes)
		}
		if err != nil {
			yield(Row{}, &LineError{Line: first, Fatal: true, Err: err})
			return
		}
		for found := false; ; {
			line.left = maxLine
			cells, err := in.Read()
			if err == io.EOF {
				if !found {
					yield(Row{}, &LineError{Line: first, Fatal: true, Err: fmt.Errorf("no user comes after this line, which was read as the names of the columns: %s", strings.Join(names, ", "))})
				}
				return
			}
			if err == nil && !slices.ContainsFunc(cells, func(c string) bool { return c != "" }) {
				continue // spreadsheets write such lines
			}
			found = true
			row, err := fromCells(in, first-1, columns, cells, w, err)
			if !yield(row, err) {
				return
			}
			if line := (*LineError)(nil); errors.As(err, &line) && line.Fatal {
				return
			}
		}
	}
}

// lineEnds ends each line with LF instead of CRLF or CR.
type lineEnds struct {
	io.Reader
	cr bool // the last byte was CR
}

func (l *lineEnds) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	out := p[:0]
	for _, c := range p[:n] {
		switch {
		case c == '\r':
			out = append(out, '\n')
		case c != '\n' || !l.cr:
			out = append(out, c)
		}
		l.cr = c == '\r'
	}
	return len(out), err
}

// lineLimiter limits the size of one line. Otherwise an unterminated quote could use all memory.
type lineLimiter struct {
	io.Reader
	left int
}

var errLongLine = fmt.Errorf("longer than %d MiB", maxLine>>20)

func (a *lineLimiter) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, errLongLine
	}
	n, err := a.Reader.Read(p[:min(len(p), a.left)])
	a.left -= n
	return n, err
}

// records returns a reader of the cells of a file, and the number of its line with the names of the columns.
func records(r io.Reader) (*csv.Reader, int, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(4096)
	if len(head) == 0 {
		if err == io.EOF {
			err = errors.New("the file is empty; its first line names the columns, one of them id")
		}
		return nil, 1, err
	}
	separator, size := files.Separator(string(head))
	first := 1
	if _, _ = b.Discard(size); size > 0 {
		first++
	}
	in := csv.NewReader(b)
	in.Comma, in.ReuseRecord, in.FieldsPerRecord = rune(separator), true, -1
	return in, first, nil
}

// header parses the names of the columns. Those after the last name are empty.
func header(in *csv.Reader, attributes []engine.Attribute) (names []string, columns []column, err error) {
	cells, err := in.Read()
	if err == io.EOF {
		err = errors.New("there are no columns; the first line names them, one of them id")
	}
	if err != nil {
		return nil, nil, err
	}
	if err := legible(strings.Join(cells, "")); err != nil {
		return nil, nil, err
	}
	for _, name := range cells {
		names = append(names, trim(name))
	}
	for len(names) > 0 && names[len(names)-1] == "" {
		names = names[:len(names)-1]
	}
	seen := map[string]bool{}
	for i, name := range names {
		if name == "" {
			return nil, nil, fmt.Errorf("column %d has no name", i+1)
		}
		c, key := columnOf(name)
		if seen[key] {
			return nil, nil, fmt.Errorf("there are two columns %q", name)
		}
		seen[key] = true
		columns = append(columns, c)
	}
	if !seen[columnID] {
		return nil, nil, fmt.Errorf("there is no column %s; the columns are %s", columnID, strings.Join(names, ", "))
	}
	for _, name := range names {
		if meant := meant(name, attributes); meant != "" && !seen["attribute "+meant] && !seen[meant] {
			return nil, nil, fmt.Errorf("the column %q has no attribute in this workspace; rename it to %q if that is meant, or add the attribute to the workspace first", name, meant)
		}
	}
	return names, columns, nil
}

// meant returns the known column or attribute that a name is nearly, or "".
func meant(name string, attributes []engine.Attribute) string {
	known := Columns()
	for _, a := range attributes {
		known = append(known, a.Name)
	}
	if slices.Contains(known, name) || slices.Contains(Columns(), strings.ToLower(name)) {
		return ""
	}
	short := map[string]string{} // without case, punctuation and "(Standard)"
	var names []string
	for _, k := range known {
		short[letters(k)] = k
		names = append(names, letters(k))
	}
	return short[nearest(letters(name), names)]
}

// nearest is [phrase.Nearest], but a beginning alone is not near: Name is another attribute than Name of pet.
func nearest(name string, names []string) string {
	found := phrase.Nearest(name, names)
	if apart := len(found) - len(name); max(apart, -apart) > 1 {
		return ""
	}
	return found
}

// letters returns the letters and digits of a name in lower case, without "(Standard)".
func letters(name string) string {
	name = strings.TrimSuffix(strings.ToLower(name), "(standard)")
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)
}

// trim returns a cell without blanks around it, also those of no width that programs put there. Other invisible characters
// can be part of a text, as in emoji.
func trim(cell string) string {
	return strings.TrimFunc(cell, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' })
}

// columnOf returns the function for a column, and a key that identifies what it sets.
func columnOf(name string) (column, string) {
	lower := strings.ToLower(name)
	switch lower {
	case columnID:
		return func(row *engine.UserRow, cell string) error { row.ID = cell; return nil }, columnID
	case columnOptedOut:
		return optedOut, columnOptedOut
	}
	for _, p := range platforms() {
		switch lower {
		case p + tokenSuffix:
			return device(p, func(d *engine.Device, cell string) { d.Token = cell }), lower
		case p + adSuffix:
			return device(p, func(d *engine.Device, cell string) { d.AdvertiseID = cell }), lower
		}
	}
	return func(row *engine.UserRow, cell string) error {
		if row.Attributes == nil {
			row.Attributes = map[string]any{}
		}
		row.Attributes[name] = cell
		return nil
	}, "attribute " + name
}

func optedOut(row *engine.UserRow, cell string) error {
	v, err := boolean(cell)
	if err != nil {
		return fmt.Errorf("%s: %w", columnOptedOut, err)
	}
	row.OptedOut, row.KeepOptedOut = v, false
	return nil
}

func device(platform string, set func(*engine.Device, string)) column {
	platform = strings.ToUpper(platform)
	return func(row *engine.UserRow, cell string) error {
		i := slices.IndexFunc(row.Devices, func(d engine.Device) bool { return d.Platform == platform })
		if i < 0 {
			i = len(row.Devices)
			row.Devices = append(row.Devices, engine.Device{Platform: platform})
		}
		set(&row.Devices[i], cell)
		return nil
	}
}

var errQuote = errors.New("a quote is not closed, or stands within a cell; write the cell in quotes, and each quote in it twice")

// fromCells returns the user of a CSV line. Empty cells are ignored. skipped is the number of lines before those of in.
func fromCells(in *csv.Reader, skipped int, columns []column, cells []string, w engine.Workspace, err error) (Row, error) {
	row := Row{UserRow: engine.UserRow{KeepOptedOut: true}}
	var parse *csv.ParseError
	switch {
	case errors.As(err, &parse):
		row.Line = skipped + parse.StartLine
		// Where a quote is wrong, nobody knows where the next line begins.
		return row, &LineError{Line: row.Line, Fatal: true, Err: errQuote}
	case err != nil:
		line, _ := in.FieldPos(0)
		return row, &LineError{Line: skipped + line, Fatal: true, Err: err}
	}
	line, _ := in.FieldPos(0)
	row.Line = skipped + line
	for len(cells) > len(columns) && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) != len(columns) {
		return row, &LineError{Line: row.Line, Err: fmt.Errorf("it has %s, but there are %s", phrase.Count(len(cells), "cell"), phrase.Count(len(columns), "column"))}
	}
	for i, cell := range cells {
		if err := legible(cell); err != nil {
			return row, &LineError{Line: row.Line, Err: err}
		}
		if cell = trim(cell); cell == "" {
			continue
		}
		if err := columns[i](&row.UserRow, strings.Clone(cell)); err != nil {
			return row, &LineError{Line: row.Line, Err: err}
		}
	}
	if err := Check(row.User, w); err != nil {
		return row, &LineError{Line: row.Line, Err: err}
	}
	return row, nil
}
