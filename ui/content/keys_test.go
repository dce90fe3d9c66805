package content_test

import (
	"context"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/uitest"
)

const one = `{"campaign_content":{"content":{"email":{"subject":"Hi","from_address":"a@example.com","html_content":"<p>x</p>"}}}}`

// A single message has its form; the grid is one key away, and what it adds and removes leaves the document
// unchanged.
func TestOneMessageToManyAndBack(t *testing.T) {
	b := newTestbed(t, catalog.Email, one)
	h := b.open(120, 40)
	h.Want("A/B test", "alt+m grid")
	h.WantNot("everyone")
	h.Press("alt+m")
	h.Want("Message", "everyone", "✓ Hi")
	h.Press("a")
	h.Type("ger")
	h.Want("German")
	h.Press("enter")
	h.Want("= Hi", "Added with a copy of the default locale")
	h.Press("left", "right")
	h.Want("Same as Default.")
	b.wantStored("campaign_content.locales", `["de"]`)
	h.Press("A")
	h.Want("A  ", "B  ", "50%", "100 of 100")
	h.Press("enter", "esc")
	h.Want("50%")
	b.wantStored("campaign_content.variation_details", `{"distribution_type":"MANUAL","no_of_variations":2,"manual_distribution_percentage":{"variation_1":50,"variation_2":50}}`)
	b.wantStored("campaign_content.content.de.variation_2.email.subject", `"Hi"`)

	// A variation is removed at its heading, a locale at its name, each after a question.
	h.Press("up", "up", "x")
	h.Want("Remove variation B?", "Its 2 messages are removed too.")
	h.Press("n")
	b.wantStored("campaign_content.variation_details.no_of_variations", "2")
	h.Press("x", "y")
	h.WantNot("50%")
	h.Press("down", "down", "left", "x")
	h.Want("Remove German?", "Its message is removed too.")
	h.Press("y")
	b.wantStored("campaign_content", `{"content":{"email":{"subject":"Hi","from_address":"a@example.com","html_content":"<p>x</p>"}}}`)

	// Undo restores one after the other.
	h.Press("ctrl+z")
	b.wantStored("campaign_content.locales", `["de"]`)
	h.Press("ctrl+z", "ctrl+z")
	b.wantStored("campaign_content.content.de.variation_1.email.subject", `"Hi"`)
	b.wantStored("campaign_content.variation_details", "")
	h.Press("ctrl+z")
	b.wantStored("campaign_content.locales", "")
}

func TestSeveralLocalesAtOnce(t *testing.T) {
	b := newTestbed(t, catalog.Email, one)
	h := b.open(80, 24)
	h.Press("alt+m", "a")
	h.Want("fr_FR", "French, FR · in this workspace")
	h.Type("de, it,pt-BR")
	h.Press("enter")
	b.wantStored("campaign_content.locales", `["de","it","pt-BR"]`)
	h.Press("a")
	h.Type("de")
	h.Press("enter")
	b.wantStored("campaign_content.locales", `["de","it","pt-BR","de-AT"]`) // the next German locale, because de exists
	h.Press("a")
	h.Type("email")
	h.Press("enter")
	h.Want("\"email\" is reserved")
	h.Press("esc")
	h.Want("de-AT")
}

// Enter opens the message, esc returns to its cell; the tabs above lead to its siblings, on the same field.
func TestOpenCellAndReturn(t *testing.T) {
	b := newTestbed(t, catalog.Email, mail)
	h := b.open(80, 24)
	h.Press("down", "right", "enter")
	h.Want("Content › German · B", "Subject *")
	h.Press("down")
	h.Type("Soon")
	b.wantStored("campaign_content.content.de.variation_2.email.preview_text", `"Soon"`)
	h.Press("f6")
	h.Want("Content › German · A", "▸ Preview text")
	h.Press("f5", "alt+f5", "f6")
	h.Want("Content › German · B")
	h.ClickOn("German ▸")
	h.Want("Content › French · B")
	h.Press("esc")
	h.Want("French · B")
	h.Press("esc")
	h.WantNot("f5")
}

func TestPercentages(t *testing.T) {
	b := newTestbed(t, catalog.Email, mail)
	h := b.open(80, 24)
	h.Press("%", "7", "0")
	h.Want("110 of 100", "10% too much")
	b.wantStored("campaign_content.variation_details.manual_distribution_percentage", `{"variation_1":70,"variation_2":40}`)
	h.Press("0")
	h.Want("from 0 to 100")
	h.Press("tab", "+")
	h.Want("100 of 100")
	b.wantStored("campaign_content.variation_details.manual_distribution_percentage", `{"variation_1":70,"variation_2":30}`)
	h.Press("=")
	b.wantStored("campaign_content.variation_details.manual_distribution_percentage", `{"variation_1":50,"variation_2":50}`)
	h.Press("2", "5", "backspace")
	h.Want("48% is left")
	h.Press("left", "+")
	b.wantStored("campaign_content.variation_details.manual_distribution_percentage", `{"variation_1":98,"variation_2":2}`)
}

