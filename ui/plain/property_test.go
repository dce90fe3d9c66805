package plain_test

import (
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bugle/engine"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
	"bugle/store/mem"
	"bugle/ui/plain"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/widget"
)

// visitor is a user who opens every section of a campaign and everything in it, and changes nothing: at a field it opens what
// can be opened, and presses Enter.
type visitor struct {
	root    string // the prompt of the sections
	said    strings.Builder
	section int
	tried   string // the field at which :open was typed last
	lines   int
}

// maxVisitorLines is how many lines a visitor types at most.
const maxVisitorLines = 3000

// Write takes what the program says.
func (v *visitor) Write(text []byte) (int, error) { return v.said.Write(text) }

// Read answers the last prompt.
func (v *visitor) Read(p []byte) (int, error) {
	said := v.said.String()
	prompt := said[strings.LastIndexByte(strings.TrimRight(said, " "), '\n')+1:]
	if v.lines++; v.lines > maxVisitorLines {
		return 0, io.ErrNoProgress
	}
	line := ""
	switch {
	case prompt == v.root+"> ":
		if v.section++; v.section > 12 {
			return 0, io.EOF
		}
		line = strconv.Itoa(v.section)
	case strings.HasPrefix(prompt, v.root+", "):
		line = ".."
	case v.tried != prompt:
		v.tried, line = prompt, ":open"
	default:
		v.tried = ""
	}
	return copy(p, line+"\n"), nil
}

// fixedService has one campaign, and fails the test when that is written.
type fixedService struct {
	engine.Service
	t        rapid.TB
	campaign engine.Campaign
}

func (f fixedService) Get(context.Context, string) (engine.Campaign, error) { return f.campaign, nil }

func (f fixedService) Save(context.Context, engine.SaveRequest) (engine.Head, error) {
	f.t.Error("something was saved")
	return engine.Head{}, nil
}

// visit opens every place of a campaign.
func visit(t rapid.TB, ctx context.Context, b *testbed, s engine.Service, c engine.Campaign) {
	v := visitor{root: "Campaign " + widget.Clean(engine.Summarize(c).Title())}
	o := b.options(&v, &v)
	o.App.Deps = uitest.Deps(fixedService{s, t, c})
	o.App.First = screen.Route{Name: screen.Builder, ID: c.ID}
	o.App.Context = ctx
	p, err := plain.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatalf("%v after %d lines:\n%s", err, v.lines, v.said.String())
	}
}

// slow reports whether to test as much as in CI.
var slow = os.Getenv("BUGLE_NEED_SLOW") != ""

// Opening any place of the sample's campaigns and only pressing Enter changes no byte. The newest campaign of each kind is
// enough here.
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
	b := &testbed{t: t}
	visited := map[string]bool{}
	for _, r := range rows {
		kind := string(r.Channel) + string(r.DeliveryType)
		if !r.Channel.Writable() || visited[kind] && !slow {
			continue
		}
		visited[kind] = true
		c, err := svc.Get(ctx, r.ID)
		if err != nil {
			t.Fatal(err)
		}
		visit(t, ctx, b, svc, c)
	}
}
