package plain_test

import (
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/ui/app"
	"bugle/ui/plain"
	"bugle/ui/uitest"
)

// A one-time email from nothing to a published campaign takes few answers, and few words are said.
func TestEmailToPublish(t *testing.T) {
	b := newTestbed(t, catalog.Push, catalog.OneTime, `{}`)
	b.svc.PutUsers(engine.User{ID: "ANN", Attributes: map[string]any{engine.AttrEmail: "ann@example.com", "Name": "Ann"}})
	answers := []string{
		"new", "email", "one-time", "Spring sale",
		"next to do", "demo", "Spring is here", "news@example.com", "<p>Our beans are 20% off.</p>", "all", "fixed", "20 march 9am",
		"preview", "..", "test", "ann@example.com", "", "send", "..", "..", "status", "publish", "send", "..",
	}
	b.run(strings.Join(answers, "|"))
	b.wantEnd(nil)
	b.want("Subject: Spring is here", "1 message to 1 recipient.", "Sent 1 message.", "now scheduled")
	if n := len(answers); n > 40 {
		t.Errorf("%d answers", n)
	}
	if n := len(strings.Fields(b.output)); n > 900 {
		t.Errorf("%d words:\n%s", n, b.output)
	}
}

// A search never opens a campaign, also if it begins its name; only a number or a word does.
func TestSearchOpensNothing(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.run("/spring|/Spring sale|spring|/more|/1|/spring|1|..")
	if n := strings.Count(b.output, "Campaign Spring sale>"); n != 1 {
		t.Errorf("a search opened it: %d times\n%s", n, b.output)
	}
	b.want("0 campaigns match “more”.", `"spring" is not a word here.`)
}

// A search that is wrong says so.
func TestWrongFilterIsSaid(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.run("/status:drft|/stauts:draft|/status:sent|/|1")
	b.want(`There is no state "drft".`, "Did you mean draft?", `Unknown filter "stauts".`, "0 campaigns match “status:sent”.", "Campaign Spring sale>")
}

// After a command only what has changed is printed, and nothing if nothing has.
func TestOnlyChangesArePrinted(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("1|Summer|:back|1|:back|..")
	for text, want := range map[string]int{"Connector: needed": 1, "Basics: unfinished": 1, "1. Spring sale": 1, "1. Summer": 1, "Campaigns>": 2} {
		if n := strings.Count(b.output, text); n != want {
			t.Errorf("%q is printed %d times, want %d\n%s", text, n, want, b.output)
		}
	}
	b.run(".|more|list|.")
	if n := strings.Count(b.output, "1. Summer"); n != 4 {
		t.Errorf("the row is printed %d times\n%s", n, b.output)
	}
}

func TestValidateOpensField(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("validate|3|news@example.com|:back|..|..|..")
	b.wantStored("campaign_content.content.email.from_address", `"news@example.com"`)
	b.want("Not ready to publish: 5 problems.", "From address: Required")
}

func TestWarningsFollowProblems(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("validate|list")
	b.want("because the campaign has no audience yet")
	warning := regexp.MustCompile(`(?m)^(\d+)\. Warning\. Email, Preview text: No preview text`).FindStringSubmatch(b.output)
	if warning == nil {
		t.Fatalf("no warning of the preview text is listed:\n%s", b.output)
	}
	b = newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("validate|" + warning[1] + " dismiss| |Agreed with Bo|..|..")
	b.want("Dismissed: ")
	list, err := b.svc.Dismissals(t.Context(), b.id)
	if err != nil || len(list) != 1 || list[0].Reason != "Agreed with Bo" || list[0].By != "ann@example.com" {
		t.Errorf("stored is %v, %v\n%s", list, err, b.output)
	}
}

func TestPreview(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, strings.ReplaceAll(mail, "Hi\\tyou", "Hi {{UserAttribute['City']|default('you')}}"))
	b.svc.PutUsers(engine.User{ID: "ANN", Attributes: map[string]any{"City": "Paris", "Name": "Ann Lee"}})
	b.play("preview|view as|/ann|1|..|..")
	b.want("Subject: Hi {{UserAttribute['City']|default('you')}}", "one\ntwo", "As Ann Lee.", "Subject: Hi Paris")
	p := newTestbed(t, catalog.Push, catalog.OneTime, `{"basic_details":{"platforms":["ANDROID"]},"campaign_content":{"content":{"push":{"android":{"basic_details":{"title":"Now","message":"<b>Hot</b>"},"buttons":[{"btn_name":"Go","click_action_type":"COPY"}]}}}}}`)
	p.play("preview|")
	p.want("A notification on Android. Template: Basic.", "Title: Now", "Message: Hot", "Button 1: Go.")
}

