package main

import (
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
)

// Every command and topic has its help in the same form: a line, a paragraph, and examples for those that are listed.
func TestHelpOfEveryCommand(t *testing.T) {
	root := newRoot(&factory{getenv: func(string) string { return "" }})
	root.InitDefaultHelpCmd()
	seen := 0
	var walk func(c *cobra.Command, listed bool)
	walk = func(c *cobra.Command, listed bool) {
		seen++
		name := c.CommandPath()
		if len(c.Short) >= 60 || strings.HasSuffix(c.Short, ".") || c.Short == "" || !unicode.IsUpper(rune(c.Short[0])) {
			t.Errorf("%s: the first line is %q", name, c.Short)
		}
		if c.Long == "" || c.Long == c.Short {
			t.Errorf("%s: there is no paragraph", name)
		}
		shell := c.Parent() != nil && c.Parent().Name() == "completion" // cobra's own
		if c.Example == "" && listed && c.Runnable() && !c.HasSubCommands() && !shell && c.Name() != "help" && c.Name() != "list" {
			t.Errorf("%s: there are no examples", name)
		}
		for _, l := range strings.Split(c.Long+"\n"+c.Example, "\n") {
			if len([]rune(l)) > 120 {
				t.Errorf("%s: a line is too wide: %s", name, l)
			}
		}
		for _, sub := range c.Commands() {
			walk(sub, listed && !sub.Hidden)
		}
	}
	walk(root, true)
	if seen < 60 {
		t.Errorf("only %d commands were seen", seen)
	}
}
