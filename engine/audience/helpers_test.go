package audience

import (
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/doc"
)

// noon is a Saturday, 13:00 in Berlin.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func parsed(t testing.TB, body string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return v
}

func compiled(t testing.TB, body string, env Env) *Audience {
	t.Helper()
	if env.Now.IsZero() {
		env.Now = noon
	}
	a, problems := Compile(parsed(t, body), env)
	if len(problems) > 0 {
		t.Fatalf("%s: %v", body, problems)
	}
	return a
}

func at(steps ...any) doc.Path { return doc.P(steps...) }

// plainGroup returns filters as a segment keeps them.
func plainGroup(t testing.TB, body string) map[string]any {
	t.Helper()
	var s engine.Segment
	if err := s.SetGroup(parsed(t, body)); err != nil {
		t.Fatal(err)
	}
	return s.Filters
}
