package campaignfile

import "testing"

func TestOffset(t *testing.T) {
	const text = "é{{ a\n{{ b }}\r\nend"
	for _, tt := range []struct{ line, column, want int }{{1, 1, 0}, {1, 2, 2}, {2, 1, 7}, {3, 2, 17}, {2, 99, len(text)}, {9, 1, 16}} {
		if got := (Location{Line: tt.line, Column: tt.column}).Offset(text); got != tt.want {
			t.Errorf("%d:%d is byte %d, want %d", tt.line, tt.column, got, tt.want)
		}
	}
}
