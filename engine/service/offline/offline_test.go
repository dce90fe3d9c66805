package offline_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/enginetest"
	"bugle/engine/service/offline"
	"bugle/engine/service/remote"
)

// While the service is there, the memory changes nothing.
func TestContract(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) enginetest.Env {
		clock := enginetest.NewClock()
		far, h, key := home(t, clock.Now)
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		svc, err := offline.Open(remote.Config{BaseURL: server.URL, Workspace: workspace, Key: func(context.Context) (string, error) { return key, nil }}, offline.Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { svc.Close() })
		return enginetest.Env{Service: svc, Home: far, Clock: clock}
	})
}

func TestCachedReadsWhileOffline(t *testing.T) {
	for name, w := range map[string]weather{"refused": refused, "silent": silent, "unavailable": unavailable} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			id := b.create("Spring")
			was := b.read(id)
			was.Revision = 0 // it is not part of a record, and nothing is written offline
			if names := b.list(); len(names) != 1 {
				t.Fatalf("the list is %q", names)
			}
			search := engine.SearchRequest{Status: []engine.State{"DRAFT"}, Limit: 5, Page: 1}
			meta := engine.MetaRequest{Limit: 5, Page: 1, Status: []engine.State{"DRAFT"}}
			found, err := b.svc.Search(t.Context(), search)
			if err != nil || len(found) != 1 {
				t.Fatalf("search: %v, %v", found, err)
			}
			rows, err := b.svc.Meta(t.Context(), meta)
			if err != nil || len(rows) != 1 {
				t.Fatalf("meta: %v, %v", rows, err)
			}

			b.net.set(w)
			begun := time.Now()
			got := b.read(id)
			if took := time.Since(begun); took > 2*time.Second {
				t.Errorf("it took %s", took)
			}
			if got.Head != was.Head || string(got.Body.Encode()) != string(was.Body.Encode()) || !strings.Contains(string(got.Body.Encode()), `"theirs":1.50`) {
				t.Errorf("it is %s\nwas %s", got.Record().Encode(), was.Record().Encode())
			}
			link := b.svc.Connection()
			if link.OfflineSince.IsZero() || link.OfflineSince.Before(begun) || link.Reason == "" {
				t.Errorf("the link is %+v", link)
			}
			if names := b.list(); len(names) != 1 || names[0] != "Spring" {
				t.Errorf("the list is %q", names)
			}
			search.RequestID = "another"
			if found, err := b.svc.Search(t.Context(), search); err != nil || len(found) != 1 || found[0].ID != id {
				t.Errorf("search: %v, %v", found, err)
			}
			if rows, err := b.svc.Meta(t.Context(), meta); err != nil || len(rows) != 1 || rows[0].Name != "Spring" {
				t.Errorf("meta: %v, %v", rows, err)
			}
		})
	}
}

// Whoever saw a campaign in the list can open it.
func TestListedCampaignsAreCached(t *testing.T) {
	b := newBench(t)
	ids := make([]string, engine.PageSize+2)
	for i := range ids {
		ids[i] = b.create(fmt.Sprint("Campaign ", i))
	}
	for end := time.Now().Add(10 * time.Second); ; { // what is created while pages are read moves others to the next page
		names := slices.Sorted(slices.Values(b.list()))
		if len(slices.Compact(names)) == len(ids) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the list is %q", names)
		}
	}
	b.net.set(refused)
	for _, id := range ids {
		b.read(id)
	}
}

// Each screen after the first gets what is remembered at once, without asking.
func TestOnlyOneCallWaits(t *testing.T) {
	b := newBench(t)
	id := b.create("Spring")
	b.read(id)
	b.net.set(silent)
	b.read(id)
	begun := time.Now()
	for range 50 {
		b.read(id)
	}
	if took := time.Since(begun); took > time.Second {
		t.Errorf("fifty reads took %s", took)
	}
}

