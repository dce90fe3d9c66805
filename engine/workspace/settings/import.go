package settings

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"bugle/engine"
	"bugle/engine/workspace/userfile"
)

const (
	importBatch = 500       // users that are stored together
	readAhead   = 256 << 10 // bytes
	// MaxLineErrors is how many lines that are wrong an import tells of.
	MaxLineErrors = 20
)

// Import says which users are taken from a file. It is CSV or JSON lines (package profiles).
type Import struct {
	File string
	// In is read in the place of the file, where it is not nil. It can be read only once: the users
	// before its first wrong line are stored.
	In     io.Reader
	Format userfile.Format // empty: the name or the content of the file tells
	// Check stores nothing. SkipInvalid stores the lines that are right, whatever the others are.
	Check, SkipInvalid bool
	// Merge keeps of a user who is there what the file does not speak of. Otherwise the line takes its
	// place.
	Merge bool
}

// ImportProgress is how far an import is. A file is read twice: it is checked as a whole before
// anything is stored.
type ImportProgress struct {
	Checked    bool  // users are being stored
	Done, Size int64 // bytes of the file in this pass
	Users      int   // in this pass
}

// ImportResult is what an import did.
type ImportResult struct {
	engine.UserImportResult
	// LineErrors are the first lines that cannot be users, Bad is how many there are. Where there is one in a
	// file, nothing was stored, unless it was to be skipped.
	LineErrors []error
	Invalid    int
	Users      int // lines that are users
}

// Import reads users from a file into the workspace. tell, where it is not nil, hears how far it is
// now and then. An ended ctx ends the import: what was stored stays, and the same file can be imported
// again without harm.
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
	pass := importPass{Import: i, attributes: w.Attributes, tell: tell}
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

// importPass goes through a file once.
type importPass struct {
	Import
	attributes []engine.Attribute
	checked    bool
	tell       func(ImportProgress)
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
	rows := make([]engine.UserRow, 0, importBatch)
	flush := func() error {
		if err := ctx.Err(); err != nil || len(rows) == 0 {
			return err
		}
		err := take(rows)
		now.Users += len(rows)
		now.Done = counter.n
		rows = make([]engine.UserRow, 0, importBatch)
		if p.tell != nil {
			p.tell(now)
		}
		return err
	}
	for row, err := range userfile.Read(in, format, p.attributes) {
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
		if rows = append(rows, row.UserRow); len(rows) == importBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// open returns what is read, and how many bytes it has; 0 where nobody knows.
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

// cause returns what the system said, without the call and the name.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
