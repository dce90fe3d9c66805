package sample_test

import (
	"testing"

	preflight "bugle/engine/message/check"
)

// The sample shows campaigns as they should be: a warning of one of them is wrong, or the campaign is. What is listed
// here it shows on purpose.
func TestSampleRaisesNoWarnings(t *testing.T) {
	meant := map[string]string{
		"Your tasting is booked": "content-api-refused", // nothing of the sample leaves the machine
	}
	svc := install(t, now)
	for _, c := range campaigns(t, svc) {
		f, err := preflight.Load(t.Context(), svc, svc, c, now)
		if err != nil {
			t.Fatal(err)
		}
		out, err := preflight.Run(t.Context(), c, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range out.Findings {
			if w.Severity == preflight.Warning && meant[c.Body.Get("basic_details").Get("name").Text()] != w.Check {
				t.Errorf("%s: %s at %s: %s", c.Body.Get("basic_details").Get("name").Text(), w.Check, w.Place(), w.Message)
			}
		}
	}
}
