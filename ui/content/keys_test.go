package content_test

import (
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/ui/uitest"
)

const (
	flat = `"content":{"email":{"subject":"Hi","from_address":"a@example.com","html_content":"<p>x</p>"}}`
	one  = `{"campaign_content":{` + flat + `}}`
)

// A single message has its form; the grid is one key away, and what it adds and removes leaves the document
// unchanged.
func TestOneMessageToManyAndBack(t *testing.T) {
	b := newTestbed(t, catalog.Email, one)
	h := b.open(120, 40)
	h.Script("?A/B test", "?alt+m grid", "!everyone", "alt+m", "?Message", "?everyone", "?✓ Hi")
	h.Script("a", ">ger", "?German", "enter", "?= Hi", "?Added with a copy of the default locale", "left right", "?Same as Default.")
	b.wantStored("campaign_content.locales", `["de"]`)
	h.Script("A", "?A  ", "?B  ", "?50%", "?100 of 100", "enter esc", "?50%")
	b.wantStored("campaign_content.variation_details", `{"distribution_type":"MANUAL","no_of_variations":2,"manual_distribution_percentage":{"variation_1":50,"variation_2":50}}`)
	b.wantStored("campaign_content.content.de.variation_2.email.subject", `"Hi"`)

	// A variation is removed at its heading, a locale at its name, each after a question.
	h.Script("up up x", "?Remove variation B?", "?Its 2 messages are removed too.", "n")
	b.wantStored("campaign_content.variation_details.no_of_variations", "2")
	h.Script("x y", "!50%", "down down left x", "?Remove German?", "?Its message is removed too.", "y")
	b.wantStored("campaign_content", `{`+flat+`}`)

	// Undo restores one after the other.
	h.Script("ctrl+z")
	b.wantStored("campaign_content.locales", `["de"]`)
	h.Script("ctrl+z ctrl+z")
	b.wantStored("campaign_content.content.de.variation_1.email.subject", `"Hi"`)
	b.wantStored("campaign_content.variation_details", "")
	h.Script("ctrl+z")
	b.wantStored("campaign_content.locales", "")
}

// Several locales can be added at once. A name that is taken becomes that of the next locale of the language.
func TestLocales(t *testing.T) {
	b := newTestbed(t, catalog.Email, one)
	h := b.open(80, 24)
	h.Script("alt+m a", "?fr_FR", "?French, FR · in this workspace", ">de, it,pt-BR", "enter")
	b.wantStored("campaign_content.locales", `["de","it","pt-BR"]`)
	h.Script("a", ">de", "enter")
	b.wantStored("campaign_content.locales", `["de","it","pt-BR","de-AT"]`)
	h.Script("a", ">email", "enter", "?\"email\" is reserved", "esc", "?de-AT")
	h.Script("home down left f2", "?Rename de", ">-CH", "enter", "?German, Switzerland · de-CH")
	b.wantStored("campaign_content.locales", `["de-CH","it","pt-BR","de-AT"]`)
	b.wantStored("campaign_content.content.de-CH.variation_1.email.html_content", `"<p>x</p>"`)
}

// Enter opens the message, esc returns to its cell; the tabs above lead to its siblings, on the same field.
func TestOpenCellAndReturn(t *testing.T) {
	b := newTestbed(t, catalog.Email, mail)
	h := b.open(80, 24)
	h.Script("down right enter", "?Content › German · B", "?Subject *", "down", ">Soon")
	b.wantStored("campaign_content.content.de.variation_2.email.preview_text", `"Soon"`)
	h.Script("f6", "?Content › German · A", "?▸ Preview text", "f5 alt+f5 f6", "?Content › German · B")
	h.Script("@German ▸", "?Content › French · B", "esc", "?French · B", "esc", "!f5")
}

