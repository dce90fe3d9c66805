// Package yamldoc writes campaign documents as YAML and reads them back without loss: the order of fields, the spelling
// of numbers, and strings. It supports the part of YAML that JSON can express, and refuses what is ambiguous.
package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"bugle/engine/doc"
)

// Encode returns the value as YAML. Strings of several lines are blocks if possible.
func Encode(v doc.Value) ([]byte, error) {
	b, err := encode(v, true)
	if err != nil || reads(b, v) {
		return b, err
	}
	// A block cannot represent every text, such as one that begins with a tab; a quoted string can.
	if b, err = encode(v, false); err == nil && !reads(b, v) {
		err = errors.New("the document cannot be written as YAML")
	}
	return b, err
}

func encode(v doc.Value, blocks bool) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(node(v, blocks)); err != nil {
		return nil, fmt.Errorf("writing YAML: %w", err)
	}
	if err := enc.Close(); err != nil {
		return nil, fmt.Errorf("writing YAML: %w", err)
	}
	return b.Bytes(), nil
}

func reads(b []byte, v doc.Value) bool {
	back, err := Parse(b)
	return err == nil && Same(back, v)
}

func node(v doc.Value, blocks bool) *yaml.Node {
	switch v.Kind() {
	case doc.Object:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for name, m := range v.Members() {
			n.Content = append(n.Content, text(name, false), node(m, blocks))
		}
		return n
	case doc.Array:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, e := range v.Elems() {
			n.Content = append(n.Content, node(e, blocks))
		}
		return n
	case doc.String:
		return text(v.Text(), blocks)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: v.Literal()}
}

// oldBooleans are strings that YAML 1.1 reads as true or false.
var oldBooleans = []string{"y", "n", "yes", "no", "on", "off"}

func text(s string, blocks bool) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	_, number := doc.NewNumber(s)
	switch {
	case strings.Contains(s, "\n"):
		n.Style = yaml.DoubleQuotedStyle
		if blocks {
			n.Style = yaml.LiteralStyle
		}
	case number, s == "<<", slices.Contains(oldBooleans, strings.ToLower(s)):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// Same reports whether two values are equal: numbers with the same spelling, strings with any, and fields in any
// order.
func Same(a, b doc.Value) bool { return len(Changes(a, b)) == 0 }

// Changes returns the changes from a to b, as [doc.Diff] does, except strings that are only spelled differently, since YAML
// has no \u0041, or whose lines only end differently, which git and editors change.
func Changes(a, b doc.Value) []doc.Change {
	return slices.DeleteFunc(doc.Diff(a, b), func(c doc.Change) bool {
		return c.Before.Kind() == doc.String && c.After.Kind() == doc.String && doc.UnixLines(c.Before.Text()) == doc.UnixLines(c.After.Text())
	})
}

// Respell returns b with the spelling of a where both are equal: a text that went through YAML is not a change. Lines end
// as in a.
func Respell(a, b doc.Value) doc.Value {
	switch {
	case Same(a, b):
		return a
	case a.Kind() == doc.Object && b.Kind() == doc.Object:
		var ms []doc.Member
		for name, m := range b.Members() {
			ms = append(ms, doc.M(name, Respell(a.Get(name), m)))
		}
		return doc.NewObject(ms...)
	case a.Kind() == doc.Array && b.Kind() == doc.Array:
		var elems []doc.Value
		for i, e := range b.Elems() {
			elems = append(elems, Respell(a.At(i), e))
		}
		return doc.NewArray(elems...)
	case a.Kind() == doc.String && b.Kind() == doc.String:
		if text := doc.LinesLike(a.Text(), b.Text()); text != b.Text() {
			return doc.NewString(text)
		}
	}
	return b
}

// Parse reads the one document of a YAML text, which may have empty ones beside it. What is wrong at a known line is a
// *[doc.SyntaxError].
func Parse(b []byte) (doc.Value, error) {
	n, err := root(b)
	if err != nil {
		return doc.Value{}, err
	}
	return value(n, 0)
}

// root returns the root of the one document that is not empty.
func root(b []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(b))
	var found []*yaml.Node
	for {
		var n yaml.Node
		err := dec.Decode(&n)
		switch {
		case errors.Is(err, io.EOF) && len(found) == 1:
			return found[0], nil
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("expected one document, found %d", len(found))
		case err != nil:
			return nil, syntaxError(err)
		case len(n.Content) > 0 && !blank(n.Content[0]):
			found = append(found, n.Content[0])
		}
	}
}

