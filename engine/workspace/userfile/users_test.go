package userfile_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/workspace/userfile"
)

var known = []engine.Attribute{{Name: "Orders", DataType: "double"}, {Name: "Vip", DataType: "bool"}, {Name: "Seen", DataType: "datetime"}}

// read returns a file's profiles as JSON, and "line N: …" for each line that is wrong.
func read(text string, format userfile.Format) []string {
	var out []string
	for row, err := range userfile.Read(strings.NewReader(text), format, known) {
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		b, err := json.Marshal(row.User)
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		keep := ""
		if row.KeepOptedOut {
			keep = " keep"
		}
		out = append(out, fmt.Sprintf("%d%s %s", row.Line, keep, b))
	}
	return out
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		format userfile.Format
		text   string
		want   []string
	}{
		"columns": {
			userfile.CSV, "id,First Name,Orders,Vip,opted_out,android_token,android_advertising_id,WEB_Token\nU1,\"Ann, the first\",1.0,yes,false,t1,g1,\nU2,,,,true,,,w2\n",
			[]string{
				`2 {"id":"U1","attributes":{"First Name":"Ann, the first","Orders":1.0,"Vip":true},"devices":[{"platform":"ANDROID","token":"t1","advertising_id":"g1"}]}`,
				`3 {"id":"U2","attributes":null,"devices":[{"platform":"WEB","token":"w2"}],"opted_out":true}`,
			},
		},
		"a spreadsheet's file": {
			userfile.CSV, "\ufeffID;City\r\nU1;Köln\r\n\"U\n2\";Bonn\r\nU3;\r\n",
			[]string{`2 keep {"id":"U1","attributes":{"City":"Köln"}}`, `3 keep {"id":"U\n2","attributes":{"City":"Bonn"}}`, `5 keep {"id":"U3","attributes":null}`},
		},
		"tabs": {userfile.CSV, "id\tCity\nU1\tBonn, Rhein\n", []string{`2 keep {"id":"U1","attributes":{"City":"Bonn, Rhein"}}`}},
		"wrong lines do not hide the others": {
			userfile.CSV, "id,Orders,Vip,android_advertising_id\nU1,many,,\nU2,0x10,,\nU3\n,1,,\nU4,1,perhaps,\nU5,1,,g\nU6,7,,\n",
			[]string{
				`line 2: Orders: "many" is not a number`, `line 3: Orders: "0x10" is not a number`, "line 4: it has 1 cells, but there are 4 columns",
				"line 5: a user must have an id", `line 6: Vip: "perhaps" must be true or false`, "line 7: a device must have a platform and a token",
				`8 keep {"id":"U6","attributes":{"Orders":7}}`,
			},
		},
		"a quote that never ends": {userfile.CSV, "id,City\nU1,\"Bonn\nU2,Köln\n", []string{`line 2: extraneous or missing " in quoted-field`}},
		"no id":                   {userfile.CSV, "name,City\nU1,Bonn\n", []string{"line 1: there is no column id; the columns are name, City"}},
		"twice":                   {userfile.CSV, "id,City,City\nU1,a,b\n", []string{`line 1: there are two columns "City"`}},
		"no name":                 {userfile.CSV, "id,\nU1,a\n", []string{"line 1: column 2 has no name"}},
		"empty":                   {userfile.CSV, "", []string{"line 1: the file is empty; its first line names the columns, one of them id"}},
		"lines": {
			userfile.JSONLines, "\ufeff{\"id\":\"U1\",\"attributes\":{\"n\":1.0}}\n\n{\"id\":\"U2\",\"opted_out\":false,\"events\":[{\"name\":\"Bought\",\"at\":\"2026-11-01T00:00:00Z\"}]}",
			[]string{`1 keep {"id":"U1","attributes":{"n":1.0}}`, `3 {"id":"U2","attributes":null,"events":[{"name":"Bought","at":"2026-11-01T00:00:00Z"}]}`},
		},
		"wrong JSON lines": {
			userfile.JSONLines, "{\"id\":\"U1\"\n{\"ident\":\"U1\"}\n{\"id\":\"U1\"} {\"id\":\"U2\"}\n[]\n{\"id\":7}\n{\"id\":\"U3\",\"events\":[{}]}\n{\"id\":\"U4\"}\n",
			[]string{
				"line 1: not a user: unexpected EOF", `line 2: not a user: unknown field "ident"`, "line 3: not a user: there is more than one user in it",
				"line 4: not a user: must be an object, not array", "line 5: not a user: id cannot be number", "line 6: an event must have a name", `7 keep {"id":"U4","attributes":null}`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(c.text, c.format)
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestDetect(t *testing.T) {
	for name, want := range map[string]userfile.Format{
		"users.CSV|{": userfile.CSV, "users.ndjson|id": userfile.JSONLines, "-| \n{\"id\":1}": userfile.JSONLines, "-|id,name": userfile.CSV, "-|\ufeff{": userfile.JSONLines,
	} {
		file, content, _ := strings.Cut(name, "|")
		if got := userfile.Detect(file, bufio.NewReader(strings.NewReader(content))); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	text.WriteString("id,First Name,Email (Standard),Orders,android_token\n")
	for i := range 10000 {
		fmt.Fprintf(&text, "USER_%07d,Ann %d,ann%d@example.com,%d,token-%d\n", i, i, i, i%90, i)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range userfile.Read(strings.NewReader(text.String()), userfile.CSV, known) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// A line without end is refused before it takes the memory, however it begins; many lines are read.
func TestALineWithoutEnd(t *testing.T) {
	for name, head := range map[string]string{"a quote": "id,Name\nU1,\"", "a cell": "id,Name\nU1,", "the names": "id,\"", "an object": `{"id":"`} {
		format := userfile.CSV
		if name == "an object" {
			format = userfile.JSONLines
		}
		in := &endless{head: head}
		var last error
		for _, err := range userfile.Read(in, format, known) {
			last = err
		}
		var line *userfile.LineError
		if !errors.As(last, &line) || !line.Fatal || !strings.Contains(last.Error(), "longer than 4 MiB") || in.n > 16<<20 {
			t.Errorf("%s: %v after %d bytes", name, last, in.n)
		}
	}
	text := "id,Name\n" + strings.Repeat("U1,"+strings.Repeat("x", 1000)+"\n", 9000)
	if rows := read(text, userfile.CSV); len(rows) != 9000 || strings.HasPrefix(rows[8999], "line") {
		t.Errorf("%d rows, the last %.100s", len(rows), rows[len(rows)-1])
	}
}

// endless is a file that never ends.
type endless struct {
	head string
	n    int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.head)
	e.head = e.head[n:]
	for i := n; i < len(p); i++ {
		p[i] = 'x'
	}
	e.n += len(p)
	return len(p), nil
}
