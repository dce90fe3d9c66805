package postgres

import (
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/store"
	"bugle/store/internal/wire"
)

// content is the product sets, content APIs and templates of a workspace.
type content struct{ *records }

func (c content) checkContent(ref engine.ContentRef) error {
	if !slices.Contains(store.ContentKinds(), ref.Kind) {
		return fmt.Errorf("there is no record of the kind %q", ref.Kind)
	}
	return c.check("the name of a "+ref.Kind.Label(), ref.Name)
}

// version is the number of a row: that of a template, and 0 for what has no versions.
func rowVersion(ref engine.ContentRef) int {
	if ref.Kind == engine.KindTemplate {
		return ref.Version
	}
	return 0
}

func (c content) rowSum(ref engine.ContentRef, p parts) int64 {
	return c.sum("content", []byte(ref.Kind), []byte(ref.Name), number(int64(rowVersion(ref))), p.head, p.body)
}

func (c content) item(ref engine.ContentRef, p parts, sum int64) (out engine.ContentItem, err error) {
	if sum != c.rowSum(ref, p) {
		return out, c.damaged(ref.String(), errChecksum)
	}
	switch ref.Kind {
	case engine.KindProducts:
		out.Products = &engine.ProductSet{}
		err = wire.Decode(p.head, out.Products)
	case engine.KindAPI:
		out.API = &engine.ContentAPI{}
		err = wire.Decode(p.head, out.API)
	case engine.KindTemplate:
		var w wire.Template
		var tree doc.Value
		if tree, err = p.decode(&w); err == nil {
			t := w.Engine(tree)
			out.Template = &t
		}
	}
	if err != nil {
		return engine.ContentItem{}, c.damaged(ref.String(), err)
	}
	return out, nil
}

// serializeVersions has the transaction wait for others that change versions of the same template.
func (c content) serializeVersions(ref engine.ContentRef) {
	if ref.Kind == engine.KindTemplate {
		c.serialize("content", string(ref.Kind), ref.Name)
	}
}

// ContentItem implements [store.Content].
func (c content) ContentItem(ref engine.ContentRef) (engine.ContentItem, error) {
	if err := c.checkContent(ref); err != nil {
		return engine.ContentItem{}, err
	}
	c.serializeVersions(ref)
	sql := "SELECT version, head, body, checksum FROM content WHERE workspace = $1 AND kind = $2 AND name = $3"
	args := []any{c.id, string(ref.Kind), escape(ref.Name)}
	if ref.Kind == engine.KindTemplate && ref.Version == 0 {
		sql += " ORDER BY version DESC LIMIT 1"
	} else {
		sql += " AND version = $4"
		args = append(args, rowVersion(ref))
	}
	var p parts
	var sum int64
	err := c.one(sql+c.lock(""), args, &ref.Version, &p.head, &p.body, &sum)
	c.note(err, "content", string(ref.Kind), ref.Name, fmt.Sprint(rowVersion(ref)))
	if err != nil {
		return engine.ContentItem{}, err
	}
	return c.item(ref, p, sum)
}

// Content implements [store.Content]. fn may use the transaction.
func (c content) Content(kind engine.ContentKind, fn func(engine.ContentItem) error) error {
	if err := c.checkContent(engine.ContentRef{Kind: kind, Name: "any"}); err != nil {
		return err
	}
	var items []engine.ContentItem
	var bad []error
	c.long = true
	err := c.query("SELECT name, version, head, body, checksum FROM content WHERE workspace = $1 AND kind = $2 ORDER BY name, version", []any{c.id, string(kind)}, func(rows pgx.Rows) error {
		ref := engine.ContentRef{Kind: kind}
		var p parts
		var sum int64
		if err := rows.Scan(&ref.Name, &ref.Version, &p.head, &p.body, &sum); err != nil {
			return err
		}
		ref.Name = unescape(ref.Name)
		item, err := c.item(ref, p, sum)
		if err != nil {
			bad = append(bad, err)
			return nil
		}
		items = append(items, item)
		return nil
	})
	if err == nil {
		err = give(items, fn)
	}
	if err != nil && !errors.Is(err, store.Stop) {
		return err
	}
	return errors.Join(bad...)
}

// PutContent implements [store.Content].
func (c content) PutContent(item engine.ContentItem) error {
	ref := item.Ref()
	if err := c.checkContent(ref); err != nil {
		return err
	}
	var p parts
	var err error
	switch {
	case item.Products != nil:
		p, err = split(item.Products, doc.Value{})
	case item.API != nil:
		p, err = split(item.API, doc.Value{})
	case ref.Version < 1:
		return fmt.Errorf("%s cannot be stored without a version", ref)
	default:
		p, err = split(wire.ToTemplate(*item.Template), item.Template.Content)
	}
	if err != nil {
		return fmt.Errorf("%s %w", ref, err)
	}
	c.serializeVersions(ref)
	c.changed(store.Change{Workspace: c.id, Kind: store.ChangedSettings})
	version := rowVersion(ref)
	return c.exec("INSERT INTO content (workspace, kind, name, version, head, body, checksum) VALUES ($1, $2, $3, $4, $5, $6, $7)"+
		c.replacing(" ON CONFLICT (workspace, kind, name, version) DO UPDATE SET head = excluded.head, body = excluded.body, checksum = excluded.checksum",
			"content", string(ref.Kind), ref.Name, fmt.Sprint(version)),
		c.id, string(ref.Kind), escape(ref.Name), version, p.head, p.body, c.rowSum(ref, p))
}