func TestPercentages(t *testing.T) {
	b := newTestbed(t, catalog.Email, mail)
	h := b.open(80, 24)
	for _, step := range []struct {
		script []string
		want   string
	}{
		{[]string{"% 7 0", "?110 of 100", "?10% too much"}, `{"variation_1":70,"variation_2":40}`},
		{[]string{"0", "?from 0 to 100"}, `{"variation_1":70,"variation_2":40}`},
		{[]string{"tab +", "?100 of 100"}, `{"variation_1":70,"variation_2":30}`},
		{[]string{"="}, `{"variation_1":50,"variation_2":50}`},
		{[]string{"2 5 backspace", "?48% is left"}, `{"variation_1":50,"variation_2":2}`},
		{[]string{"left +"}, `{"variation_1":98,"variation_2":2}`},
	} {
		h.Script(step.script...)
		b.wantStored("campaign_content.variation_details.manual_distribution_percentage", step.want)
	}
	b.Set(b.id, nil, `{"campaign_content":{"content":{},"variation_details":{"no_of_variations":2,"distribution_type":"OPTIMIZER"}}}`)
	b.open(80, 24).Script("?optimized", "up 9", "?The optimizer splits the audience.")
}

// The fields that differ are listed; the chosen one is opened in the message that was compared.
func TestCompare(t *testing.T) {
	h := newTestbed(t, catalog.Email, mail).open(120, 40)
	h.Script("down d", "?Default · A and German · A", "?Subject", "?2 differences", "?Der Frühling ist da", "!From address", "esc")
	h.Script("up right d", "?Default · A and Default · B", "esc")
	h.Script("left down d down enter", "?Content › German · A › HTML")
}

// Messages of locales and variations that are not listed are shown, and can be listed or removed; so can any message.
func TestUnlistedMessages(t *testing.T) {
	const listed = `"variation_1":{"email":{"subject":"A"}}`
	b := newTestbed(t, catalog.Email, one)
	b.Set(b.id, nil, `{"campaign_content":{"content":{"default":{`+listed+`,"variation_9":{"email":{"subject":"Z"}}},"it":{`+listed+`}}}}`)
	h := b.open(120, 40)
	h.Script("?not in the test", "down left", "?This locale has messages", "a")
	b.wantStored("campaign_content.locales", `["it"]`)
	h.Script("up up right right x y")
	b.wantStored("campaign_content.content", `{"default":{`+listed+`},"it":{`+listed+`}}`)
	h.Script("down down x", "?Remove the message of Italian?", "y")
	b.wantStored("campaign_content.content", `{"default":{`+listed+`},"it":{}}`)
}

const push = `{"basic_details":{"name":"Sale","platforms":["ANDROID","WEB"]},"campaign_content":{"locales":["de"],"content":{
	"default":{"variation_1":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"Sale","message":"m"}},"web":{"template_type":"BASIC","basic_details":{"title":"Web sale","message":"m","redirect_url":"https://example.com"}}}}},
	"de":{"variation_1":{"push":{"android":{"template_type":"BASIC","basic_details":{"title":"Angebot","message":"m"}},"ios":{"template_type":"BASIC","basic_details":{"title":"iOS"}}}}}}}}`

// The platforms of a push are tabs above its forms; a cell opens on the first one.
func TestPlatformTabs(t *testing.T) {
	h := newTestbed(t, catalog.Push, push).open(80, 24)
	h.Script("?Angebot", "enter", "?[Android]", "?│ Web", "?Default · A · Android", "!iOS", "f7", "?[Web]")
	h.Script("f5", "?German · A", "?iOS (off)", "@Android", "?[Android]", "?▸ Title", "?Angebot", "f7", "?[iOS")
	h.Golden("platforms-80x24")
	h.Script("esc esc", "?◐2 Angebot")
}

// Cells, names, percentages, fields and the add texts can be clicked in every layout, and so can the signs of hidden variations.
func TestClicks(t *testing.T) {
	for _, size := range uitest.Sizes {
		b := newTestbed(t, catalog.Email, mail)
		h := b.open(size.W, size.H)
		h.Script("@◐1 ", "@◐1 ", "?Content › French · A", "?▸ Subject", "@French ▸", "?Content › Default · A", "esc")
		h.Script("@German ", "?2 of 2 messages written.", "@60%", "backspace 5", "?105 of 100")
		h.Script("@+ locale", "@Bulgarian", "@+ variation")
		b.wantStored("campaign_content.locales", `["de","fr","bg"]`)
		b.wantStored("campaign_content.variation_details.no_of_variations", "3")
		h.Resize(60, 20)
		h.Script("A A A A A home", "left left left left left left left left left", "?›", "!‹", "@›", "?‹", "@‹", "!‹")
	}
}

