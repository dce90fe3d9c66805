//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugle/cmd/bugle/terminal"
	"bugle/engine/service/activity"
	"bugle/themes"
	"bugle/ui/app"
	usercommands "bugle/ui/commands"
	"bugle/ui/keymap"
	"bugle/ui/screen"
	settingsscreen "bugle/ui/settings"
	"bugle/ui/uitest"
)

// The user's own commands in the program: on the list with a selection, on a field with undo, in a pane, and after
// their file was edited in the settings.
func TestOwnCommandsInTheProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := usercommands.File{Path: filepath.Join(dir, usercommands.FileName)}
	if err := os.WriteFile(file.Path, []byte(`
- {key: Q, name: Count, screen: campaigns, command: 'for i in $BUGLE_IDS; do echo "$i"; done | wc -l | tr -d " "'}
- {key: alt+e, name: Type, screen: campaigns, command: 'echo "$BUGLE_CHANNEL $BUGLE_STATUS $BUGLE_NAME"'}
- {key: alt+g, name: As JSON, screen: campaigns, command: 'grep -c "$BUGLE_ID" "$BUGLE_FILE"'}
- {key: alt+j, name: Shout, screen: builder, command: 'tr a-z A-Z < "$BUGLE_FILE"', output: field}
- {key: alt+k, name: Words, screen: builder, command: 'tr " " "\n" < "$BUGLE_FILE"', output: pane}
- {key: q, name: Quit, screen: builder, command: 'true'}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	all, problems := file.Load(keymap.Map{})
	if len(all) != 5 || len(problems) != 1 || problems[0].Line != 7 {
		t.Fatalf("%d commands, problems %v", len(all), problems)
	}
	svc, _ := onMemory(t)
	own := settingsscreen.Sources{
		Themes: &themes.Shelf{}, Remotes: noRemotes{}, Keys: keymap.File{Path: filepath.Join(dir, "keys.yaml")}, Commands: file,
		Files: []settingsscreen.File{{Name: "Commands", Path: file.Path, About: "Your own commands on keys."}},
	}
	h := uitest.Program(t, app.Options{
		Deps: uitest.Deps(svc), Factory: terminal.Screens(nil, &activity.Log{}, own), First: screen.Route{Name: screen.Campaigns}, PaletteItems: terminal.Places(), Commands: all,
	}, 120, 40)

	h.Press("alt+e")
	h.Want("Type: EMAIL DRAFT Winter roast launch")
	h.Press(" ", " ", "Q")
	h.Want("Count: 2")
	h.Press("alt+g")
	h.Want("As JSON: 2") // id and campaign_id
	h.Press("esc", "home", "enter", "enter")
	h.Want("Campaign name")
	h.Press("alt+j")
	h.Want("WINTER ROAST LAUNCH", "Shout changed Basics › Campaign name.")
	h.Press("ctrl+z")
	h.Want("Winter roast launch", "Undone: Basics › Campaign name")
	h.Press("alt+k")
	h.Want("─ Words ─", "│ Winter ", "│ roast ")
	h.Press("esc", "f1")
	h.Want("Your commands", "Shout")
	h.Press("esc", "f9", "left")
	h.Want("Commands", "line 7, Quit: q is the key of app.quit")

	// The file is read again when the settings are opened.
	h.Press("esc")
	if err := file.Write([]byte("- {key: alt+x, name: Fresh, screen: app, command: echo new}\n")); err != nil {
		t.Fatal(err)
	}
	h.Press("alt+x")
	h.WantNot("Fresh")
	h.Press("f9", "esc", "alt+x")
	h.Want("Fresh: new")
	h.Press("alt+j")
	h.WantNot("WINTER")
	if strings.Contains(h.Text(), "Shout") {
		t.Error("a command that was removed is still there")
	}
}
