package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"bugle/engine/doc"
)

// condWords are what conditions of the fuzz test are made of: names, and values, of which some are names.
var condWords = []string{"a", "b", "a.b", "../a", "../../b", "/a", "/b.a", "/", "", "..", "../", "/../a", "x", "y", "a b"}

// condOf reads a condition from bytes, at most so deep.
func condOf(b *[]byte, depth int) Cond {
	take := func() int {
		if len(*b) == 0 {
			return 0
		}
		n := int((*b)[0])
		*b = (*b)[1:]
		return n
	}
	word := func() string { return condWords[take()%len(condWords)] }
	kind := take() % 8
	if depth == 0 {
		kind %= 5
	}
	switch kind {
	case 0:
		c := Is{Path: word()}
		for range take() % 3 {
			c.Values = append(c.Values, word())
		}
		return c
	case 1:
		return On{word()}
	case 2:
		return Has{word()}
	case 3:
		return Holds{word(), word()}
	case 4:
		return Flag{word()}
	case 5:
		return Not{condOf(b, depth-1)}
	}
	var cs []Cond
	for range take() % 4 {
		cs = append(cs, condOf(b, depth-1))
	}
	if kind == 6 {
		return All(cs)
	}
	return AnyOf(cs)
}

// Each condition, asked anywhere in any document, comes out as a naive one does that reads the JSON over
// again; asking twice says the same.
func FuzzConditions(f *testing.F) {
	for _, d := range []string{`{}`, `{"a":"x","b":{"a":true,"b":["x","y"]}}`, `{"a":{"a":{"b":"x","a":[]},"b":""}}`, `[]`, `{"a":null,"b":false}`, `{"a":["a",1,{"b":"y"}]}`} {
		for _, c := range [][]byte{{0, 0, 1, 12}, {1, 3}, {2, 5}, {3, 1, 13}, {4, 0}, {5, 6, 2, 0, 5, 2, 12, 13, 1, 6}, {7, 3, 0, 3, 1, 13, 5, 4, 1, 2, 8}, {6, 0}, {7, 0}} {
			f.Add(c, []byte(d), "a.b", true)
		}
	}
	f.Fuzz(func(t *testing.T, cond, document []byte, at string, flags bool) {
		root, err := doc.Parse(document)
		if err != nil || len(at) > 20 {
			return
		}
		c := condOf(&cond, 3)
		env := Env{}
		if flags {
			env.Flags = map[string]bool{"a": true, "b": false}
		}
		var tree any
		plain := json.NewDecoder(bytes.NewReader(document))
		plain.UseNumber()
		if err := plain.Decode(&tree); err != nil {
			t.Fatal(err)
		}
		sc, around := &scope{obj: root, root: root}, []any{tree}
		if at != "" {
			for name := range strings.SplitSeq(at, ".") {
				sc = &scope{obj: sc.obj.Get(name), up: sc, root: root}
				around = append(around, naiveMember(around[len(around)-1], name))
			}
		}
		got := sc.eval(c, &env)
		if want := naiveTruth(c, around, env.Flags); got != want {
			t.Fatalf("%#v at %q of %s is %d, and the naive says %d", c, at, document, got, want)
		}
		if again := prepare(c).ask(sc, &env); again != got {
			t.Fatalf("%#v is %d, and then %d", c, got, again)
		}
	})
}

func naiveMember(v any, name string) any {
	m, _ := v.(map[string]any)
	if e, there := m[name]; there && e != nil {
		return e
	} else if there {
		return json.RawMessage("null") // there, and nothing
	}
	return nil
}

// naiveTruth asks a condition in the last of the objects around, the root first.
func naiveTruth(c Cond, around []any, flags map[string]bool) Truth {
	find := func(path string) (v any, unseen bool) {
		rooted := strings.HasPrefix(path, "/")
		path = strings.TrimPrefix(path, "/")
		up := 0
		for strings.HasPrefix(path, "../") {
			up, path = up+1, path[3:]
		}
		switch {
		case rooted:
			v = around[0]
		case up < len(around):
			v = around[len(around)-1-up]
		}
		for name := range strings.SplitSeq(path, ".") {
			v = naiveMember(v, name)
		}
		return v, rooted && v == nil
	}
	yes := func(b bool) Truth {
		if b {
			return True
		}
		return False
	}
	switch c := c.(type) {
	case Is:
		v, unseen := find(c.Path)
		if unseen {
			return Unknown
		}
		s, ok := v.(string)
		return yes(ok && slices.Contains(c.Values, s))
	case On:
		v, unseen := find(c.Path)
		if unseen {
			return Unknown
		}
		return yes(v == true)
	case Has:
		v, _ := find(c.Path)
		switch v := v.(type) {
		case nil, json.RawMessage:
			return False
		case string:
			return yes(v != "")
		case []any:
			return yes(len(v) > 0)
		case map[string]any:
			return yes(len(v) > 0)
		}
		return True
	case Holds:
		v, unseen := find(c.Path)
		if unseen {
			return Unknown
		}
		list, _ := v.([]any)
		return yes(slices.Contains(list, any(c.Value)))
	case Flag:
		if flags == nil {
			return Unknown
		}
		return yes(flags[c.Name])
	case Not:
		return map[Truth]Truth{True: False, False: True, Unknown: Unknown}[naiveTruth(c.C, around, flags)]
	case All:
		out := map[Truth]bool{}
		for _, e := range c {
			out[naiveTruth(e, around, flags)] = true
		}
		switch {
		case out[False]:
			return False
		case out[Unknown]:
			return Unknown
		}
		return True
	case AnyOf:
		out := map[Truth]bool{}
		for _, e := range c {
			out[naiveTruth(e, around, flags)] = true
		}
		switch {
		case out[True]:
			return True
		case out[Unknown]:
			return Unknown
		}
		return False
	}
	return Unknown
}
