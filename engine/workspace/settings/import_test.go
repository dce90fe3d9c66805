package settings_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/service/local"
	"bugle/engine/workspace/settings"
)

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestImport(t *testing.T) {
	svc := demo(t)
	var b strings.Builder
	b.WriteString("id,City,Loyalty Points\nUSER_1,Oslo,\n")
	for i := range 7000 {
		fmt.Fprintf(&b, "N%d,Bergen,%d\n", i, i)
	}
	path := file(t, "users.csv", b.String())
	var told []settings.ImportProgress
	out, err := settings.Import{File: path, Merge: true}.Import(t.Context(), svc, func(p settings.ImportProgress) { told = append(told, p) })
	if err != nil || out.Added != 7000 || out.Changed != 1 || out.Invalid != 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	last := told[len(told)-1]
	if !last.Checked || last.Users != 7001 || last.Done != last.Size || told[0].Checked {
		t.Errorf("told %+v", told)
	}
	p, err := svc.User(t.Context(), "USER_1")
	if err != nil || p.Attributes["City"] != "Oslo" || p.Attributes["Plan"] == nil {
		t.Errorf("%+v, %v", p, err)
	}
}

// batches records how many users each call stores.
type batches struct {
	*local.Service
	sizes []int
}

func (b *batches) ImportUsers(ctx context.Context, r engine.UserImport) (engine.UserImportResult, error) {
	b.sizes = append(b.sizes, len(r.Rows))
	return b.Service.ImportUsers(ctx, r)
}

func TestLargeUsersAreImportedAFewAtATime(t *testing.T) {
	svc := demo(t)
	b := &batches{Service: svc}
	var text strings.Builder
	for i := range 12 {
		fmt.Fprintf(&text, "{\"id\":\"L%d\",\"attributes\":{\"City\":%q}}\n", i, strings.Repeat("x", 1<<20))
	}
	out, err := settings.Import{File: file(t, "users.jsonl", text.String())}.Import(t.Context(), b, nil)
	if err != nil || out.Added != 12 || len(b.sizes) < 3 {
		t.Errorf("%+v, %v, %d", out, err, b.sizes)
	}
}

func TestInvalidLineStopsTheImport(t *testing.T) {
	svc := demo(t)
	out, err := settings.Import{File: file(t, "users.jsonl", `{"id":"A"}`+"\n"+`{"id":""}`+"\nno\n")}.Import(t.Context(), svc, nil)
	if err != nil || out.Invalid != 2 || len(out.LineErrors) != 2 || out.Total() != 0 || !strings.HasPrefix(out.LineErrors[0].Error(), "line 2") {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := svc.User(t.Context(), "A"); err == nil {
		t.Error("a part of the file was stored")
	}
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none.csv")} {
		if _, err := (settings.Import{File: path}).Import(t.Context(), svc, nil); err == nil || !strings.Contains(err.Error(), "cannot read") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestAnImportEndsWithItsContext(t *testing.T) {
	svc := demo(t)
	ctx, cancel := context.WithCancel(t.Context())
	text := strings.Repeat(`{"id":"X"}`+"\n", 20_000)
	_, err := settings.Import{File: file(t, "x.jsonl", text)}.Import(ctx, svc, func(p settings.ImportProgress) {
		if p.Checked {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