func TestTheServiceIsFoundAgain(t *testing.T) {
	b := newBench(t)
	id := b.create("Spring")
	b.read(id)
	b.net.set(refused)
	b.read(id)
	b.rename(id, "Summer")
	b.net.set(fair)
	b.online()
	if name := b.read(id).Body.Get("basic_details").Get("name").Text(); name != "Summer" {
		t.Errorf("the campaign is called %q", name)
	}
}

// An answer that says at once that nobody is there is believed after a few of them, however patient one
// is; and whoever reads again has it looked at once whether the service is back.
func TestAClearAnswerIsBelieved(t *testing.T) {
	b := newBench(t)
	b.startWith(offline.Options{CheckAfter: time.Hour, RetryPause: time.Hour})
	id := b.create("Spring")
	b.read(id)
	b.net.set(unavailable)
	begun := time.Now()
	b.read(id)
	if took := time.Since(begun); took > 2*time.Second { // all repeats take four at least
		t.Errorf("it took %s", took)
	}
	b.net.set(fair)
	b.read(id)
	b.online()
}

// A campaign that was read anew is known as it is: nothing stands in the way of changing it.
func TestReadingAnewIsKnowing(t *testing.T) {
	b := newBench(t)
	id := b.create("Spring")
	b.read(id)
	b.net.set(refused)
	b.read(id)
	b.rename(id, "Theirs")
	b.net.set(fair)
	b.online()
	b.read(id)
	if _, err := b.svc.Update(t.Context(), renaming(b, id, "Mine")); err != nil {
		t.Error(err)
	}
}

// What was read is there after a start without a network.
func TestANewStartRemembers(t *testing.T) {
	b := newBench(t)
	id := b.create("Spring")
	b.read(id)
	b.list()
	b.svc.Close()
	b.net.set(refused)
	b.start()
	if names := b.list(); len(names) != 1 || names[0] != "Spring" {
		t.Errorf("the list is %q", names)
	}
	b.read(id)
}

func TestUncachedReadFails(t *testing.T) {
	b := newBench(t)
	b.net.set(refused)
	_, err := b.svc.Get(t.Context(), "65f0a1b2c3d4e5f60718293a")
	if err == nil || !strings.Contains(err.Error(), "has been offline since") || !strings.Contains(err.Error(), "(connection refused), and this campaign is not cached") {
		t.Errorf("the error is %v", err)
	}
}

// A refusal is an answer: what is remembered does not stand in for it, and is forgotten.
func TestARefusalIsNoAbsence(t *testing.T) {
	b := newBench(t)
	id := b.create("Spring")
	b.read(id)
	b.net.set(forbidden)
	if _, err := b.svc.Get(t.Context(), id); engine.AsError(err) == nil || engine.AsError(err).HTTP != http.StatusForbidden {
		t.Fatalf("the error is %v", err)
	}
	if !b.svc.Connection().OfflineSince.IsZero() {
		t.Error("a refusal counts as no answer")
	}
	b.net.set(refused)
	var away *offline.UnreachableError
	if _, err := b.svc.Get(t.Context(), id); !errors.As(err, &away) {
		t.Errorf("what was refused is given from memory: %v", err)
	}
}

// That something broke in the service is an answer as well.
func TestServiceErrorIsReturned(t *testing.T) {
	b := newBench(t)
	id := b.create("Spring")
	b.read(id)
	b.net.set(broken)
	_, err := b.svc.Get(t.Context(), id)
	if e := engine.AsError(err); e == nil || e.HTTP != http.StatusInternalServerError || !b.svc.Connection().OfflineSince.IsZero() {
		t.Errorf("the error is %v", err)
	}
}

func TestCanceledCallKeepsServiceOnline(t *testing.T) {
	b := newBench(t)
	id := b.create("Spring")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.svc.Get(ctx, id); !errors.Is(err, context.Canceled) || !b.svc.Connection().OfflineSince.IsZero() {
		t.Errorf("the error is %v, the link %+v", err, b.svc.Connection())
	}
}

