package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bugle/engine/service/mcp"
)

const (
	hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` +
		"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	ping = `{"jsonrpc":"2.0","id":"last","method":"ping"}`
)

// answer is a response of the server.
type answer struct {
	ID    any
	Error struct {
		Code    int
		Message string
	}
}

// converse sends lines to a server, and a ping after them, and returns the answers before the ping's.
func converse(t testing.TB, lines string) (before []answer) {
	t.Helper()
	in, client := io.Pipe()
	answers, out := io.Pipe()
	server := mcp.New(mcp.Options{Version: "1", Logger: slog.New(slog.DiscardHandler)})
	ended := make(chan error, 1)
	go func() {
		err := server.Serve(context.WithoutCancel(t.Context()), in, out)
		out.Close()
		ended <- err
	}()
	go func() { _, _ = io.WriteString(client, hello+"\n"+lines+"\n"+ping+"\n") }()
	read := bufio.NewReader(answers)
	for {
		line, err := read.ReadBytes('\n')
		if err != nil {
			t.Fatalf("the server ended (%v) after %+v", <-ended, before)
		}
		var a answer
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if a.ID == "last" {
			break
		}
		if a.ID != 1.0 {
			before = append(before, a)
		}
	}
	client.Close()
	if _, err := io.Copy(io.Discard, answers); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return before
}

// A line that is not a message gets an error, and the next one is answered.
func TestLinesThatAreNoMessages(t *testing.T) {
	const parse, invalid = -32700, -32600
	for name, tt := range map[string]struct {
		line string
		code int
		id   any
	}{
		"words":              {"hello", parse, nil},
		"cut":                {`{"jsonrpc":"2.0","id":2,"method":"pi`, parse, nil},
		"two in a line":      {ping + " " + ping, parse, nil},
		"NUL":                {"\x00", parse, nil},
		"byte order mark":    {"\ufeff" + ping, parse, nil},
		"too deep":           {strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), parse, nil},
		"too long":           {`{"jsonrpc":"2.0","id":2,"method":"ping","params":{"x":"` + strings.Repeat("x", 9<<20) + `"}}`, invalid, nil},
		"empty batch":        {"[]", invalid, nil},
		"batch":              {"[" + ping + "," + ping + "]", invalid, nil},
		"null":               {"null", invalid, nil},
		"text":               {`"ping"`, invalid, nil},
		"no version":         {`{"id":2,"method":"ping"}`, invalid, 2.0},
		"id that is none":    {`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, invalid, nil},
		"method of no text":  {`{"jsonrpc":"2.0","id":2,"method":7}`, invalid, 2.0},
		"blank, then broken": {" \r\n\n\t\n}", parse, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := converse(t, tt.line)
			if len(got) != 1 || got[0].Error.Code != tt.code || got[0].ID != tt.id || got[0].Error.Message == "" {
				t.Errorf("it is answered with %+v", got)
			}
		})
	}
	if got := converse(t, "\r\n"); len(got) > 0 {
		t.Errorf("an empty line is answered with %+v", got)
	}
}

// Where the input has ended, what was asked before is still answered.
func TestTheLastCallIsAnswered(t *testing.T) {
	for range 20 {
		var out strings.Builder
		server := mcp.New(mcp.Options{Version: "1", Logger: slog.New(slog.DiscardHandler)})
		if err := server.Serve(t.Context(), io.NopCloser(strings.NewReader(hello+"\nhello\n"+ping)), &out); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, `"id":1,"result"`) || !strings.Contains(got, `"id":"last","result":{}`) || strings.Count(got, "\n") != 3 {
			t.Fatalf("it answers %q", got)
		}
	}
}

// No line ends the server.
func FuzzLines(f *testing.F) {
	for _, line := range []string{
		"hello", "[]", "null", ping, `{"jsonrpc":"2.0","id":"x"}`, `{"jsonrpc":"2.0","id":7,"result":{}}`, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"last"}}`,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"initialize"}`, `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"campaign://../x"}}`, "{\"\x00\":1}", "\xff",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "last") { // the ping's own
			t.Skip()
		}
		converse(t, line)
	})
}

// A client that sends more than an assistant can is slowed down, and what it sends is still read.
func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var answers strings.Builder
		m := mcp.NewMessages(t.Context(), io.NopCloser(strings.NewReader(strings.Repeat(ping+"\nhello\n", 1000))), &answers)
		all, err := io.ReadAll(m)
		if n := strings.Count(string(all), "\n"); err != nil || n != 1000 || strings.Count(answers.String(), "\n") != 1000 {
			t.Errorf("%d messages arrive (%v)", n, err)
		}
		if took := time.Since(start); took < 10*time.Second {
			t.Errorf("2000 lines are read in %s", took)
		}
		start = time.Now()
		large := strings.Repeat(strconv.Quote(strings.Repeat("x", 7<<20))+"\n", 6)
		if _, err := io.ReadAll(mcp.NewMessages(t.Context(), io.NopCloser(strings.NewReader(large)), io.Discard)); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took < time.Second {
			t.Errorf("42 MiB are read in %s", took)
		}
	})
}
