package userfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"bugle/engine"
)

// maxLine limits one line, in bytes: one user with all events.
const maxLine = 4 << 20

func readLines(r io.Reader, w engine.Workspace) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 0, 64<<10), maxLine)
		n, found := 0, false
		for lines.Scan() {
			n++
			text := lines.Bytes()
			if len(bytes.TrimSpace(text)) == 0 {
				continue
			}
			if !found && bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
				yield(Row{}, &LineError{Line: n, Fatal: true, Err: errList})
				return
			}
			found = true
			row, err := fromJSON(text, w)
			if row.Line = n; err != nil {
				err = &LineError{Line: n, Err: err}
			}
			if !yield(row, err) {
				return
			}
		}
		err := lines.Err()
		if err == nil && !found {
			err = errors.New("the file has no users; each line is one, as a JSON object")
		}
		if err != nil {
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("longer than %d MiB", maxLine>>20)
			}
			yield(Row{}, &LineError{Line: n + 1, Fatal: true, Err: err})
		}
	}
}

var (
	errList = errors.New("not a user: a list begins here; write each user on one line, without a list around them")
	errOpen = errors.New("not a user: the object goes on in the next line; write each user on one line")
)

// userLine is a user as JSON. It distinguishes missing from false values.
type userLine struct {
	engine.User
	OptedOut *bool `json:"opted_out"`
}

func fromJSON(text []byte, w engine.Workspace) (Row, error) {
	if err := legible(string(text)); err != nil {
		return Row{}, err
	}
	var l userLine
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	d.UseNumber() // 1.0 stays 1.0
	err := d.Decode(&l)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("there is more than one user in it")
		}
	}
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field == "":
		return Row{}, fmt.Errorf("not a user: must be an object, not %s", kind.Value)
	case errors.As(err, &kind):
		return Row{}, fmt.Errorf("not a user: %s cannot be %s", strings.TrimPrefix(kind.Field, "User."), kind.Value)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Row{}, errOpen
	case err != nil:
		return Row{}, fmt.Errorf("not a user: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if l.OptedOut != nil {
		l.User.OptedOut = *l.OptedOut
	}
	return Row{UserRow: engine.UserRow{User: l.User, KeepOptedOut: l.OptedOut == nil}}, Check(l.User, w)
}
