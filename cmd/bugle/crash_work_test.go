//go:build linux || darwin || freebsd

package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/store/backup"
)

const crashWorkspace = "CRASH"

// envCrashLife is the number of a process of TestCrash.
const envCrashLife = "BUGLE_CRASH_LIFE"

// crashLine is what somebody is about to try, or what became of it. A terminal writes it as a line of JSON.
type crashLine struct {
	What string   `json:"what"` // ready, try, done, no (refused), lost (no response, or an inconclusive one)
	Name string   `json:"name"` // of the campaign, which has one writer; empty for a test send
	ID   string   `json:"id"`
	Sum  string   `json:"sum"`  // of what the campaign becomes
	To   []string `json:"to"`   // the recipients of a test send, each used by one alone
	Keys []string `json:"keys"` // its keys whose messages all left
	Err  string   `json:"err"`
}

// crashClaim is what its writer has reported of a campaign.
type crashClaim struct {
	id, sum string   // that were acknowledged last; empty: nothing was
	open    []string // what was tried since
}

// crashSend is what was reported of a test send to a recipient.
type crashSend struct {
	keys []string // that were acknowledged
}

// crashUnanswered are the valid reasons for an inconclusive response.
var crashUnanswered = []string{
	"it was killed", "it was not begun", "the bugle process that was sending this test quit before it finished", "while it was read; try again",
}

// note takes in what somebody reports.
func (s *crashSite) note(l crashLine) {
	s.update(func() {
		switch l.What {
		case "try":
			s.tries++
			if l.Name != "" {
				if s.claims[l.Name] == nil {
					s.claims[l.Name] = &crashClaim{}
				}
				s.claims[l.Name].open = append(s.claims[l.Name].open, l.Sum)
			}
			for _, to := range l.To {
				s.sends[to] = &crashSend{}
			}
		case "done":
			s.acks++
			if l.Name != "" {
				*s.claims[l.Name] = crashClaim{id: l.ID, sum: l.Sum}
			}
			for _, to := range l.To {
				s.sends[to].keys = l.Keys
			}
		case "lost":
			if !slices.ContainsFunc(crashUnanswered, func(why string) bool { return strings.Contains(l.Err, why) }) {
				s.t.Errorf("no answer about %s%v: %s", l.Name, l.To, l.Err)
			}
		default:
			s.t.Errorf("%s%v was refused: %s", l.Name, l.To, l.Err)
		}
	})
}

// crashSum returns what a campaign is known by: its state and its body, byte for byte.
func crashSum(state engine.State, body doc.Value) string {
	return fmt.Sprintf("%s %x", state, sha256.Sum256(body.Encode()))
}

func crashParse(format string, args ...any) doc.Value {
	v, err := doc.Parse(fmt.Appendf(nil, format, args...))
	if err != nil {
		panic(err) // a text below is wrong
	}
	return v
}

func crashBody(name string) doc.Value {
	return crashParse(`{"basic_details":{"name":%q,"content_type":"TRANSACTIONAL"},"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"}}`, name)
}

// crashEnd is the end of every email, to detect truncated ones.
const crashEnd = "<p>The end.</p>"

// crashContent returns the content of an email. Most are short, some are long.
func crashContent(name string, rnd *rand.Rand) doc.Member {
	n := 1 + rnd.IntN(40)
	if rnd.IntN(30) == 0 {
		n *= 50
	}
	var text strings.Builder
	for range n {
		fmt.Fprintf(&text, "<p>%x of %s</p>", rnd.Uint64(), name)
	}
	return doc.M(string(catalog.CampaignContent), crashParse(`{"content":{"email":{"subject":%q,"from_address":"shop@example.com","sender_name":"Shop","html_content":%q}}}`,
		"News of "+name, text.String()+crashEnd))
}

// crashWith returns a body with a component replaced or added.
func crashWith(body doc.Value, m doc.Member) doc.Value {
	body, err := body.Set(doc.P(m.Name), m.Value)
	if err != nil {
		panic(err) // a body is an object
	}
	return body
}

// crashRecipients returns recipients that nobody else has.
func crashRecipients(name string, rnd *rand.Rand) (to []string) {
	for i := range 1 + rnd.IntN(5) {
		to = append(to, fmt.Sprintf("%s-%d@example.com", name, i))
	}
	return to
}

// crashTestOf returns the request for a test send of a draft by email.
func crashTestOf(id string, to []string) doc.Value {
	list, _ := json.Marshal(to) // of strings
	return crashParse(`{"draft_id":%q,"test_campaign_meta":{"identifier":"EMAIL","identifier_values":%s}}`, id, list)
}

// crashSent returns the keys of a test send whose messages were sent.
func crashSent(r engine.TestResult) (keys []string) {
	for _, key := range r.Keys {
		if r.Data[key].Status == engine.Sent {
			keys = append(keys, key)
		}
	}
	return keys
}

func init() { programs["bugle-crash-worker"] = crashWorker }

