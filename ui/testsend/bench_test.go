package testsend_test

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine/catalog"
	"bugle/ui/screen"
	"bugle/ui/testsend"
	"bugle/ui/uitest"
)

// bigMail returns a campaign of 4 KB with eight messages.
func bigMail() string {
	var cells []string
	for _, locale := range []string{"default", "de", "fr", "es"} {
		var of []string
		for v := range 2 {
			body := strings.Repeat("<p>Spring for {{UserAttribute['First Name']|default('you')}} {{UserAttribute['Age']|default('x')}}</p>", 3)
			of = append(of, fmt.Sprintf(`"variation_%d": {"email": {"subject": "Hello {{UserAttribute['First Name']}}", "from_address": "shop@example.com", "sender_name": "Shop", "html_content": %q}}`, v+1, body))
		}
		cells = append(cells, fmt.Sprintf("%q: {%s}", locale, strings.Join(of, ",")))
	}
	return `{"basic_details": {"name": "Spring mail", "content_type": "TRANSACTIONAL"}, "connector": {"connector_type": "CUSTOM_SMTP", "connector_name": "Main SMTP"},
		"campaign_content": {"locales": ["de", "fr", "es"], "variation_details": {"no_of_variations": 2}, "content": {` + strings.Join(cells, ",") + `}}}`
}

// Update and View of a campaign of 4 KB at 120×40 take less than 8 ms.
func BenchmarkKey(b *testing.B) {
	for _, stage := range []string{"form", "done"} {
		b.Run(stage, func(b *testing.B) {
			s := newService(b)
			sc := testsend.New(uitest.Deps(s), screen.Route{ID: s.draft(b, catalog.Email, bigMail())})
			h := uitest.New(b, sc, 120, 40)
			h.Type("ada@example.com,ben@example.com,USER_3@example.com,")
			if stage == "done" {
				h.Press("ctrl+s")
			}
			keys := []tea.KeyMsg{uitest.Key("x"), uitest.Key("backspace")}
			if stage == "done" {
				keys = []tea.KeyMsg{uitest.Key("down"), uitest.Key("up")}
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				sc.Update(keys[i%2])
				sc.View()
			}
		})
	}
}
