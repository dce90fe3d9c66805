package edit_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/mjml"
	"bugle/engine/schema"
	"bugle/engine/service/local"
)

var htmlAt = doc.P("campaign_content", "content", "email", "html_content")

func stubMJML(t *testing.T) {
	t.Helper()
	bin := t.TempDir()
	const stub = "#!/bin/sh\necho '<!-- FILE: undefined -->'; sed 's/<[^>]*>//g'\n"
	if err := os.WriteFile(filepath.Join(bin, "mjml"), []byte(stub), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func (b bench) compile(s *edit.Session) edit.CompileResult {
	b.Helper()
	fn := s.Compile()
	if fn == nil {
		b.Fatal("there is nothing to compile")
	}
	r, err := fn(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// A text that was edited while it was compiled is not replaced, and other edits made meanwhile stay.
func TestEditedWhileCompiling(t *testing.T) {
	stubMJML(t)
	b := newBench(t)
	s := b.open(b.service, nil)
	if s.Compile() != nil {
		t.Error("there is something to compile")
	}
	save := b.change(s, htmlAt, "<mjml>one</mjml>")
	r := b.compile(s)
	if s.Compile() != nil {
		t.Error("it is compiled twice")
	}
	b.change(s, htmlAt, "<mjml>two</mjml>")
	if s.FinishCompile(r) || s.Root().Lookup(htmlAt).Text() != "<mjml>two</mjml>" {
		t.Errorf("it is %s", s.Root().Lookup(htmlAt).Text())
	}
	r = b.compile(s)
	b.change(s, name, "New")
	if !s.FinishCompile(r) || s.Root().Lookup(name).Text() != "New" {
		t.Errorf("it is %s", s.Root().Encode())
	}
	if source, _ := mjml.Source(s.Root().Lookup(htmlAt).Text()); source != "<mjml>two</mjml>" {
		t.Errorf("it is %s", s.Root().Encode())
	}
	if err := b.save(s, save); err != nil {
		t.Fatal(err)
	}
	// HTML that is changed afterwards loses its source.
	b.change(s, htmlAt, strings.Replace(s.Root().Lookup(htmlAt).Text(), "two", "three", 1))
	if !s.FinishCompile(b.compile(s)) || s.Root().Lookup(htmlAt).Text() != "three\n" {
		t.Errorf("it is %q", s.Root().Lookup(htmlAt).Text())
	}
}

// liveService has the drafts of another one as live campaigns.
type liveService struct{ *local.Service }

func (s liveService) Get(ctx context.Context, id string) (engine.Campaign, error) {
	c, err := s.Service.Get(ctx, id)
	c.Status = catalog.Active
	return c, err
}

// A live campaign does not get MJML that was not compiled.
func TestMJMLIsNotApplied(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	b := newBench(t)
	s := b.open(liveService{b.service}, nil)
	if err := b.save(s, b.change(s, htmlAt, "<mjml></mjml>")); err != nil {
		t.Fatal(err)
	}
	s.FinishCompile(b.compile(s))
	if _, err := s.Apply(edit.Ask)(t.Context()); err == nil || !strings.Contains(err.Error(), "npm install -g mjml") {
		t.Errorf("%v", err)
	}
	if n := len(schema.Errors(s.Problems())); n == 0 {
		t.Error("there are no problems")
	}
}
