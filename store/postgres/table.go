package postgres

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

// table is the records of one kind. A row has the primary key, which begins with the workspace; the record, as JSON; and,
// where the record has a document, that as it came.
type table[T any] struct {
	name   string
	key    []string // columns after the workspace
	ids    []string // what the first of the key columns are, in messages; ids are checked
	body   bool     // records have a document
	others []string // columns that statements of their own use
	what   string   // names a record in messages: a format for the key
	decode func(record []byte, body doc.Value) (T, error)
}

// decode decodes a record whose JSON is that of its type.
func decode[T any](record []byte, _ doc.Value) (v T, err error) {
	return v, wire.Decode(record, &v)
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

// value decodes a row.
func (t *table[T]) value(w workspace, key []any, record, body []byte) (v T, err error) {
	var document doc.Value
	if len(body) > 0 {
		document, err = doc.Parse(bytes.Clone(body))
	}
	if err == nil {
		v, err = t.decode(record, document)
	}
	if err != nil {
		var none T
		return none, store.Damaged(w.id, t.recordName(key), err)
	}
	return v, nil
}

// query calls fn with the rows that the rest of a statement finds. The key is valid until fn returns; fn must not use the
// transaction.
func (t *table[T]) query(w workspace, rest string, args []any, fn func(key []any, v T, damaged error)) error {
	key := make([]any, len(t.key))
	var record, body pgtype.DriverBytes
	columns, dest := slices.Concat(t.key, []string{"record"}), make([]any, 0, len(t.key)+2)
	for i := range key {
		dest = append(dest, &key[i])
	}
	dest = append(dest, &record)
	if t.body {
		columns, dest = append(columns, "body"), append(dest, &body)
	}
	return w.query("SELECT "+strings.Join(columns, ", ")+" FROM "+t.name+rest, args, func(rows pgx.Rows) error {
		err := rows.Scan(dest...)
		if err == nil {
			v, damaged := t.value(w, key, record, body)
			fn(key, v, damaged)
		}
		return err
	})
}

// where returns the condition for the rows whose key begins with some values, and its arguments.
func (t *table[T]) where(w workspace, key []any) (sql string, args []any) {
	sql = " WHERE workspace = $1"
	for i := range key {
		sql += " AND " + t.key[i] + " = $" + strconv.Itoa(i+2)
	}
	return sql, append([]any{w.id}, key...)
}

// get returns a record, and locks its row in a write transaction.
func (t *table[T]) get(w workspace, key ...any) (v T, err error) {
	if err := t.checkKey(w, key); err != nil {
		return v, err
	}
	where, args := t.where(w, key)
	result := store.ErrNotFound
	if err := t.query(w, where+w.lock(), args, func(_ []any, found T, damaged error) { v, result = found, damaged }); err != nil {
		return v, err
	}
	t.noteMissing(w, result, key)
	return v, result
}

// getAll calls fn with the records with some ids, in any order, and locks their rows in a write transaction.
func (t *table[T]) getAll(w workspace, ids []string, fn func(T) error) error {
	for _, id := range ids {
		if err := t.checkKey(w, []any{id}); err != nil {
			return err
		}
	}
	var all []T
	var damage []error
	found := map[any]bool{}
	rest := " WHERE workspace = $1 AND " + t.key[0] + " = ANY ($2) ORDER BY " + t.key[0] + w.lock()
	err := t.query(w, rest, []any{w.id, ids}, func(key []any, v T, damaged error) {
		found[key[0]] = true
		if damaged != nil {
			damage = append(damage, damaged)
		} else {
			all = append(all, v)
		}
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !found[id] {
			t.noteMissing(w, store.ErrNotFound, []any{id})
		}
	}
	for _, v := range all {
		if err := fn(v); err != nil {
			return err
		}
	}
	return errors.Join(damage...)
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
	var page []T
	var damage []error
	for size, left := firstPage, o.limit; ; size = min(4*size, largestPage) {
		if o.limit > 0 {
			size = min(size, left)
		}
		where, args := t.where(w, o.prefix)
		if o.after != nil {
			var places []string
			for _, k := range o.after {
				args = append(args, k)
				places = append(places, fmt.Sprintf("$%d", len(args)))
			}
			where += " AND (" + key + ") " + compare + " (" + strings.Join(places, ", ") + ")"
		}
		args = append(args, size)
		got := 0
		err := t.query(w, fmt.Sprintf("%s ORDER BY %s LIMIT $%d", where, order, len(args)), args, func(key []any, v T, damaged error) {
			if damaged != nil {
				damage = append(damage, damaged)
			} else {
				page = append(page, v)
			}
			if got++; got == size {
				o.after = slices.Clone(key[len(o.prefix):])
			}
		})
		if err != nil {
			return err
		}
		for _, v := range page {
			if err := fn(v); errors.Is(err, store.Stop) {
				return errors.Join(damage...)
			} else if err != nil {
				return err
			}
		}
		page, left = page[:0], left-got
		if got < size || o.limit > 0 && left == 0 {
			return errors.Join(damage...)
		}
	}
}

// put stores a record over an earlier one, if the transaction has not read that there is none.
func (t *table[T]) put(w workspace, key []any, record any, body doc.Value, others ...any) error {
	b, err := wire.Encode(record)
	if err != nil {
		return fmt.Errorf("%s %w", t.recordName(key), err)
	}
	if err := t.checkKey(w, key); err != nil {
		return err
	}
	args := append(append([]any{w.id}, key...), b)
	if t.body {
		args = append(args, append([]byte{}, body.Encode()...)) // never nil, which would be NULL
	}
	return w.exec(t.insert(!t.takeMissing(w, key)), append(args, others...)...)
}

// insert returns the statement that stores a row, over an earlier one if replace is set.
func (t *table[T]) insert(replace bool) string {
	columns := slices.Concat([]string{"workspace"}, t.key, []string{"record"})
	if t.body {
		columns = append(columns, "body")
	}
	columns = append(columns, t.others...)
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
	name := rowName(t.name, w.id, key)
	defer delete(w.missing, name)
	return w.missing[name]
}

// rowName returns a text that no other row has.
func rowName(table, workspace string, key []any) string {
	return fmt.Sprintf("%s %q %#v", table, workspace, key)
}