func TestNothingIsWrittenWhileOffline(t *testing.T) {
	b := newBench(t)
	id := b.create("Spring")
	b.read(id)
	b.net.set(unavailable)
	b.read(id)
	sentence := func(what string, err error, want string) {
		t.Helper()
		if err == nil || !strings.HasPrefix(err.Error(), "the service has been offline since ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := b.svc.Update(t.Context(), renaming(b, id, "Summer"))
	sentence("update", err, "your edits are kept")
	_, err = b.svc.Create(t.Context(), engine.CreateRequest{Body: renaming(b, id, "x").Body})
	sentence("create", err, "no campaign was created")
	_, err = b.svc.ChangeStatus(t.Context(), engine.StatusRequest{ID: id, Action: "STOP"})
	sentence("status", err, "the state was not changed")
	_, err = b.svc.Validate(t.Context(), id)
	sentence("validate", err, "its check was not run")

	// Who tries again once it is back need not wait until that was found out.
	b.net.set(fair)
	if _, err := b.svc.Update(t.Context(), renaming(b, id, "Summer")); err != nil {
		t.Error(err)
	}
	b.online()
}

// Nothing is overwritten that was seen only as it was remembered.
func TestAChangeMadeMeanwhileIsNotOverwritten(t *testing.T) {
	b := newBench(t)
	id := b.create("Spring")
	b.read(id)
	b.net.set(refused)
	b.read(id)
	b.rename(id, "Theirs")
	b.net.set(fair)
	_, err := b.svc.Update(t.Context(), renaming(b, id, "Mine"))
	if e := engine.AsError(err); e == nil || e.HTTP != http.StatusConflict {
		t.Fatalf("the error is %v", err)
	}
	if name := b.read(id).Body.Get("basic_details").Get("name").Text(); name != "Theirs" {
		t.Errorf("the campaign is called %q", name)
	}
	if _, err := b.svc.Update(t.Context(), renaming(b, id, "Mine")); err != nil {
		t.Errorf("knowing it: %v", err)
	}
}

// What somebody changed here is not given as it was before the change.
func TestAChangeIsNotForgotten(t *testing.T) {
	b := newBench(t)
	id := b.create("Spring")
	b.read(id)
	if _, err := b.svc.Update(t.Context(), renaming(b, id, "Summer")); err != nil {
		t.Fatal(err)
	}
	b.net.set(refused)
	if c, err := b.svc.Get(t.Context(), id); err == nil {
		t.Errorf("it is %s again", c.Body.Encode())
	}
}

// The end of the program does not wait for a service that is silent.
func TestCloseEndsTheSearchForTheService(t *testing.T) {
	b := newBench(t)
	id := b.create("Spring")
	b.read(id)
	b.net.set(silent)
	b.read(id)
	ended := make(chan error, 1)
	go func() { ended <- b.svc.Close() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
}

func TestCacheFilesArePrivate(t *testing.T) {
	b := newBench(t)
	b.dir = filepath.Join(b.dir, "deep", "er")
	b.start()
	b.read(b.create("Spring"))
	n := 0
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		n++
		return err
	})
	if err != nil || n != 2 {
		t.Errorf("%d files and folders, %v", n, err)
	}
}

// A file that is not whole is as good as none.
func TestADamagedFile(t *testing.T) {
	b := newBench(t)
	id := b.create("Spring")
	b.read(id)
	files, err := filepath.Glob(filepath.Join(b.dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	for _, text := range []string{"", "{", `{"format":1,"kind":"campaign","key":"` + id + `","answer":{"body":"{"}}`, `{"format":9}`} {
		if err := os.WriteFile(files[0], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b.net.set(refused)
		if c, err := b.svc.Get(t.Context(), id); err == nil {
			t.Errorf("%q gives %s", text, c.Record().Encode())
		}
		b.net.set(fair)
		b.online()
	}
	if b.read(id); b.svc.Connection().Reason != "" {
		t.Error("it is still away")
	}
}