func TestAutomaticSplitHasNoPercentages(t *testing.T) {
	b := newTestbed(t, catalog.Email, strings.Replace(mail, `"distribution_type":"MANUAL"`, `"optimizer_campaign_duration":5,"optimizer_distribution_metric":"BOTH","distribution_type":"OPTIMIZER"`, 1))
	h := b.open(80, 24)
	h.Want("optimized")
	h.Press("up", "9")
	h.Want("The optimizer splits the audience.")
}

func TestCompare(t *testing.T) {
	b := newTestbed(t, catalog.Email, mail)
	h := b.open(120, 40)
	h.Press("down", "d")
	h.Want("Default · A and German · A", "Subject", "2 differences", "Der Frühling ist da")
	h.WantNot("From address")
	h.Press("esc", "up", "right", "d")
	h.Want("Default · A and Default · B")

	// The chosen field is opened in the message that was compared.
	h.Press("esc", "left", "down", "d", "down", "enter")
	h.Want("Content › German · A › HTML")

	h.Press("esc", "esc", "right", "x")
	h.Want("Remove the message of German · B?")
	h.Press("y")
	b.wantStored("campaign_content.content.de.variation_2", "")
}

func TestRename(t *testing.T) {
	b := newTestbed(t, catalog.Email, mail)
	h := b.open(80, 24)
	h.Press("down", "left", "enter")
	h.Want("Content › German · A")
	h.Press("esc", "left", "f2")
	h.Want("Rename de")
	h.Type("-AT")
	h.Press("enter")
	b.wantStored("campaign_content.locales", `["de-AT","fr"]`)
	b.wantStored("campaign_content.content.de-AT.variation_1.email.html_content", `"<p>Hallo</p>"`)
	h.Want("German, Austria · de-AT")
}

