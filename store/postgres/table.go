package postgres

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

// table is the records of one kind. A row has the primary key, which begins with the workspace; the record itself, as JSON
// in one or two columns; a checksum of all of these; and columns for queries of people, which are not read.
type table[T any] struct {
	name     string
	key      []string // columns after the workspace
	ids      []string // what the first of the key columns are, in messages; ids are checked
	record   []string
	checksum string
	others   []string
	what     string // names a record in messages: a format for the key
	decode   func(record [][]byte) (T, error)
}

// The columns of a record: one for JSON of this program, or another one for a document, which is stored as it came.
var (
	oneColumn  = []string{"record"}
	twoColumns = []string{"head", "body"}
)

// errChecksum reports that a row is not what was written.
var errChecksum = errors.New("its checksum does not match")

// encode returns the columns of a record that is JSON.
func encode(v any) ([][]byte, error) {
	b, err := wire.Encode(v)
	return [][]byte{b}, err
}

// encodeWith returns the columns of a record with a document.
func encodeWith(head any, body doc.Value) ([][]byte, error) {
	b, err := wire.Encode(head)
	return [][]byte{b, append([]byte{}, body.Encode()...)}, err // never nil, which would be NULL
}

func decode[T any](record [][]byte) (v T, err error) {
	return v, wire.Decode(record[0], &v)
}

// decodeWith decodes the columns of a record with a document.
func decodeWith(record [][]byte, head any) (body doc.Value, err error) {
	if err := wire.DecodeRow(record[0], head); err != nil || len(record[1]) == 0 {
		return doc.Value{}, err
	}
	return doc.Parse(bytes.Clone(record[1]))
}

func number(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// sum returns the checksum of a row: of its table, its primary key and its record. The name of its column tells apart what
// are two tables here and one in the database.
func (t *table[T]) sum(w workspace, key []any, record [][]byte) int64 {
	var d xxhash.Digest
	d.Reset()
	num := func(n int64) {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(n))
		_, _ = d.Write(b[:]) // a digest takes everything
	}
	text := func(s string) {
		num(int64(len(s)))
		_, _ = d.WriteString(s)
	}
	text(t.name)
	text(t.checksum)
	text(w.id)
	for _, k := range key {
		switch k := k.(type) {
		case string:
			text(k)
		case int64:
			num(k)
		case time.Time:
			num(k.UnixMicro())
		}
	}
	for _, b := range record {
		num(int64(len(b)))
		_, _ = d.Write(b)
	}
	return int64(d.Sum64())
}

func (t *table[T]) recordName(key []any) string {
	if !strings.Contains(t.what, "%") {
		return t.what
	}
	return fmt.Sprintf(t.what, key...)
}

// checkKey refuses ids that no record can have.
func (t *table[T]) checkKey(w workspace, key []any) error {
	var pairs []string
	for i, what := range t.ids[:min(len(t.ids), len(key))] {
		pairs = append(pairs, what, key[i].(string))
	}
	return w.check(pairs...)
}

// row is a row of a table. Those of a query are read into the same one.
type row struct {
	key      []any
	record   [][]byte // valid until the next row is read
	checksum int64
	dest     []any
}

// newRow returns a row to read the columns of [table.columns] into.
func (t *table[T]) newRow() *row {
	r := &row{key: make([]any, len(t.key)), record: make([][]byte, len(t.record))}
	for i := range r.key {
		r.dest = append(r.dest, &r.key[i])
	}
	for i := range r.record {
		r.dest = append(r.dest, (*pgtype.DriverBytes)(&r.record[i]))
	}
	r.dest = append(r.dest, &r.checksum)
	return r
}

func (t *table[T]) columns() string {
	return strings.Join(slices.Concat(t.key, t.record, []string{t.checksum}), ", ")
}

// scan reads the next row.
func (r *row) scan(rows pgx.Rows) error {
	if err := rows.Scan(r.dest...); err != nil {
		return err
	}
	for i, k := range r.key {
		if text, ok := k.(string); ok {
			r.key[i] = unescape(text)
		}
	}
	return nil
}

