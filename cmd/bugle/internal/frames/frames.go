// Package frames draws the view of a Bubble Tea program as soon as it changes. Bubble Tea's own renderer polls for
// changes: at 120 frames per second, a key waits 4 ms for its frame on average and 8 ms at worst, and an idle program
// uses more than 1 % of a processor. Bubble Tea still sets the terminal's modes, releases the terminal and takes it
// back, and restores it at the end. It writes through a [Screen], which draws frames only while the program uses the
// alternate screen.
package frames

import (
	"bytes"
	"os"
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"bugle/themes"
)

// FPS is the value for [tea.WithFPS]: how often Bubble Tea polls for changes, of which it never finds any. The polling
// cannot be turned off.
const FPS = 1

// blank is the view that Bubble Tea gets. It never reaches the terminal: [Screen.Write] recognizes Bubble Tea's frames
// by it.
const blank = "\x1b]bugle\x1b\\"

// Screen is a terminal that a program draws on. Pass it to [tea.WithOutput].
type Screen struct {
	file *os.File

	mu            sync.Mutex // guards the fields about the next frame; held only briefly
	next          string
	width, height int // 0 if unknown

	out    sync.Mutex // guards the terminal and the fields about its contents
	active bool       // the program uses the alternate screen
	shown  []string   // nil if unknown
	cursor string     // the sequence that placed the cursor
	sized  [2]int     // the size for which shown was drawn

	wake chan struct{} // has an element if there is something to draw; frames that come while one is written are drawn together
	stop chan struct{}
	done chan struct{}
}

// New returns a screen that draws on a terminal. The caller must close it.
func New(terminal *os.File) *Screen {
	s := &Screen{file: terminal, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		for {
			select {
			case <-s.wake:
				s.draw()
			case <-s.stop:
				return
			}
		}
	}()
	return s
}

// Show returns a model that draws m on the screen. The first commands run when the terminal is in raw mode.
func (s *Screen) Show(m tea.Model, first ...tea.Cmd) tea.Model {
	return model{Model: m, screen: s, first: first}
}

// Close ends drawing. The terminal stays open.
func (s *Screen) Close() error {
	close(s.stop)
	<-s.done
	return nil
}

// Fd returns the terminal's file descriptor, from which Bubble Tea gets its size.
func (s *Screen) Fd() uintptr { return s.file.Fd() }

func (s *Screen) Read(b []byte) (int, error) { return s.file.Read(b) }

// Write receives Bubble Tea's output. It writes terminal modes to the terminal and drops Bubble Tea's own frames.
func (s *Screen) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(blank)) {
		return len(b), nil
	}
	s.out.Lock()
	defer s.out.Unlock()
	n, err := s.file.Write(b)
	switch {
	case bytes.Contains(b, []byte(ansi.SetModeAltScreenSaveCursor)):
		s.active, s.shown = true, nil
		s.requestDraw()
	case bytes.Contains(b, []byte(ansi.ResetModeAltScreenSaveCursor)):
		s.active = false
	case bytes.Contains(b, []byte(ansi.EraseEntireScreen)):
		s.shown = nil
		s.requestDraw()
	}
	return n, err
}

// requestDraw schedules drawing of the latest frame.
func (s *Screen) requestDraw() {
	select {
	case s.wake <- struct{}{}:
	default: // it will be drawn with the one before
	}
}

// show stores the latest frame, and draws it.
func (s *Screen) show(view string) {
	s.mu.Lock()
	changed := view != s.next
	s.next = view
	s.mu.Unlock()
	if changed {
		s.requestDraw()
	}
}

// Size sets the initial size of the terminal. Later sizes come from Bubble Tea's messages.
func (s *Screen) Size(width, height int) {
	s.mu.Lock()
	s.width, s.height = width, height
	s.mu.Unlock()
	s.requestDraw()
}

// draw writes the changed lines.
func (s *Screen) draw() {
	s.mu.Lock()
	view, size := s.next, [2]int{s.width, s.height}
	s.mu.Unlock()

	s.out.Lock()
	defer s.out.Unlock()
	if !s.active || view == "" {
		return
	}
	if size != s.sized { // the terminal may have moved its lines
		s.shown, s.sized = nil, size
	}
	view, x, y, typing := caret(view)
	lines := strings.Split(view, "\n")
	if drop := len(lines) - size[1]; size[1] > 0 && drop > 0 {
		lines = lines[drop:]
		y -= drop
	}
	cursor := ansi.CursorPosition(1, len(lines))
	if typing && y >= 0 {
		cursor = ansi.CursorPosition(x+1, y+1)
	}
	var b bytes.Buffer
	for i, line := range lines {
		if i < len(s.shown) && s.shown[i] == line {
			continue
		}
		b.WriteString(ansi.CursorPosition(1, i+1))
		writeLine(&b, line, size[0])
	}
	if len(s.shown) == 0 || len(lines) < len(s.shown) {
		if size[1] == 0 || len(lines) < size[1] {
			b.WriteString(ansi.CursorPosition(1, len(lines)+1))
			b.WriteString(ansi.EraseScreenBelow)
		}
	}
	s.shown = lines
	if b.Len() == 0 && cursor == s.cursor {
		return
	}
	b.WriteString(cursor)
	s.cursor = cursor
	if _, err := s.file.Write(b.Bytes()); err != nil {
		s.shown = nil // the terminal's contents are unknown
	}
}

// caret removes the caret markers from a view, and returns the position of the last one. The terminal's cursor stays
// hidden, because the view draws its own, but input methods and screen magnifiers follow it.
func caret(view string) (text string, x, y int, ok bool) {
	i := strings.LastIndex(view, themes.CaretMark)
	if i < 0 {
		return view, 0, 0, false
	}
	before := strings.ReplaceAll(view[:i], themes.CaretMark, "")
	y = strings.Count(before, "\n")
	x = ansi.StringWidth(before[strings.LastIndexByte(before, '\n')+1:])
	return before + view[i+len(themes.CaretMark):], x, y, true
}

// writeLine writes a line that takes exactly the width of the terminal, if known.
func writeLine(b *bytes.Buffer, line string, width int) {
	if width == 0 {
		b.WriteString(line + ansi.EraseLineRight)
		return
	}
	has := ansi.StringWidth(line)
	if has > width {
		line = ansi.Truncate(line, width, "")
		has = ansi.StringWidth(line)
	}
	b.WriteString(line)
	if has < width {
		b.WriteString(ansi.EraseLineRight)
	}
}

// model is a model whose view is drawn on a screen.
type model struct {
	tea.Model
	screen *Screen
	first  []tea.Cmd
}

func (m model) Init() tea.Cmd { return tea.Batch(append(m.first, m.Model.Init())...) }

func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		m.screen.Size(size.Width, size.Height)
	}
	next, cmd := m.Model.Update(msg)
	return model{Model: next, screen: m.screen}, cmd
}

func (m model) View() string {
	m.screen.show(m.Model.View())
	return blank
}