// crashWorker uses the store like the terminal program: it builds, saves, and sends drafts, and prints what it tries and what
// succeeded, until it is killed or its input ends.
func crashWorker() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	ctx, out, life := context.Background(), json.NewEncoder(os.Stdout), os.Getenv(envCrashLife)
	svc, err := cli.New(cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Getenv).Service(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	seed, _ := strconv.ParseUint(life, 10, 64)
	rnd := rand.New(rand.NewPCG(seed, 1))
	say := func(what string, l crashLine) {
		l.What = what
		_ = out.Encode(l) // one write; it fails when nobody listens any more
	}
	do := func(l crashLine, call func(*crashLine) error) bool {
		time.Sleep(upTo(rnd, 20*time.Millisecond)) // as a person would take
		say("try", l)
		err := call(&l)
		if err == nil {
			say("done", l)
			return true
		}
		l.Err = err.Error()
		if e := engine.AsError(err); e != nil && e.HTTP < 500 {
			say("no", l)
		} else {
			say("lost", l)
		}
		return false
	}
	say("ready", crashLine{})
	for n := 0; ; n++ {
		name := fmt.Sprintf("terminal-%s-%d", life, n)
		body, revision := crashBody(name), int64(1)
		l := crashLine{Name: name, Sum: crashSum(catalog.Draft, body)}
		ok := do(l, func(made *crashLine) error {
			c, err := svc.Create(ctx, engine.CreateRequest{Body: engine.NewDraftBody(catalog.Email, catalog.OneTime, crashAuthor, body)})
			made.ID, l.ID = c.ID, c.ID
			return err
		})
		for i := 0; ok && i < 10; i++ {
			body = crashWith(body, crashContent(name, rnd))
			l.Sum = crashSum(catalog.Draft, body)
			ok = do(l, func(*crashLine) error {
				h, err := svc.Save(ctx, engine.SaveRequest{ID: l.ID, Revision: revision, Body: body, By: crashAuthor, Coalesce: rnd.IntN(3) == 0})
				revision = h.Revision
				return err
			})
			if ok && rnd.IntN(4) == 0 {
				to := crashRecipients(fmt.Sprintf("%s-%d", name, i), rnd)
				ok = do(crashLine{To: to}, func(sent *crashLine) error {
					r, err := svc.Test(ctx, engine.TestRequest{Call: engine.Call{RequestID: uuid.NewString()}, Body: crashTestOf(l.ID, to)})
					sent.Keys = crashSent(r)
					return err
				})
			}
		}
	}
}

// commands runs one short command after another, as a script would, until ctx ends.
func (s *crashSite) commands(ctx context.Context) {
	rnd := rand.New(rand.NewPCG(s.seed, 2))
	write := func(l crashLine, in doc.Value, args ...string) (id string, ok bool) {
		l.What = "try"
		s.note(l)
		code, out, errs := s.command(ctx, string(in.Encode()), args...)
		l.Err = errs
		switch l.What = "done"; code {
		case cli.ExitDone:
			v, err := doc.Parse([]byte(out))
			if err != nil {
				s.t.Errorf("bugle %s wrote %q", strings.Join(args, " "), out)
			}
			if l.ID == "" {
				l.ID = v.Get("id").Text()
			}
			l.Keys = crashSent(engine.ParseTestResult(v))
		case cli.ExitFailed, -1:
			l.What = "lost"
		default:
			l.What = "no"
		}
		s.note(l)
		return l.ID, l.What == "done"
	}
	for n := 0; ctx.Err() == nil; n++ {
		name := fmt.Sprintf("command-%d", n)
		body := crashBody(name)
		id, ok := write(crashLine{Name: name, Sum: crashSum(catalog.Draft, body)}, engine.NewDraftBody(catalog.Email, catalog.OneTime, crashAuthor, body), "create", "-", "--json")
		if ok {
			m := crashContent(name, rnd)
			_, ok = write(crashLine{Name: name, ID: id, Sum: crashSum(catalog.Draft, crashWith(body, m))}, doc.NewObject(m), "update", id, "-", "--json")
		}
		if to := crashRecipients(name, rnd); ok {
			args := []string{"test", id, "--json"}
			for _, address := range to {
				args = append(args, "--to", address)
			}
			write(crashLine{ID: id, To: to}, doc.NewObject(), args...)
		}
		s.wholeStore(ctx, "backup", "--json", filepath.Join(s.aside, name+backup.Suffix))
		s.wholeStore(ctx, "doctor", "--json")
	}
}

// wholeStore runs a command that reads the whole store while others write.
func (s *crashSite) wholeStore(ctx context.Context, args ...string) {
	code, out, errs := s.command(ctx, "", args...)
	var said struct {
		File  string // of a backup
		Sound bool
	}
	switch err := json.Unmarshal([]byte(out), &said); {
	case code != cli.ExitDone:
		s.note(crashLine{What: "lost", Err: out + errs})
	case err != nil || said.File == "" && !said.Sound:
		s.t.Errorf("bugle %s wrote %q", strings.Join(args, " "), out)
	case said.File != "":
		s.update(func() { s.backups = append(s.backups, said.File) })
	}
}

// crashClient writes over HTTP, each call with a key of its own, and calls again with the same key until it is answered, as
// the specification has its clients do.
type crashClient struct {
	s    *crashSite
	name string
	rnd  *rand.Rand
	http http.Client
}

