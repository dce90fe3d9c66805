package assemble_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/template"
)

// fakeSource is an [assemble.Source] that records the kinds of content it is asked for.
type fakeSource struct {
	items []engine.ContentItem
	read  []engine.ContentKind
}

func (s *fakeSource) Content(_ context.Context, kind engine.ContentKind) (out []engine.ContentItem, _ error) {
	s.read = append(s.read, kind)
	for _, i := range s.items {
		if i.Ref().Kind == kind {
			out = append(out, i)
		}
	}
	return out, nil
}

func (s *fakeSource) ContentItem(_ context.Context, ref engine.ContentRef) (engine.ContentItem, error) {
	for _, i := range s.items {
		if r := i.Ref(); r == ref || ref.Version == 0 && r.Kind == ref.Kind && r.Name == ref.Name {
			return i, nil
		}
	}
	return engine.ContentItem{}, engine.Errorf(engine.NotFound, 404, "it is not there")
}

func parse(t *testing.T, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func newFakeSource(t *testing.T) *fakeSource {
	return &fakeSource{items: []engine.ContentItem{
		{Products: &engine.ProductSet{Name: "shoes", Products: []map[string]any{{"title": "Boot"}}}},
		{API: &engine.ContentAPI{Name: "weather", URL: "https://api.example/{city}", Params: []string{"city"}}},
		{API: &engine.ContentAPI{Name: "closed", URL: "https://closed.example/"}},
		{Template: &engine.ContentTemplate{ID: "t", Version: 2, Channel: catalog.Email, Content: parse(t, `{"subject":"S","html_content":"{{ProductSet.shoes[0].title}}"}`)}},
	}}
}

func TestLoadReadsOnlyReferencedContent(t *testing.T) {
	w := engine.Workspace{ContentBlocks: []engine.ContentBlock{{Name: "b", Source: "plain"}}}
	for body, want := range map[string][]engine.ContentKind{
		`{"campaign_content":{"content":{"email":{"subject":"{{user.x}}"}}}}`:               nil,
		`{"campaign_content":{"content":{"email":{"custom_template_id":"t"}}}}`:             {engine.KindProducts},
		`{"campaign_content":{"content":{"email":{"subject":"{{ContentApi.weather()}}"}}}}`: {engine.KindAPI},
	} {
		s := newFakeSource(t)
		if _, _, err := assemble.Load(t.Context(), s, w, catalog.Email, parse(t, body)); err != nil || !slices.Equal(s.read, want) {
			t.Errorf("%s reads %v, %v", body, s.read, err)
		}
	}
	s := newFakeSource(t)
	w.ContentBlocks[0].Source = "{{ProductSet.shoes[0].title}}"
	if m, err := assemble.LoadForText(t.Context(), s, w, "{{ContentBlock['b']}}"); err != nil || len(m.ProductSets) != 1 {
		t.Errorf("what a content block names is not read: %+v, %v", m, err)
	}
}

func TestMissingTemplate(t *testing.T) {
	document := parse(t, `{"campaign_content":{"content":{"default":{"variation_1":{"email":{"custom_template_id":"t","subject":"Own"}},"variation_2":{"email":{"custom_template_id":"t","custom_template_version":7}}}}}}`)
	m, whole, err := assemble.Load(t.Context(), newFakeSource(t), engine.Workspace{}, catalog.Email, document)
	if err != nil {
		t.Fatal(err)
	}
	cells := doc.P("campaign_content", "content", "default")
	first := whole.Lookup(cells.Child("variation_1").Child("email"))
	if first.Get("subject").Text() != "Own" || first.Get("html_content").Text() == "" {
		t.Errorf("the first is %s", first.Encode())
	}
	if why := m.MissingTemplate(cells.Child("variation_1")); why != "" {
		t.Errorf("the first lacks: %s", why)
	}
	if why := m.MissingTemplate(cells.Child("variation_2")); why != "there is no saved template t, version 7 in this workspace" {
		t.Errorf("the second lacks: %s", why)
	}
	bare := m.DropTemplateRefs(whole)
	if bare.Lookup(cells.Child("variation_1").Child("email").Child(catalog.CustomTemplateID)).Exists() || !bare.Lookup(cells.Child("variation_2").Child("email").Child(catalog.CustomTemplateID)).Exists() {
		t.Errorf("without names: %s", bare.Encode())
	}
}

func TestDeferredAPIsAreNotMissingValues(t *testing.T) {
	w := engine.Workspace{ContentAPIs: engine.ContentPolicy{Hosts: []string{"api.example"}}}
	m, err := assemble.LoadForText(t.Context(), newFakeSource(t), w, "ContentApi")
	if err != nil {
		t.Fatal(err)
	}
	var called []string
	data := m.Data(nil, nil, m.DeferredAPIs(w.ContentAPIs, func(api string) { called = append(called, api) }))
	for src, later := range map[string][]bool{
		"{{ContentApi.weather('Oslo').today}}":                         {true},
		"{% set w = ContentApi.weather('x') %}{{w.a}}{{user.x}}":       {true, false},
		"{{ContentApi.weather('Oslo').today|upper}}{{event.y}}":        {true, false},
		"{{ContentApi.closed()}}":                                      {false},
		"{{ContentApi.other()}}":                                       {false},
		"{% for d in ContentApi.weather('x').days %}{{d}}{% endfor %}": {true},
	} {
		_, err := template.Render(t.Context(), src, data)
		var holes *template.MissingError
		if !errors.As(err, &holes) {
			t.Errorf("%s: %v", src, err)
			continue
		}
		var got []bool
		for _, u := range holes.Unresolved {
			got = append(got, assemble.IsDeferred(u))
		}
		if !slices.Equal(got, later) {
			t.Errorf("%s: %v of %v", src, got, holes)
		}
	}
	if len(called) != 4 || slices.Contains(called, "closed") {
		t.Errorf("called %v", called)
	}
}
