package uitest

import (
	"fmt"
	"iter"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/ui/screen"
	"bugle/ui/widget"
)

// MaxStream is the maximum number of messages in a stream.
const MaxStream = 64

// specialKeys are the keys without a byte of their own: byte 0x80 is the first one.
var specialKeys = []string{
	"up", "down", "left", "right", "home", "end", "pgup", "pgdown", "shift+tab", "delete", "insert",
	"ctrl+up", "ctrl+down", "ctrl+left", "ctrl+right", "shift+up", "shift+down", "ctrl+home", "ctrl+end",
	"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
}

// awkwardTexts are texts that are hard to draw or edit: byte 0xC0 types the first one.
var awkwardTexts = []string{
	"日本語", "👩‍👩‍👧", "é", "é", "1️⃣", "\u202egnp", "\u200b", "\ufffd", "ｆｕｌｌ", "🇩🇪", "a\u0300\u0301\u0302", "مرحبا", "\u00ad", "\U000F0009", "ﷺ", "\u2028",
	"{{ user.first_name }}", "{% if x %}", "2026-12-01T09:00:00Z", "#FF8800", "https://example.com/a?b=c", "ann@example.com", "1e400", "-0",
	"a\tb", "one\r\ntwo", "\x1b[31mred", "\x00", "\u0085", "status:draft", `"`, strings.Repeat("long ", 60),
}

// Bytes of a stream that are followed by arguments.
const (
	byteAlt    = 0xF0 + iota // the key of the next byte with alt
	bytePaste                // a text; the next byte is its length
	byteClick                // x, y
	byteWheel                // x, y; down if x is odd
	byteDrag                 // x, y
	byteResize               // width, height
	byteWait                 // the clock advances
	byteChange               // another client changes something
	byteHold                 // commands from now on are slow
	byteCatch                // the slow commands finish
)

// The harness's own messages in a stream.
type (
	holdMsg  struct{}
	catchMsg struct{}
)

// Messages decodes bytes as terminal input: text and control characters are themselves, higher bytes are keys
// without a byte of their own, awkward texts, clicks, pastes and resizes. later advances the clock.
func Messages(stream []byte, later func(time.Duration)) iter.Seq[tea.Msg] {
	return func(yield func(tea.Msg) bool) {
		take := func() byte {
			if len(stream) == 0 {
				return 0
			}
			b := stream[0]
			stream = stream[1:]
			return b
		}
		for n := 0; len(stream) > 0 && n < MaxStream; n++ {
			b := take()
			var msg tea.Msg
			switch b {
			case byteAlt:
				k, _ := keyOf(take()).(tea.KeyMsg)
				k.Alt = true
				msg = k
			case bytePaste:
				most := min(int(take()), len(stream))
				msg = tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(strings.ToValidUTF8(string(stream[:most]), "\ufffd")), Paste: true}
				stream = stream[most:]
			case byteClick:
				msg = tea.MouseMsg{X: int(take()), Y: int(take()), Button: tea.MouseButtonLeft, Action: tea.MouseActionPress}
			case byteWheel:
				m := tea.MouseMsg{X: int(take()), Y: int(take()), Button: tea.MouseButtonWheelUp, Action: tea.MouseActionPress}
				if m.X%2 == 1 {
					m.Button = tea.MouseButtonWheelDown
				}
				msg = m
			case byteDrag:
				msg = tea.MouseMsg{X: int(take()), Y: int(take()), Button: tea.MouseButtonLeft, Action: tea.MouseActionMotion}
			case byteResize:
				msg = tea.WindowSizeMsg{Width: 60 + int(take())%141, Height: 20 + int(take())%41}
			case byteWait:
				later(time.Duration(take()) * time.Second)
				continue
			case byteChange:
				msg = screen.ChangedMsg{}
			case byteHold:
				msg = holdMsg{}
			case byteCatch:
				msg = catchMsg{}
			default:
				msg = keyOf(b)
			}
			if !yield(msg) {
				return
			}
		}
	}
}

