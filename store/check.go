package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"bugle/engine"
)

// Finding is one thing that is wrong with a store.
type Finding struct {
	Workspace string `json:"workspace,omitempty"`
	// Campaign is the id of the campaign that it is about; empty where it is about something else.
	Campaign string `json:"campaign,omitempty"`
	What     string `json:"what"`             // what is wrong, a sentence without its full stop
	Mend     string `json:"mend,omitempty"`   // what [Repair] does about it; empty where it can do nothing
	Advice   string `json:"advice,omitempty"` // what a person can do where Repair can do nothing
	Mended   bool   `json:"mended"`           // Repair did it
	Failed   string `json:"failed,omitempty"` // why it did not

	mend func(Tx) error
}

// Checked is what [Check] found.
type Checked struct {
	Format    int       `json:"format"` // of the store
	Records   int       `json:"records"`
	Campaigns int       `json:"campaigns"`
	Findings  []Finding `json:"findings"` // never nil
}

// Sound reports whether nothing is wrong, or all of it was mended.
func (c Checked) Sound() bool {
	for _, f := range c.Findings {
		if !f.Mended {
			return false
		}
	}
	return true
}

// Mendable gives how many of the findings [Repair] can do something about.
func (c Checked) Mendable() int {
	n := 0
	for _, f := range c.Findings {
		if f.Mend != "" && !f.Mended {
			n++
		}
	}
	return n
}

// loser is a [DB] that knows of parts that it has lost.
type loser interface {
	Lost() []string
	Forget() error
}

const (
	adviceBackup = "put the store back from a backup: `bugle restore` lists them"
	adviceOne    = "put it back from a backup: `bugle restore FILE --campaign ID`; `bugle restore` lists them"
	adviceLost   = "compare with a backup: `bugle restore` lists them"
)

// Check reads every record of the store and everything that records say of one another: checksums,
// summaries against documents, revisions against campaigns and their order, what profiles are found
// by, and what expires. progress, which may be nil, hears how many records were read.
//
// It reads one picture of the store, while others may write.
func Check(ctx context.Context, db DB, progress func(records int)) (Checked, error) {
	out := Checked{Findings: []Finding{}}
	err := db.View(ctx, func(tx Tx) error {
		c := &checker{tx: tx, out: &out, spaces: map[string]bool{}}
		counts := Counts{}
		err := tx.Scan(nil, ScanOptions{Proved: true}, func(key, value []byte) error {
			if len(value) > 0 {
				counts.Add(key, 1)
				c.doubtful(key)
			}
			if out.Records++; out.Records%256 == 0 && progress != nil {
				progress(out.Records)
			}
			return c.record(bytes.Clone(key), value)
		})
		if err != nil {
			return err
		}
		return c.counted(tx, counts)
	})
	if err != nil {
		return out, fmt.Errorf("checking the store: %w", err)
	}
	if l, ok := db.(loser); ok {
		for _, text := range l.Lost() { // the last ones, so that they are forgotten last
			out.Findings = append(out.Findings, Finding{What: text, Advice: adviceLost,
				Mend: "note that this is known, after everything else is mended; what is lost then counts as not there"})
		}
	}
	if progress != nil {
		progress(out.Records)
	}
	return out, nil
}

// counted compares the records that were read with those that the store has counted as it wrote them.
func (c *checker) counted(tx Tx, have Counts) error {
	counter, ok := tx.(Counter)
	if !ok {
		return nil
	}
	want, err := counter.Counts()
	if err != nil || want == nil {
		return err
	}
	for _, text := range have.Differences(want) {
		c.found(Finding{What: text, Advice: adviceLost, Mend: "note how many records there are, after everything else is repaired"})
	}
	return nil
}

// passes is how often [Repair] looks again at most: what was mended may have been in the way of more.
const passes = 4

