package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"bugle/engine"
	"bugle/engine/doc"
)

// commands gives every command beside the root.
func commands(f *factory) []*cobra.Command {
	return []*cobra.Command{
		newInit(f), newCreate(f), newGet(f), newUpdate(f), newValidate(f), newTest(f), newPublish(f), newStatus(f),
		newSearch(f), newMeta(f), newLint(f), newWorkspaceCmd(f),
	}
}

// maxInput is how much of a file is read: far more than any campaign (gaps.md allows 1 MiB),
// and little enough for any machine.
const maxInput = 64 << 20

// read gives a file's bytes, or standard input's for "-".
func (f *factory) read(name string) ([]byte, error) {
	var src io.Reader = f.in
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", name, errors.Unwrap(err))
		}
		defer file.Close()
		src = file
	}
	b, err := io.ReadAll(io.LimitReader(src, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", name, err)
	}
	if len(b) > maxInput {
		return nil, fmt.Errorf("%s is larger than %d MiB, which no campaign is", inputName(name), maxInput>>20)
	}
	return b, nil
}

func inputName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// document reads a JSON document from a file or from standard input.
func (f *factory) document(name string) (doc.Value, error) {
	b, err := f.read(name)
	if err != nil {
		return doc.Value{}, err
	}
	v, err := doc.Parse(b)
	if err != nil {
		return doc.Value{}, fmt.Errorf("%s is not valid JSON: %w", inputName(name), err)
	}
	if v.Kind() != doc.Object {
		return doc.Value{}, misused("%s must hold a JSON object, not %s", inputName(name), v.Kind())
	}
	return v, nil
}

// call makes the ids of one request.
func call(body doc.Value) engine.Call {
	c := engine.Call{RequestID: uuid.NewString(), IdempotencyKey: uuid.NewString()}
	if id := body.Get("request_id").Text(); id != "" {
		c.RequestID = id
	}
	return c
}

// printDoc writes a document as JSON for people.
func (f *factory) printDoc(v doc.Value) error {
	_, err := fmt.Fprintln(f.out, string(v.Indent()))
	return err
}

// rows writes a table.
func (f *factory) rows(head []string, rows [][]string) error {
	w := tabwriter.NewWriter(f.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(head, "\t"))
	for _, r := range rows {
		for i := range r {
			r[i] = strings.NewReplacer("\n", " ", "\t", " ").Replace(clean(r[i]))
		}
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	return w.Flush()
}

// exactly wants n arguments, and says what they are for otherwise.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return misused("this takes %s", what)
		}
		return nil
	}
}
