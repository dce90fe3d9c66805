package filters

import (
	"slices"
	"strings"

	"bugle/engine/audience"
	"bugle/engine/catalog"
)

// matching gives the names that fit what is typed, the best first: as they begin, as a word of theirs
// begins, as they hold it.
func matching(names []string, text string) []string {
	text = strings.ToLower(strings.TrimSpace(text))
	var ranks [3][]string
	for _, n := range names {
		low := strings.ToLower(n)
		switch i := strings.Index(low, text); {
		case i < 0:
		case i == 0:
			ranks[0] = append(ranks[0], n)
		case strings.ContainsAny(low[i-1:i], " -_.("):
			ranks[1] = append(ranks[1], n)
		default:
			ranks[2] = append(ranks[2], n)
		}
	}
	return slices.Concat(ranks[0], ranks[1], ranks[2])
}

// dataTypeOf says in a word of what type the workspace's attribute of that name is.
func (t *Tree) dataTypeOf(name string) string {
	word := map[string]string{"double": "number", "datetime": "date", "bool": "yes or no"}
	if t.node().Kind != audience.Attribute {
		return ""
	}
	for _, a := range t.cfg.Workspace.Attributes {
		if a.Name == name {
			if w, ok := word[a.DataType]; ok {
				return w
			}
			if len(catalog.Operators(a.DataType)) > 0 {
				return "text"
			}
		}
	}
	return ""
}
