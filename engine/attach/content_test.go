//go:build linux || darwin || freebsd

package attach_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"bugle/engine"
)

// What messages are made of can be kept by the owner, and through the socket.
func TestContent(t *testing.T) {
	s := newShed(t)
	owner, attached := s.pair()
	near, far := owner.Service(workspace), attached.Service(workspace)
	items := []engine.ContentItem{
		{Block: &engine.ContentBlock{Name: "b", Source: "<b>\t{{ ProductSet.p[0].title }}\r\n"}},
		{Products: &engine.ProductSet{Name: "p", Products: []map[string]any{{"title": "<Boot>", "price": json.Number("80.50"), "tags": []any{"a", nil, true}}}}},
		{API: &engine.ContentAPI{Name: "a", URL: "https://api.example.com/{x}", Params: []string{"x"}, Headers: []engine.ContentHeader{{Name: "X-Key", Env: "KEY"}}, Timeout: 10}},
		{Template: &engine.ContentTemplate{ID: "t", Channel: "EMAIL", Content: parse(t, `{"subject":"a\u003cb","html_content":"<p>"}`)}},
	}
	for _, item := range items {
		ref, err := far.PutContent(t.Context(), item)
		s.ok(err)
		if again, err := far.PutContent(t.Context(), item); err != nil || again != ref {
			t.Errorf("%s again: %s, %v", ref, again, err)
		}
		want, err := near.ContentItem(t.Context(), ref)
		s.ok(err)
		got, err := far.ContentItem(t.Context(), ref)
		if err != nil || !equal(got, want) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", ref, err, got, want)
		}
		list, err := far.Content(t.Context(), ref.Kind)
		if err != nil || !equal(list[0], want) {
			t.Errorf("%s: %+v, %v", ref.Kind, list, err)
		}
	}
	uses, err := far.ContentUses(t.Context(), engine.ContentRef{Kind: engine.KindProducts, Name: "p"})
	if err != nil || len(uses) != 1 || uses[0].In.Name != "b" {
		t.Errorf("uses %+v, %v", uses, err)
	}
	tried, err := far.TryContentAPI(t.Context(), "a", []string{"x"})
	if err != nil || tried.Call.Err == "" || tried.Call.URL != "https://api.example.com/x" {
		t.Errorf("tried %+v, %v", tried, err)
	}
	for _, item := range items {
		ref := item.Ref()
		s.ok(far.DeleteContent(t.Context(), ref))
		if err := near.DeleteContent(t.Context(), ref); engine.AsError(err) == nil || engine.AsError(err).Code != engine.NotFound {
			t.Errorf("%s removed twice: %v", ref, err)
		}
	}
}

func equal(a, b engine.ContentItem) bool {
	if a.Template != nil && b.Template != nil {
		x, y := *a.Template, *b.Template
		same := string(x.Content.Encode()) == string(y.Content.Encode()) && x.SavedAt.Equal(y.SavedAt)
		x.Content, x.SavedAt = y.Content, y.SavedAt
		return same && x == y
	}
	return reflect.DeepEqual(a, b)
}