// Repair checks the store and does what can be done, each thing in a transaction of its own. It gives
// all that was found, on the way as well.
func Repair(ctx context.Context, db DB, progress func(records int)) (Checked, error) {
	out, err := Check(ctx, db, progress)
	if err != nil {
		return out, err
	}
	todo := out.Findings
	for range passes {
		mended, err := mendAll(ctx, db, todo)
		if err != nil || mended == 0 {
			return out, err
		}
		again, err := Check(ctx, db, progress)
		if err != nil {
			return out, err
		}
		out.Records, out.Campaigns, out.Format = again.Records, again.Campaigns, again.Format
		todo = nil
		for _, f := range again.Findings {
			if f.Mend != "" && !slices.ContainsFunc(out.Findings, func(o Finding) bool { return o.What == f.What }) {
				todo = append(todo, f)
			}
		}
		at := len(out.Findings)
		out.Findings = append(out.Findings, todo...)
		todo = out.Findings[at:]
	}
	return out, nil
}

// mendAll does what can be done about findings, and notes it in them.
func mendAll(ctx context.Context, db DB, findings []Finding) (mended int, err error) {
	for i := range findings {
		f := &findings[i]
		do := f.mend
		switch {
		case f.Mended || f.Mend == "":
			continue
		case do != nil:
			err = db.Update(ctx, do)
		default: // of the store as a whole
			err = db.(loser).Forget()
		}
		if ctx.Err() != nil {
			return mended, ctx.Err()
		}
		if err != nil {
			f.Failed = err.Error()
			continue
		}
		f.Mended = true
		mended++
	}
	return mended, nil
}

// checker looks at one record after another.
type checker struct {
	tx     Tx
	out    *Checked
	spaces map[string]bool // whether a workspace has settings
}

func (c *checker) found(f Finding) { c.out.Findings = append(c.out.Findings, f) }

func (c *checker) record(key, value []byte) error {
	payload, err := unseal(key, value)
	switch key[0] {
	case rootMeta:
		if err != nil {
			c.found(Finding{What: fmt.Sprintf("the store's format number is damaged (%v)", err), Mend: "write it anew",
				mend: func(tx Tx) error { return writeFormat(tx, Format) }})
			return nil
		}
		var f storeFormat
		if decode(payload, &f) == nil {
			c.out.Format = f.Format
		}
		return nil
	case rootWorkspace:
		id, _, cut := cutName(key[1:])
		c.spaces[id] = true
		var w engine.Workspace
		if err == nil && cut == nil {
			err = decode(payload, &w)
		}
		if err = errors.Join(err, cut); err == nil && w.ID != id {
			err = fmt.Errorf("they are those of %q", w.ID)
		}
		if err != nil {
			c.found(Finding{Workspace: id, What: fmt.Sprintf("the settings of workspace %q are damaged (%v)", id, err), Advice: adviceBackup})
		}
		return nil
	case rootRecord:
		id, rest, cut := cutName(key[1:])
		if cut == nil && len(rest) > 0 {
			s := spaceCheck{c, In(c.tx, id), key, rest[1:], payload}
			if known, ok := c.spaces[id]; !ok || !known {
				c.homeless(id)
			}
			return s.check(rest[0], err)
		}
	}
	c.found(Finding{What: fmt.Sprintf("there is a record of no known kind (%.40q)", key), Advice: "leave it, or ask who wrote it"})
	return nil
}

// homeless says once that a workspace has records and no settings.
func (c *checker) homeless(id string) {
	if !c.spaces[id] {
		c.found(Finding{Workspace: id, What: fmt.Sprintf("the workspace %q has records and no settings", id), Advice: adviceBackup})
	}
	c.spaces[id] = true
}

// writeFormat notes the number of the layout.
func writeFormat(tx Tx, n int) error {
	payload, err := encode(storeFormat{n})
	if err != nil {
		return err
	}
	return tx.Set(formatKey(), Seal(formatKey(), payload))
}

func formatKey() []byte { return appendName([]byte{rootMeta}, "format") }
