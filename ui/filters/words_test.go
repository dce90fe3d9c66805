package filters_test

import (
	"testing"
)

// Words that cannot be read stay in their row, marked and with the reason, however the row is left.
func TestUnreadableWordsStay(t *testing.T) {
	const words, reason = "at leest twice", "“at leest twice” cannot be read here; try"
	for name, leave := range map[string][]string{
		"enter":     {"enter"},
		"next row":  {"tab"},
		"a click":   {"click"},
		"a section": {"section"},
		"leaving":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newTestbed(t, audienceJSON)
			h := b.open(120, 40, segmentation, include)
			h.Press("j", "j", "enter", "tab")
			h.Type(words)
			h.Want(words, reason)
			for _, k := range leave {
				switch k {
				case "click":
					h.ClickOn("├     Country")
				case "section":
					h.ClickOn("Schedule")
				default:
					h.Press(k)
				}
			}
			if name == "enter" { // it stays in the row
				h.Want("▸ How often", reason)
			}
			b.open(120, 40, segmentation, include, "filters", 1).Want("✗", reason)
			h = b.open(120, 40, segmentation, include, "filters", 1, "execution", "count")
			h.Want("Did Added to Cart “"+words+"”", "✗", words, reason)
			h.Press("ctrl+u")
			h.Type("at least twice")
			h.Want("= Did Added to Cart at least 2 times")
			h.Press("enter")
			h.Want("Did Added to Cart at least 2 times")
			if got, want := b.stored(segmentation, include, "filters", 1, "execution"), `{"type":"atleast","count":2}`; got != want {
				t.Errorf("the frequency is %s, want %s", got, want)
			}
		})
	}
}

// Esc is the way out of words that cannot be read, and of a search for another name: it says what it discards.
func TestEscSaysWhatItDiscards(t *testing.T) {
	b := newTestbed(t, audienceJSON)
	before := b.stored(segmentation)
	h := b.open(120, 40, segmentation, include)
	h.Press("j", "j", "enter", "tab")
	h.Type("sometimes")
	h.Press("esc")
	h.Want("▸ How often", "Discarded “sometimes”. It is still “at least 2")
	h.Press("shift+tab")
	h.Type("purch")
	h.Press("esc")
	h.Want("▸ Event", "Discarded “purch”. It is still “Added to Cart”.")
	h.Press("esc")
	h.WantNot("▸ Event")
	if got := b.stored(segmentation); got != before {
		t.Errorf("the audience is %s", got)
	}
}

// A name that was typed and not chosen stays, and so does a sentence about an event.
func TestTypedNamesStay(t *testing.T) {
	for words, reason := range map[string]string{"purch": "purch", "Purchase at leest twice": "“at leest twice” cannot be read here"} {
		b := newTestbed(t, audienceJSON)
		h := b.open(120, 40, segmentation, include)
		h.Press("j", "j", "enter")
		h.Type(words)
		h.Want(reason)
		h.ClickOn("Schedule")
		if got := b.stored(segmentation, include, "filters", 1, "action_name"); got != `"`+words+`"` {
			t.Errorf("%q: the event is %s\n%s", words, got, h.Text())
		}
	}
}
