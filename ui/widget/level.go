package widget

// Level is the severity of a notice.
type Level int

// The levels.
const (
	LevelInfo Level = iota
	LevelSuccess
	LevelWarning
	LevelError
)
