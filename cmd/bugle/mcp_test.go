package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"bugle/cmd/bugle/internal/cli"
)

// mcp returns the process of `bugle mcp`, and what it writes to standard error.
func (b bugle) mcp(args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command("bugle", append([]string{"mcp"}, args...)...)
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+b.t.TempDir())
	for name, value := range b.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	return cmd, &errs
}

// assistant connects to `bugle mcp`, which must end without an error when the test does.
func (b bugle) assistant(args ...string) *sdk.ClientSession {
	b.t.Helper()
	cmd, errs := b.mcp(args...)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(b.t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		b.t.Fatalf("%v\n%s", err, errs)
	}
	b.t.Cleanup(func() {
		if err := session.Close(); err != nil {
			b.t.Errorf("bugle mcp ended with %v\n%s", err, errs)
		}
	})
	return session
}

// tool calls a tool, and returns the JSON of its data, or the text of its error.
func tool(t *testing.T, s *sdk.ClientSession, name string, args map[string]any) (data map[string]any, refusal string) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	if res.IsError {
		return nil, res.Content[0].(*sdk.TextContent).Text
	}
	return res.StructuredContent.(map[string]any), ""
}

// An assistant works through the program on a folder and on a remote, and what it changes is there for the commands.
func TestMCP(t *testing.T) {
	t.Parallel()
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init", "--sample")
	far := newBugle(t)
	far.env["XDG_CONFIG_HOME"], far.env["REMOTE_KEY"] = t.TempDir(), b.key("DEMO", "").key
	far.run(cli.ExitDone, "", "remote", "add", "there", "--url", b.serve("--rate-limits", "off").url, "--workspace-id", "DEMO", "--key-env", "REMOTE_KEY")
	for name, s := range map[string]*sdk.ClientSession{
		"folder": b.assistant("--allow-test-to", "ann@example.com, bob@example.com"),
		"remote": far.assistant("--allow-test-to", "ann@example.com", "--remote", "there"),
	} {
		t.Run(name, func(t *testing.T) {
			found, refusal := tool(t, s, "search_campaigns", map[string]any{"query": "status:draft winter"})
			if refusal != "" || found["total"] != 1.0 {
				t.Fatalf("found %v %s", found, refusal)
			}
			id := found["campaigns"].([]any)[0].(map[string]any)["id"].(string)
			before, _ := b.run(cli.ExitDone, "", "get", id)
			read, _ := tool(t, s, "get_campaign", map[string]any{"id": id})
			patch := map[string]any{"id": id, "path": "basic_details.name", "value": "Winter <by " + name + ">", "revision": read["revision"]}
			changed, refusal := tool(t, s, "patch_campaign", patch)
			if refusal != "" {
				t.Fatal(refusal)
			}
			if after, _ := b.run(cli.ExitDone, "", "get", id); !strings.Contains(after, `"name": "Winter <by `+name+`>"`) || !strings.Contains(after, `"updated_by": "ann@example.com"`) {
				t.Errorf("after the change there is %s", after)
			}
			patch["value"], patch["revision"] = read["campaign"].(map[string]any)["basic_details"].(map[string]any)["name"], changed["revision"]
			if _, refusal := tool(t, s, "patch_campaign", patch); refusal != "" {
				t.Fatal(refusal)
			}
			if after, _ := b.run(cli.ExitDone, "", "get", id); components(after) != components(before) {
				t.Errorf("after changing it back there is\n%s\nbefore there was\n%s", after, before)
			}
			if sent, refusal := tool(t, s, "send_test", map[string]any{"id": id, "to": []string{"ann@example.com"}}); sent["sent"] != true {
				t.Errorf("the test: %v %s", sent, refusal)
			}
			if _, refusal := tool(t, s, "send_test", map[string]any{"id": id, "to": []string{"eve@example.com"}}); !strings.Contains(refusal, "FORBIDDEN: ") || !strings.Contains(refusal, "--allow-test-to") {
				t.Errorf("a test to somebody else: %s", refusal)
			}
		})
	}
}

// components returns the part of a record that begins with the components.
func components(record string) string {
	_, after, _ := strings.Cut(record, `"updated_at"`)
	_, after, _ = strings.Cut(after, "\n")
	return after
}
