//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// workers are those who work at once, each at one kind of thing, again and again.
type workers struct {
	t       *testing.T
	workers []*worker
	stopped chan struct{}
	turns   chan turn // what was done, of all of them
	left    int       // how many still work
}

type worker struct {
	name string
	do   func(n int) error
	done int
	last time.Time // when what was done last had begun
}

// turn is one thing that was done.
type turn struct {
	by         *worker
	begun, end time.Time
	err        error
	ended      bool // the worker has stopped
}

// start has ten commands work at once, and two clients of the server.
func (c *loadTest) start(t *testing.T, round string) *workers {
	t.Helper()
	own := map[string]string{} // the campaigns of those who change one
	for _, who := range []string{"update one", "update two", "patch"} {
		id, err := c.create("Of " + who + " beside the " + round)
		if err != nil {
			t.Fatal(err)
		}
		own[who] = id
	}
	dir := t.TempDir()
	crew := &workers{t: t, stopped: make(chan struct{}), turns: make(chan turn)}
	add := func(name string, do func(n int) error) {
		crew.workers = append(crew.workers, &worker{name: name, do: do})
	}
	for _, who := range []string{"create one", "create two", "create three"} {
		add(who, func(n int) error {
			_, err := c.create(fmt.Sprintf("By %s beside the %s, %d", who, round, n))
			return err
		})
	}
	for _, who := range []string{"update one", "update two"} {
		add(who, func(n int) error {
			name := fmt.Sprintf("By %s beside the %s, %d", who, round, n)
			err := c.run(nil, nameBody(name), "update", own[who], "-")
			if err == nil {
				c.renamed(own[who], name)
			}
			return err
		})
	}
	add("search", func(int) error { return c.run(nil, "", "search", "--status", "DRAFT", "--json") })
	add("meta", func(int) error { return c.run(nil, "", "meta", "--json") })
	add("validate", func(int) error { return c.run(nil, "", "validate", c.sample) })
	add("test", func(int) error {
		err := c.run(nil, "", "test", c.sample, "--to", "ann@example.com")
		if err != nil && strings.Contains(err.Error(), "check the outbox for messages") {
			return nil // messages may have left, and only a person may say to send them again
		}
		return err
	})
	add("export", func(int) error { return c.run(nil, "", "export", c.sample, "--dir", dir) })
	add("POST", func(n int) error {
		k := &keyedCreate{key: uuid.NewString(), name: fmt.Sprintf("By POST beside the %s, %d", round, n)}
		return c.post(k, round == "serve")
	})
	add("PATCH", func(n int) error {
		name := fmt.Sprintf("By PATCH beside the %s, %d", round, n)
		_, err := c.http(http.MethodPatch, "/v5/campaigns/"+own["patch"], nameBody(name), uuid.NewString(), round == "serve")
		if err == nil {
			c.renamed(own["patch"], name)
		}
		return err
	})
	crew.begin()
	return crew
}

func createBody(name string) string {
	return fmt.Sprintf(`{"channel":"PUSH","campaign_delivery_type":"ONE_TIME","created_by":"ann@example.com","basic_details":{"name":%q}}`, name)
}

func nameBody(name string) string { return fmt.Sprintf(`{"basic_details":{"name":%q}}`, name) }

