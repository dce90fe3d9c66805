package themes

import (
	"fmt"
	"hash/fnv"
	"net/url"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Link returns a part of a line, with its styles, as a link to an http or https address, in terminals that have links
// (OSC 8, https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda). Parts of one address on several lines
// are one link. In other terminals, and in themes that are not for a terminal, it returns the part.
func (t *Theme) Link(address, part string) string {
	u, err := url.Parse(address)
	if !t.links || err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return part
	}
	sum := fnv.New64a()
	sum.Write([]byte(address))
	return ansi.SetHyperlink(u.String(), fmt.Sprintf("id=%x", sum.Sum64())) + part + ansi.ResetHyperlink()
}

// hasLinks reports whether the terminal has links, as far as its environment tells: terminals cannot be asked.
func hasLinks(getenv func(string) string) bool {
	if v := getenv("FORCE_HYPERLINK"); v != "" { // as other programs take it
		return v != "0"
	}
	atLeast := func(version string, want ...int) bool {
		for i, part := range strings.SplitN(version, ".", len(want)+1) {
			if i == len(want) {
				break
			}
			n, err := strconv.Atoi(strings.TrimRight(part, "abcdefghijklmnopqrstuvwxyz")) // 3.4a of tmux
			if err != nil || n < want[i] {
				return false
			}
			if n > want[i] {
				return true
			}
		}
		return version != ""
	}
	switch getenv("TERM_PROGRAM") {
	case "tmux":
		return atLeast(getenv("TERM_PROGRAM_VERSION"), 3, 4)
	case "iTerm.app":
		return atLeast(getenv("TERM_PROGRAM_VERSION"), 3, 1)
	case "WezTerm", "vscode", "ghostty", "Hyper", "zed", "rio":
		return true
	}
	switch term := getenv("TERM"); {
	case strings.HasPrefix(term, "screen"), strings.HasPrefix(term, "tmux"):
		return false // what is behind it is not known
	case term == "xterm-kitty", term == "xterm-ghostty", term == "alacritty", strings.HasPrefix(term, "foot"):
		return true
	}
	vte, _ := strconv.Atoi(getenv("VTE_VERSION"))
	return vte > 5000 || getenv("WT_SESSION") != "" || getenv("KONSOLE_VERSION") != "" || getenv("DOMTERM") != ""
}
