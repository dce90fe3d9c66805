package campaigns

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/themes"
	"bugle/ui/widget"
)

// choice is what an entry of the facets chooses: a state, a channel, or all of either.
type choice struct {
	isChannel bool
	state     engine.State
	channel   engine.Channel
}

// chosen reports whether the query has the choice.
func (c choice) chosen(q query) bool {
	if c.isChannel {
		return q.channel == c.channel
	}
	return q.state == c.state
}

// narrowTo takes a choice; taken again, it is given up.
func (s *Screen) narrowTo(c choice) tea.Cmd {
	switch {
	case c.isChannel && s.query.channel == c.channel:
		s.query.channel = ""
	case c.isChannel:
		s.query.channel = c.channel
	case s.query.state == c.state:
		s.query.state = ""
	default:
		s.query.state = c.state
	}
	return s.refine(true)
}

// states are those that can be chosen. The archived are not among the rows unless asked for.
func (s *Screen) states() []engine.State {
	all := slices.Clone(catalog.States)
	if !s.query.archived && s.query.state != catalog.Archived {
		all = slices.DeleteFunc(all, func(st engine.State) bool { return st == catalog.Archived })
	}
	return all
}

// nextState goes through the states that have campaigns, and then back to all.
func (s *Screen) nextState() tea.Cmd {
	states := slices.DeleteFunc(s.states(), func(st engine.State) bool { return s.view.states[st] == 0 && st != s.query.state })
	s.query.state = after(states, s.query.state)
	return s.refine(true)
}

// nextChannel goes through the channels that have campaigns, and then back to all.
func (s *Screen) nextChannel() tea.Cmd {
	channels := slices.DeleteFunc(slices.Clone(catalog.Channels), func(ch engine.Channel) bool {
		return s.view.channels[ch] == 0 && ch != s.query.channel
	})
	s.query.channel = after(channels, s.query.channel)
	return s.refine(true)
}

// after gives what follows the entry in the list, and the zero value after the last one.
func after[T comparable](list []T, entry T) T {
	var zero T
	i := slices.Index(list, entry) + 1 // of the zero value, which is not listed, the first
	if i >= len(list) {
		return zero
	}
	return list[i]
}

// listFacets makes the entries of the list beside the table.
func (s *Screen) listFacets() {
	s.choices = s.choices[:0]
	var items []widget.Item
	add := func(c choice, item widget.Item) {
		if c.chosen(s.query) {
			item.Icon, item.IconTone, item.InfoTone = "›", themes.ToneAccent, themes.ToneAccent
		}
		s.choices = append(s.choices, c)
		items = append(items, item)
	}
	heading := func(text string) {
		s.choices = append(s.choices, choice{})
		items = append(items, widget.Item{Text: text, Heading: true})
	}
	heading("State")
	add(choice{}, widget.Item{Icon: " ", Text: "All", Info: count(s.view.ofState), InfoTone: themes.ToneMuted})
	for _, st := range s.states() {
		role := themes.Role(st.Role())
		add(choice{state: st}, widget.Item{
			Icon: role.Glyph(), IconTone: role.Tone(), Text: st.Label(), Info: count(s.view.states[st]), InfoTone: themes.ToneMuted,
		})
	}
	heading("Channel")
	add(choice{isChannel: true}, widget.Item{Icon: " ", Text: "All", Info: count(s.view.ofChan), InfoTone: themes.ToneMuted})
	for _, ch := range catalog.Channels {
		add(choice{isChannel: true, channel: ch}, widget.Item{
			Icon: " ", Text: ch.Label(), Info: count(s.view.channels[ch]), InfoTone: themes.ToneMuted,
		})
	}
	s.facets.SetItems(items)
}

// count gives a number in at most five cells: 950, 12.3k, 1.0M.
func count(n int) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// span is a part of the line of counts that can be clicked.
type span struct {
	line, from, to int
	choice         choice
}

// tag is one count in the lines above the table.
type tag struct {
	choice choice
	label  string
	n      int
}

// lines gives the counts above the table, states and channels, where there is no room beside
// it. It notes where each can be clicked.
func (s *Screen) lines(width int) []string {
	var states, channels []tag
	for _, st := range s.states() {
		states = append(states, tag{choice{state: st}, st.Label(), s.view.states[st]})
	}
	for _, ch := range catalog.Channels {
		channels = append(channels, tag{choice{isChannel: true, channel: ch}, ch.Label(), s.view.channels[ch]})
	}
	s.spans = s.spans[:0]
	return []string{s.line(0, "f", width, states), s.line(1, "F", width, channels)}
}

// line draws counts side by side after the key that goes through them: the chosen one and those
// that are not zero. Where they do not fit, the first ones give way until the chosen one is in
// sight.
func (s *Screen) line(number int, key string, width int, tags []tag) string {
	tags = slices.DeleteFunc(tags, func(t tag) bool { return t.n == 0 && !t.choice.chosen(s.query) })
	const gap = 2
	start := widget.Width(key) + gap
	used, at := start, slices.IndexFunc(tags, func(t tag) bool { return t.choice.chosen(s.query) })
	for i := 0; i <= at; i++ {
		used += s.tagWidth(tags[i]) + gap
	}
	dropped := false
	for ; at > 0 && used > width-gap; at-- {
		used -= s.tagWidth(tags[0]) + gap
		tags, dropped = tags[1:], true
	}
	var b strings.Builder
	if len(tags) > 0 {
		b.WriteString(s.theme.Key.Render(key) + "  ")
	}
	x := start
	if dropped {
		b.WriteString("… ")
		x += gap
	}
	for _, t := range tags {
		w := s.tagWidth(t)
		if x+w > width {
			if x < width {
				b.WriteString("…")
			}
			break
		}
		b.WriteString(s.drawTag(t) + "  ")
		s.spans = append(s.spans, span{number, x, x + w, t.choice})
		x += w + gap
	}
	return widget.Fit(b.String(), width, 1)
}

func (s *Screen) tagWidth(t tag) int { return widget.Width(s.tagText(t)) }

func (s *Screen) tagText(t tag) string {
	text := t.label + " " + count(t.n)
	if t.choice.chosen(s.query) {
		text = "[" + text + "]"
	}
	return text
}

func (s *Screen) drawTag(t tag) string {
	if t.choice.chosen(s.query) {
		return s.theme.TabActive.Render(s.tagText(t))
	}
	return s.theme.Muted.Render(t.label) + " " + s.theme.Text.Render(count(t.n))
}
