package plain_test

import (
	"os"
	"path/filepath"
	"testing"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/plain"
)

func TestTexts(t *testing.T) {
	for name, c := range map[string]struct{ script, path, want, said string }{
		"an empty line keeps":          {"1|", "basic_details.name", `"Spring sale"`, "Now Spring sale."},
		"a text is taken as typed":     {"1|  Summer ", "basic_details.name", `"  Summer "`, "Content type>"},
		"a command empties":            {"1|:clear", "basic_details.name", ``, "Campaign name>"},
		"two colons begin a text":      {"1|::-) Sale", "basic_details.name", `":-) Sale"`, "Content type>"},
		"a backslash is a text":        {`1|\o/`, "basic_details.name", `"\\o/"`, "Content type>"},
		"help says when it is needed":  {"1|:?|", "basic_details.name", `"Spring sale"`, "Required to publish."},
		"back keeps":                   {"1|:back|.", "basic_details.name", `"Spring sale"`, "Campaign Spring sale. Email"},
		"cursor keys are no text":      {"1|\x1b[D|", "basic_details.name", `"Spring sale"`, "cursor keys do not work here"},
		"prev asks the field before":   {"1||:prev|Autumn", "basic_details.name", `"Autumn"`, "Content type>"},
		"a number asks another field":  {"1|:5|Growth", "basic_details.team", `"Growth"`, "Team>"},
		"a word of the page leaves it": {"1|:preview|", "basic_details.name", `"Spring sale"`, "Subject: Hi"},
		"times and zones are words":    {"6|fixed|someday|tomorrow 9am||berlin|..", "scheduling_details.timezone", `"Europe/Berlin"`, "Send 1: Sun 15 Mar, 09:00"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
			b.play(c.script)
			b.wantStored(c.path, c.want)
			b.want(c.said)
		})
	}
}

// What is a command at the prompt is text in a field, and what begins with a colon there never is.
func TestCommandsAndContentAreApart(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	for _, word := range []string{"status", "Back", "quit", "..", "/", "12", "."} {
		b.play("1|" + word + "|:back")
		b.wantStored("basic_details.name", `"`+word+`"`)
	}
	b.play("1|Spring sale|:nope|:Publish|:back")
	b.wantStored("basic_details.name", `"Spring sale"`)
	b.want(":nope is not a command here.", ":publish is not a command here.")
	b.wantEnd(nil)
}

// Case and outer blanks do not matter in commands.
func TestCommandsAreLenient(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.run(" 1 |1| : BACK |  VALIDATE |..|Quit|1")
	b.want("Not ready to publish: 5 problems.")
	b.wantEnd(nil)
}

func TestInvalidTextIsSaidAndKept(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("3|:4|nonsense|ann@example.com|:back")
	b.want("Not valid: Must be an email address, such as ann@example.com, not \"nonsense\".")
	b.wantStored("campaign_content.content.email.from_address", `"ann@example.com"`)
	b.play("1|:4|sale, spring|:back|undo")
	b.want("Undone: Basics, Tags\n")
	b.wantStored("basic_details.tags", ``)
	b.play("3|:4|nonsense||:back")
	b.wantStored("campaign_content.content.email.from_address", `"nonsense"`)
}

func TestChoices(t *testing.T) {
	b := newTestbed(t, catalog.Push, catalog.OneTime, `{}`)
	b.play("1|:4|web|1 2|android||:back")
	b.want("1 Android, 2 iOS, 3 Web.", "3 Web (on)")
	b.wantStored("basic_details.platforms", `["WEB","IOS"]`)
	b.play("1|:4|:clear|:back")
	b.wantStored("basic_details.platforms", ``)
	b.play("5|9|soon|:back")
	b.want(`"9" is none of the 4 options.`)
	b.wantStored("scheduling_details.delivery_type", `"ASAP"`)
	b.play("6|maybe|yes|:back")
	b.want(`"maybe" is none of the 2 options.`)
	b.wantStored("delivery_controls.bypass_dnd", `true`)
}

