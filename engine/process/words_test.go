package process

import (
	"runtime"
	"slices"
	"testing"
)

func TestWords(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // words end at spaces there
	}
	for text, want := range map[string][]string{
		"":                     {},
		"vi":                   {"vi"},
		" code  --wait ":       {"code", "--wait"},
		`"/Apps/My Ed/ed" -w`:  {"/Apps/My Ed/ed", "-w"},
		`/Apps/My\ Ed/ed`:      {"/Apps/My Ed/ed"},
		`sh -c 'vi "$1"' --`:   {"sh", "-c", `vi "$1"`, "--"},
		`echo $HOME; rm -rf *`: {"echo", "$HOME;", "rm", "-rf", "*"},
	} {
		if got, err := Words(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{`vi "`, `vi '`, `vi \`} {
		if got, err := Words(text); err == nil {
			t.Errorf("%s: %q", text, got)
		}
	}
}
