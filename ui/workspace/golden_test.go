package workspace_test

import (
	"testing"

	"bugle/engine/doc"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/workspace"
)

func TestGoldens(t *testing.T) {
	h := program(t, demo(t), 80, 24)
	h.Goldens("sections")
	h.Resize(80, 24)
	to(h, "Users")
	h.Goldens("users")
	h.Press("enter", "tab")
	h.Goldens("user")
	h.Press("esc", "esc")
	h.Resize(80, 24)
	to(h, "Segments")
	h.Press("t")
	h.Goldens("who")
	h.Press("esc", "enter", "tab", "tab", "enter")
	h.Goldens("filters")
	h.Press("esc", "esc", "esc")
	h.Resize(80, 24)
	to(h, "Teams")
	h.Press("d")
	h.Goldens("delete")
	h.Press("n", "esc")
	h.Resize(80, 24)
	to(h, "Push gateways")
	h.Goldens("empty")
}

func TestAServiceWithoutAWorkspaceSaysSo(t *testing.T) {
	h := program(t, uitest.NewFake().Only(), 100, 30)
	h.Want("You can't change this workspace here")
	for _, key := range []string{"enter", "n", "d", "t", "c", "y", "u", "w", "/", "r"} {
		h.Press(key)
	}
	h.Press("down", "down", "enter", "i")
	h.Want("Workspace")
}

func TestEveryScreenFits(t *testing.T) {
	svc := demo(t)
	for _, r := range []screen.Route{
		{Name: screen.Workspace},
		{Name: screen.Workspace, Path: doc.P("users"), Query: "USER_1"},
		{Name: screen.Workspace, Path: doc.P("segments")},
		{Name: screen.Workspace, Path: doc.P("nothing"), Query: "x"},
		{Name: screen.Workspace, Path: doc.P("teams"), Query: "nobody"},
		{Name: screen.Workspace, Path: doc.P("audience"), Query: "x"},
	} {
		h := uitest.New(t, workspace.New(uitest.Deps(svc), r), 100, 30)
		h.WantFits()
	}
}

func BenchmarkKeys(b *testing.B) {
	for name, keys := range map[string][]string{
		"sections": {"down", "up"}, "records": {"right", "down", "up", "esc"}, "record": {"right", "enter", "tab", "tab", "esc", "esc"},
	} {
		b.Run(name, func(b *testing.B) {
			h := program(b, demo(b), 120, 40)
			h.ClickOn("Users")
			b.ResetTimer()
			for i := range b.N {
				h.Press(keys[i%len(keys)])
				h.View()
			}
		})
	}
	b.Run("typing", func(b *testing.B) {
		s := workspace.New(uitest.Deps(demo(b)), screen.Route{Name: screen.Workspace, Path: doc.P("users"), Query: "USER_1"})
		uitest.New(b, s, 120, 40)
		b.ResetTimer()
		for b.Loop() {
			s.Update(uitest.Key("x"))
			s.View()
		}
	})
}
