package storetest

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"bugle/engine"
	"bugle/store"
)

func products(name string) engine.ContentItem {
	return engine.ContentItem{Products: &engine.ProductSet{Name: name, Products: []map[string]any{{"title": "<Boot>", "price": json.Number("80.50")}}}}
}

func testContent(t *testing.T, db store.DB) {
	saved := func(id string, version int, content string) engine.ContentItem {
		return engine.ContentItem{Template: &engine.ContentTemplate{
			ID: id, Version: version, Name: "Of " + id, Channel: "EMAIL", Content: parse(t, content), SavedAt: noon,
		}}
	}
	api := engine.ContentItem{API: &engine.ContentAPI{
		Name: "weather", URL: "https://api.example.com/{city}", Method: "POST", Params: []string{"city"},
		Headers: []engine.ContentHeader{{Name: "X-Key", Env: "KEY"}}, Timeout: 100,
	}}
	items := []engine.ContentItem{
		products("boots"), products("shoes"), api, saved("t1", 1, `{"subject":"a<b","n":1.50}`), saved("t1", 2, `{}`), saved("t1", 10, `{"x":null}`), saved("t10", 1, `{"other":true}`),
	}
	in(t, db, func(s store.WorkspaceTx) error {
		var all []error
		for i := range items {
			all = append(all, s.PutContent(items[len(items)-1-i]))
		}
		return errors.Join(all...)
	})
	read(t, db, func(tx store.Tx) error {
		s := tx.Workspace(space)
		for _, want := range items {
			got, err := s.ContentItem(want.Ref())
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s gives %v\n%+v, want\n%+v", want.Ref(), err, got, want)
			}
		}
		newest, err := s.ContentItem(engine.ContentRef{Kind: engine.KindTemplate, Name: "t1"})
		if err != nil || newest.Template.Version != 10 {
			t.Errorf("the newest is %+v, %v", newest.Template, err)
		}
		for kind, n := range map[engine.ContentKind]int{engine.KindProducts: 2, engine.KindAPI: 1, engine.KindTemplate: 4} {
			var got []engine.ContentRef
			err := s.Content(kind, func(i engine.ContentItem) error { got = append(got, i.Ref()); return nil })
			if err != nil || len(got) != n {
				t.Errorf("%s: %v, %v", kind, got, err)
			}
			if err := tx.Workspace("OTHER").Content(kind, func(engine.ContentItem) error { return errors.New("it is not theirs") }); err != nil {
				t.Errorf("%s of another workspace: %v", kind, err)
			}
		}
		for _, ref := range []engine.ContentRef{{Kind: engine.KindProducts, Name: "t1"}, {Kind: engine.KindTemplate, Name: "t1", Version: 3}, {Kind: engine.KindTemplate, Name: "t"}} {
			if _, err := s.ContentItem(ref); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s: %v", ref, err)
			}
		}
		for _, ref := range []engine.ContentRef{{}, {Kind: engine.KindBlock, Name: "footer"}, {Kind: engine.KindAPI}} {
			if _, err := s.ContentItem(ref); err == nil || errors.Is(err, store.ErrNotFound) {
				t.Errorf("%+v: %v", ref, err)
			}
		}
		return nil
	})
	in(t, db, func(s store.WorkspaceTx) error {
		return errors.Join(
			s.DeleteContent(engine.ContentRef{Kind: engine.KindProducts, Name: "boots"}),
			s.DeleteContent(engine.ContentRef{Kind: engine.KindTemplate, Name: "t1", Version: 10}),
			s.DeleteContent(engine.ContentRef{Kind: engine.KindTemplate, Name: "t10"}),
		)
	})
	read(t, db, func(tx store.Tx) error {
		s := tx.Workspace(space)
		if got, err := s.ContentItem(engine.ContentRef{Kind: engine.KindTemplate, Name: "t1"}); err != nil || got.Template.Version != 2 {
			t.Errorf("after the newest: %+v, %v", got.Template, err)
		}
		for _, ref := range []engine.ContentRef{{Kind: engine.KindProducts, Name: "boots"}, {Kind: engine.KindTemplate, Name: "t10"}} {
			if _, err := s.ContentItem(ref); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s is still there: %v", ref, err)
			}
		}
		return nil
	})
	for _, ref := range []engine.ContentRef{{Kind: engine.KindAPI, Name: "none"}, {Kind: engine.KindTemplate, Name: "none"}, {Kind: engine.KindTemplate, Name: "t1", Version: 7}} {
		err := db.Write(t.Context(), func(tx store.Tx) error { return tx.Workspace(space).DeleteContent(ref) })
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s removed: %v", ref, err)
		}
	}
}
