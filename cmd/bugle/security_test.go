package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
)

// The log of requests, which a caller can have a part in, does not rule the terminal that it is read on.
func TestLogHasNoControlSequences(t *testing.T) {
	t.Parallel()
	for _, json := range []bool{false, true} {
		var out bytes.Buffer
		p := &cli.Printer{Streams: cli.Streams{Err: &out}, JSON: json}
		slog.New(p.LogHandler()).Info("request", "request_id", poison, "error", engine.Errorf(engine.Internal, 500, "%s", poison))
		if at, found := ruling(out.String()); found || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("the log holds %q", at)
		}
	}
}