// script returns an editor that runs a shell script on the file.
func script(t *testing.T, text string) func(string) ([]string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return func(file string) ([]string, error) { return []string{path, file}, nil }
}

func TestLongTexts(t *testing.T) {
	const html = "campaign_content.content.email.html_content"
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("3|:5|:read|:lines|<p>|..dot|.|:back")
	b.want("Now 2 lines, beginning: <p>one</p>.", "<p>two</p>\nEnd of the text.", "Line 2>")
	b.wantStored(html, `"<p>\n.dot"`)
	b.editor = script(t, `printf '\tmore\n' >> "$1"`)
	b.play("3|:5|:edit|:back")
	b.wantStored(html, `"<p>\n.dot\tmore"`)
	b.editor = script(t, "exit 3")
	b.play("3|:5|:edit|:back")
	b.want("The editor failed")
	b.wantStored(html, `"<p>\n.dot\tmore"`)
	b.wantStored("campaign_content.content.email.subject", `"Hi\tyou"`)
	b.play("3|:5|:lines|half a text")
	b.wantEnd(plain.ErrUnanswered)
	b.wantStored(html, `"<p>\n.dot\tmore"`)
}

func TestObjectsInLists(t *testing.T) {
	const goals = "conversion_goal_details.goals"
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("8|:2|:open|1|Bought|Order placed|:back|..|..")
	b.wantStored(goals, `[{"goal_name":"Bought","goal_event_name":"Order placed"}]`)
	b.play("8|:2|:open|2|Read|Page read|:back|2 move up|..|..")
	b.wantStored(goals, `[{"goal_name":"Read","goal_event_name":"Page read"},{"goal_name":"Bought","goal_event_name":"Order placed"}]`)
	b.play("8|:2|:open|1 delete|..|..|undo")
	b.wantStored(goals, `[{"goal_name":"Bought","goal_event_name":"Order placed"},{"goal_name":"Read","goal_event_name":"Page read"}]`)
}

func TestAdditionalFields(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("10|news|mail||||utm_x|1||..")
	b.wantStored("utm_params", `{"utm_source":"news","utm_medium":"mail","utm_x":"1"}`)
	b.play("10|:6|:clear|:back")
	b.wantStored("utm_params", `{"utm_source":"news","utm_medium":"mail"}`)
}

func TestMessagesByLocaleAndVariation(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("3|:6|de|:back|fill locales|3|2|Hallo|:back|..")
	b.want("2 locales, 1 variation.", "German")
	b.wantStored("campaign_content.content.de.variation_1.email.subject", `"Hallo"`)
	b.wantStored("campaign_content.content.default.variation_1.email.subject", `"Hi\tyou"`)
	b.play("3|list|4 delete|yes|..")
	b.wantStored("campaign_content.content.de", ``)
}

func TestFilters(t *testing.T) {
	b := newTestbed(t, catalog.Email, catalog.OneTime, mail)
	b.play("5|match|:open|1|user|City||is|Paris|:back|1|user|age||between|20|30|:back|and/or|..|:back")
	b.want("Users whose City is Paris, or whose Age is between 20 and 30.", "2. City is Paris", "3. Age is between 20 and 30")
	b.wantStored("segmentation_details.included_filters.filter_operator", `"or"`)
	b.wantStored("segmentation_details.included_filters.filters[1].value", `[20,30]`)
	b.play("5|:2|:open|2 not|3 move up|2 delete|..|:back")
	b.wantStored("segmentation_details.included_filters.filters[0].negate", `true`)
	b.play("5|:2|:open|1|action|:back|..|:back")
	if n := b.stored().Body.Lookup(doc.P("segmentation_details", "included_filters", "filters")).Len(); n != 1 {
		t.Errorf("%d filters are stored\n%s", n, b.output)
	}
	b.play("5|:2|:open|1|user|Birthday||after|someday|2000-01-31|:back|..|:back")
	b.wantStored("segmentation_details.included_filters.filters[1].value", `"2000-01-31"`)
}