// post makes a campaign over HTTP, and notes it.
func (c *loadTest) post(k *keyedCreate, again bool) error {
	b, err := c.http(http.MethodPost, "/v5/campaigns", createBody(k.name), k.key, again)
	if err != nil {
		return err
	}
	var made struct{ Data struct{ ID string } }
	if err := json.Unmarshal(b, &made); err != nil || made.Data.ID == "" {
		return fmt.Errorf("no id in %s: %w", b, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if k.id != "" && k.id != made.Data.ID {
		return fmt.Errorf("the key %s gave %s, and now %s", k.key, k.id, made.Data.ID)
	}
	k.id = made.Data.ID
	if _, known := c.made[k.id]; !known {
		c.keyed = append(c.keyed, k)
	}
	c.made[k.id], c.named[k.id] = k.name, k.name
	return nil
}

// http sends a request to the server, and repeats it if the server is killed and restarted.
func (c *loadTest) http(method, path, body, key string, again bool) ([]byte, error) {
	for begun := time.Now(); ; {
		req, err := http.NewRequest(method, c.addr()+path, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.SetBasicAuth(c.user, c.key)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-SVC-Request-Id", uuid.NewString())
		req.Header.Set("Idempotency-Key", key)
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			var b []byte
			b, err = io.ReadAll(res.Body)
			res.Body.Close()
			if err == nil && res.StatusCode/100 != 2 {
				return nil, fmt.Errorf("%s %s: %s\n%s", method, path, res.Status, b)
			}
			if err == nil {
				return b, nil
			}
		}
		if !again || time.Since(begun) > patience {
			return nil, err
		}
		time.Sleep(5 * time.Millisecond) // before the next try to reach a server that is coming up
	}
}

func (c *workers) begin() {
	c.left = len(c.workers)
	for _, w := range c.workers {
		go func() {
			for n := 0; ; n++ {
				select {
				case <-c.stopped:
					c.turns <- turn{by: w, ended: true}
					return
				default:
				}
				t := turn{by: w, begun: time.Now()}
				t.err = w.do(n)
				t.end = time.Now()
				c.turns <- t
			}
		}()
	}
	c.t.Cleanup(c.stop) // also where the test has failed
}

// next notes the next thing that is done.
func (c *workers) next() turn {
	t := <-c.turns
	switch {
	case t.ended:
		c.left--
	case t.err != nil:
		c.t.Errorf("%s, begun %s: %v", t.by.name, t.begun.Format("05.000"), t.err)
	}
	if !t.ended {
		t.by.done++
		t.by.last = t.begun
	}
	return t
}

// until waits until the condition holds for every worker.
func (c *workers) until(what string, ok func(*worker) bool) {
	c.t.Helper()
	late := time.Now().Add(2 * patience)
	for {
		waiting := ""
		for _, w := range c.workers {
			if !ok(w) {
				waiting = w.name
			}
		}
		if waiting == "" {
			return
		}
		if time.Now().After(late) {
			c.t.Fatalf("not so for %s: %s", waiting, what)
		}
		c.next()
	}
}

// goesOn returns the slowest worker to finish the work that was in progress when the owner was killed, or that was
// started first after it, and the time since.
func (c *workers) goesOn(killed time.Time) (who string, took time.Duration) {
	c.t.Helper()
	late := time.Now().Add(2 * patience)
	waiting := map[*worker]bool{}
	for _, w := range c.workers {
		waiting[w] = true
	}
	for len(waiting) > 0 && time.Now().Before(late) {
		t := c.next()
		if !waiting[t.by] {
			continue
		}
		if t.begun.After(killed) {
			delete(waiting, t.by)
		}
		since := killed
		if t.begun.After(killed) {
			since = t.begun
		}
		if d := t.end.Sub(since); d > took {
			who, took = t.by.name, d
		}
	}
	for w := range waiting {
		c.t.Errorf("%s does not go on", w.name)
	}
	return who, took
}

// stop waits until everyone has ended.
func (c *workers) stop() {
	select {
	case <-c.stopped:
	default:
		close(c.stopped)
	}
	for c.left > 0 {
		c.next()
	}
}

// check compares the store, as a new process reads it, with what was acknowledged, and repeats every request with a
// key.
func (c *loadTest) check(t *testing.T) {
	c.serve(t)
	for _, k := range c.keyed {
		if err := c.post(k, false); err != nil {
			t.Error(err)
		}
	}
	dir := t.TempDir()
	c.must(t, nil, "", "export", "--all", "--dir", dir)
	ids := map[string][]string{} // by name
	found := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		var one struct {
			ID    string
			Basic struct{ Name string } `json:"basic_details"`
		}
		if err = errors.Join(err, json.Unmarshal(b, &one)); err != nil {
			t.Fatal(err)
		}
		found[one.ID] = one.Basic.Name
		ids[one.Basic.Name] = append(ids[one.Basic.Name], one.ID)
	}
	lost := 0
	for id, name := range c.named {
		if got, there := found[id]; !there || got != name {
			t.Errorf("%s is named %q, want %q (there: %v)", id, got, name, there)
			lost++
		}
	}
	for name, same := range ids {
		if name != "" && len(same) > 1 {
			t.Errorf("%q is there %d times: %v", name, len(same), same)
		}
	}
	t.Logf("%d campaigns made (%d over HTTP, each once more with its key) and %d changes acknowledged; %d not found", len(c.made), len(c.keyed), c.updates, lost)
	if len(c.made) < 50 || c.updates < 20 {
		t.Errorf("only %d campaigns and %d changes", len(c.made), c.updates)
	}
}
