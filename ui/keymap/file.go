package keymap

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	yaml "go.yaml.in/yaml/v3"

	"bugle/engine/files"
)

// File is the user's keymap file.
type File struct{ Path string }

// fileHeader begins a new file.
const fileHeader = `# Other keys for bugle: the name of an action and its key, or a list of keys ([] for none), such as
#   campaigns.archive: A
#   app.palette: [ctrl+k, ctrl+p]
# The names are in Settings, under Keys.
`

// Read returns the file's text; the header if there is no file.
func (f File) Read() ([]byte, error) {
	b, err := os.ReadFile(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return []byte(fileHeader), nil
	}
	if err != nil {
		return nil, fmt.Errorf("the keys cannot be read: %w", err)
	}
	return b, nil
}

// Load parses the file; a missing file changes nothing.
func (f File) Load() (Map, []Problem) {
	b, err := f.Read()
	if err != nil {
		return Map{}, []Problem{{Text: err.Error()}}
	}
	return Parse(b)
}

// Write replaces the file.
func (f File) Write(b []byte) error { return files.Save(f.Path, b) }

// Set binds an action to keys, or restores its default if keys is nil, and writes the file; the rest of the
// file, including comments, is kept. It refuses keys that another action uses.
func (f File) Set(name string, keys []string) (Map, error) {
	var m Map
	err := files.Update(f.Path, func(b []byte) ([]byte, error) {
		if b == nil {
			b = []byte(fileHeader)
		}
		after, err := change(b, name, keys)
		if err != nil {
			return nil, err
		}
		_, before := Parse(b)
		var problems []Problem
		if m, problems = Parse(after); len(problems) <= len(before) {
			return after, nil
		}
		at := max(slices.IndexFunc(problems, func(p Problem) bool { return p.Name == name }), 0)
		return nil, errors.New(problems[at].Text)
	})
	return m, err
}

// change returns the file's text with other keys for one action.
func change(b []byte, name string, keys []string) ([]byte, error) {
	if _, err := parseYAML(b); err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(b, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		if keys == nil {
			return b, nil
		}
		return append(slices.Clip(b), yamlLine(name, keys)...), nil
	}
	root := doc.Content[0]
	at := -1
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == name {
			at = i
		}
	}
	switch {
	case keys == nil && at < 0:
		return b, nil
	case keys == nil && len(root.Content) == 2:
		return []byte(fileHeader), nil
	case keys == nil:
		root.Content = slices.Delete(root.Content, at, at+2)
	case at < 0:
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, yamlKeys(keys))
	default:
		root.Content[at].Value, root.Content[at+1] = name, yamlKeys(keys)
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(&doc); err != nil {
		return nil, fmt.Errorf("writing the keys: %w", err)
	}
	return out.Bytes(), nil
}

// yamlKeys returns the keys as YAML: a single key, or a list in brackets.
func yamlKeys(keys []string) *yaml.Node {
	nodes := make([]*yaml.Node, len(keys))
	for i, k := range keys {
		if k == " " {
			k = "space"
		}
		nodes[i] = &yaml.Node{}
		nodes[i].SetString(k)
	}
	if len(nodes) == 1 {
		return nodes[0]
	}
	return &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: nodes}
}

func yamlLine(name string, keys []string) []byte {
	b, _ := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: name}, yamlKeys(keys)}})
	return b
}
