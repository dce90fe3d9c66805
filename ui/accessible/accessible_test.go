package accessible_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit"
	"bugle/engine/message/mjml"
	"bugle/engine/service/local"
	"bugle/store/mem"
	"bugle/ui/accessible"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

// testbed is a workspace in memory with one campaign.
type testbed struct {
	t      *testing.T
	svc    *local.Service
	deps   screen.Deps
	id     string
	edit   func(context.Context, string, string) (string, error)
	output string // of the last run
}

func newTestbed(t *testing.T, ch catalog.Channel, dt catalog.DeliveryType, components string) *testbed {
	t.Helper()
	ctx := context.Background()
	db := mem.New()
	t.Cleanup(func() { db.Close() })
	_, err := local.CreateWorkspace(ctx, db, engine.Workspace{
		ID: "DEMO", SubscriptionCategories: []string{"Offers", "News"}, Publish: engine.PublishEnabled,
		Connectors: []engine.Connector{{Type: "CUSTOM_SMTP", Name: "Demo mail", Provider: engine.ProviderOutbox}},
		Attributes: []engine.Attribute{{Name: "City", DataType: "string"}, {Name: "Age", DataType: "double"}, {Name: "Birthday", DataType: "datetime"}},
		Flags:      map[string]bool{engine.FlagAudienceLimit: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	svc, err := local.Open(db, "DEMO", local.Options{Clock: func() time.Time { return uitest.Now }})
	if err != nil {
		t.Fatal(err)
	}
	body, err := doc.Parse([]byte(components))
	if err != nil {
		t.Fatal(err)
	}
	made, err := svc.Create(ctx, engine.CreateRequest{Body: engine.NewDraftBody(ch, dt, "ann@example.com", body)})
	if err != nil {
		t.Fatal(err)
	}
	return &testbed{t: t, svc: svc, id: made.ID, deps: uitest.Deps(svc)}
}

// play opens the campaign and types lines, separated by a bar; then the input ends.
func (b *testbed) play(script string) {
	b.t.Helper()
	b.run("campaigns|1|" + script)
}

// run types lines from the start of the program.
func (b *testbed) run(script string) {
	b.t.Helper()
	var out strings.Builder
	in := strings.ReplaceAll(script, "|", "\n") + "\n"
	err := accessible.Run(b.t.Context(), accessible.Options{Deps: b.deps, In: strings.NewReader(in), Out: &out, Edit: b.edit})
	b.output = out.String()
	if err != nil {
		b.t.Fatalf("%v\n%s", err, b.output)
	}
}

func (b *testbed) want(texts ...string) {
	b.t.Helper()
	for _, text := range texts {
		if !strings.Contains(b.output, text) {
			b.t.Errorf("nothing says %q:\n%s", text, b.output)
		}
	}
}

func (b *testbed) wantNot(text string) {
	b.t.Helper()
	if strings.Contains(b.output, text) {
		b.t.Errorf("something says %q:\n%s", text, b.output)
	}
}

func (b *testbed) stored() engine.Campaign {
	b.t.Helper()
	c, err := b.svc.Get(context.Background(), b.id)
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

// wantStored fails the test unless the stored campaign has the JSON at path.
func (b *testbed) wantStored(path, want string) {
	b.t.Helper()
	p, err := doc.ParsePath(path)
	if err != nil {
		b.t.Fatal(err)
	}
	if got := string(b.stored().Body.Lookup(p).Encode()); got != want {
		b.t.Errorf("%s is %s, want %s\n%s", path, got, want, b.output)
	}
}

const mail = `{"basic_details": {"name": "Spring sale", "content_type": "PROMOTIONAL"}, "campaign_content": {"content": {"email": {"subject": "Hi\tyou", "html_content": "<p>one</p>\n<p>two</p>"}}}}`

func TestTexts(t *testing.T) {
	for name, c := range map[string]struct{ script, path, want, said string }{
		"Enter keeps":                  {"basics|", "basic_details.name", `"Spring sale"`, "Now: Spring sale."},
		"a text is taken as typed":     {"basics|  Summer ", "basic_details.name", `"  Summer "`, "Saved."},
		"clear empties":                {"basics|clear", "basic_details.name", ``, "Emptied."},
		"a backslash makes a text":     {`basics|\back`, "basic_details.name", `"back"`, "Saved."},
		"and is a text where it stays": {`basics|\o/`, "basic_details.name", `"\\o/"`, "Saved."},
		"help says when it is needed":  {"basics|?|", "basic_details.name", `"Spring sale"`, "Required to publish."},
		"back keeps":                   {"basics|back|leave", "basic_details.name", `"Spring sale"`, "Main menu"},
		"cursor keys are no text":      {"basics|\x1b[D|", "basic_details.name", `"Spring sale"`, "cursor keys do not work here"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
			b.play(c.script)
			b.wantStored(c.path, c.want)
			b.want(c.said)
		})
	}
}

// A line that is a command somewhere never becomes content by itself.
func TestCommandsAreNotStored(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	for _, word := range []string{"status", "Back", " content ", "CLEAR", ":nope", "Quit", "publish"} {
		b.play("status||basics|" + word + "|")
		b.wantStored("basic_details.name", `"Spring sale"`)
		b.want("was not stored, because it is a command")
	}
	b.play("status||basics|:back|content|1|list|subject|test|preview|")
	b.wantStored("campaign_content.content.email.subject", `"Hi\tyou"`)
	b.play(`status||basics|\Status`)
	b.wantStored("basic_details.name", `"Status"`)
	b.play(`basics|\:-) Sale`)
	b.wantStored("basic_details.name", `":-) Sale"`)
	b.play("basics|:clear|basic details|back")
	b.wantStored("basic_details.name", "")
	b.run("campaigns|1|leave|back|new|2|1|Campaigns|\\new|") // the name of a new draft
	b.want("was not stored, because it is a command", "Campaign new.")
}

// A search never opens a campaign, also if it begins its name; only a number or an action does.
func TestSearchOpensNothing(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.run("campaigns|spring|Spring sale|/more|/spring|1|leave")
	if n := strings.Count(b.output, "Campaign Spring sale."); n != 1 {
		t.Errorf("a search opened it: %d times\n%s", n, b.output)
	}
	b.want("with “more”: 0 campaigns")
}

// A search that is wrong says so and keeps what was found.
func TestWrongFilterKeepsTheResults(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.run("campaigns|status:active|status:drft|stauts:draft|1")
	b.want(`There is no state "drft". Did you mean draft?`, `Unknown filter "stauts".`, "There is nothing to choose here.")
	b.wantNot("Campaign Spring sale.")
}

func TestInvalidTextIsAskedAgainOrKept(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("content|1|list|4|nonsense|")
	b.want("From address: must be an email address, such as ann@example.com, not \"nonsense\".", "type keep to save yours anyway")
	b.wantStored("campaign_content.content.email.from_address", "")
	b.play("content|1|list|4|nonsense|keep")
	b.wantStored("campaign_content.content.email.from_address", `"nonsense"`)
	b.play("content|1|list|4|wrong|ann@example.com")
	b.wantStored("campaign_content.content.email.from_address", `"ann@example.com"`)
}

func TestChoices(t *testing.T) {
	b := newTestbed(t, catalog.Push, catalog.OneTime, `{}`)
	b.play("basics|list|platforms|1|web|1 2||back|leave")
	b.want("1. Android: not chosen", "3. Web: chosen")
	b.wantStored("basic_details.platforms", `["WEB","IOS"]`)
	b.play("basics|list|platforms|clear")
	b.wantStored("basic_details.platforms", ``)
	b.play("schedule|9|asap|1")
	b.want("There is no number 9.", "As soon as possible: sends as soon as you publish")
	b.wantStored("scheduling_details.delivery_type", `"ASAP"`)
	b.play("delivery controls|maybe|yes")
	b.want("Answer yes or no.", "Saved.")
}

func TestNumbers(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("delivery controls|list|2|lots|12.0")
	b.want("must be a whole number")
	b.wantStored("delivery_controls.campaign_throttle_rpm", "12.0")
}

func TestTimes(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.deps.Location = nil // is UTC
	b.play("schedule|at a fixed time|someday|tomorrow 9am|| berlin")
	b.wantStored("scheduling_details.start_time", `"2026-03-15T09:00:00"`)
	b.wantStored("scheduling_details.timezone", `"Europe/Berlin"`)
	b.want("Understood as Sun 15 Mar 2026, 09:00", "Press Enter to leave it as it was.", "Send 1: Sun 15 Mar, 09:00 Europe/Berlin, ")
}

func TestLongTexts(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("content|1|list|html|read|lines|<p>|..dot|.|")
	b.want("2 lines and 21 characters, beginning: <p>one</p>", "<p>two</p>\nEnd of the text.")
	b.wantStored("campaign_content.content.email.html_content", `"<p>\n.dot"`)
	b.edit = func(_ context.Context, text, _ string) (string, error) { return text + "\tmore\n", nil }
	b.play("content|1|list|html|edit|")
	b.wantStored("campaign_content.content.email.html_content", `"<p>\n.dot\tmore"`)
	b.edit = func(context.Context, string, string) (string, error) { return "", errors.New("the editor failed") }
	b.play("content|1|list|html|edit|")
	b.want("The editor failed.")
	b.wantStored("campaign_content.content.email.html_content", `"<p>\n.dot\tmore"`)
	b.wantStored("campaign_content.content.email.subject", `"Hi\tyou"`)
}

// MJML is compiled when it is saved, and read and edited afterwards; what is wrong with it is said.
func TestMJML(t *testing.T) {
	bin := t.TempDir()
	const stub = "#!/bin/sh\necho '<!-- FILE: undefined -->'; sed 's/<[^>]*>//g' | tee out; grep -q wrong out && echo \"Line 1 of $PWD (mj-x) — Attribute y is illegal\" >&2; exit 0\n"
	if err := os.WriteFile(filepath.Join(bin, "mjml"), []byte(stub), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	html := func() string {
		return b.stored().Body.Lookup(doc.P("campaign_content", "content", "email", "html_content")).Text()
	}
	b.play("content|1|list|html|<mjml>wrong</mjml>|<mjml>right</mjml>|")
	b.want("MJML, line 1: mj-x: Attribute y is illegal.", "or type keep to save yours anyway", "Saved.")
	if source, _ := mjml.Source(html()); source != "<mjml>right</mjml>" {
		t.Errorf("the store has %q", html())
	}
	var opened string
	b.edit = func(_ context.Context, text, suffix string) (string, error) {
		opened = text + suffix
		return text + "\n", nil
	}
	b.play("content|1|list|html|read|edit|")
	b.want("<mjml>right</mjml>\nEnd of the text.", "Not changed.")
	b.wantNot("bugle:mjml")
	if opened != "<mjml>right</mjml>.mjml" {
		t.Errorf("the editor is opened with %q", opened)
	}
	b.play("content|1|list|html|<mjml>wrong</mjml>|keep|")
	if html() != "<mjml>wrong</mjml>" {
		t.Errorf("the store has %q", html())
	}
}

func TestEditLists(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("basics|list|tags|yes|add|sale|spring|roast|||back|leave")
	b.wantStored("basic_details.tags", `["sale","spring","roast"]`)
	b.play("basics|list|tags|yes|move|3|1|remove|2|yes|1|coffee||")
	b.wantStored("basic_details.tags", `["coffee","spring"]`)
	b.want("Moved to position 1.", "Removed. To restore it, choose undo in the campaign menu.")
	b.play("basics|list|tags|yes|remove|1|yes|remove|yes||back|undo|leave")
	b.play("undo|leave") // after coming back
	b.want("Undone: Basics, Tags changed.")
	b.wantStored("basic_details.tags", `["coffee","spring"]`)
}

func TestObjectsInLists(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("conversion goals|list|goals|yes|add|back||")
	b.want("Nothing was entered, so nothing was added.")
	b.wantStored("conversion_goal_details", ``)
	b.play("conversion goals|list|goals|yes|add|Bought|Order placed|back||")
	b.wantStored("conversion_goal_details.goals", `[{"goal_name":"Bought","goal_event_name":"Order placed"}]`)
}

func TestAdditionalFields(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("utm parameters|news|mail||||utm_x|1||")
	b.wantStored("utm_params", `{"utm_source":"news","utm_medium":"mail","utm_x":"1"}`)
	b.play("utm parameters||||||clear||")
	b.wantStored("utm_params", `{"utm_source":"news","utm_medium":"mail"}`)
}

func TestConditionalFields(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("audience limit|||")
	b.wantNot("Count. ")
	b.play("audience limit|yes|back")
	b.want("1 of 1. Limit messages.", "2 of 4. Count. Required.")
}

func TestMessagesByLocaleAndVariation(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("content|locales|add|de|||fill|2|Hallo|back||leave")
	b.want("Message for German", "2 locales, 1 variation")
	b.wantStored("campaign_content.content.de.variation_1.email.subject", `"Hallo"`)
	b.wantStored("campaign_content.content.default.variation_1.email.subject", `"Hi\tyou"`)
	b.play("content|remove|German|yes")
	b.wantStored("campaign_content.content.de", ``)
}

func TestFilters(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("audience|yes|add|user|City||is|Paris||add|user|age||between|20|30||or||")
	b.want("Users whose City is Paris, or whose Age is between 20 and 30.", "1. City is Paris", "2. Age is between 20 and 30")
	b.wantStored("segmentation_details.included_filters.filter_operator", `"or"`)
	b.wantStored("segmentation_details.included_filters.filters[1].value", `[20,30]`)
	b.play("audience|yes|1|not|2|up|1|remove||")
	b.wantStored("segmentation_details.included_filters.filters[0].negate", `true`)
	b.play("audience|yes|add|action|back||")
	b.want("Nothing was entered, so no filter was added.")
	b.play("audience|yes|add|user|birthday||after|someday|2000-01-31||")
	b.wantStored("segmentation_details.included_filters.filters[1].value", `"2000-01-31"`)
}

func TestValidateOpensField(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("validate|2|news@example.com||next|offers")
	b.wantStored("campaign_content.content.email.from_address", `"news@example.com"`)
	b.want("Not valid yet:", "From address: required")
	b.wantStored("basic_details.subscription_category", `"Offers"`)
}

func TestWarningsFollowProblems(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("validate")
	found := regexp.MustCompile(`(\d+)\. Warning\. Content, Message, Email, Preview text: No preview text`).FindStringSubmatch(b.output)
	if found == nil {
		t.Fatalf("no warning of the preview text is listed:\n%s", b.output)
	}
	number := found[1]
	b.want("Also worth a look:", "Not checked, because the campaign has no audience yet: audience-empty")
	b.play("validate|" + number + "|field|A text of some length that adds to the subject")
	b.wantStored("campaign_content.content.email.preview_text", `"A text of some length that adds to the subject"`)

	b = newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("validate|" + number + "|dismiss||Agreed with Bo")
	b.want("Write a reason", "Dismissed.", "1 warning dismissed.")
	list, err := b.svc.Dismissals(t.Context(), b.id)
	if err != nil || len(list) != 1 || list[0].Reason != "Agreed with Bo" || list[0].By != "ann@example.com" {
		t.Errorf("stored is %v, %v", list, err)
	}
}

func TestPreview(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, strings.ReplaceAll(mail, "Hi\\tyou", "Hi {{UserAttribute['City']|default('you')}}"))
	if err := b.svc.PutUser(t.Context(), engine.User{ID: "ANN", Attributes: map[string]any{"City": "Paris"}}); err != nil {
		t.Fatal(err)
	}
	b.play("preview|BEA|")
	b.want(`There is no user "BEA"`)
	if strings.Contains(b.output, "Subject: Hi you") {
		t.Errorf("the defaults are read as those of a user:\n%s", b.output)
	}
	b.play("preview||preview|ANN|preview|a b@|back")
	b.want("Subject: Hi {{UserAttribute['City']|default('you')}}", "Subject: Hi Paris", "one\ntwo")
	p := newTestbed(t, catalog.Push, catalog.OneTime, `{"basic_details":{"platforms":["ANDROID"]},"campaign_content":{"content":{"push":{"android":{"basic_details":{"title":"Now","message":"<b>Hot</b>"},"buttons":[{"btn_name":"Go","click_action_type":"COPY"}]}}}}}`)
	p.play("preview|")
	p.want("A notification on Android. Template: Basic.", "Title: Now", "Message: Hot", "Button 1: Go.")
}

// A recipient can be chosen by a part of the name, and is named in every line.
func TestTestSendByName(t *testing.T) {
	b := newTestbed(t, catalog.Push, catalog.OneTime, `{
		"basic_details": {"name": "Spring", "platforms": ["ANDROID", "WEB"]}, "campaign_content": {"content": {"push": {
			"android": {"template_type": "BASIC", "basic_details": {"title": "Hello", "message": "Spring"}},
			"web": {"template_type": "BASIC", "basic_details": {"title": "Hello", "message": "Spring", "redirect_url": "https://example.com"}}}}}}`)
	for id, name := range map[string]string{"U1": "Ann Berger", "U2": "Anna Weiss", "U3": "Jamal Haddad"} {
		p := engine.User{ID: id, Attributes: map[string]any{"Name": name}, Devices: []engine.Device{{Platform: "ANDROID", Token: "tok-" + id}}}
		if err := b.svc.PutUser(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	b.play("test||jam|ann|2|NOBODY||android|yes|no|leave")
	b.want("Recipients: Jamal Haddad.", "1. U1, Ann Berger", "2. U2, Anna Weiss", `"ann" can mean 2 users. Type a number.`,
		"This will be sent to Jamal Haddad, Anna Weiss, NOBODY:\n1. Android\n1 of 3 messages will not arrive.\nNOBODY: no user has this ID.\n", "Android, to Jamal Haddad: sent.", "Android, to NOBODY: failed.")
	b.wantNot("_variation_")
}

func TestTestSendNamesTheFirstInvalidRecipient(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	for range 20 {
		b.play("test||second, first|leave")
		b.want("second must be")
	}
}

func TestRetryFailedTests(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, `{
		"basic_details": {"name": "Spring sale", "content_type": "TRANSACTIONAL"}, "connector": {"connector_type": "CUSTOM_SMTP", "connector_name": "Demo mail"},
		"campaign_content": {"content": {"email": {"subject": "Hi {{UserAttribute['City']}}", "from_address": "a@example.com", "html_content": "<p>x</p>"}}}}`)
	b.play("test||x@example.com||no|yes|yes|no|leave")
	b.want("The content uses City.", "This will be sent to x@example.com:", "1. Email\n1 of 1 message will not arrive.\nx@example.com: the user has no attribute City.\n", "Email, to x@example.com: failed. ")
	if n := strings.Count(b.output, "\nEmail, to x@example.com: failed. "); n != 2 {
		t.Errorf("%d failures are told, want one of each send\n%s", n, b.output)
	}
	b.play("test||1||yes|Paris|yes|leave|back|outbox|1")
	b.want("1. x@example.com", "\nEmail, to x@example.com: sent.", "Subject: Hi Paris", "End of the message.")
}

// lossy is a service whose messages may have been delivered.
type lossy struct {
	*local.Service
	tests []engine.TestRecord
}

func (l *lossy) Test(_ context.Context, r engine.TestRequest) (engine.TestResult, error) {
	const key, why = "EMAIL_default_variation_1", "mx.example.com did not confirm it: it may have been delivered; look before you repeat"
	to := engine.ParseTestSend(r.Body).Values
	r.Progress(engine.TestProgress{Key: key, Recipient: to[0], Done: true, Err: why, Unknown: true, Completed: 1, Total: 1})
	out := engine.TestResult{Keys: []string{key}, Data: map[string]engine.SendResult{key: {Status: engine.Failed, FailureReason: why, Unknown: to}}, Message: "Sent 0 of 1 message; 1 may have been delivered."}
	l.tests = append([]engine.TestRecord{{CampaignID: r.Body.Get("draft_id").Text(), Body: r.Body, Result: out}}, l.tests...)
	return out, nil
}

func (l *lossy) Tests(context.Context, string, int) ([]engine.TestRecord, error) { return l.tests, nil }

// What may have been delivered is not offered as failed, and is repeated only after a question that names who has it.
func TestUnknownTests(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	service := &lossy{Service: b.svc}
	b.deps = uitest.Deps(service)
	b.play("test||x@example.com||yes||leave")
	b.want("Email, to x@example.com: unknown. ", "x@example.com may have got this message already: an earlier test was not confirmed.", "Send it again (yes or no, Enter is no)")
	b.wantNot("Retry the failed")
	b.play("test||x@example.com|||leave")
	if n := len(service.tests); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
	b.play("test||x@example.com||yes|yes|no|leave")
	if n := len(service.tests); n != 2 {
		t.Errorf("it was sent %d times\n%s", n, b.output)
	}
}

func TestStatusAsksWithEffect(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("status|stop|delete|no|delete|yes")
	b.want("Stop cannot be chosen: You can't stop this campaign", "Drafts are deleted permanently.", "Deleted Spring sale.", "0 campaigns.")
	b = newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("status|publish|1")
	b.want("Not published. These must be fixed first.", "Not valid yet: 5 problems.", "Warning. Content, Message, Email, Preview text: No preview text", "Connector: add a connector", "\nSubscription category")
	b.wantNot("Publish this campaign")
	if st := b.stored().Status; st != catalog.Draft {
		t.Errorf("the campaign is %s", st)
	}
}

func TestHistoryAndRestore(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("basics|Summer|back|history|version 1|yes||leave")
	b.want("Version 1 has 1 difference.", "Basics, Campaign name: Summer now, Spring sale then.")
	b.wantStored("basic_details.name", `"Spring sale"`)
}

// Edits of a service that cannot store unfinished ones are kept, and applied at once.
func TestPendingEdits(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.deps.Service = struct{ engine.Service }{b.svc}
	b.deps.LocalCopies = edit.NewFileStore(t.TempDir())
	b.run("campaigns|1|basics|Summer|back|leave")
	b.want("Kept, not applied yet.", "Your changes are kept, but not applied yet.")
	b.wantStored("basic_details.name", `"Spring sale"`)
	b.run("campaigns|1|apply|leave")
	b.want("Your earlier changes are here.", "Applied.")
	b.wantStored("basic_details.name", `"Summer"`)
	b.run("campaigns|1|basics|Autumn|back|drop|yes|leave")
	b.want("Dropped.")
	b.wantStored("basic_details.name", `"Summer"`)
}

// Changes to a campaign that is published are applied after a question with facts, and only if publishing would take them.
func TestApplyToLiveCampaign(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, `{"basic_details":{"name":"News","content_type":"TRANSACTIONAL"},
		"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Demo mail"},
		"campaign_content":{"content":{"email":{"subject":"Hi","from_address":"a@example.com","html_content":"<p>x</p>"}}},
		"segmentation_details":{"is_all_user_campaign":true},
		"scheduling_details":{"delivery_type":"AT_FIXED_TIME","start_time":"2026-03-20T09:00:00Z"}}`)
	if err := b.svc.PutUser(t.Context(), engine.User{ID: "U1", Attributes: map[string]any{engine.AttrEmail: "u@example.com"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.svc.Publish(t.Context(), engine.PublishRequest{ID: b.id, Console: true}); err != nil {
		t.Fatal(err)
	}
	const subject = "campaign_content.content.email.subject"
	b.play("content|1|Hello {{nope|keep|back|back|apply|1|Hello||apply||leave")
	b.want("Not applied. These must be fixed first.", "Not valid yet: 1 problem", "Valid: your changes can be applied.", "Apply 1 change to a scheduled campaign that reaches 1 person (yes or no, Enter is no)")
	b.wantNot("subject:")
	b.wantStored(subject, `"Hi"`)
	b.play("apply|yes|leave")
	b.want("Applied.")
	b.wantStored(subject, `"Hello"`)
}

// After a conflict, the user chooses the version.
func TestConflict(t *testing.T) {
	for answer, want := range map[string]string{"1": `"Summer"`, "2": `"Theirs"`} {
		b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
		b.deps.Service = &conflictingService{Service: b.svc, id: b.id}
		b.play("basics|Summer|" + answer + "|back")
		b.want("Someone else saved this draft after you opened it.")
		b.wantStored("basic_details.name", want)
	}
}

// conflictingService saves a change of its own before the first save of the user.
type conflictingService struct {
	*local.Service
	id   string
	done bool
}

func (m *conflictingService) Save(ctx context.Context, r engine.SaveRequest) (engine.Head, error) {
	if !m.done {
		m.done = true
		c, err := m.Get(ctx, m.id)
		if err != nil {
			return engine.Head{}, err
		}
		if _, err := m.Service.Save(ctx, engine.SaveRequest{ID: m.id, Revision: c.Revision, Body: engine.WithName(c.Body, "Theirs"), By: "bob@example.com"}); err != nil {
			return engine.Head{}, err
		}
	}
	return m.Service.Save(ctx, r)
}

func TestSearch(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.run("campaigns|status:sent|all|status:nonsense|spring")
	b.want("Sent campaigns: 0 campaigns.", "1. Spring sale: Email, one-time, draft", "nonsense")
}

// A new draft with a schedule gets the workspace's time zone.
func TestNewDraft(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	if err := b.svc.UpdateWorkspace(t.Context(), func(w *engine.Workspace) error { w.Timezone = "Asia/Tokyo"; return nil }); err != nil {
		t.Fatal(err)
	}
	b.run("new|e-mail|email|device-triggered|periodic|Weekly|nobody|bob@example.com")
	b.want("Device-triggered cannot be chosen: Only available for Push.", "The creator must be an email address", "Campaign Weekly. Email, periodic, draft.")
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
	b.run("new|push|back|back|quit")
	b.want("This is the first question. Type quit to quit.")
}

// Invalid answers, and an endless line, end the program.
func TestInvalidAnswersEnd(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	for name, in := range map[string]io.Reader{"nonsense": endlessReader("nonsense\n"), "empty lines": endlessReader("\n")} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if err := accessible.Run(t.Context(), accessible.Options{Deps: b.deps, In: in, Out: &out}); err != nil {
				t.Error(err)
			}
			if !strings.HasSuffix(out.String(), "Goodbye. Everything is saved.\n") {
				t.Errorf("the end is not told:\n%s", out.String())
			}
		})
	}
}

type endlessReader string

func (e endlessReader) Read(p []byte) (int, error) { return copy(p, e), nil }

// Canceling the context while a question waits ends the program and its reads.
func TestCancelWhileWaiting(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	out := &promptWatcher{want: "Choose", then: cancel}
	if err := accessible.Run(ctx, accessible.Options{Deps: b.deps, In: r, Out: out}); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.b.String(), "Goodbye. Everything is saved.") {
		t.Errorf("the end is not told:\n%s", out.b.String())
	}
}

// promptWatcher calls then once a text is written.
type promptWatcher struct {
	b    strings.Builder
	want string
	then func()
}

func (p *promptWatcher) Write(text []byte) (int, error) {
	if strings.Contains(string(text), p.want) {
		p.then()
	}
	return p.b.Write(text)
}

func TestFailingOutput(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	err := accessible.Run(t.Context(), accessible.Options{Deps: b.deps, In: endlessReader("\n"), Out: failingWriter{}})
	if err == nil || !strings.Contains(err.Error(), "the reader has left") {
		t.Errorf("the error is %v", err)
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("the reader has left") }

// Control sequences of documents are not printed.
func TestControlSequencesAreRemoved(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, `{"basic_details": {"name": "a\u001b[2Jb\u0007\r"}}`)
	b.play("basics||history|")
	if strings.ContainsAny(b.output, "\x1b\x07\r") {
		t.Errorf("%q", b.output)
	}
}

func TestPreviewOfSavedTemplate(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, `{"campaign_content":{"content":{"email":{"custom_template_id":"spring","sender_name":"Own"}}}}`)
	b.play("preview||preview|ANN|back")
	b.want("Note: There is no saved template spring in this workspace.")
	content, err := doc.Parse([]byte(`{"subject":"Hi {{UserAttribute['City']|default('you')}}","html_content":"<p>Its body</p>","sender_name":"Shelf"}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.svc.PutUser(t.Context(), engine.User{ID: "ANN", Attributes: map[string]any{"City": "Paris"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.svc.PutContent(t.Context(), engine.ContentItem{Template: &engine.ContentTemplate{ID: "spring", Channel: catalog.Email, Content: content}}); err != nil {
		t.Fatal(err)
	}
	b.play("preview||preview|ANN|back")
	b.want("From: Own", "Subject: Hi {{UserAttribute['City']|default('you')}}", "Subject: Hi Paris", "Its body", "From the saved template: spring")
	if strings.Contains(b.output, "no saved template") {
		t.Errorf("it says\n%s", b.output)
	}
}

// Mutually exclusive flags are one question: an answer turns the others off, and clear all of them.
func TestExclusiveFlagsAreOneQuestion(t *testing.T) {
	for script, want := range map[string]string{
		"only provisional": `{"ios":{"send_to_all_eligible_device":false,"send_to_only_provisional_push_enabled_devices":true}}`,
		"":                 `{"ios":{"send_to_all_eligible_device":true}}`,
		"clear":            `{"ios":{}}`,
	} {
		b := newTestbed(t, catalog.Push, catalog.OneTime, `{"basic_details":{"name":"N","platforms":["IOS"],"platform_specific_details":{"ios":{"send_to_all_eligible_device":true}}}}`)
		b.play("basics|list|5|yes||" + script + "|")
		b.want("iOS devices")
		b.wantNot("Open iOS?")
		b.wantStored("basic_details.platform_specific_details", want)
	}
}
