package userfile_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/files"
	"bugle/engine/workspace/userfile"
)

// Whatever a file holds: each line is a profile that can be kept, or is named with what is wrong in it; lines
// come in their order, after a fatal one none; and a profile that was read is the same when it is written as
// a line of JSON and read again.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"id,City,Age\nann,Oslo,7\nbob,,x\n", "\ufeffid;opted_out\nann;yes\n", "id\tandroid_token\tANDROID_advertising_id\nann\ttok\tad\n", "id,id\n", "name\n", "", "id,a\n\"x\ny\",\"\"\"\"\n",
		`{"id":"ann","attributes":{"Age":1.0,"List":["a",null]},"devices":[{"platform":"IOS","token":"t"}],"events":[{"name":"Bought","at":"2026-11-21T10:00:00Z"}]}` + "\n\n" + `{"id":"bob","opted_out":false}`,
		`{"id":7}` + "\n" + `{"unknown":1}` + "\n[]\n" + `{"id":"a"}{"id":"b"}`, "{\"id\":\"\xff\"}\n", "id,Age,Flag\nann,1e5,TRUE\nann,0x1,maybe\nbob\n\"", `{"id":"a","attributes":null,"opted_out":null}`,
	} {
		f.Add(s, "")
		f.Add(s, "x.csv")
		f.Add(s, "x.jsonl")
	}
	known := engine.Workspace{Attributes: []engine.Attribute{{Name: "Age", DataType: "double"}, {Name: "Flag", DataType: "bool"}, {Name: "City", DataType: "string"}}}
	f.Fuzz(func(t *testing.T, text, name string) {
		r := bufio.NewReader(strings.NewReader(text))
		format := userfile.Detect(name, r)
		last, ended := 0, false
		for row, err := range userfile.Read(r, format, known) {
			if ended {
				t.Fatalf("line %d is read after a fatal one", row.Line)
			}
			line := row.Line
			if err != nil {
				var e *userfile.LineError
				if !errors.As(err, &e) || e.Line < 1 || e.Err == nil {
					t.Fatalf("refused without a place: %v", err)
				}
				line, ended = e.Line, e.Fatal
			} else {
				if err := userfile.Check(row.User, known); err != nil {
					t.Fatalf("line %d is taken, and cannot be kept: %v", row.Line, err)
				}
				again(t, row, known)
			}
			if line < last || line > 2+files.LineEnds(text) {
				t.Fatalf("line %d after line %d of %d", line, last, 1+files.LineEnds(text))
			}
			last = line
		}
	})
}

// again writes a profile as a line of JSON, and reads it.
func again(t *testing.T, row userfile.Row, known engine.Workspace) {
	t.Helper()
	text, err := json.Marshal(row.User)
	if err != nil {
		t.Fatalf("a profile that was read cannot be written: %v", err)
	}
	n := 0
	for got, err := range userfile.Read(bytes.NewReader(text), userfile.JSONLines, known) {
		if n++; err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if back, err := json.Marshal(got.User); err != nil || !bytes.Equal(back, text) || !reflect.DeepEqual(got.OptedOut, row.OptedOut) {
			t.Fatalf("%s came back as %s (%v)", text, back, err)
		}
	}
	if n != 1 {
		t.Fatalf("%s is %d profiles", text, n)
	}
}

// A file in another encoding is refused line by line: what it says would be kept as something else.
func TestOtherEncodings(t *testing.T) {
	for format, text := range map[userfile.Format]string{
		userfile.CSV: "id,City\nann,K\xf6ln\nbob,Oslo\n", userfile.JSONLines: "{\"id\":\"ann\",\"attributes\":{\"City\":\"K\xf6ln\"}}\n{\"id\":\"bob\"}\n",
	} {
		var said []string
		for row, err := range userfile.Read(strings.NewReader(text), format, engine.Workspace{}) {
			if err != nil {
				said = append(said, err.Error())
			} else {
				said = append(said, row.ID)
			}
		}
		if len(said) != 2 || !strings.Contains(said[0], "save the file as UTF-8") || said[1] != "bob" {
			t.Errorf("%s: %q", format, said)
		}
	}
}
