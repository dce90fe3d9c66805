package keymap

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// namedKeys are the keys with a name, as tea.KeyMsg spells them.
var namedKeys = func() map[string]tea.KeyType {
	names := map[string]tea.KeyType{}
	for k := tea.KeyType(-128); k < 128; k++ {
		if name := k.String(); name != "" && k != tea.KeyRunes {
			names[name] = k
		}
	}
	return names
}()

// aliases are other common spellings.
var aliases = map[string]string{
	"space": " ", "spacebar": " ", "ctrl+space": "ctrl+@", "escape": "esc", "return": "enter", "del": "delete", "pageup": "pgup",
	"pagedown": "pgdown", "↑": "up", "↓": "down", "←": "left", "→": "right",
}

// ParseKey parses a key as users spell it and returns it as tea.KeyMsg spells it: "a", "A", "ctrl+a", "alt+x",
// "f5", "space".
func ParseKey(text string) (string, error) {
	name := text
	if utf8.RuneCountInString(name) > 1 {
		name = strings.ToLower(strings.TrimSpace(name))
		if alt, ok := strings.CutPrefix(strings.TrimSpace(text), "alt+"); ok && utf8.RuneCountInString(alt) == 1 {
			name = "alt+" + alt // alt+X is not alt+x
		}
	}
	if other, ok := aliases[name]; ok {
		name = other
	}
	if name == "ctrl+c" {
		return "", fmt.Errorf("ctrl+c ends the program, always")
	}
	bare, alt := strings.CutPrefix(name, "alt+")
	if letter, shift := strings.CutPrefix(name, "shift+"); shift && utf8.RuneCountInString(letter) == 1 {
		return strings.ToUpper(letter), nil
	}
	if _, ok := namedKeys[bare]; ok || IsPrintable(bare) && (!alt || bare != " ") {
		return name, nil
	}
	return "", fmt.Errorf("there is no key %q: write one character, or a name such as ctrl+a, alt+x, f5, enter, space, pgdown", text)
}

// IsPrintable reports whether a key is a character that can be typed into a text.
func IsPrintable(key string) bool {
	r, size := utf8.DecodeRuneInString(key)
	return size == len(key) && size > 0 && r != utf8.RuneError && unicode.IsPrint(r)
}

// KeyMsg returns the message of a key; false if the text is not a key.
func KeyMsg(key string) (tea.KeyMsg, bool) {
	bare, alt := strings.CutPrefix(key, "alt+")
	if bare == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}, Alt: alt}, true
	}
	if IsPrintable(bare) {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(bare), Alt: alt}, true
	}
	t, ok := namedKeys[bare]
	return tea.KeyMsg{Type: t, Alt: alt}, ok
}

// Format formats a key for display.
func Format(key string) string {
	switch key {
	case " ":
		return "space"
	case "ctrl+@":
		return "ctrl+space"
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	}
	return key
}

// FormatAll formats the keys of an action for display; "none" if it has none.
func FormatAll(keys []string) string {
	if len(keys) == 0 {
		return "none"
	}
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = Format(k)
	}
	return strings.Join(out, "  ")
}