// lineFirst matches how the library begins an error at a known line.
var lineFirst = regexp.MustCompile(`^line (\d+): `)

// syntaxError returns an error of the library as ours.
func syntaxError(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := lineFirst.FindStringSubmatch(text); m != nil {
		if line, err := strconv.Atoi(m[1]); err == nil {
			return &doc.SyntaxError{Line: line, Msg: strings.TrimPrefix(text, m[0])}
		}
	}
	return errors.New(text)
}

// blank reports whether a node is empty.
func blank(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == ""
}

func wrong(n *yaml.Node, format string, args ...any) error {
	return &doc.SyntaxError{Line: n.Line, Column: n.Column, Msg: fmt.Sprintf(format, args...)}
}

func value(n *yaml.Node, depth int) (doc.Value, error) {
	switch {
	case depth > doc.MaxDepth:
		return doc.Value{}, wrong(n, "nested deeper than %d levels", doc.MaxDepth)
	case n.Kind == yaml.AliasNode:
		return doc.Value{}, wrong(n, "aliases such as *%s are not supported; repeat the value instead", n.Value)
	case n.Style&yaml.TaggedStyle != 0:
		return doc.Value{}, wrong(n, "tags such as %s are not supported", n.Tag)
	case n.Kind == yaml.MappingNode:
		return object(n, depth)
	case n.Kind == yaml.SequenceNode:
		elems := make([]doc.Value, len(n.Content))
		for i, c := range n.Content {
			var err error
			if elems[i], err = value(c, depth+1); err != nil {
				return doc.Value{}, err
			}
		}
		return doc.NewArray(elems...), nil
	}
	return scalar(n)
}

func object(n *yaml.Node, depth int) (doc.Value, error) {
	seen := map[string]bool{}
	ms := make([]doc.Member, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		switch {
		case name.Kind != yaml.ScalarNode:
			return doc.Value{}, wrong(name, "a field name must be a string")
		case name.Tag == "!!merge":
			return doc.Value{}, wrong(name, "merging with << is not supported; repeat the fields instead")
		case name.Style&yaml.TaggedStyle != 0:
			return doc.Value{}, wrong(name, "tags such as %s are not supported", name.Tag)
		case seen[name.Value]:
			return doc.Value{}, wrong(name, "field %q appears twice", name.Value)
		}
		seen[name.Value] = true
		v, err := value(n.Content[i+1], depth+1)
		if err != nil {
			return doc.Value{}, err
		}
		ms = append(ms, doc.M(name.Value, v))
	}
	return doc.NewObject(ms...), nil
}

// scalar reads a plain scalar as a number if it is one in JSON, and refuses a scalar that is only a number in YAML: 010
// is eight for some readers, and ten for others.
func scalar(n *yaml.Node) (doc.Value, error) {
	if n.Style != 0 {
		return doc.NewString(n.Value), nil
	}
	if v, ok := doc.NewNumber(n.Value); ok {
		return v, nil
	}
	switch n.Tag {
	case "!!null":
		return doc.NullValue(), nil
	case "!!bool":
		return doc.NewBool(strings.EqualFold(n.Value, "true")), nil
	case "!!int", "!!float":
		return doc.Value{}, wrong(n, "%s is ambiguous; write it as a JSON number such as 10 or 0.5, or in quotes", n.Value)
	}
	return doc.NewString(n.Value), nil
}
