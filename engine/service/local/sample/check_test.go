package sample_test

import (
	"testing"

	preflight "bugle/engine/message/check"
)

// The sample shows campaigns as they should be: a warning of one of them is wrong, or the campaign is.
func TestSampleRaisesNoWarnings(t *testing.T) {
	svc := install(t, now)
	for _, c := range campaigns(t, svc) {
		f, err := preflight.Load(t.Context(), svc, nil, c, now)
		if err != nil {
			t.Fatal(err)
		}
		out, err := preflight.Run(t.Context(), c, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range out.Findings {
			if w.Severity == preflight.Warning {
				t.Errorf("%s: %s at %s: %s", c.Body.Get("basic_details").Get("name").Text(), w.Check, w.Place(), w.Message)
			} else {
				t.Logf("%s: %s at %s: %s", c.Body.Get("basic_details").Get("name").Text(), w.Check, w.Place(), w.Message)
			}
		}
		for _, s := range out.Skipped {
			t.Logf("skipped %s: %s", s.Check, s.Why)
		}
	}
}
