//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The three tasks of the trial for new users, from the list of campaigns to a campaign without problems. They count the
// keys beyond what a marketer would type in any program: names, texts, links, times, events. Every other key counts.

// job plays a script, and fails where it takes more keys than the limit beyond the texts.
func (p *player) job(limit int, parts ...string) {
	p.t.Helper()
	p.play(parts...)
	for _, part := range parts {
		if text, ok := strings.CutPrefix(part, ">"); ok {
			p.strokes -= utf8.RuneCountInString(text)
		}
	}
	p.t.Logf("%d keys beyond the texts", p.strokes)
	if p.strokes > limit {
		p.t.Errorf("it took %d keys beyond the texts, more than %d", p.strokes, limit)
	}
}

// A push once, on Android and iOS, with an image and a button, to the people who match a filter, at a set time,
// with a goal.
func TestJobPushOnTwoPlatforms(t *testing.T) {
	t.Parallel()
	p := sample(t, 120, 40)
	p.job(90, "n", "?New draft", "Enter", "?One-time", "Enter", ">Two platforms", "Enter", "?4 to do",
		"M-n", "?▸ Platforms", "Enter Space Down Space Enter", "?Android, iOS ▾", "?✓ Basics",
		"M-n", "?Content › Android", "?▸ Title", ">Autumn sale", "Enter", ">Our beans are 20% off", "Enter", ">https://example.com/beans.png", "Enter",
		"?▸ Tap action", "Enter Down Enter", "?Deep link ▾", "Down", ">https://example.com/sale", "Enter Enter", "?+ add button", "Enter", "?▸ Text", ">Shop now", "Enter",
		"Enter Down Enter", "?Deep link ▾", "Down Down", "?▸ Action value", ">https://example.com/sale",
		"M-n", "?Content › iOS", "M-y", "?Copied", "?✓ Content",
		"M-n", "?▸ Send to", "Space Space", "?Users who match ▾", "Down Enter", "?No filters yet", "a 2", ">purchase completed at least 2 times in the last 30 days", "Enter", "?✓ Audience",
		"M-n", "?▸ Sending time", "Enter Down Down Enter", "?At a fixed time ▾", "M-n", "?▸ Start", ">tomorrow 9am", "?✓ Schedule", "!to do",
		"Escape Down Down Enter", "?▸ Attribution window", ">48", "Enter Enter", "?+ add goal", "Enter", "?▸ Name", ">Purchase", "Enter", "?▸ Event", ">purchase com", "?> Purchase Completed", "Enter",
		"?✓ Conversion goals", "M-v", "?Ready to publish.")
	p.holds("Two platforms", `"platforms":["ANDROID","IOS"]`, `"image_url":"https://example.com/beans.png"`, `"goal_event_name":"Purchase Completed"`, `"btn_name":"Shop now"`, `"attribution_window_in_hours":48`)
}

// An email each week, with two subjects to compare.
func TestJobWeeklyEmailWithTwoSubjects(t *testing.T) {
	t.Parallel()
	p := sample(t, 120, 40)
	p.job(80, "n", "?New draft", "Down Enter", "?One-time", "Down Enter", ">Weekly letter", "Enter", "?5 to do",
		"M-n", "?▸ Name", ">demo", "Enter", "?✓ Connector",
		"M-n", "?▸ Subject", ">Five tips for filter coffee", "Enter", ">Two minutes to read", "Enter", ">Bugle", "Enter", ">news@example.com", "Enter", ">Hello!", "?✓ Content",
		"M-m", "?+ variation (A)", "A", "?50%", "Enter", "?▸ Subject", "C-u", ">Better coffee in five steps", "?Better coffee",
		"M-n", "?▸ Send to", "Space", "?✓ Audience",
		"M-n", "?▸ Start", ">monday 9am", "?Weekly · Monday", "?✓ Schedule", "!to do", "M-v", "?Ready to publish.")
	p.holds("Weekly letter", `"no_of_variations":2`, `"Better coffee in five steps"`, `"sending_frequency":"WEEKLY"`, `"MONDAY"`)
}

// An email two hours after an event.
func TestJobEmailAfterAnEvent(t *testing.T) {
	t.Parallel()
	p := sample(t, 120, 40)
	p.job(45, "n", "?New draft", "Down Enter", "?One-time", "Down Down Enter", ">Thank you", "Enter", "?4 to do",
		"M-n", "?▸ Name", ">demo", "Enter", "?✓ Connector",
		"M-n", "?▸ Subject", ">Thank you for your order", "Enter Enter Enter", ">orders@example.com", "Enter", ">It is on its way.", "?✓ Content",
		"M-n", "?Trigger › Event", "a 1", ">order shipped", "Enter", "?Did Order Shipped", "Escape Escape", "?▸ Event", "Down Down", "?▸ Timing", "Enter Down Enter", "?After a delay ▾",
		"M-n", "?▸ Delay", ">2 hours", "?= 2 hours after the event", "?✓ Trigger",
		"M-n", "?▸ Send to", "Space", "!to do", "M-v", "?Ready to publish.")
	p.holds("Thank you", `"trigger_delay_value":2`, `"trigger_delay_granularity":"HOURS"`, `"trigger_relation":"AFTER"`, `"Order Shipped"`)
}
