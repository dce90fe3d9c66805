package main

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/term"

	"bugle/engine"
)

// What the program keeps on this machine is its user's alone, whatever files are made with otherwise
// (umask). What it writes to be passed on, exported campaigns, has the mode of any new file.
func TestFilesAreTheUsersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // it has no such modes
	}
	dir := t.TempDir()
	for _, args := range []string{
		"init --sample", "search", "backup", "backup " + dir + "/aside.bak", "keys create", "create --channel PUSH --type ONE_TIME --name x", "doctor", "export --all --dir " + dir + "/out",
		"remote add far --url http://127.0.0.1:1 --workspace-id W --key-env KEY",
	} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "umask 0; exec bugle "+args)
		cmd.Env = append(os.Environ(), envData+"="+dir+"/data", envAuthor+"=ann@example.com", "XDG_CONFIG_HOME="+dir+"/config", "XDG_STATE_HOME="+dir+"/state", envRemote+"=local")
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
func TestTheLogIsPlain(t *testing.T) {
	for _, json := range []bool{false, true} {
		var out bytes.Buffer
		p := &printer{streams: streams{err: &out}, json: json}
		slog.New(p.logHandler()).Info("request", "request_id", poison, "error", engine.Errorf(engine.Internal, 500, "%s", poison))
		if at, found := ruling(out.String()); found || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("the log holds %q", at)
		}
	}
}

// A secret that is typed is not shown, and the terminal shows again what is typed once it was, also where
// the question was given up.
func TestSecretsAreTypedUnseen(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		far, near, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		before, err := term.GetState(int(near.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var said bytes.Buffer // read once it is over
		f := newFactory(streams{in: near, out: &said, err: &said}, nil)
		got := make(chan string, 1)
		go func() {
			text, err := f.secret(ctx, "Key: ")
			if err != nil {
				text = "error: " + err.Error()
			}
			got <- text
		}()
		if interrupted {
			stop()
		} else if _, err := far.WriteString("the-key\n"); err != nil {
			t.Fatal(err)
		}
		text := <-got
		if want := map[bool]string{false: "the-key", true: "error: context canceled"}[interrupted]; text != want {
			t.Errorf("got %q, want %q", text, want)
		}
		after, err := term.GetState(int(near.Fd()))
		if err != nil || *after != *before {
			t.Errorf("the terminal is left as %v, and was %v: %v", after, before, err)
		}
		if strings.Contains(said.String(), "the-key") {
			t.Errorf("it is shown: %q", said.String())
		}
		_, _ = far.WriteString("\n") // whoever still reads
		stop()
		_, _ = near.Close(), far.Close()
	}
}

// A profile's names lead to no folder but their own.
func TestProfilesStayInTheirFolder(t *testing.T) {
	for _, name := range []string{"..", "../..", "/etc", ".", "", "a/b", `a\b`, "a\x00b", "W1", "-"} {
		got := folder(name)
		if got != filepath.Base(got) || !filepath.IsLocal(got) || got == "." || strings.ContainsAny(got, `/\`+"\x00") {
			t.Errorf("%q becomes %q", name, got)
		}
	}
	if folder("W1") != "W1" || folder("../a") == folder("../b") {
		t.Error("names are not told apart")
	}
}
