package builder_test

import (
	"strings"
	"testing"

	"bugle/engine/catalog"
	"bugle/ui/builder"
	"bugle/ui/uitest"
)

// The output of a command is one edit of the field that was focused when it began, wherever the user is by then. It is
// validated, can be undone, and does not overwrite what was typed meanwhile.
func TestCommandChangesFocusedField(t *testing.T) {
	b := newTestbed(t, catalog.Email, spring)
	s := builder.New(uitest.Deps(b.svc), b.at(""))
	h := uitest.New(t, s, 120, 40)
	if _, ok := s.FocusedField(); ok {
		t.Error("the sections have a field")
	}
	h.Script("enter", ">!")
	f, ok := s.FocusedField()
	if !ok || f.Name != "Basics › Campaign name" || f.Path != nameAt || f.Text != "Spring sale!" || f.Suffix != ".txt" || f.LockedReason != "" {
		t.Fatalf("%v, %+v", ok, f)
	}
	set := func(text string) {
		t.Helper()
		cmd, err := f.Set(text)
		b.svc.OK(err)
		h.Send(messages(cmd)...)
	}
	set("Summer sale")
	h.Script("?Summer sale", "ctrl+z", "?Undone: Basics › Campaign name", "?Spring sale!")
	h.Script("esc down enter")
	set("From afar")
	b.want(nameAt, `"From afar"`)

	h.Script("esc home enter down")
	f, _ = s.FocusedField()
	set("Bogus")
	h.Script(`?Unknown value "Bogus"`, "ctrl+z up")

	f, _ = s.FocusedField()
	h.Script("ctrl+u", ">Mine")
	if _, err := f.Set("Other"); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("%v", err)
	}
	h.Want("Mine")
}
