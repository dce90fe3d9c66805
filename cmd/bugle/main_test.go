package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-message/mail"
	"github.com/emersion/go-smtp"
	"github.com/rogpeppe/go-internal/testscript"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/doc"
	"bugle/engine/visible"
	"bugle/store/badger"
	"bugle/store/postgres/pgtest"
)

// programs are what this binary is, by the name that it is called.
var programs = map[string]func(){"bugle": main}

func TestMain(m *testing.M) {
	if os.Getenv(envCrashLife) != "" { // a process of TestCrash, which starts several at once
		cli.Patience = time.Minute
	}
	testscript.Main(tests{m}, programs)
}

// envSlow has the tests run that start, kill or race many processes, and all scripts on a database as well, as in CI.
const envSlow = "BUGLE_NEED_SLOW"

// needSlow skips a test that starts, kills or races many processes, unless all tests are asked for.
func needSlow(t *testing.T) {
	t.Helper()
	if os.Getenv(envSlow) == "" {
		t.Skip("it is slow; set " + envSlow + "=1 to run it")
	}
}

// tests are the tests of this package, and the database that some of them share.
type tests struct{ *testing.M }

func (t tests) Run() int {
	debug.SetGCPercent(400)            // the collector would otherwise take half of the time
	_ = flag.Set("test.parallel", "6") // scripts wait for each other and for the disk
	return pgtest.Run(t.M)
}

// The commands, each as a process of its own in a folder of its own.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	runScripts(t, files, func(workDir string) string { return workDir + "/data" })
}

// folderScripts are about what only a store in a folder has.
var folderScripts = []string{"attached", "backup", "doctor", "encrypt", "hostile", "misuse", "owner", "private", "store"}

// The commands work on a store in a database as they do on one in a folder, but for those in folderScripts.
func TestScriptsOnDatabase(t *testing.T) {
	needSlow(t)
	pgtest.Require(t)
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		return slices.Contains(folderScripts, strings.TrimSuffix(filepath.Base(file), ".txtar"))
	})
	runScripts(t, files, func(string) string { return pgtest.URL(t) })
}

// envPrograms names a folder with the program that scripts and TestRot run, where that is not this binary: with -race,
// thousands of short commands would spend most of their time starting. Other servers and terminals, and tests in this
// process, have -race.
const envPrograms = "BUGLE_SCRIPT_PROGRAMS"

// programPath returns a PATH that begins with that folder.
func programPath(path string) string {
	if dir := os.Getenv(envPrograms); dir != "" {
		return dir + string(os.PathListSeparator) + path
	}
	return path
}

// runScripts runs test scripts, with the store that data returns for each of them.
func runScripts(t *testing.T, files []string, data func(workDir string) string) {
	testscript.Run(t, testscript.Params{
		Files:               files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", programPath(e.Getenv("PATH")))
			e.Setenv("BUGLE_DATA", data(e.WorkDir))
			e.Setenv("BUGLE_AUTHOR", "ann@example.com")
			e.Setenv("XDG_DATA_HOME", e.WorkDir+"/xdg")
			e.Setenv("XDG_CONFIG_HOME", e.WorkDir+"/config")
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/state")
			e.Setenv("TZ", "UTC")
			e.Setenv("TERM", "dumb")
			e.Setenv("TODAY", time.Now().UTC().Format(time.DateOnly))
			e.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise each command of a test with -race waits a second
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("there is no condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": cmdCode, "keep": cmdKeep, "json": cmdJSON, "same": cmdSame,
			"write": cmdWrite, "repeat": cmdRepeat, "hold": cmdHold, "plain": cmdPlain,
			"mailserver": cmdMailServer,
		},
	})
}

// code N COMMAND… runs a command that must exit with N.
func cmdCode(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if neg || got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func member(ts *testscript.TestScript, file, path string) doc.Value {
	v, err := doc.Parse([]byte(ts.ReadFile(file)))
	ts.Check(err)
	p, err := doc.ParsePath(path)
	ts.Check(err)
	return v.Lookup(p)
}

// keep NAME PATH puts the text at a path of the JSON on standard output into a variable.
func cmdKeep(ts *testscript.TestScript, _ bool, args []string) {
	v := member(ts, "stdout", args[1])
	if v.Text() == "" {
		ts.Fatalf("there is no text at %s", args[1])
	}
	ts.Setenv(args[0], v.Text())
}

// json FILE PATH VALUE compares the JSON at a path, byte for byte; without VALUE it must be there.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	v := member(ts, args[0], args[1])
	ok := v.Exists()
	if len(args) > 2 {
		ok = string(v.Encode()) == args[2]
	}
	if ok == neg {
		ts.Fatalf("%s in %s is %s", args[1], args[0], v.Encode())
	}
}

