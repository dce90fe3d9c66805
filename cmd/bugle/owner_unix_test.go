//go:build unix

package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bugle/cmd/bugle/internal/cli"
)

// The users of the test: one with a name on every system, and one without.
const (
	nobody  = 65534
	unnamed = 54321
)

// people runs the program as different users of this machine, in a folder that all of them can read.
type people struct {
	t   *testing.T
	dir string
}

func newPeople(t *testing.T) people {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can run the program as other users")
	}
	dir, err := os.MkdirTemp("", "b")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from, err1 := os.Open(self)
	to, err2 := os.OpenFile(filepath.Join(dir, "bugle"), os.O_CREATE|os.O_WRONLY, 0o755)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(to, from)
	if err := errors.Join(err, from.Close(), to.Close(), os.Chmod(dir, 0o755), os.Chmod(to.Name(), 0o755)); err != nil {
		t.Fatal(err)
	}
	return people{t, dir}
}

// folder creates a folder that belongs to a user.
func (p people) folder(name string, uid int) string {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := errors.Join(os.MkdirAll(path, 0o700), os.Chown(path, uid, uid)); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// run returns what a command of a user prints, which must exit with code.
func (p people) run(uid uint32, code int, args ...string) string {
	p.t.Helper()
	cmd := exec.Command(filepath.Join(p.dir, "bugle"), args...)
	cmd.Dir = p.dir
	cmd.Env = []string{"HOME=" + p.dir, "XDG_CONFIG_HOME=" + p.dir + "/config", "XDG_STATE_HOME=" + p.dir, "XDG_DATA_HOME=" + p.dir, "PATH=" + os.Getenv("PATH"), "TERM=dumb"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EPERM) {
		p.t.Skip("this machine cannot run programs as another user: ", err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		p.t.Fatalf("bugle %s as %d: exit code %d, want %d\n%s", strings.Join(args, " "), uid, got, code, out)
	}
	return string(out)
}

// If the system refuses access, the error names the file, its owner, and what to do.
func TestRefusedAccessNamesTheOwner(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	roots := p.folder("roots", 0)
	for _, line := range []string{"init", "search", "doctor", "restore", "encrypt"} {
		if out := p.run(nobody, cli.ExitFailed, append([]string{"--data", roots}, strings.Fields(line)...)...); !strings.Contains(out, roots+" belongs to root; choose another folder with --data or BUGLE_DATA") {
			t.Errorf("%s in a folder of root says %s", line, out)
		}
	}
	if out := p.run(nobody, cli.ExitFailed, "--data", filepath.Join(roots, "new"), "init"); !strings.Contains(out, roots+" belongs to root; choose another folder") {
		t.Errorf("init below a folder of root says %s", out)
	}
	if out := p.run(nobody, cli.ExitFailed, "--data", p.folder("theirs", unnamed), "init"); !strings.Contains(out, "belongs to #54321; run bugle as that user, or choose another folder") {
		t.Errorf("init in a folder of another user says %s", out)
	}
	data := p.folder("data", nobody)
	p.run(nobody, cli.ExitDone, "--data", data, "init", "--id", "SHOP")
	p.run(nobody, cli.ExitDone, "--data", data, "backup")
	locked := func(what string, lines ...string) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(data, what))
		if err != nil || len(files) == 0 {
			t.Fatal(what, err)
		}
		for _, f := range files {
			if err := errors.Join(os.Lchown(f, 0, 0), os.Chmod(f, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		for _, line := range lines {
			out := p.run(nobody, cli.ExitFailed, append([]string{"--data", data}, strings.Fields(line)...)...)
			if !strings.Contains(out, files[0]+" belongs to root") || !strings.HasPrefix(line, "backup") && !strings.Contains(out, "; give it back with `sudo chown -R nobody "+data+"`") {
				t.Errorf("%s with %s of root says %s", line, what, out)
			}
		}
		for _, f := range files {
			if err := os.Lchown(f, nobody, nobody); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(f); err == nil && info.IsDir() {
				if err := os.Chmod(f, 0o700); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	locked("store/*", "search", "create --channel PUSH", "doctor", "backup x.buglebackup")
	locked("store/MANIFEST", "search")
	locked("store/DISCARD", "search", "serve --addr 127.0.0.1:0")
	locked("store", "search", "init", "encrypt", "doctor")
	locked("backups", "backup", "restore")
	locked("backups/*", "restore")
	p.run(nobody, cli.ExitDone, "--data", data, "search")
}
