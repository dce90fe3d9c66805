package filters_test

import (
	"testing"
)

// Words that cannot be read stay in their row, marked and with the reason, however the row is left.
func TestUnreadableWordsStay(t *testing.T) {
	const words, reason = "at leest twice", "“at leest twice” cannot be read here; try"
	for name, leave := range map[string][]string{
		"enter":     {"enter", "?▸ How often", "?" + reason}, // it stays in the row
		"next row":  {"tab"},
		"a click":   {"@├     Country"},
		"a section": {"@Schedule"},
		"leaving":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newTestbed(t, audienceJSON)
			h := b.open(120, 40, segmentation, include)
			h.Script("j j enter tab", ">"+words, "?"+words, "?"+reason)
			h.Script(leave...)
			b.open(120, 40, segmentation, include, "filters", 1).Want("✗", reason)
			h = b.open(120, 40, segmentation, include, "filters", 1, "execution", "count")
			h.Want("Did Added to Cart “"+words+"”", "✗", words, reason)
			h.Script("ctrl+u", ">at least twice", "?= Did Added to Cart at least 2 times", "enter", "?Did Added to Cart at least 2 times")
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
	h.Script("j j enter tab", ">sometimes", "esc", "?▸ How often", "?Discarded “sometimes”. It is still “at least 2")
	h.Script("shift+tab", ">purch", "esc", "?▸ Event", "?Discarded “purch”. It is still “Added to Cart”.", "esc", "!▸ Event")
	if got := b.stored(segmentation); got != before {
		t.Errorf("the audience is %s", got)
	}
}

// A name that was typed and not chosen stays, and so does a sentence about an event.
func TestTypedNamesStay(t *testing.T) {
	for words, reason := range map[string]string{"purch": "purch", "Purchase at leest twice": "“at leest twice” cannot be read here"} {
		b := newTestbed(t, audienceJSON)
		h := b.open(120, 40, segmentation, include)
		h.Script("j j enter", ">"+words, "?"+reason, "@Schedule")
		if got := b.stored(segmentation, include, "filters", 1, "action_name"); got != `"`+words+`"` {
			t.Errorf("%q: the event is %s\n%s", words, got, h.Text())
		}
	}
}