// same FILE OTHER PATH… compares the JSON at paths of two files, byte for byte.
func cmdSame(ts *testscript.TestScript, neg bool, args []string) {
	for _, path := range args[2:] {
		a, b := member(ts, args[0], path), member(ts, args[1], path)
		if !a.Exists() || string(a.Encode()) == string(b.Encode()) == neg {
			ts.Fatalf("%s:\n%s\n%s", path, a.Encode(), b.Encode())
		}
	}
}

// mailserver puts the port of a mail server into $PORT. It refuses recipients whose names begin with nobody, and ends the
// connection instead of confirming a message to those that begin with lost. What others get is in mail/RECIPIENT, with its
// headers From and Subject and its last part.
func cmdMailServer(ts *testscript.TestScript, _ bool, _ []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	dir := ts.MkAbs("mail")
	ts.Check(os.Mkdir(dir, 0o700))
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &mailSession{dir: dir, conn: c}, nil
	}))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(l) // ends with an error when it is closed
	}()
	ts.Defer(func() {
		_ = errors.Join(server.Close(), l.Close()) // one of them has closed it
		<-ended
	})
	ts.Setenv("PORT", strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
}

// mailSession takes one message after another.
type mailSession struct {
	dir  string
	conn *smtp.Conn
	to   []string
}

func (s *mailSession) Mail(string, *smtp.MailOptions) error { return nil }
func (s *mailSession) Reset()                               { s.to = nil }
func (s *mailSession) Logout() error                        { return nil }

func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody") {
		return &smtp.SMTPError{Code: 550, Message: "no such user"}
	}
	s.to = append(s.to, to)
	return nil
}

func (s *mailSession) Data(r io.Reader) error {
	message, err := mail.CreateReader(r)
	if err != nil {
		return err
	}
	subject, err := message.Header.Subject()
	text := []byte("From: " + message.Header.Get("From") + "\nSubject: " + subject + "\n\n")
	for last := len(text); err == nil; {
		var part *mail.Part
		if part, err = message.NextPart(); err == nil {
			text = text[:last]
			var body []byte
			body, err = io.ReadAll(part.Body)
			text = append(text, body...)
		}
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	for _, to := range s.to {
		if strings.HasPrefix(to, "lost") {
			return s.conn.Conn().Close()
		}
		if err := os.WriteFile(filepath.Join(s.dir, to), text, 0o600); err != nil {
			return err
		}
	}
	return &smtp.SMTPError{
		Code: 250, EnhancedCode: smtp.EnhancedCode{2, 0, 0}, Message: "queued for " + strings.Join(s.to, ", "),
	}
}

// write FILE TEXT writes a text, its escapes read as Go does.
func cmdWrite(ts *testscript.TestScript, _ bool, args []string) {
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(args[1], `"`, `\"`) + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// repeat FILE COUNT HEAD UNIT TAIL writes HEAD, then UNIT so often, then TAIL.
func cmdRepeat(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(args[2]+strings.Repeat(args[3], n)+args[4]), 0o600))
}

// hold DIR keeps the store there open to the end of the script, and $HOLDER is who does.
func cmdHold(ts *testscript.TestScript, _ bool, args []string) {
	db, err := badger.Open(context.Background(), badger.Options{Dir: ts.MkAbs(args[0])})
	ts.Check(err)
	ts.Defer(func() { ts.Check(db.Close()) })
	ts.Setenv("HOLDER", strconv.Itoa(os.Getpid()))
}

// plain FILE… fails if files contain terminal control sequences.
func cmdPlain(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range args {
		text := ts.ReadFile(file)
		if visible.HasHidden(strings.NewReplacer("\n", "", "\t", "").Replace(text)) != neg {
			ts.Fatalf("%s controls a terminal: %q", file, text)
		}
	}
}
