package postgres

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/store"
	"bugle/store/internal/record"
)

// rows implements [record.Backend]: each record is a row of a table. A row has the primary key, which begins with the
// workspace; the record; and, where the record has a document, that as it came.
type rows struct {
	*tx
	id string // of the workspace
}

// ID implements [record.Backend].
func (w rows) ID() string { return w.id }

// Damaged implements [record.Backend].
func (w rows) Damaged(k *record.Kind, key []any, err error) error { return k.Damaged(w.id, key, err) }

// SummaryTable implements [record.Backend].
func (w rows) SummaryTable() record.Table[engine.Summary] { return summaries }

// where returns the condition for the rows whose key begins with some values, and its arguments.
func (w rows) where(k *record.Kind, prefix []any) (sql string, args []any) {
	sql = " WHERE workspace = $1"
	for i := range prefix {
		sql += " AND " + k.Columns[i] + " = $" + strconv.Itoa(i+2)
	}
	return sql, append([]any{w.id}, prefix...)
}

// columns returns the columns of a row after its workspace.
func columns(k *record.Kind) []string {
	all := append(slices.Clone(k.Columns), "record")
	if k.Body {
		all = append(all, "body")
	}
	return all
}

// find calls fn with the rows that the rest of a statement finds. fn must not use the transaction.
func (w rows) find(k *record.Kind, rest string, args []any, fn func(key []any, r record.Row)) error {
	return w.query("SELECT "+strings.Join(columns(k), ", ")+" FROM "+k.Table+rest, args, func(found pgx.Rows) error {
		var r record.Row
		key := make([]any, len(k.Columns))
		dest := make([]any, 0, len(key)+2)
		for i := range key {
			dest = append(dest, &key[i])
		}
		if dest = append(dest, &r.Record); k.Body {
			dest = append(dest, &r.Body)
		}
		err := found.Scan(dest...)
		if err == nil {
			fn(key, r)
		}
		return err
	})
}

// Get implements [record.Backend]. It locks the row in a write transaction.
func (w rows) Get(k *record.Kind, key []any) (out record.Row, err error) {
	if k == record.Idempotency.Kind && !w.wrote {
		w.expectNone(k, key...)
	}
	if w.write && w.isAbsent(k, key) {
		return out, store.ErrNotFound
	}
	w.alone(k, key)
	where, args := w.where(k, key)
	result := store.ErrNotFound
	if err := w.find(k, where+w.lock(), args, func(_ []any, r record.Row) { out, result = r, nil }); err != nil {
		return out, err
	}
	w.noteMissing(k, result, key)
	return out, result
}

// expectNone has the first attempt, as long as it has read nothing, take a record for missing.
func (w rows) expectNone(k *record.Kind, key ...any) {
	if w.guess && w.conn == nil && !w.isAbsent(k, key) {
		w.absent[w.name(k, key)], w.guessed = true, true
	}
}

func (w rows) isAbsent(k *record.Kind, key []any) bool {
	_, absent := w.absent[w.name(k, key)]
	return absent
}

// alone has a write transaction wait for others that use the same key, if the kind is of those.
func (w rows) alone(k *record.Kind, key []any) {
	if w.write && k.Alone > 0 && len(key) >= k.Alone {
		// A transaction may hold no more locks than a database with few connections has places for.
		w.queue.Queue("SELECT pg_advisory_xact_lock(hashtextextended($1, 0) & 1023)", "bugle "+w.name(k, key[:k.Alone]))
	}
}

