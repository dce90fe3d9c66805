package testsend_test

import (
	"context"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/ui/screen"
)

func TestDraftWithoutContentOpensContent(t *testing.T) {
	for ch, components := range map[engine.Channel]string{
		catalog.Push:  `{"basic_details": {"name": "Bare"}}`,
		catalog.Email: `{"basic_details": {"name": "Bare"}, "connector": {"connector_type": "CUSTOM_SMTP", "connector_name": "Demo mail"}}`,
	} {
		_, h := openDraft(t, ch, components)
		h.Script("down enter ctrl+s", "?─ Not sent ─", "?There is no message to send yet", "enter")
		if r := h.LastRoute(); r.Name != screen.Builder || r.Path.String() != "campaign_content.content" {
			t.Errorf("%s: enter opened %+v", ch, r)
		}
	}
}

// A refused test leads back to where it was sent from: the form, or the results of the round before.
func TestRefusalKeepsWhatWasShown(t *testing.T) {
	s := newService(t)
	refuse := func(context.Context, engine.TestRequest) (engine.TestResult, error) {
		return engine.TestResult{}, engine.Errorf(engine.RateLimited, 429, "too many tests; wait 3 seconds")
	}
	s.override = refuse
	h := open(t, s, s.draft(catalog.Push, flatPush), 80, 24)
	h.Script(">USER_1,USER_2", "ctrl+s", "?Not sent: Too many tests; wait 3 seconds", "?1 USER_1")
	s.override = nil
	h.Press("ctrl+s")
	s.override = refuse
	h.Press("r")
	h.Want("Not sent: Too many tests", "Sent 3 of 4 messages; 1 skipped.", "Android sent", "Ben: the user has no device for Web")
}

func TestCurl(t *testing.T) {
	_, h := openDraft(t, catalog.Email, flatMail)
	h.Script(">o'neill@example.com", "enter")
	h.FromPalette("curl")
	if len(h.Copied) != 1 {
		t.Fatal("nothing was copied")
	}
	for _, want := range []string{"{base_url}/v5/campaigns/test", "Basic {credentials}", "X-SVC-Tenant-ID: DEMO", "Idempotency-Key: ", `o'\''neill@example.com`} {
		if !strings.Contains(h.Copied[0], want) {
			t.Errorf("no %q in\n%s", want, h.Copied[0])
		}
	}
}

func TestPictures(t *testing.T) {
	s, h := openDraft(t, catalog.Email, flatMail)
	h.Golden("start")
	h.Type("ada@example.com,ben@example.com,car")
	h.Golden("typing")
	h.WantFits()

	_, p := openDraft(t, catalog.Push, flatPush)
	p.Script(">USER_1,USER_2,", "tab")
	p.GoldenSizes("push")
	p.Resize(80, 24)
	p.Press("ctrl+s")
	p.Golden("done")
	p.WantFits()

	_, broken := openDraft(t, catalog.Email, `{"basic_details": {"name": "Bare"}}`)
	broken.Golden("no-content")

	s.override = func(context.Context, engine.TestRequest) (engine.TestResult, error) {
		e := engine.Errorf(engine.ValidationFailed, 400, "the campaign has 2 problems")
		e.Details = []engine.Detail{
			{Target: "campaign_content.content.email.subject", Message: "must be there and hold something"},
			{Target: "test_campaign_meta.identifier_values[0]", Message: "must be an email address"},
		}
		return engine.TestResult{}, e
	}
	h.Script("backspace backspace backspace ctrl+s")
	h.Golden("refused")

	_, h = openDraft(t, catalog.Email, keyedMail)
	h.Script(">ada@example.com,stranger@example.com", "ctrl+s G")
	h.Golden("delivered")
	h.WantFits()
	h.Press("enter")
	h.Golden("read")
	h.Script("esc e alt+H")
	h.Golden("earlier")
	h.WantFits()
	h.Script("esc", "?1 of 4 will not arrive")
	h.Golden("forecast")
}

func TestNonDraftExplainsWhatToDo(t *testing.T) {
	s := newService(t)
	whole := strings.Replace(flatMail, "{", `{"segmentation_details": {"is_all_user_campaign": true}, "scheduling_details": {"delivery_type": "ASAP"}, `, 1)
	id := s.draft(catalog.Email, whole)
	_, err := s.Publish(t.Context(), engine.PublishRequest{ID: id, Console: true})
	s.OK(err)
	h := open(t, s, id, 80, 24)
	h.Script("?You can only test drafts", "?Clone this campaign", ">ada@example.com", "ctrl+s enter")
	h.WantFits()
	s.wantSent(t, 0)
	h = open(t, s, "65f0a1b2c3d4e5f60718293a", 80, 24)
	h.Want("Can't read this draft", "Press r to reload")
}

func TestChangedDraftIsReloaded(t *testing.T) {
	s := newService(t)
	id := s.draft(catalog.Email, keyedMail)
	h := open(t, s, id, 80, 24)
	h.Script(">ada@example.com,", "tab space space", "?German ▾")
	s.Set(id, doc.P("campaign_content"), flatContent)
	h.Send(screen.ChangedMsg{ID: id})
	h.WantNot("Locale", "EMAIL_de_")
	h.Want("│ Email  ●", "1 ada@example.com", "Age", "▌  +")
	h.Press("ctrl+s")
	h.Want("Email sent")
}
