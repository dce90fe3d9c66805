package terminal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/cli"
	"bugle/cmd/bugle/internal/remotes"
	"bugle/themes"
	"bugle/ui/prefs"
)

// person is a factory on files of a test.
func person(t *testing.T, files map[string]string) *cli.Factory {
	t.Helper()
	t.Setenv("NO_COLOR", "")
	home := t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, "bugle", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cli.New(cli.Streams{}, func(name string) string {
		if strings.HasPrefix(name, "XDG_") {
			return home
		}
		return ""
	})
}

// The flag goes before the environment, that before what was chosen, and nothing that a person set keeps
// the program from starting.
func TestFirstTheme(t *testing.T) {
	f := person(t, map[string]string{"themes/evening.yaml": "base: dark\ntokens: {accent: 208}\n"})
	own := newPersonal(&f.Environment, true)
	if len(own.news) != 0 {
		t.Errorf("it is told %q", own.news)
	}
	choose := func(name string) *prefs.Prefs {
		p := prefs.NewInMemory()
		if err := prefs.Update(p, "theme", func(map[string]string) map[string]string { return map[string]string{"name": name} })(); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, test := range []struct {
		flag, env, chosen, want string
	}{
		{"", "", "", themes.Auto}, {"", "", "evening", "evening"}, {"", "light", "evening", "light"}, {"color-blind", "light", "evening", "color-blind"},
	} {
		theme, news, err := firstTheme(own.themes, test.flag, test.env, choose(test.chosen))
		if err != nil || len(news) != 0 || theme.Name != test.want {
			t.Errorf("%+v starts with %q, %q, %v", test, theme.Name, news, err)
		}
	}
	theme, news, err := firstTheme(own.themes, "", "", choose("gone"))
	if err != nil || theme.Name != themes.Auto || len(news) != 1 || !strings.Contains(news[0], "Cannot load your theme gone") {
		t.Errorf("a theme that is gone: %q, %q, %v", theme.Name, news, err)
	}
	for want, ask := range map[string][2]string{"--theme: there is no theme \"neon\"": {"neon", ""}, "BUGLE_THEME: there is no theme \"neon\"": {"", "neon"}} {
		if _, _, err := firstTheme(own.themes, ask[0], ask[1], nil); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "evening") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestProblemsInUserFilesAreReported(t *testing.T) {
	f := person(t, map[string]string{
		"themes/bad.yaml": "base: night\n", "themes/worse.yaml": "tokens: {accent: orange}\n",
		"keys.yaml": "# mine\napp.palette: ctrl+p\napp.palet: f5\n",
	})
	own := newPersonal(&f.Environment, true)
	want := []string{"theme bad.yaml: base: there is no theme \"night\"", "keys.yaml, line 3, app.palet: there is no action"}
	for i, text := range own.news {
		if len(own.news) != 2 || !strings.HasPrefix(text, want[i]) {
			t.Errorf("it is told %q", own.news)
		}
	}
	if !strings.HasSuffix(own.news[0], "(and 1 more: see Settings)") {
		t.Errorf("it is told %q", own.news[0])
	}
	if keys, ok := own.keys.Lookup("app.palette"); !ok || !slices.Equal(keys, []string{"ctrl+p"}) {
		t.Errorf("what can be followed is not: %q", keys)
	}
}

func TestRemotesInSettings(t *testing.T) {
	f := person(t, map[string]string{"remotes.json": `{"current": "prod", "remotes": [{"name": "prod", "base_url": "https://api.example.com", "workspace": "W1", "key": {"env": "KEY"}}]}`})
	f.RemoteName = remotes.Local
	list := remoteList{&f.Environment}
	shown := func() string {
		t.Helper()
		all, err := list.List()
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, p := range all {
			b.WriteString(p.Name)
			if p.Current {
				b.WriteString(" here")
			}
			if p.Default {
				b.WriteString(" next")
			}
			b.WriteString("; ")
		}
		return b.String()
	}
	if got := shown(); got != "local here; prod next; " {
		t.Errorf("the remotes are %s", got)
	}
	if err := list.Use(remotes.Local); err != nil {
		t.Fatal(err)
	}
	if got := shown(); got != "local here next; prod; " {
		t.Errorf("the remotes are %s", got)
	}
	if err := list.Use("gone"); err == nil {
		t.Error("a remote that does not exist is used")
	}
}

func TestProblemsInCommandsAreReported(t *testing.T) {
	f := person(t, map[string]string{
		"keys.yaml":     "campaigns.workspace: []\n",
		"commands.yaml": "- {key: m, name: Mine, screen: campaigns, command: 'true'}\n- {key: n, name: Taken, screen: campaigns, command: 'true'}\n",
	})
	own := newPersonal(&f.Environment, true)
	if len(own.commands) != 1 || own.commands[0].Name != "Mine" {
		t.Errorf("the commands are %v", own.commands)
	}
	if len(own.news) != 1 || own.news[0] != "commands.yaml, line 2, Taken: n is the key of campaigns.new; choose another, such as alt+j" {
		t.Errorf("it is told %q", own.news)
	}
}
