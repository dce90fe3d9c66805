package widget

import "bugle/themes"

// Item is a row of a list: one line, or a few if Wrap is set.
type Item struct {
	// Icon is shown before the text, usually one cell wide; "" if the list has none.
	Icon     string
	IconTone themes.Tone
	Text     string
	// Info is shown at the right edge: a count, a state.
	Info     string
	InfoTone themes.Tone
	// Dim marks a row that cannot be chosen now; DisabledReason is shown beside it.
	Dim            bool
	DisabledReason string
	// Heading marks a line between rows that the cursor skips.
	Heading bool
	// Fixed marks a row that the cursor skips.
	Fixed bool
	// Wrap shows a long text on several lines instead of cutting it.
	Wrap bool
}

// Option is one of several answers to choose from.
type Option struct {
	// Label is the option's text, Help a sentence that explains it.
	Label, Help string
	// Key chooses the option at once; it may be empty.
	Key string
	// Icon is shown before the label.
	Icon     string
	IconTone themes.Tone
	// Dim marks an option that is not allowed now; DisabledReason tells the user why.
	Dim            bool
	DisabledReason string
}

// Answer is the outcome of a question.
type Answer struct {
	// Index is the option, from 0; -1 if the user pressed esc.
	Index int
}

// Canceled reports whether the user canceled.
func (a Answer) Canceled() bool { return a.Index < 0 }

// Yes reports whether the first option was chosen, which is the one that confirms.
func (a Answer) Yes() bool { return a.Index == 0 }
