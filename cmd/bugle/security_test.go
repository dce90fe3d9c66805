package main

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
)

// What the program keeps on this machine is its user's alone, whatever files are made with otherwise
// (umask). What it writes to be passed on, exported campaigns, has the mode of any new file.
func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // it has no file modes
	}
	dir := t.TempDir()
	for _, args := range []string{
		"init --sample", "search", "backup", "backup " + dir + "/aside.bak", "keys create", "create --channel PUSH --type ONE_TIME --name x", "doctor", "export --all --dir " + dir + "/out",
		"remote add far --url http://127.0.0.1:1 --workspace-id W --key-env KEY",
	} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "umask 0; exec bugle "+args)
		cmd.Env = append(os.Environ(), cli.EnvData+"="+dir+"/data", cli.EnvAuthor+"=ann@example.com", "XDG_CONFIG_HOME="+dir+"/config", "XDG_STATE_HOME="+dir+"/state", cli.EnvRemote+"=local")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("bugle %s: %v\n%s", args, err, out)
		}
	}
	seen := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch mode := info.Mode().Perm(); {
		case name == "." || name == "config" || name == "state": // the user's own
		case strings.HasPrefix(name, "out"):
			if mode&0o444 != 0o444 {
				t.Errorf("%s has the mode %s", name, info.Mode())
			}
		case !d.IsDir() && filepath.Dir(name) == filepath.Join("data", "store"):
			seen++ // some of them are badger's own; the folders around them let nobody in
		case mode&0o077 != 0:
			t.Errorf("%s has the mode %s", name, info.Mode())
		default:
			seen++
		}
		return nil
	})
	if err != nil || seen < 8 {
		t.Errorf("%d files and folders, %v", seen, err)
	}
}

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
