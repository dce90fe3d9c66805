package userfile

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bugle/engine"
	"bugle/engine/catalog"
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

func readCSV(r io.Reader, attributes []engine.Attribute) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		line := &lineLimiter{Reader: r, left: maxLine}
		in, err := records(line)
		var columns []column
		if err == nil {
			columns, err = header(in, attributes)
		}
		if err != nil {
			yield(Row{}, &LineError{Line: 1, Fatal: true, Err: err})
			return
		}
		for {
			line.left = maxLine
			cells, err := in.Read()
			if err == io.EOF {
				return
			}
			row, err := fromCells(in, columns, cells, err)
			if !yield(row, err) {
				return
			}
			if line := (*LineError)(nil); errors.As(err, &line) && line.Fatal {
				return
			}
		}
	}
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

// records returns a reader of comma-separated cells, or of tabs or semicolons if the first line uses them.
func records(r io.Reader) (*csv.Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	if mark, err := b.Peek(len(bom)); err == nil && string(mark) == bom {
		_, _ = b.Discard(len(bom))
	}
	head, err := b.Peek(4096)
	if len(head) == 0 {
		if err == io.EOF {
			return nil, errors.New("the file is empty; its first line names the columns, one of them id")
		}
		return nil, err
	}
	first, _, _ := strings.Cut(string(head), "\n")
	in := csv.NewReader(b)
	in.ReuseRecord = true
	for _, c := range []rune{'\t', ';'} {
		if strings.ContainsRune(first, c) && !strings.ContainsRune(first, ',') {
			in.Comma = c
		}
	}
	return in, nil
}

// header parses the column names.
func header(in *csv.Reader, attributes []engine.Attribute) ([]column, error) {
	names, err := in.Read()
	if err != nil {
		return nil, err
	}
	if !utf8.ValidString(strings.Join(names, "")) {
		return nil, errNotUTF8
	}
	columns := make([]column, len(names))
	seen := map[string]bool{}
	hasID := false
	for i, name := range names {
		name = strings.TrimSpace(name)
		if name == "" {
			return nil, fmt.Errorf("column %d has no name", i+1)
		}
		c, key := columnOf(name, attributes)
		if seen[key] {
			return nil, fmt.Errorf("there are two columns %q", name)
		}
		seen[key] = true
		hasID = hasID || key == columnID
		columns[i] = c
	}
	if !hasID {
		return nil, fmt.Errorf("there is no column %s; the columns are %s", columnID, strings.Join(names, ", "))
	}
	return columns, nil
}

// columnOf returns the function for a column, and a key that identifies what it sets.
func columnOf(name string, attributes []engine.Attribute) (column, string) {
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
	dataType := ""
	if i := slices.IndexFunc(attributes, func(a engine.Attribute) bool { return a.Name == name }); i >= 0 {
		dataType = attributes[i].DataType
	}
	return func(row *engine.UserRow, cell string) error {
		v, err := value(cell, dataType)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if row.Attributes == nil {
			row.Attributes = map[string]any{}
		}
		row.Attributes[name] = v
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

// value converts a cell to its attribute's type. Unknown attributes are strings.
func value(cell, dataType string) (any, error) {
	switch dataType {
	case "double":
		if f, err := strconv.ParseFloat(cell, 64); err != nil || math.IsInf(f, 0) || math.IsNaN(f) || !json.Valid([]byte(cell)) {
			return nil, fmt.Errorf("%q is not a number", cell)
		}
		return json.Number(cell), nil
	case "bool":
		return boolean(cell)
	}
	return cell, nil
}

func boolean(cell string) (bool, error) {
	switch strings.ToLower(cell) {
	case "true", "yes", "1":
		return true, nil
	case "false", "no", "0":
		return false, nil
	}
	return false, fmt.Errorf("%q must be true or false", cell)
}

// fromCells returns the user of a CSV line. Empty cells are ignored.
func fromCells(in *csv.Reader, columns []column, cells []string, err error) (Row, error) {
	row := Row{UserRow: engine.UserRow{KeepOptedOut: true}}
	var parse *csv.ParseError
	switch {
	case errors.As(err, &parse):
		row.Line = parse.StartLine
		// Where a quote is wrong, nobody knows where the next line begins.
		fatal := !errors.Is(err, csv.ErrFieldCount)
		if !fatal {
			err = fmt.Errorf("it has %d cells, but there are %d columns", len(cells), len(columns))
		} else {
			err = parse.Err
		}
		return row, &LineError{Line: row.Line, Fatal: fatal, Err: err}
	case err != nil:
		return row, &LineError{Line: row.Line + 1, Fatal: true, Err: err}
	}
	row.Line, _ = in.FieldPos(0)
	for i, cell := range cells {
		if cell == "" {
			continue
		}
		if !utf8.ValidString(cell) {
			return row, &LineError{Line: row.Line, Err: errNotUTF8}
		}
		if err := columns[i](&row.UserRow, strings.Clone(cell)); err != nil {
			return row, &LineError{Line: row.Line, Err: err}
		}
	}
	if err := Check(row.User); err != nil {
		return row, &LineError{Line: row.Line, Err: err}
	}
	return row, nil
}
