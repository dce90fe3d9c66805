package themes

import (
	"fmt"
	"hash/fnv"
	"net/url"
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

// hasLinks reports whether links are written: not to terminals that are known to have trouble with them. Others that have no
// links ignore them. FORCE_HYPERLINK decides, as in other programs.
func hasLinks(getenv func(string) string) bool {
	if v := getenv("FORCE_HYPERLINK"); v != "" {
		return v != "0"
	}
	if getenv("WT_SESSION") != "" { // Windows Terminal, which sets no TERM
		return true
	}
	term := getenv("TERM")
	return term != "" && term != "dumb" && term != "linux" && !strings.HasPrefix(term, "screen") && getenv("TERM_PROGRAM") != "Apple_Terminal"
}