// crashCall is a call over HTTP and its answer, which must be the same ever after.
type crashCall struct {
	method, path, body, key string
	status                  int
	answer                  string
}

func newCrashClient(s *crashSite, n int) *crashClient {
	return &crashClient{s: s, name: fmt.Sprintf("client%d", n), rnd: rand.New(rand.NewPCG(s.seed, uint64(10+n))), http: http.Client{Timeout: time.Minute}}
}

// run takes one campaign after another through its life until ctx ends.
func (c *crashClient) run(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		name := fmt.Sprintf("%s-%d", c.name, n)
		body := crashBody(name)
		l := crashLine{Name: name, Sum: crashSum(catalog.Draft, body)}
		l.ID = c.write(ctx, l, "POST", "", engine.NewDraftBody(catalog.Email, catalog.OneTime, crashAuthor, body)).Get("data").Get("id").Text()
		for _, m := range []doc.Member{
			crashContent(name, c.rnd), doc.M(string(catalog.SegmentationDetails), crashParse(`{"is_all_user_campaign":true}`)), crashContent(name, c.rnd),
			doc.M(string(catalog.SchedulingDetails), crashParse(`{"delivery_type":"AT_FIXED_TIME","start_time":"2099-12-01T09:00:00","timezone":"Europe/Berlin"}`)),
		} {
			body = crashWith(body, m)
			l.Sum = crashSum(catalog.Draft, body)
			c.write(ctx, l, "PATCH", "/"+l.ID, doc.NewObject(m, doc.M("updated_by", doc.NewString(crashAuthor))))
		}
		to := crashRecipients(name, c.rnd)
		c.write(ctx, crashLine{To: to}, "POST", "/test", crashTestOf(l.ID, to))
		l.Sum = crashSum(catalog.Scheduled, body)
		c.write(ctx, l, "PATCH", "/"+l.ID, crashParse(`{"status":"PUBLISH"}`))
		l.Sum = crashSum(catalog.Stopped, body)
		c.write(ctx, l, "POST", "/"+l.ID+"/status", crashParse(`{"action":"STOP"}`))
	}
}

// write repeats a call until it gets a response, notes it, and returns its body. Sometimes it then repeats an earlier call.
func (c *crashClient) write(ctx context.Context, l crashLine, method, path string, body doc.Value) doc.Value {
	time.Sleep(upTo(c.rnd, 15*time.Millisecond)) // as a client takes between its calls
	if ctx.Err() != nil {
		return doc.Value{}
	}
	l.What = "try"
	c.s.note(l)
	call := crashCall{method: method, path: path, body: string(body.Encode()), key: uuid.NewString()}
	if !c.call(ctx, &call) {
		return doc.Value{} // the end; it may be there or not
	}
	answer, err := doc.Parse([]byte(call.answer))
	if l.What = "done"; err != nil || call.status >= 300 {
		l.What, l.Err = "no", fmt.Sprintf("%d %s", call.status, call.answer)
	}
	if l.ID == "" {
		l.ID = answer.Get("data").Get("id").Text()
	}
	l.Keys = crashSent(engine.ParseTestResult(answer.Get("data")))
	c.s.note(l)
	var again crashCall
	c.s.update(func() {
		c.s.calls = append(c.s.calls, call)
		again = c.s.calls[c.rnd.IntN(len(c.s.calls))]
	})
	if c.rnd.IntN(3) == 0 {
		c.repeat(ctx, again)
	}
	return answer
}

// repeat makes a call that was acknowledged once more, which must be answered as then.
func (c *crashClient) repeat(ctx context.Context, before crashCall) {
	if now := before; c.call(ctx, &now) && now != before {
		c.s.t.Errorf("%s %s, repeated, was answered with %d %s and before with %d %s", now.method, now.path, now.status, now.answer, before.status, before.answer)
	}
}

// call makes a call, again and again with the same key, until the service has an answer to it. What is no answer is a
// connection that fails, a failure of the service for which a kill is to blame, and that the first call still runs.
func (c *crashClient) call(ctx context.Context, call *crashCall) bool {
	for ; ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		url, ok := c.s.server(ctx)
		if !ok {
			return false
		}
		r, err := http.NewRequestWithContext(ctx, call.method, url+"/v5/campaigns"+call.path, strings.NewReader(call.body))
		if err != nil {
			c.s.t.Error(err)
			return false
		}
		r.SetBasicAuth(crashWorkspace, c.s.key)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-SVC-Request-Id", call.key)
		r.Header.Set("Idempotency-Key", call.key)
		c.s.update(func() { c.s.tries++ })
		res, err := c.http.Do(r)
		if err != nil {
			continue
		}
		b, err := io.ReadAll(res.Body)
		res.Body.Close()
		switch {
		case err != nil, res.StatusCode == http.StatusConflict && strings.Contains(string(b), "still in progress"):
		case res.StatusCode >= 500:
			c.s.note(crashLine{What: "lost", Err: string(b)})
		default:
			call.status, call.answer = res.StatusCode, string(b)
			return true
		}
	}
	return false
}
