package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"bugle/cmd/bugle/internal/cli"
)

// watching is `bugle watch --json` in this process.
type watching struct {
	t     *testing.T
	lines chan map[string]any
	stop  context.CancelFunc
	code  chan int
}

func watch(t *testing.T, b bugle, dir string, flags ...string) watching {
	ctx, stop := context.WithCancel(t.Context())
	r, out := io.Pipe()
	w := watching{t, make(chan map[string]any), stop, make(chan int, 1)}
	go func() {
		w.code <- run(ctx, append([]string{"watch", dir, "--json"}, flags...), b.getenv, cli.Streams{In: strings.NewReader(""), Out: out, Err: io.Discard})
		_ = out.Close()
	}()
	go func() {
		defer close(w.lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			var l map[string]any
			if err := json.Unmarshal(s.Bytes(), &l); err != nil {
				t.Errorf("%s: %v", s.Text(), err)
			}
			w.lines <- l
		}
	}()
	t.Cleanup(func() {
		stop()
		for range w.lines { // until it has ended, and with it what it writes to the store
		}
	})
	return w
}

// next returns the next line, which must be about an event.
func (w watching) next(event string) map[string]any {
	w.t.Helper()
	late := time.NewTimer(30 * time.Second)
	defer late.Stop()
	select {
	case l := <-w.lines:
		if l["event"] != event {
			w.t.Fatalf("it printed %v, want %s", l, event)
		}
		return l
	case <-late.C:
		w.t.Fatalf("it did not print %s", event)
	}
	return nil
}

const watchedMail = `{"channel": "EMAIL", "campaign_delivery_type": "ONE_TIME", "basic_details": {"name": "Watched"},
 "campaign_content": {"content": {"email": {"subject": "Hello", "html_content": "<p>one</p>\n"}}}}`

// What is saved is applied to drafts: however an editor saves it, in whichever of the files. The page in the browser shows it.
func TestWatch(t *testing.T) {
	t.Setenv("DISPLAY", "") // so that no browser is opened
	t.Setenv("WAYLAND_DISPLAY", "")
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	id := b.create(watchedMail)
	dir := t.TempDir()
	b.run(cli.ExitDone, "", "export", "--all", "--dir", dir, "--folders")
	campaign := filepath.Join(dir, "watched-"+id)
	html := filepath.Join(campaign, "email.html")
	save := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	content := func(want string) {
		t.Helper()
		if got, _ := b.run(cli.ExitDone, "", "get", id); !strings.Contains(got, want) {
			t.Fatalf("it is not %s: %s", want, got)
		}
	}
	w := watch(t, b, dir, "--open")
	began := w.next("watching")
	if began["files"] != 1.0 || began["message"] != nil {
		t.Errorf("it began with %v", began)
	}

	save(html, "<p>two <a href=\"#\">x</a></p>\n")
	l := w.next("updated")
	content(`"<p>two <a href=\"#\">x</a></p>\n"`)
	warnings, _ := json.Marshal(l["warnings"])
	if l["id"] != id || !strings.Contains(string(warnings), `"column":17`) {
		t.Errorf("it printed %v", l)
	}

	// As vim does: what was there gets another name, and a new file its place.
	if err := os.Rename(html, html+"~"); err != nil {
		t.Fatal(err)
	}
	save(filepath.Join(campaign, "4913"), "")
	save(filepath.Join(campaign, ".email.html.swp"), "")
	save(html, "<p>three</p>")
	w.next("updated")
	content(`"<p>three</p>"`)
	page, err := http.Get(began["page"].(string) + "message")
	if err != nil {
		t.Fatal(err)
	}
	defer page.Body.Close()
	if text, err := io.ReadAll(page.Body); err != nil || !strings.Contains(string(text), "<p>three") {
		t.Errorf("the page shows %s (%v)", text, err)
	}

	// As others do: a new file is renamed.
	save(filepath.Join(campaign, ".tmp"), "<p>four</p>")
	if err := os.Rename(filepath.Join(campaign, ".tmp"), html); err != nil {
		t.Fatal(err)
	}
	w.next("updated")
	content(`"<p>four</p>"`)

	// What is invalid is not applied, and has its line.
	main := filepath.Join(campaign, "campaign.yaml")
	good, err := os.ReadFile(main)
	if err != nil {
		t.Fatal(err)
	}
	save(main, strings.Replace(string(good), "subject:", "subjekt:", 1))
	problems, _ := json.Marshal(w.next("invalid")["problems"])
	if !strings.Contains(string(problems), `"file":"`+main+`","line":`) {
		t.Errorf("the problems are %s", problems)
	}
	save(main, "a: [")
	w.next("invalid")

	// That is reported once, and not again for another file in its folder. New folders are watched. What has no campaign is
	// not created.
	save(filepath.Join(campaign, "notes.txt"), "x")
	more := filepath.Join(dir, "zzz")
	if err := os.Mkdir(more, 0o700); err != nil {
		t.Fatal(err)
	}
	save(filepath.Join(more, "campaign.json"), `{"channel": "PUSH", "campaign_delivery_type": "ONE_TIME", "basic_details": {"name": "New"}}`)
	w.next("new")
	content(`"subject": "Hello"`)
	save(main, strings.Replace(string(good), "Hello", "Bye", 1))
	w.next("updated")
	content(`"subject": "Bye"`)

	// What somebody else changed is merged by component, or not overwritten.
	b.run(cli.ExitDone, `{"basic_details": {"name": "Watched", "tags": ["theirs"]}}`, "update", id, "-")
	for _, text := range []string{"<p>4½</p>", "<p>five</p>"} {
		save(html, text)
		w.next("updated")
		content(`"theirs"`)
	}
	content(`"<p>five</p>"`)
	b.run(cli.ExitDone, `{"campaign_content": {"content": {"email": {"subject": "Theirs"}}}}`, "update", id, "-")
	save(html, "<p>six</p>")
	if l := w.next("conflict"); !strings.Contains(l["message"].(string), "campaign_content changed in the workspace, too") {
		t.Errorf("it printed %v", l)
	}
	content(`"subject": "Theirs"`)

	w.stop()
	if code := <-w.code; code != cli.ExitDone {
		t.Errorf("it ended with %d", code)
	}
}

