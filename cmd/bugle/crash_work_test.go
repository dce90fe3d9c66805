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

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/service/remote"
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
	Addr string   `json:"addr"` // of a server that is ready
}

// crashClaim is what its writer has reported of a campaign.
type crashClaim struct {
	id, sum string   // that were acknowledged last; empty: nothing was
	open    []string // what was tried since
}

// crashUnanswered are the valid reasons for an inconclusive response.
var crashUnanswered = []string{
	"it was killed", "it was not begun", "while it was read; try again",
	"the bugle process that was sending this test quit before it finished",
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
				s.sends[to] = nil
			}
		case "done":
			s.acks++
			if l.Name != "" {
				*s.claims[l.Name] = crashClaim{id: l.ID, sum: l.Sum}
			}
			for _, to := range l.To {
				s.sends[to] = l.Keys
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
	return crashParse(`{"basic_details":{"name":%q,"content_type":"TRANSACTIONAL"},
		"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Main SMTP"}}`, name)
}

func crashDraft(body doc.Value) doc.Value {
	return engine.NewDraftBody(catalog.Email, catalog.OneTime, crashAuthor, body)
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
	return doc.M(string(catalog.CampaignContent), crashParse(
		`{"content":{"email":{"subject":%q,"from_address":"shop@example.com","sender_name":"Shop","html_content":%q}}}`,
		"News of "+name, text.String()+crashEnd))
}

// crashWorker builds, tests and publishes one campaign after the other: a terminal on the store, or a client of the API.
type crashWorker struct {
	svc  engine.Service
	name string // its campaigns' names begin with it
	rnd  *rand.Rand
	say  func(crashLine)
	done func(context.Context, crashCall) // of a client, whose calls have keys; nil for a terminal
}

// crashCall is something that a client did, and its result, which must be the same ever after.
type crashCall struct {
	engine.Call
	do     func(context.Context, engine.Call) ([]string, error)
	result []string
}

// do tries something, reports what became of it, and returns the result, nil if there is none.
func (w *crashWorker) do(
	ctx context.Context, l crashLine, do func(context.Context, engine.Call) ([]string, error),
) []string {
	time.Sleep(upTo(w.rnd, 20*time.Millisecond)) // as a person takes
	if ctx.Err() != nil {
		return nil
	}
	l.What = "try"
	w.say(l)
	call := crashCall{do: do}
	if w.done != nil {
		call.Call = engine.NewCall()
	}
	var err error
	call.result, err = do(ctx, call.Call)
	if ctx.Err() != nil {
		return nil // the end; it may be there or not
	}
	if err != nil {
		l.What, l.Err = "lost", err.Error()
		if e := engine.AsError(err); e != nil && e.HTTP < http.StatusInternalServerError {
			l.What = "no"
		}
		w.say(l)
		return nil
	}
	if l.What, l.Keys = "done", call.result; l.Name != "" {
		l.ID = call.result[0]
	}
	w.say(l)
	if w.done != nil {
		w.done(ctx, call)
	}
	return call.result
}

// run takes one campaign after another through its life until ctx ends.
func (w *crashWorker) run(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		w.campaign(ctx, fmt.Sprintf("%s-%d", w.name, n))
	}
}

func (w *crashWorker) campaign(ctx context.Context, name string) {
	body := crashBody(name)
	draft := crashDraft(body)
	made := w.do(ctx, crashLine{Name: name, Sum: crashSum(catalog.Draft, body)}, func(ctx context.Context, c engine.Call) ([]string, error) {
		r, err := w.svc.Create(ctx, engine.CreateRequest{Call: c, Body: draft})
		return []string{r.ID}, err
	})
	if made == nil {
		return
	}
	id, revision := made[0], int64(1)
	for _, m := range []doc.Member{
		crashContent(name, w.rnd), doc.M(string(catalog.SegmentationDetails), crashParse(`{"is_all_user_campaign":true}`)),
		crashContent(name, w.rnd), doc.M(string(catalog.SchedulingDetails), crashParse(
			`{"delivery_type":"AT_FIXED_TIME","start_time":"2099-12-01T09:00:00","timezone":"Europe/Berlin"}`)),
		crashContent(name, w.rnd),
	} {
		whole, err := body.Set(doc.P(m.Name), m.Value)
		if err != nil {
			panic(err) // a body is an object
		}
		body = whole
		saved := w.do(ctx, crashLine{Name: name, Sum: crashSum(catalog.Draft, body)}, func(ctx context.Context, c engine.Call) ([]string, error) {
			if terminal, ok := w.svc.(engine.DraftSaver); ok {
				h, err := terminal.Save(ctx, engine.SaveRequest{
					ID: id, Revision: revision, Body: whole, By: crashAuthor, Coalesce: w.rnd.IntN(3) == 0,
				})
				revision = h.Revision
				return []string{id}, err
			}
			head := engine.Head{Channel: catalog.Email, DeliveryType: catalog.OneTime}
			r, err := w.svc.Update(ctx, engine.UpdateRequest{Call: c, ID: id, Body: engine.UpdateBody(head, crashAuthor, m)})
			return []string{r.ID}, err
		})
		if saved == nil {
			return
		}
	}
	var to []string
	for i := range 1 + w.rnd.IntN(5) {
		to = append(to, fmt.Sprintf("%s-%d@example.com", name, i))
	}
	w.do(ctx, crashLine{To: to}, func(ctx context.Context, c engine.Call) (keys []string, err error) {
		list, _ := json.Marshal(to) // of strings
		r, err := w.svc.Test(ctx, engine.TestRequest{Call: c, Body: crashParse(
			`{"draft_id":%q,"test_campaign_meta":{"identifier":"EMAIL","identifier_values":%s}}`, id, list)})
		for _, key := range r.Keys {
			if r.Data[key].Status == engine.Sent {
				keys = append(keys, key)
			}
		}
		return keys, err
	})
	published := w.do(ctx, crashLine{Name: name, Sum: crashSum(catalog.Scheduled, body)}, func(ctx context.Context, c engine.Call) ([]string, error) {
		r, err := w.svc.Publish(ctx, engine.PublishRequest{Call: c, ID: id, By: crashAuthor})
		return []string{r.ID}, err
	})
	if published == nil {
		return
	}
	w.do(ctx, crashLine{Name: name, Sum: crashSum(catalog.Stopped, body)}, func(ctx context.Context, c engine.Call) ([]string, error) {
		r, err := w.svc.ChangeStatus(ctx, engine.StatusRequest{Call: c, ID: id, Action: catalog.Stop, By: crashAuthor})
		return []string{r.ID}, err
	})
}