// A recipient can be chosen by a part of the name, and is named where it is told what is sent.
func TestTestSendByName(t *testing.T) {
	b := newTestbed(t, catalog.Push, catalog.OneTime, `{
		"basic_details": {"name": "Spring", "platforms": ["ANDROID", "WEB"]}, "campaign_content": {"content": {"push": {
			"android": {"template_type": "BASIC", "basic_details": {"title": "Hello", "message": "Spring"}},
			"web": {"template_type": "BASIC", "basic_details": {"title": "Hello", "message": "Spring", "redirect_url": "https://example.com"}}}}}}`)
	for id, name := range map[string]string{"U1": "Ann Berger", "U2": "Anna Weiss", "U3": "Jamal Haddad"} {
		devices := []engine.Device{{Platform: "ANDROID", Token: "tok-" + id}}
		b.svc.PutUsers(engine.User{ID: id, Attributes: map[string]any{"Name": name}, Devices: devices})
	}
	b.play("test|jam|NOBODY||send|1|..|..|..")
	b.want("2. U3 Jamal Haddad", "NOBODY: no user has this ID.", "Jamal Haddad", "will not arrive.", "Test send, results>")
	b.wantNot("_variation_")
	b.wantEnd(nil)
}

func TestRetryFailedTests(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, `{
		"basic_details": {"name": "Spring sale", "content_type": "TRANSACTIONAL"}, "connector": {"connector_type": "CUSTOM_SMTP", "connector_name": "Demo mail"},
		"campaign_content": {"content": {"email": {"subject": "Hi {{UserAttribute['City']}}", "from_address": "a@example.com", "html_content": "<p>x</p>"}}}}`)
	b.play("test|x@example.com||send|retry failed|..|..")
	b.want("1 of 1 will not arrive.", "x@example.com: the user has no attribute City.", "Sent 0 of 1 message; 1 skipped.")
	b.play("test|x@example.com||5|Paris|send|..|..|outbox|1")
	b.want("Sent 1 message.", "x@example.com", "Hi Paris")
}

func TestStatusAsksWithEffect(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("status|stop|delete|cancel|status|delete|delete|.")
	b.want("Stop is not available: You can't stop this campaign", "Drafts are deleted permanently.", "0 campaigns.")
	b.wantNot("2. Stop")
	b = newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("status|publish|..|..|..")
	b.want("5 problems", "Connector: ")
	if st := b.stored().Status; st != catalog.Draft {
		t.Errorf("the campaign is %s", st)
	}
}

// The end of the input inside a question is no answer.
func TestEndInsideQuestion(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	for script, want := range map[string]error{"1|..": nil, "1|1|Summer": plain.ErrUnanswered, "1|status": plain.ErrUnanswered, "1|status|delete": plain.ErrUnanswered, "1|validate": nil} {
		if b.run(script); !errors.Is(b.err, want) {
			t.Errorf("%s ended with %v\n%s", script, b.err, b.output)
		}
	}
	if b.stored().Status != catalog.Draft {
		t.Error("the campaign was deleted")
	}
}

func TestHistoryAndRestore(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("1|Summer|:back|history|1|..|2 restore|restore|..")
	b.want("2 versions.", "Edited Campaign name in Basics, current", "Basics, Campaign name", "- Spring sale", "+ Summer")
	b.wantStored("basic_details.name", `"Spring sale"`)
}

// Edits of a service that cannot store unfinished ones are kept, and applied at once.
func TestPendingEdits(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.deps.Service = struct { // a remote one
		engine.Service
		engine.Lister
	}{b.svc, b.svc}
	b.deps.LocalCopies = edit.NewFileStore(t.TempDir())
	b.play("1|Summer|:back|..|leave")
	b.want("There are changes that are not applied.", "are kept and will be here when you come back")
	b.wantStored("basic_details.name", `"Spring sale"`)
	b.play("apply|..")
	b.want("Your earlier changes are here. Type apply to apply them.", "Applied.")
	b.wantStored("basic_details.name", `"Summer"`)
}

// Changes to a campaign that is published are applied after a question with facts, and only if publishing would take them.
func TestApplyToLiveCampaign(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, published)
	publish(b)
	const subject = "campaign_content.content.email.subject"
	b.play("3|Hello {{nope||:back|apply|..|3|Hello|:back|apply|cancel|..|leave")
	b.want("Your changes cannot be applied yet: 1 problem.", "1 change to a scheduled campaign that reaches 1 person")
	b.wantStored(subject, `"Hi"`)
	b.play("apply|apply|..")
	b.want("Applied.")
	b.wantStored(subject, `"Hello"`)
}

// After a conflict, the user chooses the version.
func TestConflict(t *testing.T) {
	for answer, want := range map[string]string{"keep mine": `"Summer"`, "2": `"Theirs"`} {
		b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
		b.deps.Service = &conflictingService{Service: b.svc, id: b.id}
		b.play("1|Summer|" + answer + "|:back|..")
		b.want("Someone else saved this draft after you opened it.")
		b.wantStored("basic_details.name", want)
	}
}

