package mcp

import (
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// CheckResult returns what the table of a tool's results refuses in a result.
func CheckResult(name string, data doc.Value) []schema.Problem {
	for _, t := range tools() {
		if t.name == name {
			return schema.Errors(t.out.Validate(data, schema.Env{}))
		}
	}
	return nil
}

// NewMessages returns the reader of the messages of a client.
var NewMessages = newMessages
