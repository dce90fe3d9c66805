package screen

import tea "github.com/charmbracelet/bubbletea"

// Reader is a screen or an overlay that plain mode can read.
type Reader interface{ Read() Page }

// Page is what a screen or an overlay says in lines, in reading order.
type Page struct {
	// Place names the page in the prompt: "Campaign Spring sale, Basics". If it is empty, the screen's title does.
	Place string
	// At identifies the page among those of its screen where its place changes with its content; otherwise the place does.
	At string
	// Summary has two or three sentences.
	Summary string
	// Warning says why the last key or word did nothing; it is said each time.
	Warning string
	Parts   []Part
	// Form makes the page a form: its fields are asked one by one, from the row under the cursor, and then Done runs.
	Form bool
	// Ask is the number of a row, from 1, whose field is asked as soon as the page is opened; 0 for none.
	Ask int
	// Cursor is the number of the row under the cursor, from 1 over all parts; 0 if it is on none.
	Cursor int
	// Done finishes a form after its last question; if it is nil, the page is left.
	Done func() tea.Cmd
	// After has lines that follow from the answers of a form, such as when the campaign sends.
	After []string
	// Search narrows the rows of the page; nil if they cannot be searched.
	Search func(words string) tea.Cmd
	// Question reports that the page asks something that must be answered or canceled.
	Question bool
}

// Part is a named part of a page: lines of prose, then rows.
type Part struct {
	Name  string
	Lines []string
	Rows  Rows // nil if it has none
}

// Rows are the rows of a part. They are read only as far as they are printed.
type Rows interface {
	Len() int
	Row(i int) Row
}

// RowSlice is rows that exist already.
type RowSlice []Row

// Len returns the number of rows.
func (r RowSlice) Len() int { return len(r) }

// Row returns a row.
func (r RowSlice) Row(i int) Row { return r[i] }

// Row is one row of a page: something to open, or a field to fill in.
type Row struct {
	Text    string // names it
	State   string // its state or value in words; may be empty
	Problem string // what is wrong with it
	// DisabledReason is why it cannot be chosen.
	DisabledReason string
	// Select moves the cursor to the row, and Open opens it; each may be nil.
	Select, Open func() tea.Cmd
	// Field is the field that the row is; nil for any other row.
	Field *FormField
}

// FormField is a field as it is asked in lines.
type FormField struct {
	// Value is its value as it is edited.
	Value    string
	Required bool
	Help     []string
	Example  string
	Locked   string // why it cannot be changed
	// Options are the only possible answers, if there are some; Several means that each answer turns one of them on or off.
	Options []FormOption
	Several bool
	// Names are answers to suggest; Closed means that they are the only ones.
	Names  []string
	Closed bool
	// Long texts may have several lines. Suffix is the file name suffix for them in an editor.
	Long   bool
	Suffix string
	// Again asks once more after an answer, until there is none.
	Again bool
	// AddsRow asks for the row under the cursor after an answer, which has added it.
	AddsRow bool
	// Set takes an answer. It returns how the answer was understood, if that is not obvious, or why it is not valid.
	Set func(text string) (said string, cmd tea.Cmd, err error)
	// Clear empties the field; nil if it cannot be emptied.
	Clear func() tea.Cmd
}

// Refused is an error that says why an answer is not valid.
type Refused string

// Error returns the reason.
func (r Refused) Error() string { return string(r) }

// FormOption is one possible answer.
type FormOption struct {
	Value, Label, Help string
	DisabledReason     string
	On                 bool // it is the value, or part of it
}

// AllRows returns the rows of all parts.
func (p Page) AllRows() Rows {
	var all joined
	for _, part := range p.Parts {
		if part.Rows != nil {
			all = append(all, part.Rows)
		}
	}
	return all
}

// joined is rows one after the other.
type joined []Rows

// Len returns the number of rows.
func (j joined) Len() (n int) {
	for _, r := range j {
		n += r.Len()
	}
	return n
}

// Row returns a row.
func (j joined) Row(i int) Row {
	for _, r := range j {
		if i < r.Len() {
			return r.Row(i)
		}
		i -= r.Len()
	}
	return Row{}
}

// Wide is a width and height into which everything fits that plain mode reads as it is drawn.
const Wide = 1000
