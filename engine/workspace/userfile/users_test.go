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

var known = engine.Workspace{
	Attributes: []engine.Attribute{{Name: "Phone", DataType: "string"}, {Name: "Orders", DataType: "double"}, {Name: "Vip", DataType: "bool"}, {Name: "Seen", DataType: "datetime"}},
	Events:     []engine.EventType{{Name: "Bought", Attributes: []engine.Attribute{{Name: "due", DataType: "datetime"}}}},
}

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
				`line 2: Orders: "many" is not a number`, `line 3: Orders: "0x10" is not a number`, "line 4: it has 1 cell, but there are 4 columns",
				"line 5: a user must have an id", `line 6: Vip: "perhaps" must be true or false`, "line 7: a device must have a platform and a token",
				`8 keep {"id":"U6","attributes":{"Orders":7}}`,
			},
		},
		"a quote that never ends": {userfile.CSV, "id,City\nU1,\"Bonn\nU2,Köln\n", []string{`line 2: a quote is not closed, or stands within a cell; write the cell in quotes, and each quote in it twice`}},
		"no id":                   {userfile.CSV, "name,City\nU1,Bonn\n", []string{"line 1: there is no column id; the columns are name, City"}},
		"twice":                   {userfile.CSV, "id,City,City\nU1,a,b\n", []string{`line 1: there are two columns "City"`}},
		"no name":                 {userfile.CSV, "id,,City\nU1,a,\n", []string{"line 1: column 2 has no name"}},
		"empty":                   {userfile.CSV, "", []string{"line 1: the file is empty; its first line names the columns, one of them id"}},
		"line ends of old Macs":   {userfile.CSV, "id,City\rU1,Bonn\rU2,\"Kö\rln\"\r", []string{`2 keep {"id":"U1","attributes":{"City":"Bonn"}}`, `3 keep {"id":"U2","attributes":{"City":"Kö\nln"}}`}},
		"a line sep=, empty columns and lines": {
			userfile.CSV, "sep=;\r\nid;City;;\r\nU1;\"Bonn, Rhein\";;\r\n;;;\r\nU2;Ulm;x;\r\nU3;Ulm;;;;\r\n",
			[]string{`3 keep {"id":"U1","attributes":{"City":"Bonn, Rhein"}}`, "line 5: it has 3 cells, but there are 2 columns", `6 keep {"id":"U3","attributes":{"City":"Ulm"}}`},
		},
		"UTF-16":                        {userfile.CSV, "\xFE\xFF\x00i\x00d\x00\n\x00U\x20\xAC\x00\n", []string{`2 keep {"id":"U€","attributes":null}`}},
		"UTF-16 without a mark":         {userfile.CSV, "i\x00d\x00\n\x00U\x001\x00\n\x00", []string{"line 1: it is not UTF-8 text; save the file as UTF-8"}},
		"half a UTF-16 letter":          {userfile.CSV, "\xFE\xFF\x00i\x00d\x00\n\x00U\x00\n\xD8\x3C\x00\n", []string{`2 keep {"id":"U","attributes":null}`, "line 3: it is not UTF-8 text; save the file as UTF-8"}},
		"Windows-1252":                  {userfile.CSV, "id,City\nU1,K\xF6ln\nU2,Ulm\n", []string{"line 2: it is not UTF-8 text; save the file as UTF-8", `3 keep {"id":"U2","attributes":{"City":"Ulm"}}`}},
		"a header alone":                {userfile.CSV, "id, City,\n\n,,\n", []string{"line 1: no user comes after this line, which was read as the names of the columns: id, City"}},
		"a line sep= alone":             {userfile.CSV, "sep=;", []string{"line 2: there are no columns; the first line names them, one of them id"}},
		"no JSON lines":                 {userfile.JSONLines, "\n \n", []string{"line 3: the file has no users; each line is one, as a JSON object"}},
		"blanks around cells":           {userfile.CSV, "id , Email (Standard) ,\u200bCity\n U1\u00a0,\ufeffa@example.com\t, Bad Ems \n", []string{`2 keep {"id":"U1","attributes":{"City":"Bad Ems","Email (Standard)":"a@example.com"}}`}},
		"blanks in an address":          {userfile.CSV, "id,Email (Standard)\nU1,a@exam\u200bple.com\nU2,a b@example.com\n", []string{`line 2: the address "a@exam\u200bple.com" has a blank or an invisible character; remove it`, `line 3: the address "a b@example.com" has a blank or an invisible character; remove it`}},
		"emoji and other signs":         {userfile.CSV, "id,City\nU1,❤\ufe0f\nU2,\u200f🏴\U000E0067\U000E0062\U000E007F \n\u200fU3,\n", []string{"2 keep {\"id\":\"U1\",\"attributes\":{\"City\":\"❤\ufe0f\"}}", "3 keep {\"id\":\"U2\",\"attributes\":{\"City\":\"\u200f🏴\U000E0067\U000E0062\U000E007F\"}}", `line 4: the id "\u200fU3" has an invisible character; remove it`}},
		"blanks in JSON":                {userfile.JSONLines, `{"id":"U1 "}`, []string{`line 1: the id "U1 " has blanks or invisible characters around it; remove them`}},
		"a name that is nearly known":   {userfile.CSV, "id,orders\nU1,7\n", []string{`line 1: the column "orders" has no attribute in this workspace; rename it to "Orders" if that is meant, or add the attribute to the workspace first`}},
		"a column that is nearly known": {userfile.CSV, "id,opted out\nU1,yes\n", []string{`line 1: the column "opted out" has no attribute in this workspace; rename it to "opted_out" if that is meant, or add the attribute to the workspace first`}},
		"dates": {
			userfile.CSV, "id,Seen\n1,1990-03-14\n2,14/03/1990\n3,3/14/1990\n4,14.03.1990\n5,1990-03-14 00:00:00\n6,33009\n7,1990-02-30\n8,\"Mar 14, 1990\"\n9,1990-03-14T10:00:00+02:00\n10,03/04/1990\n11,04/04/1990\n12,14.3.90\n13,\"Wed, 14 Mar 1990 10:00:00 CET\"\n",
			[]string{
				`2 keep {"id":"1","attributes":{"Seen":"1990-03-14"}}`, `3 keep {"id":"2","attributes":{"Seen":"1990-03-14"}}`, `4 keep {"id":"3","attributes":{"Seen":"1990-03-14"}}`, `5 keep {"id":"4","attributes":{"Seen":"1990-03-14"}}`,
				`6 keep {"id":"5","attributes":{"Seen":"1990-03-14 00:00:00"}}`, `line 7: Seen: "33009" is not a date; write it as 1990-03-14 or 1990-03-14T10:00:00+02:00`, `line 8: Seen: "1990-02-30" is not a date; write it as 1990-03-14 or 1990-03-14T10:00:00+02:00`,
				`9 keep {"id":"8","attributes":{"Seen":"1990-03-14"}}`, `10 keep {"id":"9","attributes":{"Seen":"1990-03-14T10:00:00+02:00"}}`, `line 11: Seen: "03/04/1990" can be 1990-03-04 or 1990-04-03; write it as one of these`,
				`12 keep {"id":"11","attributes":{"Seen":"1990-04-04"}}`, `line 13: Seen: "14.3.90" is not a date; write it as 1990-03-14 or 1990-03-14T10:00:00+02:00`, `line 14: Seen: "Wed, 14 Mar 1990 10:00:00 CET" is not a date; write it as 1990-03-14 or 1990-03-14T10:00:00+02:00`,
			},
		},
		"letters that a program has misread": {
			userfile.CSV, "id,City\nU1,KÃ¶ln\nU2,M\uFFFDnchen\nU3,Ulm\n",
			[]string{"line 2: its letters were taken for another encoding (ü is Ã¼ or \uFFFD then); export the file again, and save it as UTF-8", "line 3: its letters were taken for another encoding (ü is Ã¼ or \uFFFD then); export the file again, and save it as UTF-8", `4 keep {"id":"U3","attributes":{"City":"Ulm"}}`},
		},
		"letters that a program has misread, as JSON": {userfile.JSONLines, `{"id":"KÃ¶ln"}`, []string{"line 1: its letters were taken for another encoding (ü is Ã¼ or \uFFFD then); export the file again, and save it as UTF-8"}},
		"numbers that a spreadsheet has rounded": {
			userfile.CSV, "id;Phone;Orders\n1,23457E+15;x;\n4.91713E+11;x;\nU3;4.91713E+11;1E+3\nU4;2E5;\n",
			[]string{
				`line 2: the id "1,23457E+15" is a number that a spreadsheet has rounded; format its column as text, and export it again`, `line 3: the id "4.91713E+11" is a number that a spreadsheet has rounded; format its column as text, and export it again`,
				`line 4: Phone: "4.91713E+11" is a number that a spreadsheet has rounded; format its column as text, and export it again`, `5 keep {"id":"U4","attributes":{"Phone":"2E5"}}`,
			},
		},
		"a workbook":         {userfile.CSV, "PK\x03\x04\x14\x00", []string{"line 1: it is a workbook or an archive; save its table as CSV UTF-8"}},
		"an old workbook":    {userfile.CSV, "\xD0\xCF\x11\xE0\xA1\xB1", []string{"line 1: it is a workbook or an archive; save its table as CSV UTF-8"}},
		"a quote in a cell":  {userfile.CSV, "id,City\n=\"007\",Bonn\n", []string{`line 2: a quote is not closed, or stands within a cell; write the cell in quotes, and each quote in it twice`}},
		"JSON on many lines": {userfile.JSONLines, "{\n\"id\": \"U1\"\n}\n", []string{"line 1: not a user: the object goes on in the next line; write each user on one line", "line 2: not a user: must be an object, not string", "line 3: not a user: invalid character '}' looking for beginning of value"}},
		"a list in JSON":     {userfile.JSONLines, "[{\"id\": \"U1\"},\n{\"id\": \"U2\"}]\n", []string{"line 1: not a user: a list begins here; write each user on one line, without a list around them"}},
		"dates with times, as spreadsheets and databases write them": {
			userfile.CSV, "id;Seen\n1;14.03.1990 10:15\n2;14 Mar 1990 10:15:00 +0100\n3;1990-03-14 10:15:00 UTC\n4;1990-03-14 10:15:00.5+00\n5;3/14/1990 1:15 PM\n6;4/3/1990 10:15\n",
			[]string{
				`2 keep {"id":"1","attributes":{"Seen":"1990-03-14T10:15:00"}}`, `3 keep {"id":"2","attributes":{"Seen":"1990-03-14T10:15:00+01:00"}}`, `4 keep {"id":"3","attributes":{"Seen":"1990-03-14T10:15:00Z"}}`,
				`5 keep {"id":"4","attributes":{"Seen":"1990-03-14T10:15:00Z"}}`, `6 keep {"id":"5","attributes":{"Seen":"1990-03-14T13:15:00"}}`,
				`line 7: Seen: "4/3/1990 10:15" can be 1990-04-03T10:15:00 or 1990-03-04T10:15:00; write it as one of these`,
			},
		},
		"types in JSON": {
			userfile.JSONLines, `{"id":"1","attributes":{"Seen":"14.3.1990","Orders":"1.0","Vip":null}}` + "\n" + `{"id":"2","attributes":{"Seen":33009}}` + "\n" + `{"id":"3","attributes":{"Orders":"many"}}` + "\n" + `{"id":"4","attributes":{"Vip":1}}` +
				"\n" + `{"id":"5","attributes":{"Vip":"yes","Seen":["1.2.2026",null]}}` + "\n" + `{"id":"6","attributes":{"Orders":{"n":1}}}` + "\n" + `{"id":"7","events":[{"name":"Bought","attributes":{"due":"1/2/2026"}}]}`,
			[]string{
				`1 keep {"id":"1","attributes":{"Orders":1.0,"Seen":"1990-03-14","Vip":null}}`, "line 2: Seen: 33009 is not a date; write it as 1990-03-14 or 1990-03-14T10:00:00+02:00", `line 3: Orders: "many" is not a number`, "line 4: Vip: 1 must be true or false",
				`5 keep {"id":"5","attributes":{"Seen":["2026-02-01",null],"Vip":true}}`, `line 6: Orders: {"n":1} is not a number`, `line 7: Bought, due: "1/2/2026" can be 2026-01-02 or 2026-02-01; write it as one of these`,
			},
		},
		"lines": {
			userfile.JSONLines, "\ufeff{\"id\":\"U1\",\"attributes\":{\"n\":1.0}}\n\n{\"id\":\"U2\",\"opted_out\":false,\"events\":[{\"name\":\"Bought\",\"at\":\"2026-11-01T00:00:00Z\"}]}",
			[]string{`1 keep {"id":"U1","attributes":{"n":1.0}}`, `3 {"id":"U2","attributes":null,"events":[{"name":"Bought","at":"2026-11-01T00:00:00Z"}]}`},
		},
		"wrong JSON lines": {
			userfile.JSONLines, "{\"id\":\"U1\"\n{\"ident\":\"U1\"}\n{\"id\":\"U1\"} {\"id\":\"U2\"}\n[]\n{\"id\":7}\n{\"id\":\"U3\",\"events\":[{}]}\n{\"id\":\"U4\"}\n",
			[]string{
				"line 1: not a user: the object goes on in the next line; write each user on one line", `line 2: not a user: unknown field "ident"`, "line 3: not a user: there is more than one user in it",
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
		"users.CSV|{": userfile.CSV, "users.ndjson|id": userfile.JSONLines, "-| \n{\"id\":1}": userfile.JSONLines, "-|id,name": userfile.CSV, "-|\ufeff{": userfile.JSONLines, "users.json|[{": userfile.JSONLines,
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