// Locked messages can be viewed and compared, and the reason for the lock is shown.
func TestLocked(t *testing.T) {
	b := newTestbed(t, catalog.Email, `{"basic_details":{"name":"News","content_type":"TRANSACTIONAL"},"connector":{"connector_type":"CUSTOM_SMTP","connector_name":"Demo mail"},
		"segmentation_details":{"is_all_user_campaign":true},"scheduling_details":{"delivery_type":"ASAP"},
		"campaign_content":{"locales":["de"],"content":{"default":{"variation_1":{"email":{"subject":"Hi","from_address":"a@example.com","html_content":"x"}}},"de":{"variation_1":{"email":{"subject":"Hallo","from_address":"a@example.com","html_content":"x"}}}}}}`)
	_, err := b.Publish(t.Context(), engine.PublishRequest{ID: b.id, Console: true})
	b.OK(err)
	_, err = b.ChangeStatus(t.Context(), engine.StatusRequest{ID: b.id, Action: catalog.Stop})
	b.OK(err)
	h := b.open(80, 24)
	h.WantNot("+ locale")
	for _, key := range []string{"a", "A", "x", "="} {
		h.Script(key, "?This campaign is Stopped. It cannot be")
	}
	h.Script("down d", "?1 difference", "esc enter", "?Content › German · A")
	b.wantStored("campaign_content.locales", `["de"]`)
}

// One key fills a platform from another, as far as the fields fit.
func TestCopyToPlatform(t *testing.T) {
	const android = `{"android":{"template_type":"IMAGE_BANNER_WITH_TEXT","basic_details":{"notification_channel":"offers","title":"Sale","message":"Today","image_url":"https://e.com/i.png","banner_image_url":"https://e.com/b.png",` +
		`"default_click_action":"RICH_LANDING","default_click_action_value":"https://e.com/sale"},` +
		`"buttons":[{"btn_name":"Shop","click_action_type":"DEEPLINKING","click_action_value":"https://e.com/shop"}]}}`
	b := newTestbed(t, catalog.Push, `{"basic_details":{"name":"Sale","platforms":["ANDROID","IOS","WEB"]},"campaign_content":{"content":{"push":`+android+`}}}`)
	h := b.open(120, 40)
	h.Script("down", "?▸ iOS", "enter", "?Content › iOS", "?copy from Android", "alt+y")
	b.wantStored("campaign_content.content.push.ios", `{"basic_details":{"title":"Sale","message":"Today","image_url":"https://e.com/i.png","default_click_action":"RICH_LANDING","default_click_action_value":"https://e.com/sale"}}`)
	h.Script("ctrl+z")
	b.wantStored("campaign_content.content.push", android)
	h.Script("f7 alt+y", "?Content › Web", "?Copied 5 fields from Android.", "alt+y", "?Nothing to copy")
	b.wantStored("campaign_content.content.push.web", `{"basic_details":{"title":"Sale","message":"Today","redirect_url":"https://e.com/sale","image_url":"https://e.com/i.png"},"buttons":[{"title":"Shop","url":"https://e.com/shop"}]}`)
}

// The same key fills a message from another one, in its form and in its cell.
func TestCopyToCell(t *testing.T) {
	b := newTestbed(t, catalog.Email, mail)
	h := b.open(120, 40)
	h.Script("down down enter", "?French · A", "?copy from…", "alt+y", "?Copy from", "?Default · A", "?German · B", "down enter")
	b.wantStored("campaign_content.content.fr.variation_1.email.subject", `"Der Frühling ist da"`)
	h.Script("esc right alt+y enter", "?Copied everything from Default · B.", "?▸= 20% off")
	b.wantStored("campaign_content.content.fr.variation_2.email.subject", `"20% off all beans"`)

	// The only message becomes that of the default locale beside the copy.
	b = newTestbed(t, catalog.Email, one)
	b.Set(b.id, nil, `{"campaign_content":{"locales":["de"],`+flat+`}}`)
	b.open(120, 40).Script("down alt+y")
	b.wantStored("campaign_content.content.default.variation_1.email.subject", `"Hi"`)
	b.wantStored("campaign_content.content.de.variation_1.email.subject", `"Hi"`)
}
