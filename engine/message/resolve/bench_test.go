package resolve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/message/resolve"
	"bugle/engine/service/local"
	"bugle/store/badger"
)

// largeMail is an email of 100 KB with an expression in each of its paragraphs.
func largeMail(t testing.TB) string {
	t.Helper()
	var html strings.Builder
	for i := 0; html.Len() < 100<<10; i++ {
		fmt.Fprintf(&html, `<p>Hello {{UserAttribute['First Name']|default('friend')}}, <a href="https://example.com/%d?q=1">item %d</a> %s</p>`, i, i, strings.Repeat("lorem ipsum ", 30))
	}
	body, err := json.Marshal(html.String())
	if err != nil {
		t.Fatal(err)
	}
	return `{"utm_params": {"utm_source": "x", "utm_medium": "email"}, "campaign_content": {"content": {"email": {"subject": "Hi {{UserAttribute['First Name']}}", "html_content": ` + string(body) + `}}}}`
}

// BenchmarkSwitchPerson fills an email of 100 KB for one person after another.
func BenchmarkSwitchPerson(b *testing.B) {
	s := newService(b)
	c := prepare(b, s, catalog.Email, largeMail(b))
	viewers := []resolve.Viewer{as(b, s, "USER_1"), as(b, s, "USER_2"), {}}
	b.ResetTimer()
	for i := range b.N {
		if _, err := c.Resolve(context.Background(), viewers[i%len(viewers)]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSurvey100k resolves a push of 4 KB for 100,000 users of a store on disk.
func BenchmarkSurvey100k(b *testing.B) {
	db, err := badger.Open(b.Context(), badger.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	if _, err := local.CreateWorkspace(b.Context(), db, engine.Workspace{ID: "shop", ContentBlocks: []engine.ContentBlock{{Name: "footer", Source: "Bye {{UserAttribute['City']}}"}}}); err != nil {
		b.Fatal(err)
	}
	s, err := local.Open(db, "shop", local.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	const users = 100_000
	for from := 0; from < users; from += 1000 {
		var rows []engine.UserRow
		for i := from; i < from+1000; i++ {
			u := engine.User{ID: fmt.Sprintf("USER_%06d", i), Attributes: map[string]any{
				"First Name": fmt.Sprintf("Name%d", i), "City": "Oslo", "Points": json.Number(fmt.Sprint(i)), engine.AttrEmail: fmt.Sprintf("u%d@example.com", i),
				"Plan": "Explorer", "Country": "Norway", "Birthday": "1990-03-14", "Newsletter": true,
			}, Devices: []engine.Device{{Platform: "ANDROID", Token: fmt.Sprint("a", i)}, {Platform: "IOS", Token: fmt.Sprint("i", i)}}}
			if i%10 == 0 {
				delete(u.Attributes, "City")
			}
			rows = append(rows, engine.UserRow{User: u})
		}
		if _, err := s.ImportUsers(b.Context(), engine.UserImport{Rows: rows}); err != nil {
			b.Fatal(err)
		}
	}
	text := `{{UserAttribute['First Name']|default('friend')}}, {% if UserAttribute['Points'] > 100 %}{{UserAttribute['Points']}} points{% else %}hello{% endif %} {{ContentBlock['footer']}}`
	pad := strings.Repeat("lorem ipsum dolor ", 40)
	cell := `{"template_type": "BASIC", "basic_details": {"title": "Hi ` + text + `", "message": "` + text + " " + pad + `", "summary": "{{UserAttribute['Plan']}}",
		"default_click_action_value": "https://example.com/{{UserAttribute['First Name']}}"},
		"buttons": [{"btn_name": "{{UserAttribute['Plan']}}", "click_action_value": "https://example.com/?p={{UserAttribute['Points']}}"}]}`
	body := `{"segmentation_details": {"is_all_user_campaign": true}, "campaign_content": {"content": {"push": {"android": ` + cell + `, "ios": ` + cell + `}}}}`
	c := prepare(b, s, catalog.Push, body)
	b.Logf("the document has %d bytes", len(body))
	b.ResetTimer()
	for range b.N {
		out, err := c.Survey(context.Background(), s, resolve.SurveyOptions{})
		if err != nil || out.Audience != users || out.Lacking != users/10 {
			b.Fatalf("%v %d %d", err, out.Audience, out.Lacking)
		}
	}
}
