package testsend_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/delivery"
	"bugle/engine/service/local"
	"bugle/engine/service/remote"
	"bugle/engine/testsend"
	"bugle/store/mem"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func newService(t *testing.T) *local.Service {
	t.Helper()
	return newServiceWith(t, engine.ProviderOutbox, nil)
}

func newServiceWith(t *testing.T, provider string, open func(engine.Connector) (delivery.Sender, error)) *local.Service {
	t.Helper()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	ctx := t.Context()
	_, err := local.CreateWorkspace(ctx, db, engine.Workspace{
		ID: "DEMO", Connectors: []engine.Connector{{Type: "CUSTOM_SMTP", Name: "Main SMTP", Provider: provider, SMTP: &engine.SMTP{Host: "mx.example.com", Port: 25}}},
		SubscriptionCategories: []string{"Newsletter"}, Locales: []string{"de"},
		Attributes: []engine.Attribute{{Name: "First Name", DataType: "string"}, {Name: "Age", DataType: "double"}},
		Segments:   []engine.Segment{{ID: "S1", Name: "Big spenders", Members: []string{"USER_1", "USER_2"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := local.Open(db, "DEMO", local.Options{Clock: func() time.Time { return noon }, Providers: open})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []engine.User{
		{ID: "USER_1", Attributes: map[string]any{"First Name": "Ada", engine.AttrEmail: "ada@example.com"}, Devices: []engine.Device{{Platform: "ANDROID", Token: "tok-a"}, {Platform: "WEB", Token: "tok-w"}}},
		{ID: "USER_2", Attributes: map[string]any{"First Name": "Ben", engine.AttrEmail: "ben@example.com"}, Devices: []engine.Device{{Platform: "ANDROID", Token: "tok-b"}}},
	} {
		if err := s.PutUser(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

const (
	mail = `{"basic_details": {"name": "Two tongues", "content_type": "TRANSACTIONAL"},
		"connector": {"connector_type": "CUSTOM_SMTP", "connector_name": "Main SMTP"},
		"campaign_content": {"locales": ["de"], "content": {
			"default": {"variation_1": {"email": {"subject": "Hello", "from_address": "shop@example.com", "sender_name": "Shop", "html_content": "<p>Hi</p>"}}},
			"de": {"variation_1": {"email": {"subject": "Hallo", "from_address": "shop@example.com", "sender_name": "Shop", "html_content": "<p>{{UserAttribute['First Name']}} {{UserAttribute['Age']|default('x')}}</p>"}}}}}}`
	push = `{"basic_details": {"name": "Spring push", "platforms": ["ANDROID", "WEB"]},
		"campaign_content": {"content": {"push": {
			"android": {"template_type": "BASIC", "basic_details": {"title": "Hello", "message": "Spring"}},
			"web": {"template_type": "BASIC", "basic_details": {"title": "Hello", "message": "Spring", "redirect_url": "https://example.com"}}}}}}`
)

func draft(t *testing.T, s *local.Service, ch engine.Channel, components string) testsend.Draft {
	t.Helper()
	v, err := doc.Parse([]byte(components))
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.Create(t.Context(), engine.CreateRequest{Call: engine.NewCall(), Body: engine.NewDraftBody(ch, catalog.OneTime, "ann@example.com", v)})
	if err != nil {
		t.Fatal(err)
	}
	d, err := testsend.Load(t.Context(), s, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func names(messages []testsend.Message) string {
	var out []string
	for _, m := range messages {
		out = append(out, m.Name)
	}
	return strings.Join(out, ", ")
}

func TestMessagesAndNarrowing(t *testing.T) {
	d := draft(t, newService(t), catalog.Email, mail)
	if got := names(d.Messages); got != "Email, Email · German" || d.UntestableReason() != "" {
		t.Errorf("messages %s; %s", got, d.UntestableReason())
	}
	all := d.FilterFields()
	if len(all) != 1 || all[0].Label(all[0].Names[1]) != "German" {
		t.Fatalf("narrowings %+v", all)
	}
	f := all[0].With(engine.KeyFilter{}, "de")
	if got := names(d.Matching(f)); got != "Email · German" {
		t.Errorf("in German it is %s", got)
	}
	if f.Variation = "variation_9"; d.Normalize(f) != (engine.KeyFilter{Locale: "de"}) {
		t.Errorf("of %+v it keeps %+v", f, d.Normalize(f))
	}
}

func TestForecastReportsUnreachableRecipients(t *testing.T) {
	s := newService(t)
	d := draft(t, s, catalog.Push, push)
	f, err := d.Forecast(t.Context(), s, engine.TestSend{Identifier: "USER_ATTRIBUTE_UNIQUE_ID", Values: []string{"USER_1", "USER_2", "nobody"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	people := testsend.NewDirectory()
	people.Add(f.Resolved)
	list, stopped := d.FailureReasons(f, d.Messages, people.Names(engine.TestSend{Identifier: f.Identifier, Values: f.Values}))
	want := []string{"Ben: the user has no device for Web", "nobody: no user has this ID"}
	if stopped != 3 || !slices.Equal(list, want) || !f.Certain() {
		t.Errorf("%d do not arrive, because %q", stopped, list)
	}
}

func TestForecastFillsMessagesWithTheValuesOfTheTest(t *testing.T) {
	s := newService(t)
	d := draft(t, s, catalog.Email, mail)
	ask := engine.TestSend{Identifier: "EMAIL", Values: []string{"stranger@example.com"}}
	why := func() string {
		f, err := d.Forecast(t.Context(), s, ask, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := f.Why(d.Messages[1], 0)
		return text
	}
	if got := why(); got != "the user has no attribute First Name" {
		t.Errorf("without the name: %q", got)
	}
	values := d.Values(d.Messages)
	if len(values) != 2 || values[0].Name != "First Name" || values[0].Messages != 1 || !slices.Equal(values[1].Fallbacks, []string{"'x'"}) {
		t.Fatalf("values %+v", values)
	}
	if err := values[1].SetOverride(&ask, "old"); err == nil || len(ask.UserAttributes) > 0 {
		t.Errorf("a word for a number: %v", err)
	}
	if err := errors.Join(values[0].SetOverride(&ask, "Zoe"), values[1].SetOverride(&ask, "")); err != nil || len(ask.UserAttributes) != 1 {
		t.Errorf("%v %+v", err, ask)
	}
	if got := why(); got != "" {
		t.Errorf("with the name: %q", got)
	}
	if got := testsend.Overrides(ask)[assemble.Attribute{Name: "First Name"}]; got != "Zoe" {
		t.Errorf("typed %q", got)
	}
	got, missing := d.Fill(ask, testsend.ResolvedUser{})(nil, "Hi {{UserAttribute['First Name']}}")
	if got != "Hi Zoe" || len(missing) > 0 {
		t.Errorf("filled %q, %q", got, missing)
	}
}

func TestRunIsRetriedForFailedRecipients(t *testing.T) {
	s := newService(t)
	d := draft(t, s, catalog.Push, push)
	ask := engine.TestSend{Identifier: "USER_ATTRIBUTE_UNIQUE_ID", Values: []string{"USER_1", "USER_2"}}
	run := testsend.NewRun(d, ask)
	run.Begin([]engine.TestSend{ask}, testsend.Forecast{}, noon)
	if run.Total != 4 || run.Keys[0].StatusText() != "queued" {
		t.Errorf("it begins with %d sends, %s", run.Total, run.Keys[0].StatusText())
	}
	out, err := testsend.Send(t.Context(), s, d, run.Requests, run.AddStep)
	if err != nil || run.Done != 4 || out.Refused(err) {
		t.Fatalf("%v after %d steps", err, run.Done)
	}
	run.End(out, nil, noon.Add(time.Second))
	if run.Count(testsend.Failed) != 1 || run.Count(testsend.Unknown) != 0 || run.Keys[0].StatusText() != "sent" || !run.Keys[1].EveryFailureExplained() {
		t.Errorf("it ends as %+v", run.Keys)
	}
	again := run.Retry(testsend.Failed)
	if len(again) != 1 || again[0].Filter.Platform != "WEB" || !slices.Equal(again[0].Values, []string{"USER_2"}) {
		t.Errorf("sent again is %+v", again)
	}
	run.Begin(again, testsend.Forecast{}, noon)
	if run.Keys[1].Count(testsend.Sent) != 1 || run.Total != 1 {
		t.Errorf("the next round begins with %+v", run.Keys[1])
	}
	if run.Rollback(); run.Count(testsend.Failed) != 1 {
		t.Errorf("undone it is %+v", run.Keys)
	}

	records, err := s.Tests(t.Context(), d.Campaign.ID, 10)
	if err != nil || len(records) != 1 || !slices.Equal(testsend.Recipients(records, catalog.Push, ask.Identifier, 1), []string{"USER_1"}) {
		t.Errorf("%v, remembered is %+v", err, records)
	}
}

// lossy is a mail server that gets the messages to some recipients without a confirmation, and refuses those to others.
type lossy struct{ lost, refused string }

func (l *lossy) Deliver(_ context.Context, m delivery.Message) (delivery.Receipt, error) {
	switch {
	case strings.Contains(l.lost, m.Recipient):
		return delivery.Receipt{}, delivery.Unconfirmed("mx.example.com", io.EOF)
	case strings.Contains(l.refused, m.Recipient):
		return delivery.Receipt{}, &delivery.Error{Reason: delivery.Refused, Message: "no such user"}
	}
	return delivery.Receipt{}, nil
}

// What may have been delivered is neither sent nor failed: it is retried only if that is asked for, and a repeat knows who
// may have it, until one is sent.
func TestUnknownOutcome(t *testing.T) {
	server := &lossy{"ada@example.com", "ben@example.com"}
	s := newServiceWith(t, engine.ProviderSMTP, func(engine.Connector) (delivery.Sender, error) { return server, nil })
	d := draft(t, s, catalog.Email, mail)
	ask := engine.TestSend{Identifier: "EMAIL", Values: []string{"ada@example.com", "ben@example.com", "cy@example.com"}, Filter: engine.KeyFilter{Locale: "default"}}
	run := testsend.NewRun(d, ask)
	send := func(asks []engine.TestSend) {
		t.Helper()
		run.Begin(asks, testsend.Forecast{}, noon)
		out, err := testsend.Send(t.Context(), s, d, run.Requests, run.AddStep)
		if run.End(out, err, noon); err != nil {
			t.Fatal(err)
		}
	}
	repeated := func(values ...string) string {
		t.Helper()
		one := ask
		one.Values = values
		got, err := testsend.Repeated(t.Context(), s, engine.DraftTest(d.Campaign.ID, one), nil)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(got, " ")
	}
	send([]engine.TestSend{ask})
	k := run.Keys[0]
	if run.Message != "Sent 1 of 3 messages; 1 failed; 1 may have been delivered." || k.StatusText() != "unknown" || k.Sends[0].State != testsend.Unknown || k.Sends[1].State != testsend.Failed {
		t.Errorf("it ends with %q as %+v", run.Message, k)
	}
	for want, to := range map[testsend.State]string{testsend.Failed: "ben@example.com", testsend.Unknown: "ada@example.com"} {
		if again := run.Retry(want); run.Count(want) != 1 || len(again) != 1 || !slices.Equal(again[0].Values, []string{to}) {
			t.Errorf("retried where %s: %+v", want, again)
		}
	}
	if got := repeated("ben@example.com", "cy@example.com") + "|" + repeated(ask.Values...); got != "|ada@example.com" {
		t.Errorf("a repeat asks about %q", got)
	}
	h, err := testsend.ReadHistory(t.Context(), s, s, d.Campaign)
	if err != nil || h[0].Outcome() != "unknown" || h[0].Worst() != testsend.Unknown || slices.Contains(h.WithoutFailed(ask).Values, "ben@example.com") {
		t.Errorf("%v, the history says %q of %+v", err, h[0].Outcome(), h[0])
	}
	other := draft(t, s, catalog.Email, mail)
	if got, err := testsend.Repeated(t.Context(), s, engine.DraftTest(other.Campaign.ID, ask), nil); err != nil || len(got) > 0 {
		t.Errorf("%v, a test of another campaign asks about %q", err, got)
	}

	server.lost, server.refused = "", "ada@example.com"
	send(run.Retry(testsend.Failed))
	if k := run.Keys[0]; k.StatusText() != "unknown" || run.Count(testsend.Unknown) != 1 || run.Count(testsend.Failed) != 0 {
		t.Errorf("once what failed is sent, it is %+v", k)
	}
	send(run.Retry(testsend.Unknown))
	if got := repeated("ada@example.com"); got != "ada@example.com" {
		t.Errorf("after a refusal it asks about %q", got)
	}
	server.refused = ""
	send(run.Retry(testsend.Failed))
	if got := repeated(ask.Values...); got != "" || run.Count(testsend.Failed)+run.Count(testsend.Unknown) != 0 {
		t.Errorf("once all is sent it asks about %q: %+v", got, run.Keys)
	}
}

// A test of a segment is known by the segment that was asked for: what its members have got since is not asked about again.
func TestUnknownOutcomeOfASegment(t *testing.T) {
	const key = "EMAIL_default_variation_1"
	test := func(identifier, to string, unknown ...string) testsend.PastTest {
		r := engine.SendResult{Status: engine.Sent, Unknown: unknown}
		if len(unknown) > 0 {
			r.Status, r.FailureReason = engine.Failed, strings.Join(unknown, ", ")+": not confirmed"
		}
		return testsend.PastTest{Own: true, Request: engine.TestSend{Identifier: identifier, Values: []string{to}}, TestRecord: engine.TestRecord{
			Result: engine.TestResult{Keys: []string{key}, Data: map[string]engine.SendResult{key: r}},
		}}
	}
	segment := func(unknown ...string) testsend.PastTest { return test("CUSTOM_SEGMENT", "VIPs", unknown...) }
	for name, tt := range map[string]struct {
		past testsend.History // newest first
		to   string
		want string
	}{
		"not confirmed":         {testsend.History{segment("USER_1", "USER_2")}, "VIPs", "USER_1 USER_2"},
		"sent since":            {testsend.History{segment(), segment("USER_1")}, "VIPs", ""},
		"one of them sent":      {testsend.History{segment("USER_2"), segment("USER_1", "USER_2")}, "VIPs", "USER_2"},
		"another segment":       {testsend.History{segment("USER_1")}, "Staff", ""},
		"sent to another":       {testsend.History{test("CUSTOM_SEGMENT", "Staff"), segment("USER_1")}, "VIPs", "USER_1"},
		"sent to another's ID":  {testsend.History{test("EMAIL", "USER_1"), segment("USER_1")}, "VIPs", "USER_1"},
		"a service without IDs": {testsend.History{segment("VIPs")}, "VIPs", "VIPs"},
	} {
		got := tt.past.Unknown(engine.TestSend{Identifier: "CUSTOM_SEGMENT", Values: []string{tt.to}})
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: it asks about %q, not %q", name, got, tt.want)
		}
	}
}

// Two spellings of an address are the same recipient, and a letter that only other folds know is another one.
func TestUnknownOutcomeOfAnotherSpelling(t *testing.T) {
	for to, want := range map[string]string{"KISS@EXAMPLE.com": "KISS@EXAMPLE.com", "\u212aiss@example.com": "", "ki\u017fs@example.com": ""} {
		server := &lossy{lost: "kiss@example.com"}
		s := newServiceWith(t, engine.ProviderSMTP, func(engine.Connector) (delivery.Sender, error) { return server, nil })
		d := draft(t, s, catalog.Email, mail)
		ask := engine.TestSend{Identifier: "EMAIL", Values: []string{"kiss@example.com"}}
		send := func() {
			t.Helper()
			if _, err := testsend.Send(t.Context(), s, d, []engine.TestSend{ask}, func(testsend.Step) {}); err != nil {
				t.Fatal(err)
			}
		}
		send()
		ask.Values = []string{to}
		if got, err := testsend.Repeated(t.Context(), s, engine.DraftTest(d.Campaign.ID, ask), nil); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%v, a test to %s asks about %q", err, to, got)
		}
		server.lost = ""
		send() // to the other spelling
		ask.Values = []string{"kiss@example.com"}
		got, err := testsend.Repeated(t.Context(), s, engine.DraftTest(d.Campaign.ID, ask), nil)
		if asked := len(got) > 0; err != nil || asked != (want == "") {
			t.Errorf("%v, after a test to %s it asks about %q", err, to, got)
		}
	}
}

// silent is a service that may have done what it did not answer.
type silent struct{ engine.Service }

func (silent) Test(context.Context, engine.TestRequest) (engine.TestResult, error) {
	return engine.TestResult{}, &remote.NoResponseError{Operation: "test", Host: "api.example.com", Attempts: 3, Write: true, Err: io.EOF}
}

// What the forecast said cannot arrive is skipped, not failed, and the heading counts the messages of all rounds.
func TestWhatCannotArriveIsSkipped(t *testing.T) {
	s := newService(t)
	d := draft(t, s, catalog.Push, push)
	ask := engine.TestSend{Identifier: "USER_ATTRIBUTE_UNIQUE_ID", Values: []string{"USER_1", "USER_2"}}
	f, err := d.Forecast(t.Context(), s, ask, nil)
	if err != nil {
		t.Fatal(err)
	}
	run := testsend.NewRun(d, ask)
	round := func(asks []engine.TestSend) {
		t.Helper()
		run.Begin(asks, f, noon)
		out, err := testsend.Send(t.Context(), s, d, run.Requests, func(testsend.Step) {})
		if run.End(out, err, noon); err != nil {
			t.Fatal(err)
		}
	}
	round([]engine.TestSend{ask})
	web := &run.Keys[1]
	if run.Message != "Sent 3 of 4 messages; 1 skipped." || run.Count(testsend.Failed) != 0 || web.State() != testsend.Sent || web.StatusText() != "sent" {
		t.Errorf("%q, web %s: %+v", run.Message, web.StatusText(), web)
	}
	round(run.Retry(testsend.Failed, testsend.Skipped)) // nothing has changed
	if run.Message != "Sent 3 of 4 messages; 1 skipped." {
		t.Errorf("after a retry of the skipped: %q", run.Message)
	}
	if err := s.PutUser(t.Context(), engine.User{ID: "USER_2", Devices: []engine.Device{{Platform: "WEB", Token: "w2"}}}); err != nil {
		t.Fatal(err)
	}
	round(run.Retry(testsend.Failed, testsend.Skipped))
	if run.Message != "Sent 4 messages." || run.Count(testsend.Skipped) != 0 {
		t.Errorf("once it can arrive: %q %+v", run.Message, run.Keys)
	}
}

// A service whose answer is lost may have sent everything: that is no refusal.
func TestLostAnswerOfAService(t *testing.T) {
	s := newService(t)
	d := draft(t, s, catalog.Email, mail)
	ask := engine.TestSend{Identifier: "EMAIL", Values: []string{"ada@example.com"}}
	run := testsend.NewRun(d, ask)
	run.Begin([]engine.TestSend{ask}, testsend.Forecast{}, noon)
	out, err := testsend.Send(t.Context(), silent{s}, d, run.Requests, run.AddStep)
	run.End(out, err, noon)
	if err == nil || out.Refused(err) || run.Message != "Sent 0 of 2 messages; 2 may have been delivered." || run.Count(testsend.Unknown) != 2 || run.Count(testsend.Failed) != 0 {
		t.Errorf("%v, refused: %v, %q, %+v", err, out.Refused(err), run.Message, run.Keys)
	}
}

func TestRunThatIsCanceled(t *testing.T) {
	s := newService(t)
	d := draft(t, s, catalog.Push, push)
	ask := engine.TestSend{Identifier: "USER_ATTRIBUTE_UNIQUE_ID", Values: []string{"USER_1"}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	run := testsend.NewRun(d, ask)
	run.Begin([]engine.TestSend{ask}, testsend.Forecast{}, noon)
	out, err := testsend.Send(ctx, s, d, run.Requests, func(testsend.Step) {})
	run.End(out, err, noon)
	if out.Refused(err) || run.Message != "Sent 0 of 2 messages. The test was canceled." || run.Keys[0].Reason != "canceled before it was sent" {
		t.Errorf("%v: %s %+v", err, run.Message, run.Keys)
	}
}

func TestHistoryWithoutFailed(t *testing.T) {
	s := newService(t)
	d := draft(t, s, catalog.Push, push)
	ask := engine.TestSend{Identifier: "USER_ATTRIBUTE_UNIQUE_ID", Values: []string{"USER_1", "nobody"}}
	if _, err := testsend.Send(t.Context(), s, d, []engine.TestSend{ask}, func(testsend.Step) {}); err != nil {
		t.Fatal(err)
	}
	h, err := testsend.ReadHistory(t.Context(), s, s, d.Campaign)
	if err != nil || len(h) != 1 || !h[0].Own || h[0].Outcome() != "failed" {
		t.Fatalf("%v %+v", err, h)
	}
	if got := h.WithoutFailed(h.Last()); !slices.Equal(got.Values, []string{"USER_1"}) {
		t.Errorf("the next test begins with %q", got.Values)
	}
	other := draft(t, s, catalog.Push, push)
	h, err = testsend.ReadHistory(t.Context(), s, s, other.Campaign)
	if err != nil || len(h) != 1 || h[0].Own || h[0].Campaign != "Spring push" {
		t.Errorf("%v, of another campaign: %+v", err, h)
	}
}

func TestRecipientsInAText(t *testing.T) {
	if got := testsend.Split("EMAIL", " a@b.c; d@e.f,\n,g@h.i"); !slices.Equal(got, []string{"a@b.c", "d@e.f", "g@h.i"}) {
		t.Errorf("%q", got)
	}
	if got := testsend.Split("CUSTOM_SEGMENT", "Spenders, big"); !slices.Equal(got, []string{"Spenders, big"}) {
		t.Errorf("a segment: %q", got)
	}
	ask := engine.TestSend{Identifier: "EMAIL", Values: []string{"a@b.c"}}
	if why := testsend.RefusalReason(catalog.Email, ask, "ann"); !strings.HasPrefix(why, "must be an email address") {
		t.Errorf("ann: %q", why)
	}
	if why := testsend.RefusalReason(catalog.Email, ask, "d@e.f"); why != "" {
		t.Errorf("d@e.f: %q", why)
	}
}

const asMail = `{"basic_details": {"name": "Spring mail"}, "connector": {"connector_type": "CUSTOM_SMTP", "connector_name": "Main SMTP"},
	"campaign_content": {"content": {"email": {"subject": "Hi {{user.first_name|default('you')}}", "from_address": "a@example.com",
	"html_content": "{{UserAttribute['Age']}} {{UserAttribute['Active']}} {{UserAttribute['Born']}} {{UserAttribute['Tags']|join('+')}} {{UserAttribute['City']|default('?')}}"}}}}`

// sentAs returns the messages in the outbox, the oldest first, as whose data they have.
func sentAs(t *testing.T, s *local.Service) (out []string) {
	t.Helper()
	box, err := s.Outbox(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range box {
		out = append([]string{m.As + ": " + m.Email.Subject + ", " + m.Email.HTML}, out...)
	}
	return out
}

func TestSendAsSomebodyElse(t *testing.T) {
	s := newService(t)
	for _, u := range []engine.User{
		{ID: "USER_7", Attributes: map[string]any{"First Name": "Zoe", "Age": json.Number("41.50"), "Active": true, "Born": "2001-02-03T00:00:00Z", "Tags": []any{"a", "b"}}},
		{ID: "USER_8", Attributes: map[string]any{"Age": json.Number("1e2"), "Active": false, "Born": "x", "Tags": []any{}, "City": "Bern"}},
		{ID: "USER_9", Attributes: map[string]any{"First Name": "Max"}},
		{ID: "ME", Attributes: map[string]any{"First Name": "Me", "City": "Rome", engine.AttrEmail: "me@example.com"}},
	} {
		if err := s.PutUser(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	d := draft(t, s, catalog.Email, asMail)
	ask := engine.TestSend{Identifier: "EMAIL", Values: []string{"me@example.com"}}
	for _, id := range []string{"USER_7", "USER_8", "USER_9"} {
		p, err := testsend.FindPersona(t.Context(), s, id)
		if err != nil {
			t.Fatal(err)
		}
		ask.As = append(ask.As, p)
	}
	f, err := d.Forecast(t.Context(), s, ask, nil)
	if err != nil {
		t.Fatal(err)
	}
	if why, _ := f.Why(d.Messages[0], 0); !strings.HasPrefix(why, "as Max (USER_9): the user has no attribute") || strings.Contains(why, "Zoe") {
		t.Errorf("forecast %q", why)
	}
	run := testsend.NewRun(d, ask)
	run.Begin([]engine.TestSend{ask}, testsend.Forecast{}, noon)
	out, err := testsend.Send(t.Context(), s, d, run.Requests, run.AddStep)
	if err != nil {
		t.Fatal(err)
	}
	run.End(out, nil, noon)
	want := []string{"Zoe (USER_7): Hi Zoe, 41.50 True 2001-02-03T00:00:00Z a+b ?", "USER_8: Hi you, 1e2 False x  Bern"}
	if got := sentAs(t, s); !slices.Equal(got, want) {
		t.Errorf("sent %q", got)
	}
	k := run.Keys[0]
	if k.Status != engine.Failed || k.Count(testsend.Sent) != 2 || k.Count(testsend.Failed) != 1 || !strings.HasPrefix(k.Reason, "as Max (USER_9): me@example.com: ") {
		t.Errorf("the run ends as %+v", k)
	}
	again := run.Retry(testsend.Failed)
	if len(again) != 1 || len(again[0].As) != 1 || again[0].As[0].ID != "USER_9" {
		t.Fatalf("sent again is %+v", again)
	}
	if err := s.PutUser(t.Context(), engine.User{ID: "USER_9", Attributes: map[string]any{"Age": json.Number("5"), "Active": true, "Born": "y", "Tags": []any{"c"}}}); err != nil {
		t.Fatal(err)
	}
	run.Begin(again, testsend.Forecast{}, noon)
	out, err = testsend.Send(t.Context(), s, d, run.Requests, run.AddStep)
	if run.End(out, err, noon); err != nil || run.Count(testsend.Failed) != 0 || run.Keys[0].Count(testsend.Sent) != 3 {
		t.Errorf("%v: sent again it ends as %+v", err, run.Keys[0])
	}
	h, err := testsend.ReadHistory(t.Context(), s, s, d.Campaign)
	if err != nil || len(h) != 4 {
		t.Fatalf("%v, %d tests are remembered", err, len(h))
	}
	if last := h.Last(); len(last.As) != 1 || last.As[0].ID != "USER_9" || len(last.UserAttributes) != 0 {
		t.Errorf("the last test is remembered as %+v", last)
	}
}

func TestAttributesOfATestTakePrecedenceOverAPersona(t *testing.T) {
	s := newService(t)
	if err := s.PutUser(t.Context(), engine.User{ID: "USER_7", Attributes: map[string]any{"First Name": "Zoe", "Age": json.Number("4")}}); err != nil {
		t.Fatal(err)
	}
	d := draft(t, s, catalog.Email, asMail)
	ask := engine.TestSend{Identifier: "EMAIL", Values: []string{"me@example.com"}, As: []engine.TestPersona{{ID: "USER_7"}}}
	if err := testsend.SetOverride(&ask, assemble.Attribute{Name: "Age"}, "double", "9"); err != nil {
		t.Fatal(err)
	}
	out, err := d.WithPersona(t.Context(), s, ask)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"Age":9,"First Name":"Zoe","Active":null,"Born":null,"Tags":null,"City":null}`
	if got := string(doc.NewObject(out.UserAttributes...).Encode()); got != want {
		t.Errorf("sent are %s", got)
	}
	if names := out.As[0].UserAttributes; slices.Contains(names, "Age") || len(names) != 5 {
		t.Errorf("of the persona are %q", names)
	}
	if _, err := d.WithPersona(t.Context(), s, engine.TestSend{As: []engine.TestPersona{{ID: "nobody"}}}); engine.AsError(err) == nil {
		t.Errorf("as nobody: %v", err)
	}
}
