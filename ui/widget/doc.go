// Package widget contains the building blocks of screens: tables, lists, boxes, bars and dialogs.
//
// A widget is a value that is sized with SetSize and drawn with View. View returns exactly the height that was
// set, if the widget has one, and never a line wider than the width. Widgets show document text only after
// Clean, start no timers or goroutines, and do not claim keys that a screen may need: they have methods (Up,
// Down, …) and an Update that handles the usual keys and reports whether it did.
package widget
