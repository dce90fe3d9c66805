package accessible

import (
	"context"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/schema"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/store/mem"
	"bugle/ui/uitest"
)

// enterReader is an input that only presses Enter.
type enterReader struct{}

func (enterReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '\n'
	}
	return len(p), nil
}

// readOnlyService fails the test when it is written to.
type readOnlyService struct {
	engine.Service
	t rapid.TB
}

func (u readOnlyService) Save(context.Context, engine.SaveRequest) (engine.Head, error) {
	u.t.Error("something was saved")
	return engine.Head{}, nil
}

// newEnterWork returns the menu of a draft with a document, for an input that only presses Enter.
func newEnterWork(t rapid.TB, ch catalog.Channel, dt catalog.DeliveryType, body doc.Value) *campaignMenu {
	c := engine.Campaign{Head: engine.Head{ID: "65f000000000000000000001", Status: catalog.Draft, Channel: ch, DeliveryType: dt}, Body: body}
	s := &session{console: &console{in: newLineReader(enterReader{}), out: io.Discard, endsPromptLine: true}, deps: uitest.Deps(readOnlyService{t: t})}
	w := newCampaignMenu(s, c.ID)
	w.show(edit.Loaded{Campaign: c})
	return w
}

// visitAll opens every place and component of the document, and presses Enter at each question.
func visitAll(t rapid.TB, w *campaignMenu) {
	before := string(w.root.Encode())
	places := []doc.Path{}
	for _, c := range catalog.Components(w.campaign.Channel) {
		places = append(places, doc.P(string(c.Name)))
	}
	var add func(doc.Path, doc.Value)
	add = func(p doc.Path, v doc.Value) {
		for name, m := range v.Members() {
			places = append(places, p.Child(name))
			add(p.Child(name), m)
		}
		for i, e := range v.Elems() {
			places = append(places, p.Elem(i))
			add(p.Elem(i), e)
		}
	}
	add(nil, w.root)
	for _, p := range places {
		if err := w.sections.open(context.Background(), p); err != nil && !isBack(err) {
			t.Fatalf("%s: %v", p, err)
		}
		if after := string(w.root.Encode()); after != before {
			t.Fatalf("opening %s and pressing Enter changed\n%s\ninto\n%s", p, before, after)
		}
	}
}

// Opening any place of any campaign of the sample and only pressing Enter changes no byte.
func TestEnterChangesNothingInSample(t *testing.T) {
	ctx, db := context.Background(), mem.New()
	defer db.Close()
	if _, err := sample.Install(ctx, db, sample.Options{Author: "ann@example.com", Now: uitest.Now}); err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, sample.ID, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := svc.List(ctx, engine.ListQuery{Archived: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		c, err := svc.Get(ctx, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		visitAll(t, newEnterWork(t, c.Channel, c.DeliveryType, c.Body))
	}
}

// The same for invalid documents.
func TestEnterChangesNothingInAnyDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ch := rapid.SampledFrom([]catalog.Channel{catalog.Push, catalog.Email}).Draw(t, "channel")
		dt := rapid.SampledFrom([]catalog.DeliveryType{catalog.OneTime, catalog.Periodic, catalog.EventTriggered, catalog.LocationTriggered}).Draw(t, "type")
		members := []doc.Member{}
		for _, c := range catalog.Components(ch) {
			if rapid.Bool().Draw(t, "has") {
				members = append(members, doc.M(string(c.Name), randomValue(t, catalog.Campaign(ch).At(doc.P(string(c.Name))), 5)))
			}
		}
		visitAll(t, newEnterWork(t, ch, dt, doc.NewObject(members...)))
	})
}

// randomValue generates a value for a field: mostly of its kind, sometimes of another.
func randomValue(t *rapid.T, n *schema.Node, depth int) doc.Value {
	if n == nil || depth == 0 || rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
		text := rapid.SampledFrom([]string{`null`, `"a\tb\r\nc"`, `"\ud83d\ude00 \u202e"`, `1.0`, `1e400`, `true`, `{}`, `[]`, `{"":{"x":[1,"2"]}}`, `[null,{"a":1}]`, `""`, `"back"`})
		v, err := doc.Parse([]byte(text.Draw(t, "value")))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	switch n.Kind {
	case schema.Object, schema.Map:
		var ms []doc.Member
		for _, c := range n.Children {
			if rapid.IntRange(0, 2).Draw(t, "there") > 0 {
				ms = append(ms, doc.M(c.Name, randomValue(t, c, depth-1)))
			}
		}
		if rapid.Bool().Draw(t, "more") {
			ms = append(ms, doc.M("strange name", randomValue(t, n.Element, depth-1)))
		}
		return doc.NewObject(ms...)
	case schema.List:
		var vs []doc.Value
		for range rapid.IntRange(0, 2).Draw(t, "entries") {
			vs = append(vs, randomValue(t, n.Element, depth-1))
		}
		return doc.NewArray(vs...)
	case schema.Bool:
		return doc.NewBool(rapid.Bool().Draw(t, "on"))
	}
	if len(n.Options) > 0 {
		return doc.NewString(rapid.SampledFrom(n.Options).Draw(t, "option").Value)
	}
	return doc.NewString(strings.Repeat("x ", rapid.IntRange(0, 150).Draw(t, "length")) + n.Example)
}
