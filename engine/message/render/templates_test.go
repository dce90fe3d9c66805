package render_test

import (
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/assemble"
	"bugle/engine/message/render"
)

func parsed(t *testing.T, s string) doc.Value {
	t.Helper()
	v, err := doc.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A message shows what its saved template gives, once a service has told it.
func TestTemplates(t *testing.T) {
	mail := parsed(t, `{"campaign_content":{"content":{"email":{"custom_template_id":"t","sender_name":"{{ user.shop }}","preview_text":""}}}}`)
	told := engine.Preview{Content: parsed(t, `{"content":{"email":{"subject":"Hi Ida","html_content":"<p>Hello</p>","sender_name":"Own","preview_text":"Soon","custom_template_id":"t"}}}`)}
	views, ok := render.FirstViews(catalog.Email, render.WithTemplates(catalog.Email, mail, told), render.Options{Fill: render.FillFromPreview(told)})
	if !ok {
		t.Fatal("there is not an email")
	}
	m := views[0].Mail
	if m.Subject.String() != "Hi Ida" || m.Sender.String() != "Own" || m.Preview.String() != "Soon" || !strings.Contains(m.Text.String(), "Hello") || m.Custom.Name != "t" {
		t.Errorf("%+v", m)
	}
	push := parsed(t, `{"campaign_content":{"content":{"push":{"android":{"template_type":"Custom","custom_template_id":"t","basic_details":{"message":"{{ user.x }}"}},
		"web":{"template_type":"BASIC","basic_details":{"title":"W"}}}}}}`)
	told = engine.Preview{Content: parsed(t, `{"content":{"push":{"android":{"template_type":"STYLIZED_BASIC","custom_template_id":"t","basic_details":{"title":"T","message":"Own"}},
		"web":{"template_type":"BASIC","basic_details":{"title":"W","message":"not the document's"}}}}}`)}
	whole := render.WithTemplates(catalog.Push, push, told)
	views, _ = render.FirstViews(catalog.Push, whole, render.Options{Fill: render.FillFromPreview(told)})
	if n := views[0].Notification; n.Title.String() != "T" || n.Body.String() != "Own" || n.Template != "STYLIZED_BASIC" {
		t.Errorf("%+v", n)
	}
	if n := views[1].Notification; !n.Body.Empty() {
		t.Errorf("without a template: %+v", n)
	}
	for _, nothing := range []string{`{"content":{"push":{"android":{"template_type":"Custom","custom_template_id":"t","basic_details":{"message":"x"}}}}}`, `{}`, `{"content":5}`} {
		p := engine.Preview{Content: parsed(t, nothing)}
		if got := render.WithTemplates(catalog.Push, push, p); string(got.Encode()) != string(push.Encode()) {
			t.Errorf("with %s:\n%s", nothing, got.Encode())
		}
	}
}

// What is known of a template is said: that the message has it, or why not.
func TestTemplateStatus(t *testing.T) {
	mail := parsed(t, `{"campaign_content":{"content":{"email":{"custom_template_id":"t","custom_template_version":3}}}}`)
	at := doc.P("campaign_content", "content", "email")
	absent := engine.Preview{Content: parsed(t, `{"content":{"email":{}}}`), Unresolved: []engine.Unresolved{{Field: at.Child("custom_template_id").String(), Expression: "t, version 3"}}}
	for name, tt := range map[string]struct {
		templates render.TemplateStatus
		want      render.Saved
		warned    string
	}{
		"nothing":         {nil, render.Saved{Name: "t, version 3"}, ""},
		"taken":           {render.TemplatesFromUses([]assemble.TemplateUse{{At: at, ID: "t"}}), render.Saved{Name: "t, version 3", Known: true}, ""},
		"why not":         {render.TemplatesFromUses([]assemble.TemplateUse{{At: at, ID: "t", Problem: "gone"}}), render.Saved{Name: "t, version 3", Known: true, Why: "gone"}, "Gone"},
		"it counts not":   {render.TemplatesFromUses(nil), render.Saved{}, ""},
		"a preview's":     {render.TemplatesFromPreview(engine.Preview{}), render.Saved{Name: "t, version 3", Known: true}, ""},
		"a preview's not": {render.TemplatesFromPreview(absent), render.Saved{Name: "t, version 3", Known: true, Why: "the saved template t, version 3 cannot be used; it has no content for this message"}, "The saved template t, version 3"},
	} {
		views, _ := render.FirstViews(catalog.Email, mail, render.Options{Templates: tt.templates})
		m := views[0].Mail
		said := ""
		for _, w := range m.Warnings {
			if strings.HasPrefix(w.Text, tt.warned) && tt.warned != "" {
				said = tt.warned
			}
		}
		if m.Custom != tt.want || said != tt.warned {
			t.Errorf("%s: %+v, warnings %v", name, m.Custom, m.Warnings)
		}
	}
}
