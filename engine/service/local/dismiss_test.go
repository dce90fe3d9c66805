package local_test

import (
	"testing"

	"bugle/engine"
	"bugle/engine/service/local"
)

func TestDismissals(t *testing.T) {
	b := newBench(t, local.Options{})
	id := b.create(`{%s}`, pushHead)
	list := func() (out string) {
		t.Helper()
		all, err := b.Dismissals(b.ctx, id)
		b.ok(err)
		for _, d := range all {
			out += d.Warning + "=" + d.Reason + ";"
		}
		return out
	}
	for _, d := range []engine.Dismissal{{Warning: "a@x", Reason: "one"}, {Warning: "b@x", Reason: "two"}, {Warning: "a@x", Reason: "three"}} {
		b.ok(b.PutDismissal(b.ctx, id, d))
	}
	if got := list(); got != "b@x=two;a@x=three;" {
		t.Errorf("dismissed are %s", got)
	}
	if before := b.get(id); before.Revision != 1 {
		t.Errorf("a dismissal made revision %d", before.Revision)
	}
	refused(t, b.PutDismissal(b.ctx, id, engine.Dismissal{Warning: "c@x", Reason: " "}), engine.ValidationFailed, 400)
	b.ok(b.DeleteDismissal(b.ctx, id, "b@x"))
	b.ok(b.DeleteDismissal(b.ctx, id, "b@x"))
	if got := list(); got != "a@x=three;" {
		t.Errorf("dismissed are %s", got)
	}
	b.ok(b.Delete(b.ctx, id))
	_, err := b.Dismissals(b.ctx, id)
	refused(t, err, engine.NotFound, 404)
	refused(t, b.PutDismissal(b.ctx, id, engine.Dismissal{Warning: "a@x", Reason: "r"}), engine.NotFound, 404)
}
