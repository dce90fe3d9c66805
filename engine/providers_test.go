package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"bugle/engine"
)

// Stores of before 2026-11 call the provider of a connector or gateway its carrier.
func TestOldProviderNames(t *testing.T) {
	for _, name := range []string{"provider", "carrier"} {
		var w engine.Workspace
		text := `{"connectors":[{"connector_type":"A","connector_name":"B","NAME":"smtp","smtp":{"host":"h"}}],"push_gateways":[{"NAME":"fcm","key":{"env":"K"}}]}`
		if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "NAME", name)), &w); err != nil {
			t.Fatal(err)
		}
		c, g := w.Connectors[0], w.Gateways[0]
		if c.Provider != engine.ProviderSMTP || c.Name != "B" || c.SMTP.Host != "h" || g.Provider != engine.ProviderFCM || g.Key.Env != "K" {
			t.Errorf("%s: %+v %+v", name, c, g)
		}
		b, err := json.Marshal(w)
		if err != nil || strings.Contains(string(b), "carrier") || !strings.Contains(string(b), `"provider":"fcm"`) {
			t.Errorf("%s: %s, %v", name, b, err)
		}
	}
}
