// Package widget holds the parts that screens are drawn from: a table, a list, boxes, bars, dialogs.
//
// Each is a value that is told its size with SetSize and drawn with View. A View is as many lines as the
// height says (where the part has one), and never a line wider than the width. Parts hold no text of
// documents that has not gone through Clean, start no timers and no goroutines, and decide no keys that
// a screen might want for itself: they offer methods (Up, Down, …) and an Update that takes the keys
// everybody expects and says whether it did.
package widget
