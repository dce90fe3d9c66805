package template

import (
	"context"
	"testing"
)

// Every example of the help comes to its result.
func TestExamples(t *testing.T) {
	for _, f := range Functions() {
		got, err := Render(context.Background(), f.Example, Data{})
		if err != nil || got != f.Result || f.Summary == "" {
			t.Errorf("%s %s: %s is %q, %v; want %q", f.Kind, f.Name, f.Example, got, err, f.Result)
		}
	}
}
