package doc_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"bugle/engine/doc"
)

func mustParse(t testing.TB, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatalf("Parse(%s): %v", s, err)
	}
	return v
}

// What came in goes out: spellings, order, escapes.
func FuzzParseEncode(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `"a\u0041\/é"`, `1.0`, `-0`, `1E+2`, `null`, ` { "b" : [ 1 , 2.50 ] , "a" : { "\u0061b" : true } } `,
		`{"a":1,"a":2}`, "\"\xff\"", `"\ud800"`, `{"x":"\t"}`, "[1,\n2,\n3", strings.Repeat("[", 201),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := doc.Parse(b)
		if err != nil {
			var syn *doc.SyntaxError
			if !errors.As(err, &syn) || syn.Line < 1 || syn.Column < 1 || syn.Msg == "" {
				t.Fatalf("refused without a place: %#v", err)
			}
			if jsontext.Value(b).IsValid() && !syn.TooDeep {
				t.Fatalf("refused what is valid: %v", err)
			}
			return
		}
		var want bytes.Buffer
		if err := json.Compact(&want, b); err != nil {
			t.Fatalf("accepted what encoding/json refuses: %v", err)
		}
		if got := v.Encode(); !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("got  %s\nwant %s", got, want.Bytes())
		}
		if got := rebuilt(v).Encode(); !doc.Equal(mustParse(t, string(got)), v) {
			t.Fatalf("made anew it is %s\nand was %s", got, want.Bytes())
		}
	})
}

// rebuilt is v made of new values.
func rebuilt(v doc.Value) doc.Value {
	switch v.Kind() {
	case doc.String:
		return doc.NewString(v.Text())
	case doc.Array:
		var vs []doc.Value
		for _, e := range v.Elems() {
			vs = append(vs, rebuilt(e))
		}
		return doc.NewArray(vs...)
	case doc.Object:
		var ms []doc.Member
		for i := range v.Len() {
			name, m := v.MemberAt(i)
			ms = append(ms, doc.M(name, rebuilt(m)))
		}
		return doc.NewObject(ms...)
	}
	return v
}

// Every byte that may not stand in a string ends it or is refused, wherever it stands.
func TestStringsByteByByte(t *testing.T) {
	for at := range 20 {
		for c := range 256 {
			text := []byte("\"aaaaaaaaaaaaaaaaaaaa\"")
			text[1+at] = byte(c)
			_, err := doc.Parse(text)
			if valid := jsontext.Value(text).IsValid(); (err == nil) != valid {
				t.Errorf("byte %#x at %d: valid %v, %v", c, at, valid, err)
			}
		}
	}
}

// An edit of a document that came in as it is stored, or laid out for people, keeps what it does
// not touch byte by byte.
func TestEditsKeepTheRest(t *testing.T) {
	compact := string(campaign(t))
	var laidOut bytes.Buffer
	if err := json.Indent(&laidOut, []byte(compact), "", "  "); err != nil {
		t.Fatal(err)
	}
	at := doc.P("campaign_content", "content", "push", "ios", "template_backup", "title")
	for _, in := range []string{compact, laidOut.String()} {
		v, err := mustParse(t, in).Set(at, doc.NewString("Zwölf \"neue\"\n"))
		if err != nil {
			t.Fatal(err)
		}
		old := v.Lookup(at)
		v, err = v.Set(at, mustParse(t, in).Lookup(at))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(v.Encode()); got != strings.TrimSpace(compact) {
			t.Errorf("there and back gives %s", got)
		}
		if old.Text() != "Zwölf \"neue\"\n" || old.Literal() != `"Zwölf \"neue\"\n"` {
			t.Errorf("the text is %q, written %s", old.Text(), old.Literal())
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "line 1, column 1: the document is empty"},
		{"{\n  \"a\": 1,\n  \"a\": 2\n}", `line 3, column 3: the field "a" appears twice in one object`},
		{`{"a":`, "line 1, column 6: the document is cut short"},
		{`{} {}`, "line 1, column 4: there is data"},
		{"[\"é\", x]", "line 1, column 7"},
		{"\"\xff\"", "UTF-8"},
		{strings.Repeat("[", 100_000), "nested deeper than 200 levels"},
	} {
		_, err := doc.Parse([]byte(c.in))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%.40q) = %v, want %q in it", c.in, err, c.want)
		}
	}
	if _, err := doc.Parse([]byte(strings.Repeat("[", 200) + strings.Repeat("]", 200))); err != nil {
		t.Errorf("200 levels are allowed: %v", err)
	}
}