// Some implements [record.Backend]. It locks the rows in a write transaction.
func (w rows) Some(k *record.Kind, ids []string, fn record.Found) error {
	found := map[any]bool{}
	var all page
	rest := " WHERE workspace = $1 AND " + k.Columns[0] + " = ANY ($2) ORDER BY " + k.Columns[0] + w.lock()
	err := w.find(k, rest, []any{w.id, ids}, func(key []any, r record.Row) {
		found[key[0]] = true
		all = append(all, keyed{key, r})
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !found[id] {
			w.noteMissing(k, store.ErrNotFound, []any{id})
		}
	}
	return all.pass(fn)
}

// page is rows that were read and not yet passed on.
type page []keyed

type keyed struct {
	key []any
	row record.Row
}

// pass calls fn with each row, until it fails.
func (p page) pass(fn record.Found) error {
	for _, r := range p {
		if err := fn(func() []any { return r.key }, r.row, nil); err != nil {
			return err
		}
	}
	return nil
}

// Records are read in pages, the first of which is small, so that its records are there soon.
const firstPage, largestPage = 64, 8192

// Scan implements [record.Backend]. fn may use the transaction.
func (w rows) Scan(k *record.Kind, o record.Options, prefix []any, fn record.Found) error {
	w.alone(k, prefix)
	key := strings.Join(k.Columns[len(prefix):], ", ")
	order, compare := key, ">"
	if o.Reverse {
		order, compare = strings.ReplaceAll(key, ",", " DESC,")+" DESC", "<"
	}
	for size, left := firstPage, o.Limit; ; size = min(4*size, largestPage) {
		if o.Limit > 0 {
			size = min(size, left)
		}
		where, args := w.where(k, prefix)
		if o.After != nil {
			var places []string
			for _, part := range o.After {
				args = append(args, part)
				places = append(places, "$"+strconv.Itoa(len(args)))
			}
			where += " AND (" + key + ") " + compare + " (" + strings.Join(places, ", ") + ")"
		}
		args = append(args, size)
		var read page
		err := w.find(k, fmt.Sprintf("%s ORDER BY %s LIMIT $%d", where, order, len(args)), args, func(key []any, r record.Row) {
			read = append(read, keyed{key, r})
		})
		if err == nil {
			err = read.pass(fn)
		}
		left -= len(read)
		if err != nil || len(read) < size || o.Limit > 0 && left == 0 {
			return err
		}
		o.After = read[len(read)-1].key[len(prefix):]
	}
}

// Put implements [record.Backend]: over an earlier record, if the transaction has not read that there is none.
func (w rows) Put(k *record.Kind, key []any, r record.Row) error {
	w.publish(k, key)
	return w.store(k, key, r)
}

// store is Put without the change for others.
func (w rows) store(k *record.Kind, key []any, r record.Row) error {
	columns := append([]string{"workspace"}, columns(k)...)
	args := append(append([]any{w.id}, key...), r.Record)
	if k.Body {
		args = append(args, append([]byte{}, r.Body...)) // never nil, which would be NULL
	}
	if k.Other != "" {
		columns, args = append(columns, k.Other), append(args, r.Other)
	}
	var places, updates []string
	for i, column := range columns {
		places = append(places, "$"+strconv.Itoa(i+1))
		if i > len(key) {
			updates = append(updates, column+" = excluded."+column)
		}
	}
	sql := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", k.Table, strings.Join(columns, ", "), strings.Join(places, ", "))
	if !w.isAbsent(k, key) {
		w.alone(k, key)
		sql += fmt.Sprintf(" ON CONFLICT (%s) DO UPDATE SET %s", strings.Join(columns[:1+len(key)], ", "), strings.Join(updates, ", "))
	}
	delete(w.absent, w.name(k, key))
	return w.exec(sql, args...)
}

// Delete implements [record.Backend].
func (w rows) Delete(k *record.Kind, key []any) error {
	w.publish(k, key)
	where, args := w.where(k, key)
	return w.exec("DELETE FROM "+k.Table+where, args...)
}

// Clear implements [record.Backend].
func (w rows) Clear(k *record.Kind, limit int, prefix []any) (n int, err error) {
	w.alone(k, prefix)
	w.publish(k, prefix)
	where, args := w.where(k, prefix)
	if limit > 0 {
		where = fmt.Sprintf(" WHERE ctid = ANY (ARRAY (SELECT ctid FROM %s%s ORDER BY %s LIMIT %d))", k.Table, where, strings.Join(k.Columns, ", "), limit)
	}
	return w.remove("DELETE FROM "+k.Table+where, args...)
}

// publish notes the change of a record for the feed.
func (w rows) publish(k *record.Kind, key []any) {
	if c, ok := k.Changed(w.id, key); ok {
		w.changed(c)
	}
}

// noteMissing notes that a record is missing if err is [store.ErrNotFound]. If the transaction stores it later, and another
// one has done so meanwhile, the two conflict.
func (w rows) noteMissing(k *record.Kind, err error, key []any) {
	if w.write && errors.Is(err, store.ErrNotFound) {
		w.absent[w.name(k, key)] = false
	}
}

// name returns a text that no other record has.
func (w rows) name(k *record.Kind, key []any) string {
	return fmt.Sprintf("%s %q %#v", k.Table, w.id, key)
}
