package postgres

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

// space is the records of one workspace within one transaction.
type space struct {
	settings
	documents
	rows
	history
	copies
	dismissals
	users
	content
	outbox
	tests
	keys
}

var _ store.WorkspaceTx = space{}

func newSpace(t *tx, workspace string) space {
	r := &records{t, workspace}
	d := documents{r}
	return space{settings{r}, d, rows{r}, history{r}, copies{r}, dismissals{r}, users{r}, content{r}, outbox{r}, tests{r}, keys{r}}
}

// records is what the types for all kinds of records share.
type records struct {
	*tx
	id string
}

// maxName is how long an id may be, in bytes: a row of an index has 2704 at most, and an escaped byte takes four.
const maxName = 600

// check refuses ids that no record can have; pairs are what it is and its text.
func (r *records) check(pairs ...string) error {
	switch {
	case r.id == "":
		return errors.New("a workspace id is missing")
	case len(r.id) > maxName:
		return fmt.Errorf("a workspace id is too long: %d bytes, at most %d", len(r.id), maxName)
	case !engine.IsWorkspaceID(r.id):
		return fmt.Errorf("the workspace id %q has spaces or unprintable characters; use letters, digits, - and _", r.id)
	}
	for i := 0; i < len(pairs); i += 2 {
		switch what, s := pairs[i], pairs[i+1]; {
		case s == "":
			return fmt.Errorf("%s is missing", what)
		case len(s) > maxName:
			return fmt.Errorf("%s is too long: %d bytes, at most %d", what, len(s), maxName)
		}
	}
	return nil
}

var errChecksum = errors.New("its checksum does not match")

func (r *records) damaged(what string, err error) error {
	return &store.CorruptError{What: fmt.Sprintf("%s in workspace %q", what, r.id), Err: err}
}

// sum is the checksum of a row: of its table, its primary key and what it holds.
func (r *records) sum(table string, parts ...[]byte) int64 {
	var d xxhash.Digest
	d.Reset()
	add := func(b []byte) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(b)))
		_, _ = d.Write(n[:]) // a digest takes everything
		_, _ = d.Write(b)
	}
	add([]byte(table))
	add([]byte(r.id))
	for _, p := range parts {
		add(p)
	}
	return int64(d.Sum64())
}

// number spells a number for [records.sum].
func number(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// serialize has the transaction wait for others that use the same name, before it reads what is there.
func (r *records) serialize(table string, names ...string) {
	if r.write {
		r.queue.Queue("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", "bugle "+r.name(table, names))
	}
}

// note records that a record is missing, if err is [store.ErrNotFound]. The transaction must then insert it without
// replacing a record that another transaction has inserted since.
func (r *records) note(err error, table string, names ...string) {
	if !r.write || !errors.Is(err, store.ErrNotFound) {
		return
	}
	if r.absent == nil {
		r.absent = map[string]bool{}
	}
	r.absent[r.name(table, names)] = true
}

func (r *records) name(table string, names []string) string {
	return fmt.Sprintf("%s %q %q", table, r.id, names)
}

// replacing returns the end of an INSERT that takes the place of a row, or fails where the row was seen not to be there.
func (r *records) replacing(clause, table string, names ...string) string {
	if name := r.name(table, names); r.absent[name] {
		delete(r.absent, name)
		return ""
	}
	return clause
}

// at returns a time as a column has it, NULL for none.
func at(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// parts are the two columns of a document with a head: JSON of a type of this program, and a document as it came.
type parts struct{ head, body []byte }

func split(v any, tree doc.Value) (parts, error) {
	head, err := wire.Encode(v)
	return parts{head, none(tree.Encode())}, err
}

// none returns bytes that a column can have: of nil it would make NULL.
func none(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func (p parts) decode(v any) (doc.Value, error) {
	if err := wire.DecodeRow(p.head, v); err != nil || len(p.body) == 0 {
		return doc.Value{}, err
	}
	return doc.Parse(p.body)
}