// value checks and decodes a row.
func (t *table[T]) value(w workspace, r *row) (v T, err error) {
	err = errChecksum
	if r.checksum == t.sum(w, r.key, r.record) {
		v, err = t.decode(r.record)
	}
	if err != nil {
		var none T
		return none, store.Damaged(w.id, t.recordName(r.key), err)
	}
	return v, nil
}

// where returns the condition for the rows whose key begins with some values, and its arguments.
func (t *table[T]) where(w workspace, key []any) (sql string, args []any) {
	sql, args = " WHERE workspace = $1", []any{w.id}
	for i, k := range key {
		args = append(args, argument(k))
		sql += " AND " + t.key[i] + " = $" + strconv.Itoa(len(args))
	}
	return sql, args
}

func argument(key any) any {
	if text, ok := key.(string); ok {
		return escape(text)
	}
	return key
}

// get returns a record, and locks its row in a write transaction.
func (t *table[T]) get(w workspace, key ...any) (v T, err error) {
	if err := t.checkKey(w, key); err != nil {
		return v, err
	}
	where, args := t.where(w, key)
	var damaged error
	err = w.first("SELECT "+t.columns()+" FROM "+t.name+where+w.lock(), args, func(rows pgx.Rows) error {
		r := t.newRow()
		if err := r.scan(rows); err != nil {
			return err
		}
		v, damaged = t.value(w, r)
		return nil
	})
	if err != nil {
		t.noteMissing(w, err, key)
		return v, err
	}
	return v, damaged
}