func keyOf(b byte) tea.Msg {
	switch {
	case b == ' ':
		return Key(" ")
	case b < ' ' || b == 0x7F:
		return tea.KeyMsg{Type: tea.KeyType(b)}
	case b < 0x80:
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{rune(b)}}
	case b < 0xC0:
		return Key(specialKeys[int(b-0x80)%len(specialKeys)])
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(awkwardTexts[int(b-0xC0)%len(awkwardTexts)])}
}

// Play sends a stream and fails the test if a message leaves the window with the wrong size or a control
// character. It stops when the program ends. Commands that a
// stream holds back may still be held at its end, as if they were slow: [Harness.FinishHeld] runs them.
func (h *Harness) Play(stream []byte, later func(time.Duration)) {
	h.t.Helper()
	defer func() { h.holding = false }()
	for msg := range Messages(stream, later) {
		switch msg := msg.(type) {
		case tea.WindowSizeMsg:
			h.Resize(msg.Width, msg.Height)
		case holdMsg:
			h.holding = true
		case catchMsg:
			h.FinishHeld()
		default:
			h.Send(msg)
		}
		if h.View() == "" { // the program ends and draws no more; pending saves still run
			h.FinishHeld()
		}
		if h.Quit {
			return
		}
		if wrong := h.LayoutError(); wrong != "" {
			h.t.Fatalf("after %s at %d×%d %s:\n%s", describe(msg), h.width, h.height, wrong, h.Text())
		}
	}
}

// Hold holds commands back until [Harness.FinishHeld], as if they were slow.
func (h *Harness) Hold() { h.holding = true }

// Until runs the commands that were held back, and those that follow from them, until the window shows a text. What then still
// runs goes on beside the test.
func (h *Harness) Until(text string) {
	h.t.Helper()
	limit := time.After(commandTime)
	for !strings.Contains(h.Text(), text) {
		for _, cmd := range h.heldCmds {
			if cmd != nil && !timers.MatchString(nameOf(cmd)) {
				go func() { h.running <- cmd() }()
			}
		}
		h.heldCmds = nil
		select {
		case msg := <-h.running:
			h.deliver(msg)
		case <-limit:
			h.t.Fatalf("after %s the window does not show %q:\n%s", commandTime, text, h.Text())
		}
	}
}

// FinishHeld runs the commands that were held back. Their messages are dropped if the program has
// ended.
func (h *Harness) FinishHeld() {
	h.holding = false
	for len(h.heldCmds) > 0 {
		next := h.heldCmds[0]
		h.heldCmds = h.heldCmds[1:]
		if h.Quit && !timers.MatchString(nameOf(next)) {
			next()
		} else {
			h.run(next)
		}
	}
}

// describe formats a message for a failure report.
func describe(msg tea.Msg) string {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return fmt.Sprintf("%q", msg.String())
	case tea.MouseMsg:
		return fmt.Sprintf("%s at %d,%d", msg, msg.X, msg.Y)
	}
	return fmt.Sprintf("%T", msg)
}

// LayoutError describes what is wrong with the drawn window; "" if every line has the right width and there are
// no control sequences but colors.
func (h *Harness) LayoutError() string {
	return ViewError(h.model.View(), h.width, h.height)
}

// ScreenLayoutError is LayoutError for a screen at the size it has on the stack.
func ScreenLayoutError(s screen.Screen, width, height int) string {
	s.SetSize(width, height)
	return ViewError(s.View(), width, height)
}

var colors = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// ViewError returns what is wrong with a view of that size: a line of another width, their number, a control character that
// is no color. It is empty if nothing is.
func ViewError(view string, width, height int) string {
	if !utf8.ValidString(view) {
		return "it is no UTF-8"
	}
	lines := strings.Split(view, "\n")
	if len(lines) != height {
		return fmt.Sprintf("there are %d lines", len(lines))
	}
	for i, line := range lines {
		if n := widget.Width(line); n != width {
			return fmt.Sprintf("line %d is %d cells wide", i, n)
		}
		if strings.ContainsFunc(colors.ReplaceAllString(line, ""), unicode.IsControl) {
			return fmt.Sprintf("line %d holds a control character: %q", i, line)
		}
	}
	return ""
}