// DeleteContent implements [store.Content].
func (c content) DeleteContent(ref engine.ContentRef) error {
	if err := c.checkContent(ref); err != nil {
		return err
	}
	c.serializeVersions(ref)
	sql := "DELETE FROM content WHERE workspace = $1 AND kind = $2 AND name = $3"
	args := []any{c.id, string(ref.Kind), escape(ref.Name)}
	if ref.Kind != engine.KindTemplate || ref.Version > 0 {
		sql += " AND version = $4"
		args = append(args, rowVersion(ref))
	}
	n, err := c.remove(sql+" RETURNING version", args...)
	if err == nil && n == 0 {
		err = store.ErrNotFound
	}
	c.changed(store.Change{Workspace: c.id, Kind: store.ChangedSettings})
	return err
}

// outbox is the messages that a workspace has delivered.
type outbox struct{ *records }

// Outbox implements [store.Outbox].
func (o outbox) Outbox(limit int) ([]engine.OutboxMessage, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	var out []engine.OutboxMessage
	var bad []error
	o.long = true
	err := o.query("SELECT id, head, body, checksum FROM outbox WHERE workspace = $1 ORDER BY id DESC LIMIT $2", []any{o.id, limited(limit)}, func(rows pgx.Rows) error {
		var id string
		var p parts
		var sum int64
		if err := rows.Scan(&id, &p.head, &p.body, &sum); err != nil {
			return err
		}
		id = unescape(id)
		var w wire.Delivered
		var tree doc.Value
		err := errChecksum
		if sum == o.sum("outbox", []byte(id), p.head, p.body) {
			tree, err = p.decode(&w)
		}
		if err != nil {
			bad = append(bad, o.damaged(fmt.Sprintf("the outbox message %q", id), err))
			return nil
		}
		d := w.Engine()
		if d.Push != nil {
			d.Push.Payload = tree
		}
		out = append(out, d)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, errors.Join(bad...)
}

// limited returns a limit as LIMIT has it: NULL for none.
func limited(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}

// PutOutbox implements [store.Outbox].
func (o outbox) PutOutbox(d engine.OutboxMessage) error {
	if err := o.check("the id of an outbox message", d.ID); err != nil {
		return err
	}
	var tree doc.Value
	if d.Push != nil {
		tree = d.Push.Payload
	}
	p, err := split(wire.ToDelivered(d), tree)
	if err != nil {
		return fmt.Errorf("the outbox message %q %w", d.ID, err)
	}
	o.changed(store.Change{Workspace: o.id, Kind: store.ChangedOutbox})
	return o.exec(`INSERT INTO outbox (workspace, id, at, campaign, recipient, head, body, checksum) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (workspace, id) DO UPDATE SET at = excluded.at, campaign = excluded.campaign, recipient = excluded.recipient, head = excluded.head, body = excluded.body, checksum = excluded.checksum`,
		o.id, escape(d.ID), at(d.At), escape(d.CampaignID), escape(d.Recipient), p.head, p.body, o.sum("outbox", []byte(d.ID), p.head, p.body))
}

// TrimOutbox implements [store.Outbox].
func (o outbox) TrimOutbox(limit int) (int, error) {
	if err := o.check(); err != nil {
		return 0, err
	}
	o.long = true
	n, err := o.remove(`DELETE FROM outbox WHERE ctid = ANY (ARRAY (SELECT ctid FROM outbox WHERE workspace = $1 ORDER BY id LIMIT $2)) RETURNING 1`, o.id, limited(limit))
	if n > 0 {
		o.changed(store.Change{Workspace: o.id, Kind: store.ChangedOutbox})
	}
	return n, err
}

// tests are the records of a workspace's test sends.
type tests struct{ *records }

// TestSends implements [store.TestSends]. fn may use the transaction.
func (t tests) TestSends(limit int, fn func(engine.TestRecord) error) error {
	if err := t.check(); err != nil {
		return err
	}
	const what = "the record of a test send"
	var bad []error
	skip := 0
	err := pages(func(n int) (int, error) {
		if limit > 0 {
			n = min(n, limit-skip)
		}
		var some []engine.TestRecord
		got := 0
		err := t.query("SELECT head, body, checksum FROM test_send WHERE workspace = $1 ORDER BY at DESC, n DESC LIMIT $2 OFFSET $3", []any{t.id, n, skip}, func(rows pgx.Rows) error {
			var p parts
			var sum int64
			if err := rows.Scan(&p.head, &p.body, &sum); err != nil {
				return err
			}
			got++
			var w wire.TestRecord
			var body doc.Value
			err := errChecksum
			if sum == t.sum("test_send", p.head, p.body) {
				body, err = p.decode(&w)
			}
			if err != nil {
				bad = append(bad, t.damaged(what, err))
				return nil
			}
			r := w.Engine()
			r.Body = body
			some = append(some, r)
			return nil
		})
		if err != nil {
			return got, err
		}
		skip += got
		if err := give(some, fn); err != nil {
			return got, err
		}
		if limit > 0 && skip >= limit {
			return got, store.Stop
		}
		return got, nil
	})
	if err != nil {
		return err
	}
	return errors.Join(bad...)
}

// PutTestSend implements [store.TestSends].
func (t tests) PutTestSend(r engine.TestRecord) error {
	if err := t.check(); err != nil {
		return err
	}
	p, err := split(wire.ToTestRecord(r), r.Body)
	if err != nil {
		return fmt.Errorf("the record of a test send %w", err)
	}
	t.changed(store.Change{Workspace: t.id, Kind: store.ChangedOutbox})
	return t.exec("INSERT INTO test_send (workspace, at, campaign, head, body, checksum) VALUES ($1, $2, $3, $4, $5, $6)",
		t.id, r.At.UTC(), escape(r.CampaignID), p.head, p.body, t.sum("test_send", p.head, p.body))
}
