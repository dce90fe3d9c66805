package doc_test

import (
	"fmt"
	"strings"
	"testing"

	"bugle/engine/doc"
)

// What the size and depth of a value say is what encoding and reading it would tell.
func TestSizeAndDepth(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`{"a":[`, n/2) + strings.Repeat("]}", n/2) }
	for _, text := range []string{
		`null`, `1e2`, `"\u0041é"`, `[]`, `{}`, ` [ 1 , [ ] , {"a" : { "b":[ 2 ] } } ] `, `{"\u0061\"":1,"é":"\n"}`, nested(doc.MaxDepth), nested(doc.MaxDepth - 2),
	} {
		v, err := doc.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		edited := v
		if v.Kind() == doc.Object {
			if edited, err = v.Set(doc.P("new \"field\" \xff"), doc.NewArray(v, doc.NewInt(7))); err != nil {
				t.Fatal(err)
			}
		}
		for _, v := range []doc.Value{v, edited} {
			b := v.Encode()
			if v.Size() != len(b) {
				t.Errorf("%s has %d bytes, not %d", b, len(b), v.Size())
			}
			if _, err := doc.Parse(b); (err == nil) != (v.Depth() <= doc.MaxDepth) {
				t.Errorf("a depth of %d: %v", v.Depth(), err)
			}
		}
	}
	if (doc.Value{}).Size() != 0 || (doc.Value{}).Depth() != 0 {
		t.Error(fmt.Sprint("absent: ", (doc.Value{}).Size(), (doc.Value{}).Depth()))
	}
}
