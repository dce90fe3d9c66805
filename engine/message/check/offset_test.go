package check

import "testing"

func TestOffset(t *testing.T) {
	const page = `<a style="color: #fff" href="#">Buy</a> {{ x }}`
	for message, want := range map[string]int{
		"“#” (“Buy”) leads nowhere": 29, "“Buy” leads nowhere": 32, "“{{ x }}…” has no default": 40,
		"“gone” and “Buy”": 32, "nothing quoted": -1, "“gone” is not there": -1, "“unclosed": -1, "“”": -1,
	} {
		at, ok := Finding{Message: message}.Offset(page)
		if !ok {
			at = -1
		}
		if at != want {
			t.Errorf("%s is at %d, want %d", message, at, want)
		}
	}
}
