// Package frames draws what a Bubble Tea program shows as soon as it changes. Bubble Tea's own renderer
// looks for a change so many times a second: at 120 a key waits 4 ms for its frame on average and 8 ms
// at worst, and a program that nobody touches takes more than 1 % of a processor.
//
// Bubble Tea still sets the terminal's modes, gives the terminal away and takes it back, and leaves it as
// it was. It writes through a [Screen], which draws the frames only while the program has the
// alternate screen.
package frames

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"bugle/themes"
)

// FPS is for [tea.WithFPS]: how often Bubble Tea looks for changes that it never finds. It knows no never.
const FPS = 1

// minInterval is the least time from one frame to the next, so that results which come in a stream are drawn
// together. The frame that follows a key does not wait for it.
const minInterval = 4 * time.Millisecond

// blank is what Bubble Tea is told to show. It is written into the alternate screen by nobody: a frame of
// Bubble Tea's is known by it.
const blank = "\x1b]bugle\x1b\\"

// Screen is a terminal that a program draws on. It is what the program writes to ([tea.WithOutput]).
type Screen struct {
	file *os.File
	rest time.Duration // between two frames, unless a key is answered

	mu            sync.Mutex // guards what is to be drawn; held for moments only
	next          string
	width, height int // 0 where the size is not known

	out    sync.Mutex // guards the terminal, and what it shows
	active bool       // the program has the alternate screen
	shown  []string   // nil where that is not known
	cursor string     // the sequence that put the cursor where it is
	sized  [2]int     // the size that shown was drawn for

	wake chan struct{}
	now  chan struct{} // cuts the rest between two frames short
	stop chan struct{}
	done chan struct{}
}

// New makes a screen of a terminal. It must be closed.
func New(terminal *os.File) *Screen {
	s := &Screen{file: terminal, rest: minInterval, wake: make(chan struct{}, 1), now: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go s.run()
	return s
}

// Show makes a model one that is drawn on the screen. The commands run as it begins, when the terminal
// is in raw mode.
func (s *Screen) Show(m tea.Model, first ...tea.Cmd) tea.Model {
	return model{Model: m, screen: s, first: first}
}

// Close ends drawing. The terminal stays open.
func (s *Screen) Close() error {
	close(s.stop)
	<-s.done
	return nil
}

// Fd gives the terminal's descriptor, by which Bubble Tea finds out its size.
func (s *Screen) Fd() uintptr { return s.file.Fd() }

func (s *Screen) Read(b []byte) (int, error) { return s.file.Read(b) }

// Write takes what Bubble Tea writes: modes of the terminal pass, its own frames do not.
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

// requestDraw has the newest frame drawn soon.
func (s *Screen) requestDraw() { signal(s.wake) }

// signal leaves word in a channel of one, unless there is word already.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (s *Screen) run() {
	defer close(s.done)
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-s.wake:
		case <-s.stop:
			return
		}
		s.draw()
		pause.Reset(s.rest)
		select {
		case <-pause.C:
		case <-s.now:
		case <-s.stop:
			return
		}
	}
}

// show takes the newest frame. It is drawn at once where it answers a key or the mouse.
func (s *Screen) show(view string, answer bool) {
	s.mu.Lock()
	changed := view != s.next
	s.next = view
	s.mu.Unlock()
	if !changed {
		return
	}
	s.requestDraw()
	if answer {
		signal(s.now)
	}
}

// Size says how large the terminal is. Later a model that is shown hears it from Bubble Tea.
func (s *Screen) Size(width, height int) {
	s.mu.Lock()
	s.width, s.height = width, height
	s.mu.Unlock()
	s.requestDraw()
}

// draw writes the lines that changed.
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
		s.shown = nil // whatever stands there now
	}
}

// caret takes the marks of where a person types out of a view, and returns where the last of them
// stands. The terminal's cursor stays hidden, since the view draws one; input methods and screen
// magnifiers follow it all the same.
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

// writeLine writes a line that takes the whole width of the terminal, where that is known, and no more.
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
	answer bool // the last message was a key or from the mouse
}

func (m model) Init() tea.Cmd { return tea.Batch(append(m.first, m.Model.Init())...) }

func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		m.screen.Size(size.Width, size.Height)
	}
	answer := false
	switch msg.(type) {
	case tea.KeyMsg, tea.MouseMsg:
		answer = true
	}
	next, cmd := m.Model.Update(msg)
	return model{Model: next, screen: m.screen, answer: answer}, cmd
}

func (m model) View() string {
	m.screen.show(m.Model.View(), m.answer)
	return blank
}
