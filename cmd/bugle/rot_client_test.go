//go:build linux || darwin || freebsd

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// rotDamage matches messages that name damage.
var rotDamage = regexp.MustCompile(`(?i)damaged|\blost\b|records in workspace .* are missing`)

// rotClient writes and reads over HTTP. Campaigns that it changes are changed by no other.
type rotClient struct {
	r      *rotRound
	name   string
	rnd    *rand.Rand
	http   *http.Client
	mine   []string
	names  map[string]string
	n      int
	judged bool // what it reads is judged
}

// clients starts clients, which work until pause is called.
func (r *rotRound) clients(judged bool) (pause func()) {
	ctx, end := context.WithCancel(r.t.Context())
	var work sync.WaitGroup
	ids, names := r.model.living()
	r.shifts++
	const many = 3
	for i := range many {
		c := &rotClient{
			r: r, name: fmt.Sprintf("shift%d-client%d", r.shifts, i), rnd: rand.New(rand.NewPCG(r.seed, uint64(100*r.shifts+i))),
			http: newRotHTTP(), names: map[string]string{}, judged: judged,
		}
		for n := i; n < len(ids); n += many {
			c.mine, c.names[ids[n]] = append(c.mine, ids[n]), names[ids[n]]
		}
		work.Go(func() { c.run(ctx) })
	}
	return func() {
		end()
		work.Wait()
	}
}

func newRotHTTP() *http.Client {
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{}}
}

// run works until ctx ends, or the server has.
func (c *rotClient) run(ctx context.Context) {
	defer c.http.CloseIdleConnections()
	for ctx.Err() == nil && c.r.running() {
		if len(c.mine) == 0 {
			c.create()
			continue
		}
		id := c.mine[c.rnd.IntN(len(c.mine))]
		switch n := c.rnd.IntN(20); {
		case n < 8:
			c.update(id)
		case n < 13:
			c.create()
		case n < 18:
			c.get(id)
		default:
			c.search(id)
		}
	}
}

// size returns how long the text of a campaign is.
func (c *rotClient) size() int {
	if c.r.press.Load() && c.rnd.IntN(4) > 0 {
		return 60_000 + c.rnd.IntN(140_000)
	}
	return 1_000 + c.rnd.IntN(4_000)
}

// create makes a campaign. It is in the model from when it is acknowledged, as its id is not known before.
func (c *rotClient) create() {
	c.n++
	name := fmt.Sprintf("%s-%05d", c.name, c.n) // none is the beginning of another
	body := doc.NewObject(rotBody(c.rnd, name, c.size())...)
	tried := time.Now()
	status, answer, err := c.r.call(c.http, "POST", "/v5/campaigns", string(engine.NewDraftBody(catalog.Email, catalog.OneTime, crashAuthor, body).Encode()))
	if err != nil || status != http.StatusCreated {
		c.refused("create", status, answer, err)
		return
	}
	id := parsed(answer).Get("data").Get("id").Text()
	c.r.model.try(id, name, sumOf(body), tried)
	c.r.model.done(id)
	c.mine, c.names[id] = append(c.mine, id), name
}

// update replaces all components of a campaign, so that the result does not depend on what the store had.
func (c *rotClient) update(id string) {
	ms := rotBody(c.rnd, c.names[id], c.size())
	change := doc.NewObject(append(ms, doc.M("updated_by", doc.NewString(crashAuthor)))...)
	tried := time.Now()
	c.r.model.try(id, c.names[id], sumOf(doc.NewObject(ms...)), tried)
	status, answer, err := c.r.call(c.http, "PATCH", "/v5/campaigns/"+id, string(change.Encode()))
	switch {
	case err == nil && status < 300:
		c.r.model.done(id)
	case err == nil && status == http.StatusNotFound:
		c.got("update", id, rotMissing)
	default:
		c.refused("update", status, answer, err)
	}
}

// refused counts writes that were not acknowledged. They may have been done all the same.
func (c *rotClient) refused(what string, status int, answer string, err error) {
	switch {
	case err != nil:
		c.r.count("connections cut")
	case rotDamage.MatchString(answer):
		c.r.count("writes refused for damage")
	default:
		c.r.count(fmt.Sprintf("writes refused with %d", status))
		c.r.note("%s was refused with %d: %s", what, status, answer)
	}
}

func (c *rotClient) get(id string) { c.got("get", id, c.r.get(c.http, id)) }

func (c *rotClient) search(id string) {
	from := time.Now()
	q := engine.SearchRequest{Status: []engine.State{catalog.Draft}, Name: c.names[id], Limit: engine.PageSize, Page: 1}
	status, answer, err := c.r.call(c.http, "POST", "/v5/campaigns/search", string(q.Document().Encode()))
	if err != nil {
		c.r.count("connections cut")
		return
	}
	sum := ""
	for _, v := range parsed(answer).Get("data").Get("campaigns").Elems() {
		if rec := engine.ParseRecord(v); rec.ID == id {
			sum = sumOf(rec.Body)
		}
	}
	c.got("search", id, c.r.state(id, status, answer, sum, from))
}

// got notes the state in which a campaign was read; none where there was no answer.
func (c *rotClient) got(how, id string, state rotState) {
	if c.judged && state != "" {
		c.r.got(how, id, state)
	}
}

// call makes a request of the present server.
func (r *rotRound) call(client *http.Client, method, path, body string) (status int, answer string, err error) {
	url, ok := r.url()
	if !ok {
		return 0, "", fmt.Errorf("there is no server")
	}
	q, err := http.NewRequestWithContext(r.t.Context(), method, url+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	q.SetBasicAuth(crashWorkspace, r.s.key)
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("X-SVC-Request-Id", uuid.NewString())
	q.Header.Set("Idempotency-Key", uuid.NewString())
	res, err := client.Do(q)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, string(b), err
}

// get reads a campaign, and returns its state; none where there was no answer.
func (r *rotRound) get(client *http.Client, id string) rotState {
	from := time.Now()
	status, answer, err := r.call(client, "GET", "/v5/campaigns/"+id, "")
	if err != nil {
		r.count("connections cut")
		return ""
	}
	sum := ""
	if status == http.StatusOK {
		sum = sumOf(engine.ParseRecord(parsed(answer).Get("data")).Body)
	}
	return r.state(id, status, answer, sum, from)
}

// state returns the state of a campaign by an answer. The sum is that of its body, empty where it has none.
func (r *rotRound) state(id string, status int, answer, sum string, from time.Time) rotState {
	r.count("campaigns looked at")
	switch {
	case status == http.StatusOK, status == http.StatusNotFound:
		return r.model.judge(id, sum, from, time.Now())
	case rotDamage.MatchString(answer):
		return rotReported
	case strings.Contains(answer, "it took longer than"):
		return rotLate
	}
	r.note("%s was answered with %d: %s", id, status, answer)
	return rotUnnamed
}

func parsed(answer string) doc.Value {
	v, err := doc.Parse([]byte(answer))
	if err != nil {
		return doc.Value{} // nothing will be found in it
	}
	return v
}