// conflictingService saves a change of its own before the first save of the user.
type conflictingService struct {
	*uitest.Service
	id   string
	done bool
}

func (m *conflictingService) Save(ctx context.Context, r engine.SaveRequest) (engine.Head, error) {
	if !m.done {
		m.done = true
		m.Set(m.id, doc.P("basic_details", "name"), `"Theirs"`)
	}
	return m.Service.Save(ctx, r)
}

// A new draft with a schedule gets the workspace's time zone; the creator is asked only if it is not known.
func TestNewDraft(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.svc.OK(b.svc.UpdateWorkspace(t.Context(), func(w *engine.Workspace) error { w.Timezone = "Asia/Tokyo"; return nil }))
	b.deps.Author = ""
	b.run("new|e-mail|email|device|periodic|Weekly|nobody|bob@example.com|.")
	b.want(`"e-mail" is none of the 2 options.`, `"device" is none of the`, "The creator must be an email address", "Campaign Weekly. Email, periodic, draft.")
	list, err := b.svc.List(t.Context(), engine.ListQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, sum := range list {
		if b.id = sum.ID; sum.Name == "Weekly" {
			break
		}
	}
	b.wantStored("scheduling_details.timezone", `"Asia/Tokyo"`)
	b.deps.Author = "ann@example.com"
	b.run("new|email|one-time|Lost|")
	b.wantNot("Creator>")
	b.run("new|push|:back|..")
	b.want("Campaigns>")
}

// The records of the workspace are edited as forms are.
func TestWorkspaceRecords(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.svc.PutUsers(engine.User{ID: "ANN", Attributes: map[string]any{"City": "Paris"}})
	b.run("workspace|3|/ann|1|:2|:open|:1|Berlin|:back|:back|save|..|..|..")
	b.want("Workspace, Users>", "1. ANN")
	users, err := b.svc.Users(t.Context(), "ANN", 1)
	if err != nil || len(users) != 1 || users[0].Attributes["City"] != "Berlin" {
		t.Errorf("stored is %v, %v\n%s", users, err, b.output)
	}
}

// Several campaigns are changed at once.
func TestBulk(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.run("1 select|change selected|add tags|sale, spring|yes")
	b.want("1 selected.", "Tag")
	b.wantStored("basic_details.tags", `["sale","spring"]`)
}

// An endless line ends the program.
func TestEndlessLineEnds(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	if err := play(t, b.options(endlessReader("x"), io.Discard)); err == nil || !strings.Contains(err.Error(), "million characters") {
		t.Error(err)
	}
}

type endlessReader string

func (e endlessReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// Being told to end while a line is waited for ends the program and its reads, after everything is saved.
func TestEndWhileWaiting(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	r, w := io.Pipe()
	defer w.Close()
	var p *plain.Program
	out := &promptWatcher{want: "Campaigns>", then: func() { go p.Send(app.EndMsg{Saved: make(chan struct{})}) }}
	p, err := plain.New(b.options(r, out))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil || !strings.Contains(out.b.String(), "Goodbye. Everything is saved.") {
		t.Errorf("the end is not told (%v):\n%s", err, out.b.String())
	}
}

// promptWatcher calls then once a text is written.
type promptWatcher struct {
	b    strings.Builder
	want string
	then func()
}

func (p *promptWatcher) Write(text []byte) (int, error) {
	if strings.Contains(string(text), p.want) && p.then != nil {
		p.then()
		p.then = nil
	}
	return p.b.Write(text)
}

// Control sequences of documents are not printed.
func TestControlSequencesAreRemoved(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, `{"basic_details": {"name": "a\u001b[2Jb\u0007\r"}}`)
	b.play("1|:list|..|history|1|..|..|status|..")
	if strings.ContainsAny(b.output, "\x1b\x07\r") {
		t.Errorf("%q", b.output)
	}
}

const published = `{"basic_details":{"name":"News","content_type":"TRANSACTIONAL"},
		"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Demo mail"},
		"campaign_content":{"content":{"email":{"subject":"Hi","from_address":"a@example.com","html_content":"<p>x</p>"}}},
		"segmentation_details":{"is_all_user_campaign":true},
		"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-03-20T09:00:00Z"}}`

// publish publishes the campaign, which reaches one person.
func publish(b *testbed) {
	b.t.Helper()
	b.svc.PutUsers(engine.User{ID: "U1", Attributes: map[string]any{engine.AttrEmail: "u@example.com"}})
	_, err := b.svc.Publish(b.t.Context(), engine.PublishRequest{ID: b.id, Console: true})
	b.svc.OK(err)
}