func TestEdits(t *testing.T) {
	v := mustParse(t, `{"a":{"b":[1,2.0,3]},"z":"\u0041"}`)
	before := string(v.Encode())
	set := func(p string, nv doc.Value) string {
		t.Helper()
		path, err := doc.ParsePath(p)
		if err != nil {
			t.Fatal(err)
		}
		out, err := v.Set(path, nv)
		if err != nil {
			return err.Error()
		}
		return string(out.Encode())
	}
	for _, c := range []struct{ name, got, want string }{
		{"replace", set("a.b[0]", doc.NewInt(9)), `{"a":{"b":[9,2.0,3]},"z":"\u0041"}`},
		{"append", set("a.b[3]", doc.NewInt(9)), `{"a":{"b":[1,2.0,3,9]},"z":"\u0041"}`},
		{"make", set("n.m[0].k", doc.NewString("t\tb")), `{"a":{"b":[1,2.0,3]},"z":"\u0041","n":{"m":[{"k":"t\tb"}]}}`},
		{"into a string", set("z.q", doc.NewInt(1)), "cannot set q: there is a string where an object belongs"},
		{"past the end", set("a.b[7]", doc.NewInt(1)), "cannot set [7]: the array has 3 elements"},
		{"delete", string(v.Delete(doc.P("a", "b", 1)).Encode()), `{"a":{"b":[1,3]},"z":"\u0041"}`},
		{"delete nothing", string(v.Delete(doc.P("a", "q", 1)).Encode()), before},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, c.got, c.want)
		}
	}
	if got := string(v.Encode()); got != before {
		t.Errorf("an edit changed the tree it started from: %s", got)
	}
	moved, err := v.Move(doc.P("a", "b", 0), 2)
	if err != nil || string(moved.Encode()) != `{"a":{"b":[2.0,3,1]},"z":"\u0041"}` {
		t.Errorf("Move: %s, %v", moved.Encode(), err)
	}
	ins, err := v.Insert(doc.P("new", 0), doc.NewBool(true))
	if err != nil || string(ins.Encode()) != `{"a":{"b":[1,2.0,3]},"z":"\u0041","new":[true]}` {
		t.Errorf("Insert: %s, %v", ins.Encode(), err)
	}
	ren, err := v.Rename(doc.P("a"), "z.z")
	if err != nil || string(ren.Encode()) != `{"z.z":{"b":[1,2.0,3]},"z":"\u0041"}` {
		t.Errorf("Rename: %s, %v", ren.Encode(), err)
	}
	if _, err := v.Rename(doc.P("a"), "z"); err == nil {
		t.Error("Rename onto another member was allowed")
	}
}

func FuzzPath(f *testing.F) {
	for _, s := range []string{"a.b[0].c", `["x.y"]`, `a["\n"]`, "[3]", "a..b", "a[", "a[-1]", ".a", `["a`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := doc.ParsePath(s)
		if err != nil {
			return
		}
		again, err := doc.ParsePath(p.String())
		if err != nil || !again.Equal(p) {
			t.Fatalf("%q -> %q -> %v, %v", s, p.String(), again, err)
		}
	})
}

func TestIntegers(t *testing.T) {
	for in, want := range map[string]bool{
		"5": true, "1.0": true, "1e2": true, "1.5": false, "9223372036854775808": false, "1e999999999": false, `"5"`: false, "10e-1": true,
	} {
		if _, ok := mustParse(t, in).Int(); ok != want {
			t.Errorf("Int(%s) = %v, want %v", in, ok, want)
		}
	}
}

func TestDiff(t *testing.T) {
	a := mustParse(t, `{"a":1,"b":{"c":[1,2]},"d":"x"}`)
	b := mustParse(t, `{"a":1.0,"b":{"c":[1,3,4]},"e":null}`)
	var got []string
	for _, c := range doc.Diff(a, b) {
		got = append(got, c.Path.String()+":"+string(c.Before.Encode())+">"+string(c.After.Encode()))
	}
	want := "a:1>1.0 b.c[1]:2>3 b.c[2]:>4 d:\"x\"> e:>null"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

// Wide objects are found in as small ones are, after every kind of edit.
func TestWideObjects(t *testing.T) {
	var ms []doc.Member
	for i := range 100 {
		ms = append(ms, doc.M(fmt.Sprintf("m%d", i), doc.NewInt(int64(i))))
	}
	v := doc.NewObject(append(ms, doc.M("m7", doc.NewInt(-7)))...)
	v, err := mustParse(t, string(v.Encode())).Set(doc.P("new"), doc.NewBool(true))
	if err != nil {
		t.Fatal(err)
	}
	v = v.Delete(doc.P("m0"))
	v, err = v.Rename(doc.P("m1"), "renamed")
	if err != nil {
		t.Fatal(err)
	}
	if v.Len() != 100 || v.Get("m0").Exists() || v.Get("m1").Exists() {
		t.Errorf("%d members, m0 %v, m1 %v", v.Len(), v.Get("m0").Exists(), v.Get("m1").Exists())
	}
	for name, want := range map[string]string{"renamed": "1", "m7": "-7", "m99": "99", "new": "true"} {
		if got := string(v.Get(name).Encode()); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestParseAtMost(t *testing.T) {
	for _, tt := range []struct {
		text   string
		values int
	}{{`1`, 1}, {`[]`, 1}, {`[1,"a",null]`, 4}, {`{"a":{"b":[true]}}`, 4}} {
		if v, err := doc.ParseAtMost([]byte(tt.text), tt.values); err != nil || string(v.Encode()) != tt.text {
			t.Errorf("%s, %d values: %v", tt.text, tt.values, err)
		}
		if _, err := doc.ParseAtMost([]byte(tt.text), tt.values-1); !errors.Is(err, doc.ErrTooMany) {
			t.Errorf("%s, %d values: %v", tt.text, tt.values-1, err)
		}
	}
	var wrong *doc.SyntaxError
	if _, err := doc.ParseAtMost([]byte(`[1,,2]`), 9); !errors.As(err, &wrong) {
		t.Errorf("no JSON: %v", err)
	}
}