func TestUnlistedMessagesAreShownAndRemoved(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"campaign_content":{"content":{"default":{"variation_1":{"email":{"subject":"A"}}}}}}`)
	b.save(`{"campaign_content":{"content":{"default":{"variation_1":{"email":{"subject":"A"}},"variation_9":{"email":{"subject":"Z"}}},"it":{"variation_1":{"email":{"subject":"I"}}}}}}`)
	h := b.open(120, 40)
	h.Want("I  ", "not in the test")
	h.Press("down", "left")
	h.Want("This locale has messages")
	h.Press("a")
	b.wantStored("campaign_content.locales", `["it"]`)
	h.Press("up", "up", "right", "right", "x", "y")
	b.wantStored("campaign_content.content", `{"default":{"variation_1":{"email":{"subject":"A"}}},"it":{"variation_1":{"email":{"subject":"I"}}}}`)
}

const push = `{"basic_details":{"name":"Sale","platforms":["ANDROID","WEB"]},"campaign_content":{"locales":["de"],"content":{
	"default":{"variation_1":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"Sale","message":"m"}},"web":{"template_type":"BASIC","basic_details":{"title":"Web sale","message":"m","redirect_url":"https://example.com"}}}}},
	"de":{"variation_1":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"Angebot","message":"m"}},"ios":{"template_type":"BASIC","basic_details":{"title":"iOS"}}}}}}}}`

// The platforms of a push are tabs above its forms; a cell opens on the first one.
func TestPlatformTabs(t *testing.T) {
	b := newTestbed(t, catalog.Push, push)
	h := b.open(80, 24)
	h.Want("Angebot")
	h.Press("enter")
	h.Want("[Android]", "│ Web", "Default · A · Android")
	h.WantNot("iOS")
	h.Press("f7")
	h.Want("[Web]")
	h.Press("f5")
	h.Want("German · A", "iOS (off)")
	h.ClickOn("Android")
	h.Want("[Android]")
	h.Want("▸ Title", "Angebot")
	h.Press("f7")
	h.Want("[iOS")
	h.Golden("platforms-80x24")
	h.Press("esc", "esc")
	h.Want("◐2 Angebot")
}

// Cells, names, percentages, fields and the add texts can be clicked in every layout.
func TestClicks(t *testing.T) {
	for _, size := range uitest.Sizes {
		b := newTestbed(t, catalog.Email, mail)
		h := b.open(size.W, size.H)
		h.ClickOn("◐1 ")
		h.ClickOn("◐1 ")
		h.Want("Content › French · A", "▸ Subject")
		h.ClickOn("French ▸")
		h.Want("Content › Default · A")
		h.Press("esc")
		h.ClickOn("German ")
		h.Want("2 of 2 messages written.")
		h.ClickOn("60%")
		h.Press("backspace", "5")
		h.Want("105 of 100")
		h.ClickOn("+ locale")
		h.ClickOn("Bulgarian")
		b.wantStored("campaign_content.locales", `["de","fr","bg"]`)
		h.ClickOn("+ variation")
		b.wantStored("campaign_content.variation_details.no_of_variations", "3")
	}
}

// A click on the signs beside the names shows the hidden variations.
func TestClickShowsHiddenColumns(t *testing.T) {
	b := newTestbed(t, catalog.Email, mail)
	h := b.open(60, 20)
	for range 7 {
		h.Press("A")
	}
	for range 9 {
		h.Press("left")
	}
	h.Want("›")
	h.WantNot("‹")
	h.ClickOn("›")
	h.Want("‹")
	h.ClickOn("‹")
	h.WantNot("‹")
}

// Locked messages can be viewed, copied and compared, and the reason for the lock is shown.
func TestLocked(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"basic_details":{"name":"News","content_type":"TRANSACTIONAL"},"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Demo mail"},
		"segmentation_details":{"is_all_user_campaign":true},"scheduling_details":{"delivery_type":"ASAP"},
		"campaign_content":{"locales":["de"],"content":{"default":{"variation_1":{"email":{"subject":"Hi","from_address":"a@example.com","html_content":"x"}}},"de":{"variation_1":{"email":{"subject":"Hallo","from_address":"a@example.com","html_content":"x"}}}}}}`)
	if _, err := b.svc.Publish(context.Background(), engine.PublishRequest{ID: b.id, Console: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.svc.ChangeStatus(context.Background(), engine.StatusRequest{ID: b.id, Action: catalog.Stop}); err != nil {
		t.Fatal(err)
	}
	h := b.open(80, 24)
	h.Want("This campaign is Stopped. It cannot be")
	h.WantNot("+ locale")
	for _, k := range []string{"a", "A", "x", "=", "p"} {
		h.Press(k)
		h.Want("This campaign is Stopped. It cannot be")
	}
	h.Press("down", "d")
	h.Want("1 difference")
	h.Press("esc", "enter")
	h.Want("Content › German · A")
	b.wantStored("campaign_content.locales", `["de"]`)
}

// One key fills a platform from another, as far as the fields fit, and a message from its sibling.
func TestCopyFrom(t *testing.T) {
	const android = `{"android":{"template_type":"IMAGE_BANNER_WITH_TEXT","basic_details":{"notification_channel":"offers","title":"Sale","message":"Today","image_url":"https://e.com/i.png","banner_image_url":"https://e.com/b.png",` +
		`"default_click_action":"RICH_LANDING","default_click_action_value":"https://e.com/sale"},` +
		`"buttons":[{"btn_name":"Shop","click_action_type":"DEEPLINKING","click_action_value":"https://e.com/shop"}]}}`
	b := newTestbed(t, catalog.Push, `{"basic_details":{"name":"Sale","platforms":["ANDROID","IOS","WEB"]},"campaign_content":{"content":{"push":`+android+`}}}`)
	h := b.open(120, 40)
	h.Press("down")
	h.Want("▸ iOS")
	h.Press("enter")
	h.Want("Content › iOS", "copy from Android")
	h.Press("alt+y")
	b.wantStored("campaign_content.content.push.ios", `{"basic_details":{"title":"Sale","message":"Today","image_url":"https://e.com/i.png","default_click_action":"RICH_LANDING","default_click_action_value":"https://e.com/sale"}}`)
	h.Press("ctrl+z")
	b.wantStored("campaign_content.content.push", android)
	h.Press("f7", "alt+y")
	h.Want("Content › Web", "Copied 5 fields from Android.")
	b.wantStored("campaign_content.content.push.web", `{"basic_details":{"title":"Sale","message":"Today","redirect_url":"https://e.com/sale","image_url":"https://e.com/i.png"},"buttons":[{"title":"Shop","url":"https://e.com/shop"}]}`)
	h.Press("alt+y")
	h.Want("Nothing to copy")

	mails := newTestbed(t, catalog.Email, mail)
	h = mails.open(120, 40)
	h.Press("down", "down", "enter")
	h.Want("French · A", "copy from…")
	h.Press("alt+y")
	h.Want("Copy from", "Default · A", "German · B")
	h.Press("down", "enter")
	mails.wantStored("campaign_content.content.fr.variation_1.email.subject", `"Der Frühling ist da"`)

	// In the grid it fills the cell under the cursor.
	h.Press("esc", "right", "alt+y", "enter")
	h.Want("Copied everything from Default · B.", "▸= 20% off")
	mails.wantStored("campaign_content.content.fr.variation_2.email.subject", `"20% off all beans"`)

	// The only message becomes that of the default locale beside the copy.
	flat := newTestbed(t, catalog.Email, one)
	flat.save(strings.Replace(one, `{"content"`, `{"locales":["de"],"content"`, 1))
	h = flat.open(120, 40)
	h.Press("down", "alt+y")
	flat.wantStored("campaign_content.content.default.variation_1.email.subject", `"Hi"`)
	flat.wantStored("campaign_content.content.de.variation_1.email.subject", `"Hi"`)
}
