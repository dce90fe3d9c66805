package local_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/service/local"
	"bugle/store"
	"bugle/store/badger"
)

func TestImportUsers(t *testing.T) {
	at := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	old := engine.User{
		ID: "A", OptedOut: true, Attributes: map[string]any{"City": "Bonn", "Orders": json.Number("1.0")},
		Devices: []engine.Device{{Platform: "WEB", Token: "w", AdvertiseID: "old"}},
		Events:  []engine.Event{{Name: "Bought", At: at}},
	}
	row := engine.UserRow{KeepOptedOut: true, User: engine.User{
		ID: "A", Attributes: map[string]any{"City": "Köln"},
		Devices: []engine.Device{{Platform: "WEB", Token: "w"}, {Platform: "IOS", Token: "i"}},
		Events:  []engine.Event{{Name: "Bought", At: at}, {Name: "Came", At: at.Add(-time.Hour)}},
	}}
	optIn := engine.UserRow{User: engine.User{ID: "A"}}
	for name, c := range map[string]struct {
		rows  []engine.UserRow
		merge bool
		want  string
	}{
		"replaced": {[]engine.UserRow{row}, false, `{"id":"A","attributes":{"City":"Köln"},"devices":[{"platform":"WEB","token":"w"},{"platform":"IOS","token":"i"}],` +
			`"events":[{"name":"Bought","at":"2026-10-01T00:00:00Z"},{"name":"Came","at":"2026-09-30T23:00:00Z"}]}`},
		"merged twice": {[]engine.UserRow{row, row}, true, `{"id":"A","attributes":{"City":"Köln","Orders":1.0},"devices":[{"platform":"WEB","token":"w"},{"platform":"IOS","token":"i"}],` +
			`"events":[{"name":"Came","at":"2026-09-30T23:00:00Z"},{"name":"Bought","at":"2026-10-01T00:00:00Z"}],"opted_out":true}`},
		"merged, in again": {[]engine.UserRow{optIn}, true, `{"id":"A","attributes":{"City":"Bonn","Orders":1.0},"devices":[{"platform":"WEB","token":"w","advertising_id":"old"}],` +
			`"events":[{"name":"Bought","at":"2026-10-01T00:00:00Z"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, local.Options{})
			b.ok(b.PutUser(b.ctx, old))
			n, err := b.ImportUsers(b.ctx, engine.UserImport{Rows: c.rows, Merge: c.merge})
			b.ok(err)
			if n.Added != 0 || n.Changed != len(c.rows) {
				t.Errorf("counted %+v", n)
			}
			p, err := b.User(b.ctx, "A")
			b.ok(err)
			if got, _ := json.Marshal(p); string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// However a user comes in, values of attributes are stored in their types or refused at their path.
func TestTypesOfAttributes(t *testing.T) {
	b := newBench(t, local.Options{})
	b.ok(b.UpdateWorkspace(b.ctx, func(w *engine.Workspace) error {
		w.Attributes = append(w.Attributes, engine.Attribute{Name: "Born", DataType: "datetime"})
		return nil
	}))
	user := func(born string) engine.User { return engine.User{ID: "A", Attributes: map[string]any{"Born": born}} }
	for name, put := range map[string]func(engine.User) error{
		"put": func(u engine.User) error { return b.PutUser(b.ctx, u) },
		"import": func(u engine.User) error {
			_, err := b.ImportUsers(b.ctx, engine.UserImport{Rows: []engine.UserRow{{User: u}}})
			return err
		},
	} {
		b.ok(put(user("14.3.1990")))
		if u, err := b.User(b.ctx, "A"); err != nil || u.Attributes["Born"] != "1990-03-14" {
			t.Errorf("%s: %v, %v", name, u.Attributes, err)
		}
		if e := engine.AsError(put(user("soon"))); e == nil || e.Target != "attributes.Born" {
			t.Errorf("%s: %v", name, e)
		}
	}
}

func TestImportRefusesInvalidRow(t *testing.T) {
	b := newBench(t, local.Options{})
	n, err := b.ImportUsers(b.ctx, engine.UserImport{Rows: []engine.UserRow{{User: engine.User{ID: "A"}}, {}}})
	refused(t, err, engine.ValidationFailed, 400)
	if n.Total() != 0 {
		t.Errorf("counted %+v", n)
	}
	_, err = b.User(b.ctx, "A")
	refused(t, err, engine.NotFound, 404)
}

// A batch that is too much for one transaction of the store goes in by parts.
func TestImportInParts(t *testing.T) {
	db, err := badger.Open(t.Context(), badger.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	svc := workspaceOn(t, db)
	const many = 20000
	n, err := svc.ImportUsers(t.Context(), engine.UserImport{Rows: people(many, 0)})
	if err != nil || n.Added != many {
		t.Fatalf("counted %+v: %v", n, err)
	}
	if p, err := svc.User(t.Context(), "USER_0019999"); err != nil || p.Attributes[engine.AttrEmail] != "ann19999@example.com" {
		t.Errorf("the last is %+v, %v", p, err)
	}
}

// BenchmarkImportProfiles stores 500 new users in Badger at a time, as the command does.
func BenchmarkImportProfiles(b *testing.B) {
	db, err := badger.Open(b.Context(), badger.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	svc := workspaceOn(b, db)
	for i := 0; b.Loop(); i++ {
		if _, err := svc.ImportUsers(b.Context(), engine.UserImport{Rows: people(500, 500*i)}); err != nil {
			b.Fatal(err)
		}
	}
}

func workspaceOn(t testing.TB, db store.DB) *local.Service {
	t.Helper()
	w := workspace()
	if _, err := local.CreateWorkspace(t.Context(), db, w); err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, w.ID, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return svc
}

func people(n, from int) []engine.UserRow {
	rows := make([]engine.UserRow, n)
	for i := range rows {
		k := from + i
		rows[i].User = engine.User{
			ID:         fmt.Sprintf("USER_%07d", k),
			Attributes: map[string]any{"First Name": "Ann", engine.AttrEmail: fmt.Sprintf("ann%d@example.com", k), "Orders": json.Number("7")},
			Devices:    []engine.Device{{Platform: "ANDROID", Token: fmt.Sprint("token-", k)}},
		}
	}
	return rows
}
