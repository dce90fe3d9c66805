//go:build linux || darwin || freebsd

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// crashClient writes over HTTP, each call with a key of its own, and calls again with the same key until
// it is answered, as the specification has its clients do.
type crashClient struct {
	s    *crashSite
	name string
	n    int
	rnd  *rand.Rand
	http *http.Client
}

// run takes one campaign after another through its life until ctx ends.
func (c *crashClient) run(ctx context.Context) {
	for ctx.Err() == nil {
		c.n++
		name := fmt.Sprintf("%s-%d", c.name, c.n)
		if c.rnd.IntN(2) == 0 {
			c.mail(ctx, name)
		} else {
			c.push(ctx, name)
		}
		if c.rnd.IntN(3) == 0 {
			c.inline(ctx)
		}
	}
}

// mail builds a mail component by component, tests it, and publishes and stops it.
func (c *crashClient) mail(ctx context.Context, name string) {
	body := doc.NewObject(crashBasics(name, "begun"), crashConnector())
	id := c.create(ctx, name, catalog.Email, catalog.OneTime, &body)
	for _, m := range []doc.Member{crashContent(name, c.rnd), crashAudience(), crashBasics(name, "changed"), crashContent(name, c.rnd), crashSchedule()} {
		c.update(ctx, name, id, &body, m)
	}
	c.n++
	var to []string
	for i := range 1 + c.rnd.IntN(10) {
		to = append(to, fmt.Sprintf("%s-%d-%d@example.com", c.name, c.n, i))
	}
	c.test(ctx, to, crashTestOf(id, to))
	if c.rnd.IntN(3) > 0 {
		c.write(ctx, crashLine{Op: "publish", Name: name, ID: id, State: catalog.Scheduled}, "PATCH", "/v5/campaigns/"+id, `{"status":"PUBLISH"}`)
		c.write(ctx, crashLine{Op: "status", Name: name, ID: id, State: catalog.Stopped}, "POST", "/v5/campaigns/"+id+"/status", `{"action":"STOP"}`)
	}
}

// push makes a push campaign that an event sets off, puts it live, and changes it there.
func (c *crashClient) push(ctx context.Context, name string) {
	body := doc.NewObject(crashPush(name, "Hi")...)
	id := c.create(ctx, name, catalog.Push, catalog.EventTriggered, &body)
	c.write(ctx, crashLine{Op: "publish", Name: name, ID: id, State: catalog.Active}, "PATCH", "/v5/campaigns/"+id, `{"status":"PUBLISH"}`)
	c.update(ctx, name, id, &body, crashPush(name, "Hello")[1])
	for _, a := range []struct {
		action string
		state  engine.State
	}{{"PAUSE", catalog.Paused}, {"RESUME", catalog.Active}, {"PAUSE", catalog.Paused}} {
		c.write(ctx, crashLine{Op: "status", Name: name, ID: id, State: a.state}, "POST", "/v5/campaigns/"+id+"/status", fmt.Sprintf(`{"action":%q}`, a.action))
	}
}

func (c *crashClient) create(ctx context.Context, name string, ch engine.Channel, dt engine.DeliveryType, body *doc.Value) (id string) {
	l := crashLine{Op: "create", Name: name, Sum: sumOf(*body), State: catalog.Draft}
	answer := c.write(ctx, l, "POST", "/v5/campaigns", string(engine.NewDraftBody(ch, dt, crashAuthor, *body).Encode()))
	return answer.Get("data").Get("id").Text()
}

func (c *crashClient) update(ctx context.Context, name, id string, body *doc.Value, m doc.Member) {
	*body = crashWith(*body, m)
	change := doc.NewObject(m, doc.M("updated_by", doc.NewString(crashAuthor)))
	c.write(ctx, crashLine{Op: "update", Name: name, ID: id, Sum: sumOf(*body)}, "PATCH", "/v5/campaigns/"+id, string(change.Encode()))
}

// inline tests content that is in no campaign, on two platforms.
func (c *crashClient) inline(ctx context.Context) {
	c.n++
	var to []string
	for i := range 1 + c.rnd.IntN(5) {
		to = append(to, fmt.Sprintf("token-%s-%d-%d", c.name, c.n, i))
	}
	body := crashParse(`{"channel":"PUSH","campaign_content":{"content":{"push":{
		"android":{"template_type":"BASIC","basic_details":{"title":"Hi","message":"m"}},
		"ios":{"template_type":"BASIC","basic_details":{"title":"Hi","message":"m"}}}}}}`)
	c.test(ctx, to, crashWith(body, doc.M("test_campaign_meta",
		doc.NewObject(doc.M("identifier", doc.NewString("PUSH_ID")), doc.M("identifier_values", doc.NewStrings(to...))))))
}