// getAll calls fn with the records with some ids, in any order, and locks their rows in a write transaction.
func (t *table[T]) getAll(w workspace, ids []string, fn func(T) error) error {
	for _, id := range ids {
		if err := t.checkKey(w, []any{id}); err != nil {
			return err
		}
	}
	found := map[string]bool{}
	r := t.newRow()
	var p page[T]
	err := w.query("SELECT "+t.columns()+" FROM "+t.name+" WHERE workspace = $1 AND "+t.key[0]+" = ANY ($2) ORDER BY "+t.key[0]+w.lock(), []any{w.id, escaped(ids)}, func(rows pgx.Rows) error {
		if err := r.scan(rows); err != nil {
			return err
		}
		found[r.key[0].(string)] = true
		return p.add(t.value(w, r))
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !found[id] {
			t.noteMissing(w, store.ErrNotFound, []any{id})
		}
	}
	if err := p.each(fn); err != nil && !errors.Is(err, store.Stop) {
		return err
	}
	return errors.Join(p.damaged...)
}

// page is records that were read, for a function that may use the transaction.
type page[T any] struct {
	all     []T
	damaged []error
}

func (p *page[T]) add(v T, err error) error {
	if err != nil {
		p.damaged = append(p.damaged, err)
		return nil
	}
	p.all = append(p.all, v)
	return nil
}

// each calls fn with the records, and forgets them.
func (p *page[T]) each(fn func(T) error) error {
	for _, v := range p.all {
		if err := fn(v); err != nil {
			return err
		}
	}
	p.all = p.all[:0]
	return nil
}

// scanOptions narrow a [table.each].
type scanOptions struct {
	prefix     []any // the first values of the key
	after      []any // the values after which to start; nil: the first ones
	descending bool
	limit      int // 0: all
}

// Records are read in pages, the first of which is small, so that its records are there soon.
const firstPage, largestPage = 64, 8192

// each calls fn with records in the order of their keys. fn may use the transaction, and end the scan with [store.Stop].
// Damaged records are skipped, and reported at the end.
func (t *table[T]) each(w workspace, o scanOptions, fn func(T) error) error {
	if err := w.check(); err != nil {
		return err
	}
	key := strings.Join(t.key[len(o.prefix):], ", ")
	order, compare := key, ">"
	if o.descending {
		order, compare = strings.ReplaceAll(key, ",", " DESC,")+" DESC", "<"
	}
	r := t.newRow()
	var p page[T]
	for size, left := firstPage, o.limit; ; size = min(4*size, largestPage) {
		if o.limit > 0 {
			size = min(size, left)
		}
		where, args := t.where(w, o.prefix)
		if o.after != nil {
			var places []string
			for _, k := range o.after {
				args = append(args, argument(k))
				places = append(places, fmt.Sprintf("$%d", len(args)))
			}
			where += " AND (" + key + ") " + compare + " (" + strings.Join(places, ", ") + ")"
		}
		args = append(args, size)
		got := 0
		err := w.query(fmt.Sprintf("SELECT %s FROM %s%s ORDER BY %s LIMIT $%d", t.columns(), t.name, where, order, len(args)), args, func(rows pgx.Rows) error {
			if err := r.scan(rows); err != nil {
				return err
			}
			got++
			return p.add(t.value(w, r))
		})
		o.after = slices.Clone(r.key[len(o.prefix):]) // of the last one
		if err == nil {
			err = p.each(fn)
		}
		left -= got
		switch {
		case errors.Is(err, store.Stop), err == nil && (got < size || o.limit > 0 && left == 0):
			return errors.Join(p.damaged...)
		case err != nil:
			return err
		}
	}
}

// put stores a record over an earlier one, if the transaction has not read that there is none. err is what its encoding
// returned.
func (t *table[T]) put(w workspace, key []any, record [][]byte, err error, others ...any) error {
	if err != nil {
		return fmt.Errorf("%s %w", t.recordName(key), err)
	}
	if err := t.checkKey(w, key); err != nil {
		return err
	}
	args := []any{w.id}
	for _, k := range key {
		args = append(args, argument(k))
	}
	for _, b := range record {
		args = append(args, b)
	}
	return w.exec(t.insert(!t.takeMissing(w, key)), append(append(args, t.sum(w, key, record)), others...)...)
}

// inserts are the results of [table.insert], which are made once.
var inserts sync.Map

// insert returns the statement that stores a row, over an earlier one if replace is set.
func (t *table[T]) insert(replace bool) string {
	type name struct {
		table   string
		replace bool
	}
	if sql, ok := inserts.Load(name{t.name, replace}); ok {
		return sql.(string)
	}
	columns := slices.Concat([]string{"workspace"}, t.key, t.record, []string{t.checksum}, t.others)
	var places, updates []string
	for i, column := range columns {
		places = append(places, fmt.Sprintf("$%d", i+1))
		if i > len(t.key) {
			updates = append(updates, column+" = excluded."+column)
		}
	}
	sql := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", t.name, strings.Join(columns, ", "), strings.Join(places, ", "))
	if replace {
		sql += fmt.Sprintf(" ON CONFLICT (%s) DO UPDATE SET %s", strings.Join(columns[:1+len(t.key)], ", "), strings.Join(updates, ", "))
	}
	inserts.Store(name{t.name, replace}, sql)
	return sql
}

// delete deletes the records whose key begins with some values.
func (t *table[T]) delete(w workspace, key ...any) error {
	if err := t.checkKey(w, key); err != nil {
		return err
	}
	where, args := t.where(w, key)
	return w.exec("DELETE FROM "+t.name+where, args...)
}

// remove is delete for records that must exist: it fails with [store.ErrNotFound] if there are none.
func (t *table[T]) remove(w workspace, key ...any) error {
	if err := t.checkKey(w, key); err != nil {
		return err
	}
	where, args := t.where(w, key)
	n, err := w.remove("DELETE FROM "+t.name+where, args...)
	if err == nil && n == 0 {
		err = store.ErrNotFound
	}
	return err
}

// noteMissing notes that a record is missing if err is [store.ErrNotFound]. If the transaction stores it later, and another
// one has done so meanwhile, the two conflict.
func (t *table[T]) noteMissing(w workspace, err error, key []any) {
	if w.write && errors.Is(err, store.ErrNotFound) {
		w.missing[rowName(t.name, w.id, key)] = true
	}
}

// takeMissing reports whether a record was noted to be missing, and forgets it.
func (t *table[T]) takeMissing(w workspace, key []any) bool {
	if len(w.missing) == 0 {
		return false
	}
	name := rowName(t.name, w.id, key)
	defer delete(w.missing, name)
	return w.missing[name]
}

// rowName returns a text that no other row has.
func rowName(table, workspace string, key []any) string {
	return fmt.Sprintf("%s %q %#v", table, workspace, key)
}

// at returns a time as a column has it, NULL for none.
func at(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
