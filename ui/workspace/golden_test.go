package workspace_test

import (
	"strings"
	"testing"

	"bugle/engine/doc"
	"bugle/engine/workspace/settings"
	"bugle/ui/screen"
	"bugle/ui/uitest"
	"bugle/ui/workspace"
)

func TestGoldens(t *testing.T) {
	h := program(t, newSampleService(t), 80, 24)
	h.GoldenSizes("sections")
	h.Resize(80, 24)
	openSection(h, "Users")
	h.Golden("users-80x24")
	h.Press("enter") // at the first attribute
	h.Golden("user-80x24")
	h.Press("esc", "esc", "esc")
	openSection(h, "Segments")
	h.Press("t")
	h.Golden("who-80x24")
	h.Press("esc", "enter", "tab", "tab", "enter")
	h.Golden("filters-80x24")
	h.Press("esc", "esc", "esc")
	openSection(h, "Teams")
	h.Press("x")
	h.Golden("delete-80x24")
	h.Press("n", "esc")
	openSection(h, "Push gateways")
	h.Golden("empty-80x24")
}

// Each section explains why it is empty.
func TestServiceWithoutWorkspace(t *testing.T) {
	svc := uitest.NewFake().WithoutCapabilities()
	begins := func(text string) string { return strings.Join(strings.Fields(text)[:4], " ") }
	h := program(t, svc, 100, 40)
	for _, sec := range settings.Sections() {
		h.Want("╭─ "+sec.Title+" ─", begins(sec.Unavailable(svc)))
		h.Press("down")
	}
	h = program(t, svc, 100, 40)
	h.Script("@Users", "i", "?This service cannot import users.")
}

func TestEveryScreenFits(t *testing.T) {
	svc := newSampleService(t)
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