const liveCampaign = `{"channel": "PUSH", "campaign_delivery_type": "PERIODIC", "basic_details": {"name": "Live", "platforms": ["ANDROID"]},
 "campaign_content": {"content": {"push": {"android": {"template_type": "BASIC", "basic_details": {"title": "Hi", "message": "Half price"}}}}},
 "segmentation_details": {"is_all_user_campaign": true},
 "scheduling_details": {"delivery_type": "AT_FIXED_TIME", "start_time": "2126-01-01T09:00:00Z", "expiry_time": "2127-01-01T09:00:00Z",
   "periodic_details": {"sending_frequency": "DAILY", "repeat_frequency": 1}}}`

// Live campaigns are left alone where nobody can be asked.
func TestWatchSkipsLiveCampaigns(t *testing.T) {
	t.Parallel()
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	b.run(cli.ExitDone, "", "settings", "put", "publish=enabled")
	id := b.create(liveCampaign)
	b.run(cli.ExitDone, "", "publish", id, "--yes")
	dir := t.TempDir()
	b.run(cli.ExitDone, "", "export", id, "--dir", dir, "--yaml")
	w := watch(t, b, dir)
	w.next("watching")
	file := filepath.Join(dir, "live-"+id+".yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "Half price", "Full price", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if l := w.next("skipped"); !strings.Contains(l["message"].(string), "apply it with `bugle apply`") {
		t.Errorf("it printed %v", l)
	}
	if got, _ := b.run(cli.ExitDone, "", "get", id); !strings.Contains(got, "Half price") {
		t.Errorf("it was changed: %s", got)
	}
}

// Links and pipes that appear in the folder, also in the place of a text, are reported and not read.
func TestWatchFollowsNoLinks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	b := newBugle(t)
	b.run(cli.ExitDone, "", "init")
	id := b.create(watchedMail)
	dir := t.TempDir()
	b.run(cli.ExitDone, "", "export", "--all", "--dir", dir, "--folders")
	w := watch(t, b, dir)
	w.next("watching")
	link := func(to, name string) {
		t.Helper()
		_ = os.Remove(filepath.Join(dir, name)) // it may not be there
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	unread := func(event string) {
		t.Helper()
		if l := w.next(event); !strings.Contains(l["message"].(string), "it is a link") {
			t.Errorf("it printed %v", l)
		}
	}
	link("/dev/zero", "zero.yaml")
	unread("unreadable")
	link("..", "up.yaml")
	unread("unreadable")
	link("/dev/zero", filepath.Join("watched-"+id, "email.html"))
	unread("invalid")
	link("/", "folder")
	link("/dev/zero", filepath.Join("watched-"+id, "campaign.yaml"))
	unread("unreadable")
	if got, _ := b.run(cli.ExitDone, "", "get", id); !strings.Contains(got, "<p>one</p>") {
		t.Errorf("it became %s", got)
	}
}
