//go:build e2e

package e2e

import "testing"

// An audience: two actions with conditions of their own, a list, days before today, somebody left out; a
// sentence and a number say what that means, and each step can be taken back.
func TestAudienceOfTwoActions(t *testing.T) {
	t.Parallel()
	p := sample(t, 120, 40)
	p.play("n", "?New draft", "Down Enter", "?One-time", "Enter", ">Drinkers", "Enter", "?Connector: add a connector",
		"Down Down Down Enter", "?Include opted-out", "Down Enter", "?No filters yet")

	// What was viewed, by a list of names, and what was bought, in the last 30 days.
	p.play("a 2", ">viewed", "?> Product Viewed", "Enter Escape", "?Did Product Viewed at least once",
		"a 4", ">price", "?Number", "Enter", "?one of ▾", "Space", ">greater", "?> greater than", "Enter", ">1", "Enter", "?price is above 1", "?of 12 users")
	p.play("a 2", ">added", "?> Added To Cart", "Enter Escape", "?and Did Added To Cart",
		"a 4", ">product", "?> product", "Enter", "?one of ▾", "Enter", ">Beans, Mug", "Enter", "?is Beans or Mug")

	// Whose last purchase was in the last 30 days; and nobody of a segment.
	p.play("a 1", ">last pur", "?> Last Purchase", "Enter", "?in the last … days", "Enter", ">30", "Enter", "?Last Purchase is in the last 30 days",
		"End a 3", ">lap", "?> Lapsed 90 days", "Enter", "?In the segment Lapsed 90 days", "?; not those in the", "?Step by step")

	// And becomes or for the whole group; then everything is taken back in turn.
	p.play("Home", "?▸ Include", "Space", "?ANY of these", "?or  Did Added To Cart", "C-z", "?ALL of these", "C-z", "!Lapsed 90 days", "C-y", "?Lapsed 90 days")
	p.holds("Drinkers", `"action_name":"Product Viewed"`, `["Beans","Mug"]`, `"excluded_filters"`, "Lapsed 90 days", "inTheLast", "30")
}
