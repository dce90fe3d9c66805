package themes

import "sync"

// Shelf is the themes that a user can choose: the built-in ones and those in a folder. It is safe for concurrent use.
type Shelf struct {
	dir string

	mu   sync.Mutex
	dark bool
	set  Set
}

// NewShelf returns a shelf with the built-in themes. [Shelf.Reload] reads those in the folder. dark reports whether the
// background of the terminal is.
func NewShelf(dir string, dark bool) *Shelf { return &Shelf{dir: dir, dark: dark} }

// SetDark sets whether the background of the terminal is dark.
func (s *Shelf) SetDark(dark bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dark = dark
}

// Names lists the themes.
func (s *Shelf) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set.Names()
}

// Dir returns the folder of the user's own themes.
func (s *Shelf) Dir() string { return s.dir }

// Reload reads the user's own themes again, and returns the errors in their files.
func (s *Shelf) Reload() []error {
	set, wrong := Load(s.dir)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set = set
	return wrong
}

// Get returns the theme of a name, as [Set.Get] does.
func (s *Shelf) Get(name string) (*Theme, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set.Get(name, s.dark)
}
