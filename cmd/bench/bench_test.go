package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"bugle/cmd/internal/bench"
)

// program is the path of bugle, and self that of this test, which is the benchmark program where asBench is set.
var program, self string

const asBench = "TEST_AS_BENCH"

func TestMain(m *testing.M) {
	if os.Getenv(asBench) != "" {
		main()
	}
	os.Exit(tested(m))
}

// tested builds bugle and runs the tests.
func tested(m *testing.M) int {
	dir, err := os.MkdirTemp("", "bench")
	if err == nil {
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "bugle")
		var said []byte
		if said, err = exec.Command("go", "build", "-o", program, "bugle/cmd/bugle").CombinedOutput(); err != nil {
			err = fmt.Errorf("%w\n%s", err, said)
		}
	}
	if err == nil {
		self, err = os.Executable()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// benchCommand is a bench of everything that takes little time.
func benchCommand(t *testing.T, args ...string) (cmd *exec.Cmd, tmp string) {
	t.Helper()
	tmp, err := os.MkdirTemp("", "b") // short: sockets are made in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(tmp); err != nil {
			t.Error(err)
		}
	})
	args = append([]string{"--program=" + program, "--campaigns=200", "--for=50ms", "--starts=2", "--keys=4", "--idle=50ms", "--clients=1,4"}, args...)
	cmd = exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asBench+"=1", "TMPDIR="+tmp, "GORACE=atexit_sleep_ms=0")
	return cmd, tmp
}

// Every part returns rows with plausible figures, and the run leaves no files.
func TestBench(t *testing.T) {
	t.Parallel()
	cmd, tmp := benchCommand(t)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	wantEmptyDir(t, tmp)
	var report bench.Report
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	if m := report.Machine; m.Cores < 1 || m.Calibration.Median <= 0 || m.Fsync.Median <= 0 || report.Campaigns != 200 || report.Date.IsZero() {
		t.Errorf("the head is %+v", report)
	}
	rows, left := map[bench.Part]int{}, map[bench.Part]bool{}
	for _, r := range report.Rows {
		rows[r.Part]++
		checkPlausible(t, r)
	}
	for _, l := range report.LeftOut {
		left[l.Part] = true
	}
	want := map[bench.Part]int{bench.Validating: 2, bench.Searching: 2, bench.Starting: 4, bench.Keys: 6, bench.Checks: 3, bench.Serving: 10, bench.Memory: 4, bench.Disk: 3}
	for _, p := range bench.Parts {
		if rows[p] < want[p] && !left[p] {
			t.Errorf("%s has %d rows, not %d", p, rows[p], want[p])
		}
	}
}

func checkPlausible(t *testing.T, r bench.Row) {
	t.Helper()
	ok := r.Failed == "" && r.What != "" && r.Unit != "" && r.Count > 0 && (r.Spread == nil) != (r.Value == nil)
	for _, s := range []*bench.Spread{r.Spread, r.Latency, r.Settled} {
		ok = ok && (s == nil || s.Min > 0 && s.Min <= s.Median && s.Median <= s.P99 && s.P99 <= s.Max)
	}
	ok = ok && (r.Value == nil || *r.Value >= 0) && (r.Reached == nil) == (len(r.Targets) == 0)
	if !ok {
		t.Errorf("this row cannot be true: %+v", r)
	}
}

func wantEmptyDir(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) > 0 {
		t.Errorf("in the temporary folder is left: %v %v", files, err)
	}
}

// A store that is kept stays as it was filled, to the byte.
func TestBenchKeepsTheStore(t *testing.T) {
	t.Parallel()
	cmd, tmp := benchCommand(t, "--only=validate")
	dir := filepath.Join(tmp, "kept")
	run := func(cmd *exec.Cmd) map[string]string {
		cmd.Args = append(cmd.Args, "--dir="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return contents(t, dir)
	}
	before := run(cmd)
	used, _ := benchCommand(t, "--only=start,http", "--starts=1", "--clients=4")
	if after := run(used); !maps.Equal(before, after) || len(before) < 5 {
		t.Errorf("there were %v, and now %v", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	}
}

// contents returns the files below a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The user interrupts the run while programs run in terminals and stores are open: no file and no process remains.
func TestBenchInterrupted(t *testing.T) {
	for part, at := range map[bench.Part]string{bench.Starting: "measuring: start", bench.Keys: "measuring: keys, down", bench.Serving: "measuring: http, get"} {
		t.Run(string(part), func(t *testing.T) {
			t.Parallel()
			cmd, tmp := benchCommand(t, "--only="+string(part), "--starts=1000", "--keys=1000", "--for=1h")
			errs, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(errs)
			for lines.Scan() && !strings.Contains(lines.Text(), at) {
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			said, err := io.ReadAll(errs)
			if err != nil || !strings.Contains(string(said), "interrupted") {
				t.Errorf("it said %q, %v", said, err)
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitFailed {
				t.Errorf("it ended with %v", err)
			}
			wantEmptyDir(t, tmp)
			wantNoProcess(t, tmp)
		})
	}
}

// wantNoProcess fails if there is a process with a text in its environment, on systems that show it.
func wantNoProcess(t *testing.T, text string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && bytes.Contains(b, []byte(text)) {
			t.Errorf("a process is left: %s", filepath.Dir(f))
		} else if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrPermission) && !errors.Is(err, syscall.ESRCH) {
			t.Error(err)
		}
	}
}

// What cannot be measured is refused before anything is filled.
func TestBenchInvalidUsage(t *testing.T) {
	refused := func(want string, args ...string) {
		t.Helper()
		var errs strings.Builder
		if code := run(t.Context(), append([]string{"--program=" + program}, args...), io.Discard, &errs); code != exitMisused || !strings.Contains(errs.String(), want) {
			t.Errorf("%q ended with %d and said %q", args, code, &errs)
		}
	}
	for _, args := range [][]string{{"--only", "nonsense"}, {"--campaigns", "0"}, {"--clients", "0"}, {"--keys", "0"}, {"extra"}, {"--program", "no such program"}} {
		refused("See bench --help.", args...)
	}
	other := t.TempDir()
	if err := os.Mkdir(filepath.Join(other, "store"), 0o700); err != nil {
		t.Fatal(err)
	}
	refused("another store", "--dir", other)
}