func init() { programs["bugle-crash-worker"] = crashTerminalMain }

// crashTerminalMain works on the store like the terminal program, and prints what it tries and what succeeded, until it is
// killed or its input ends.
func crashTerminalMain() {
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
	say := func(l crashLine) { _ = out.Encode(l) } // one write; it fails when nobody listens any more
	say(crashLine{What: "ready"})
	w := crashWorker{svc: svc, name: "terminal-" + life, rnd: rand.New(rand.NewPCG(seed, 1)), say: say}
	w.run(ctx)
}

// client returns a client, whose calls are repeated until a server has answered them, and sometimes afterwards.
func (s *crashSite) client(n int) *crashWorker {
	svc, err := remote.New(remote.Config{
		BaseURL: "http://127.0.0.1", Workspace: crashWorkspace, Transport: s, Retries: 1 << 20,
		Key: func(context.Context) (string, error) { return s.key, nil },
		Observe: func(x remote.Exchange) {
			if x.Status >= http.StatusInternalServerError {
				s.note(crashLine{What: "lost", Err: string(x.Response)})
			}
		},
	})
	if err != nil {
		s.t.Error(err)
	}
	rnd := rand.New(rand.NewPCG(s.seed, uint64(10+n)))
	return &crashWorker{svc: svc, name: fmt.Sprintf("client%d", n), rnd: rnd, say: s.note, done: func(ctx context.Context, c crashCall) {
		again := c
		s.update(func() {
			s.calls = append(s.calls, c)
			again = s.calls[rnd.IntN(len(s.calls))]
		})
		if rnd.IntN(3) == 0 {
			s.repeat(ctx, again)
		}
	}}
}

// RoundTrip sends a request to a server, and waits until there is one.
func (s *crashSite) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if !s.wait(r.Context(), func() bool {
		r.URL.Host = ""
		for _, p := range s.procs {
			r.URL.Host = max(p.addr, r.URL.Host)
		}
		return r.URL.Host != ""
	}) {
		return nil, r.Context().Err()
	}
	return http.DefaultTransport.RoundTrip(r)
}

// repeat makes a call once more, which must be answered as before.
func (s *crashSite) repeat(ctx context.Context, c crashCall) {
	if now, err := c.do(ctx, c.Call); ctx.Err() == nil && (err != nil || !slices.Equal(now, c.result)) {
		s.t.Errorf("a call, repeated, was answered with %q (%v), and before with %q", now, err, c.result)
	}
}

// commands runs one short command after another, as a script would, until ctx ends.
func (s *crashSite) commands(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		name := fmt.Sprintf("command-%d", n)
		l := crashLine{What: "try", Name: name, Sum: crashSum(catalog.Draft, crashBody(name))}
		s.note(l)
		var made struct{ ID string }
		l.What, l.Err = s.command(ctx, crashDraft(crashBody(name)), &made, "create", "-", "--json")
		l.ID = made.ID
		s.note(l)

		var kept struct{ File string }
		file := filepath.Join(s.aside, name+backup.Suffix)
		if l.What, l.Err = s.command(ctx, doc.Value{}, &kept, "backup", "--json", file); l.What == "done" {
			s.update(func() { s.backups = append(s.backups, kept.File) })
		} else {
			s.note(crashLine{What: l.What, Err: l.Err})
		}
		var found struct{ Sound bool }
		if l.What, l.Err = s.command(ctx, doc.Value{}, &found, "doctor", "--json"); l.What != "done" {
			s.note(crashLine{What: l.What, Err: l.Err})
		} else if !found.Sound {
			s.t.Error("bugle doctor finds the store damaged")
		}
	}
}
