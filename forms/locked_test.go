package forms

import (
	"strings"
	"testing"

	"bugle/engine/doc"
	"bugle/engine/schema"
)

// openLocked opens the form at a place, which is locked for a reason.
func openLocked(t *testing.T, json, why string, p ...any) *Form {
	t.Helper()
	cfg := config(parse(t, json), p...)
	cfg.Locked = func(doc.Path) string { return why }
	return newForm(cfg)
}

func TestLockedFormIsReadOnly(t *testing.T) {
	const is = `{"template":"Custom","template_id":"T","title":"Hi","platforms":["IOS"],"buttons":[{"text":"Go"}]}`
	f := openLocked(t, is, "Nothing can be changed now.")
	shows(t, f, "Nothing can be changed now.")
	for range 20 {
		press(f, "x", " ", "left", "ctrl+x", "f2", "e", "z")
		paste(f, "pasted")
		press(f, "tab")
	}
	want(t, f, is)
	press(f, "ctrl+home", "j", "j")
	if st, _ := f.Focused(); st.Node.Name != "title" {
		t.Errorf("j and j lead to %s", st.Node.Name)
	}
	press(f, "k")
	if st, _ := f.Focused(); st.Node.Name != "template_id" {
		t.Errorf("k leads to %s", st.Node.Name)
	}
}

func TestLockedListCannotGrow(t *testing.T) {
	const is = `{"buttons":[{"text":"Go"},{"text":"Stay"}]}`
	f := openLocked(t, is, "Not while it is live.", "buttons")
	shows(t, f, "Not while it is live.")
	hides(t, f, "+ add")
	press(f, "a", "d", "x", "J", "K")
	want(t, f, is)
	if m, ok := press(f, "ctrl+home", "enter").(OpenMsg); !ok || m.Path.String() != "buttons[0]" {
		t.Errorf("enter gives %v: a locked entry can be looked at", m)
	}
}

func TestFormProblemIsShownInFull(t *testing.T) {
	f := open(t, `{}`, "timer")
	long := "is missing because of one thing and another thing and yet another thing, which is all that there is to it"
	f.SetProblems([]schema.Problem{{Path: doc.P("timer"), Message: long}})
	f.SetSize(44, 20)
	if got := strings.Join(strings.Fields(f.View()), " "); !strings.Contains(got, "! Timer: "+long) {
		t.Errorf("the form shows:\n%s", f.View())
	}
}
