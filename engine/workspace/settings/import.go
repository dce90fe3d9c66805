package settings

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"bugle/engine"
	"bugle/engine/workspace/userfile"
)

const (
	importBatch = 5000      // users stored together at most
	batchBytes  = 4 << 20   // about as many bytes of the file are stored together at most
	readAhead   = 256 << 10 // bytes
	// MaxLineErrors is the most invalid lines that an import reports.
	MaxLineErrors = 20
)

// Import describes an import of users from a file: CSV or JSON Lines (see package userfile).
type Import struct {
	File string
	// In, if not nil, is read instead of the file. It can only be read once, so users before the first
	// invalid line are stored.
	In     io.Reader
	Format userfile.Format // empty: detected
	// Check only validates the file and stores nothing. SkipInvalid stores valid lines even if others are
	// invalid.
	Check, SkipInvalid bool
	// Merge keeps data of existing users that the file does not mention. Otherwise the line replaces the
	// user.
	Merge bool
}

// ImportProgress is the progress of an import. A file is read twice: it is validated completely before
// anything is stored.
type ImportProgress struct {
	Checked bool // storing has started
	// Done and Size are bytes of the file in this pass.
	Done, Size int64
	Users      int // in this pass
}

// ImportResult is the result of an import.
type ImportResult struct {
	engine.UserImportResult
	// LineErrors are the errors of the first invalid lines, and Invalid counts all of them. If there are any,
	// nothing was stored, unless invalid lines were skipped.
	LineErrors []error
	Invalid    int
	Users      int // valid lines
	// NewAttributes are the first attributes of the valid lines that the workspace does not have, in order.
	NewAttributes []string
}

// noteNew notes the attributes of a user that the workspace does not have.
func (r *ImportResult) noteNew(u engine.User, known []engine.Attribute) {
	for name := range u.Attributes {
		if len(r.NewAttributes) == MaxLineErrors || slices.ContainsFunc(known, func(a engine.Attribute) bool { return a.Name == name }) {
			continue
		}
		if i, found := slices.BinarySearch(r.NewAttributes, name); !found {
			r.NewAttributes = slices.Insert(r.NewAttributes, i, name)
		}
	}
}

// Import imports the users. tell, if not nil, is called with the progress from time to time. If ctx ends,
// users stored so far remain, and the same file can safely be imported again.
func (i Import) Import(ctx context.Context, svc any, tell func(ImportProgress)) (ImportResult, error) {
	var out ImportResult
	k, ok := svc.(engine.UserImporter)
	if !ok {
		return out, errUnavailable("You can't import users into this service.")
	}
	w, err := workspaceOf(ctx, svc)
	if err != nil {
		return out, err
	}
	pass := importPass{Import: i, workspace: w, report: tell}
	if i.Check || i.In == nil && !i.SkipInvalid {
		err = pass.run(ctx, &out, func([]engine.UserRow) error { return nil })
		if err != nil || out.Invalid > 0 || i.Check {
			return out, err
		}
	}
	pass.checked, out = true, ImportResult{}
	err = pass.run(ctx, &out, func(rows []engine.UserRow) error {
		n, err := k.ImportUsers(ctx, engine.UserImport{Rows: rows, Merge: i.Merge})
		out.Add(n)
		return err
	})
	return out, err
}

// importPass is one pass over the file.
type importPass struct {
	Import
	workspace engine.Workspace
	checked   bool
	report    func(ImportProgress)
}

func (p importPass) run(ctx context.Context, out *ImportResult, take func([]engine.UserRow) error) error {
	r, size, done, err := p.open()
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", p.name(), cause(err))
	}
	defer done()
	counter := &countingReader{r: r}
	in := bufio.NewReaderSize(counter, readAhead)
	now := ImportProgress{Checked: p.checked, Size: size}
	format := p.Format
	if format == "" {
		format = userfile.Detect(p.File, in)
	}
	var rows []engine.UserRow
	flush := func() error {
		if err := ctx.Err(); err != nil || len(rows) == 0 {
			return err
		}
		err := take(rows)
		now.Users += len(rows)
		now.Done = counter.n
		rows = make([]engine.UserRow, 0, len(rows))
		if p.report != nil {
			p.report(now)
		}
		return err
	}
	for row, err := range userfile.Read(in, format, p.workspace) {
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err() // what was not read is not wrong
			}
			var line *userfile.LineError
			if !errors.As(err, &line) {
				return fmt.Errorf("cannot read %s: %w", p.name(), cause(err))
			}
			if out.Invalid++; len(out.LineErrors) < MaxLineErrors {
				out.LineErrors = append(out.LineErrors, err)
			}
			if line.Fatal || p.In != nil && !p.Check && !p.SkipInvalid {
				return flush()
			}
			continue
		}
		out.Users++
		out.noteNew(row.User, p.workspace.Attributes)
		if rows = append(rows, row.UserRow); len(rows) == importBatch || counter.n-now.Done >= batchBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// open returns the input and its size in bytes, or 0 if unknown.
func (p importPass) open() (r io.Reader, size int64, done func(), err error) {
	if p.In != nil {
		return p.In, 0, func() {}, nil
	}
	f, err := os.Open(p.File)
	if err != nil {
		return nil, 0, nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a folder")
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, nil, err
	}
	return f, info.Size(), func() { _ = f.Close() }, nil
}

func (p importPass) name() string {
	if p.In != nil {
		return "standard input"
	}
	return p.File
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// cause returns the innermost system error without the operation and the file name.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