func (c *crashClient) test(ctx context.Context, to []string, body doc.Value) {
	c.write(ctx, crashLine{Op: "test", To: to}, "POST", "/v5/campaigns/test", string(body.Encode()))
}

// write repeats a call until it gets a response, records it, and returns its body.
func (c *crashClient) write(ctx context.Context, l crashLine, method, path, body string) doc.Value {
	select {
	case <-time.After(upTo(c.rnd, 15*time.Millisecond)): // as a client takes between its calls
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return doc.Value{}
	}
	a := &crashAnswer{method: method, path: path, body: body, key: uuid.NewString(), request: uuid.NewString()}
	if l.What = "try"; l.Op == "test" {
		l.Key = a.request
	}
	c.s.output(l)
	status, answer, ok := c.call(ctx, a)
	if !ok {
		return doc.Value{} // the end; it may be there or not
	}
	v, err := doc.Parse([]byte(answer))
	if err != nil {
		c.s.model.report("%s %s was answered with %q: %v", method, path, answer, err)
	}
	l.What, l.Code = "done", status
	if status >= 300 {
		l.What, l.Err = "no", answer
	}
	switch l.Op {
	case "create":
		l.ID = v.Get("data").Get("id").Text()
	case "test":
		l.Sent = crashSent(engine.ParseTestResult(v.Get("data")))
	}
	a.status, a.answer = status, answer
	c.s.output(l)
	if l.What == "done" {
		c.s.model.remember(a)
	}
	for c.rnd.IntN(4) == 0 {
		c.repeat(ctx, c.s.model.anyAnswer(c.rnd))
	}
	return v
}

// repeat makes a call that was acknowledged once more, which must be answered as then.
func (c *crashClient) repeat(ctx context.Context, a *crashAnswer) {
	if a == nil {
		return
	}
	status, answer, ok := c.call(ctx, a)
	if !ok {
		return
	}
	c.s.model.count("replays")
	if status != a.status || answer != a.answer {
		c.s.model.report("%s %s, repeated, was answered with %d %s and before with %d %s", a.method, a.path, status, answer, a.status, a.answer)
	}
}

// call makes a call, again and again with the same key, until the service has an answer to it. What is
// no answer is a connection that fails, a failure of the service, and that the first call still runs.
func (c *crashClient) call(ctx context.Context, a *crashAnswer) (status int, answer string, ok bool) {
	for {
		url, ok := c.s.server(ctx)
		if !ok {
			return 0, "", false
		}
		r, err := http.NewRequestWithContext(ctx, a.method, url+a.path, strings.NewReader(a.body))
		if err != nil {
			c.s.model.report("%v", err)
			return 0, "", false
		}
		r.SetBasicAuth(crashWorkspace, c.s.key)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-SVC-Request-Id", a.request)
		r.Header.Set("Idempotency-Key", a.key)
		c.s.begun()
		status, answer, err = c.exchange(r)
		switch {
		case err != nil:
			c.s.model.count("calls again, as the connection failed")
		case status >= 500:
			c.s.model.odd(status, answer)
		case status == http.StatusConflict && strings.Contains(answer, "still in progress"):
			c.s.model.count("calls again, as the first still ran")
		default:
			return status, answer, true
		}
		select {
		case <-time.After(5 * time.Millisecond): // between two attempts
		case <-ctx.Done():
			return 0, "", false
		}
	}
}

func (c *crashClient) exchange(r *http.Request) (int, string, error) {
	res, err := c.http.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, string(b), err
}

// odd notes a failure of the service, after which a client calls again.
func (m *crashModel) odd(status int, answer string) {
	var said struct{ Error struct{ Message string } }
	_ = json.Unmarshal([]byte(answer), &said)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts["calls again, as the service failed"]++
	m.oddity(fmt.Sprintf("HTTP %d: %s", status, said.Error.Message))
}

func (m *crashModel) remember(a *crashAnswer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers = append(m.answers, a)
}

// anyAnswer returns an acknowledged call; in one of four cases the newest.
func (m *crashModel) anyAnswer(rnd *rand.Rand) *crashAnswer {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.answers)
	switch {
	case n == 0:
		return nil
	case rnd.IntN(4) == 0:
		return m.answers[n-1]
	}
	return m.answers[rnd.IntN(n)]
}
