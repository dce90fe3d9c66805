package yamldoc

import (
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v3"

	"bugle/engine/doc"
)

// Places are the places of the values in a YAML text.
type Places struct {
	lines []string
	root  *yaml.Node // nil if there is no document
}

// NewPlaces returns the places of the values in a text that [Parse] accepts.
func NewPlaces(src []byte) *Places {
	n, _ := root(src) // the text was read before
	return &Places{lines: strings.Split(string(src), "\n"), root: n}
}

// Position returns the line and the column (both from 1, in characters) of the value at p: of a field's name, or of an
// element. If there is no such value, it returns the position of the innermost existing value on the path.
func (l *Places) Position(p doc.Path) (line, column int) {
	at, _ := l.find(p)
	if at == nil {
		return 1, 1
	}
	return at.Line, at.Column
}

// TextPosition returns the position of a byte of the text of the string at p. In a literal block that is the position of
// the character itself; other styles can spell a text in many ways, so there it is the position of the value.
func (l *Places) TextPosition(p doc.Path, offset int) (line, column int) {
	at, v := l.find(p)
	if v == nil || v.Style&yaml.LiteralStyle == 0 {
		return l.Position(p)
	}
	line, column = doc.LineColumn(v.Value, offset)
	if line+v.Line > len(l.lines) {
		return at.Line, at.Column
	}
	// The text is indented by what the line has more than the text itself.
	text, all := strings.Split(v.Value, "\n")[line-1], l.lines[line+v.Line-1]
	return line + v.Line, column + max(0, utf8.RuneCountInString(strings.TrimSuffix(all, "\r"))-utf8.RuneCountInString(strings.TrimSuffix(text, "\r")))
}

// find returns the node that names the value at p, and the value; without such a value, the innermost one on the path
// and nil.
func (l *Places) find(p doc.Path) (at, v *yaml.Node) {
	at, v = l.root, l.root
	for _, s := range p {
		if v == nil {
			break
		}
		var name *yaml.Node
		if name, v = child(v, s); v != nil {
			at = name
		}
	}
	return at, v
}

// child returns the node of a name and that of its value; of an element both are the same.
func child(n *yaml.Node, s doc.Step) (name, v *yaml.Node) {
	switch {
	case s.IsIndex && n.Kind == yaml.SequenceNode && s.Index < len(n.Content):
		return n.Content[s.Index], n.Content[s.Index]
	case !s.IsIndex && n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == s.Name {
				return n.Content[i], n.Content[i+1]
			}
		}
	}
	return nil, nil
}
