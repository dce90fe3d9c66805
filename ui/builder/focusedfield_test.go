package builder_test

import (
	"strings"
	"testing"

	"bugle/engine/catalog"
	"bugle/ui/builder"
	"bugle/ui/commands"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

func (b *testbed) withScreen(at ...any) (*uitest.Harness, *builder.Screen) {
	s := builder.New(uitest.Deps(b.svc), screen.Route{Name: screen.Builder, ID: b.id})
	h := uitest.New(b.t, s, 120, 40)
	return h, s
}

// The output of a command is one edit of the focused field, which is validated and can be undone.
func TestCommandChangesFocusedField(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"basic_details": {"name": "Spring sale", "content_type": "PROMOTIONAL"}}`)
	h, s := b.withScreen()
	if _, ok := s.FocusedField(); ok {
		t.Error("the sections have a field")
	}
	h.Press("enter")
	h.Type("!")
	steps := s.Depth()
	f, ok := s.FocusedField()
	if !ok || f.Name != "Basics › Campaign name" || f.Path != "basic_details.name" || f.Text != "Spring sale!" || f.Suffix != ".txt" || f.LockedReason != "" {
		t.Fatalf("%v, %+v", ok, f)
	}
	cmd, err := f.Set("Summer sale")
	if err != nil {
		t.Fatal(err)
	}
	h.Send(messages(cmd)...)
	h.Want("Summer sale")
	if s.Depth() != steps+1 {
		t.Errorf("it is %d steps", s.Depth()-steps)
	}
	h.Press("ctrl+z")
	h.Want("Undone: Basics › Campaign name", "Spring sale!")

	// It is validated as typed text is.
	h.Press("down")
	f, _ = s.FocusedField()
	cmd, err = f.Set("Bogus")
	if err != nil {
		t.Fatal(err)
	}
	h.Send(messages(cmd)...)
	h.Want(`Unknown value "Bogus"`)
	h.Press("ctrl+z", "up")

	// What was typed meanwhile is not overwritten.
	f, _ = s.FocusedField()
	h.Press("ctrl+u")
	h.Type("Mine")
	if _, err := f.Set("Other"); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("%v", err)
	}
	h.Want("Mine")

	// It reaches its field from another section, too.
	f, _ = s.FocusedField()
	h.Press("esc", "down", "enter")
	cmd, err = f.Set("From afar")
	if err != nil {
		t.Fatal(err)
	}
	h.Send(messages(cmd)...)
	if got := b.value("basic_details.name"); got != `"From afar"` {
		t.Errorf("stored is %s", got)
	}
}

// No key of the builder is free for a command, so that a command never takes one.
func TestKeysOfBuilderAreNotFree(t *testing.T) {
	b := newTestbed(t, catalog.Push, `{"basic_details": {"name": "Spring sale"}}`)
	s := builder.New(uitest.Deps(b.svc), screen.Route{Name: screen.Builder, ID: b.id})
	h := uitest.New(t, s, 120, 40)
	seen := 0
	check := func() {
		for _, a := range s.Actions() {
			for _, k := range a.Keys {
				key, err := keymap.ParseKey(k)
				if err != nil || keymap.IsPrintable(key) && a.HelpOnly {
					continue // the name of several keys, or a letter that the focused field takes
				}
				seen++
				if commands.KeyUse(screen.Builder, key, keymap.Map{}) == "" {
					t.Errorf("%s is free, but it is %q", k, a.Label)
				}
			}
		}
	}
	check()
	for range 9 {
		h.Press("enter")
		check()
		h.Press("tab", "tab")
		check()
		h.Press("esc", "esc", "ctrl+g")
		check()
		h.Press("esc", "p")
		check()
		h.Press("esc")
		h.Press("down")
	}
	if seen < 300 {
		t.Errorf("only %d keys were looked at", seen)
	}
}
