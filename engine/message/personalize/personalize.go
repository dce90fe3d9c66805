// Package personalize fills the expressions of a message's text: Jinja over
// the attributes of a user and an event and over the content of a workspace
// (CONTRACT.md, Personalization).
//
//	{{ UserAttribute['First Name'] }}   {{ user.first_name | default('friend') }}
//	{{ EventAttribute['product'] }}     {{ event.product }}
//	{{ BusinessEventAttribute['season'] }}
//	{{ ContentBlock['footer'] }}        {{ ContentApi.weather('Oslo').today }}
//	{{ ProductSet.shoes[0].title }}     {% if %} {% for %} {% set %} {% with %} {% raw %}
//
// gonja reads the templates. Evaluation, filters and tests are here, because
// gonja's cannot be bounded or canceled, do not tell a value that is missing
// from one that is empty, compute with floats and print what fails as Go does.
// A message with a hole in it must never be sent: what is missing is one, and
// what cannot be computed, also in a condition. Only the filter default fills
// it.
//
// Results are those of Jinja, with these differences: whole numbers are written
// without a fraction and stay exact where they can, texts that spell a number
// count as one in arithmetic and beside numbers, maps are in the order of their
// keys, and None is missing.
//
// Values are not escaped for HTML. Authors keep markup in attributes, content
// blocks and product sets and expect it to arrive as markup, and the same
// engine fills subjects and push titles, where "&amp;" would be shown to the
// reader. The filter `escape` is there for whoever wants it.
package personalize

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Limits on one render, content blocks included. They stop a template that is
// wrong or hostile; none is near what a real message needs.
const (
	MaxSource     = 256 << 10 // bytes of one template
	MaxOutput     = 1 << 20   // bytes of the result, and of any value on the way
	MaxItems      = 10_000    // items of a list that is built or walked
	MaxIterations = 100_000   // turns of all loops together

	// MaxTime is how long one render may take. What is computed ends long before, by the count of its
	// steps; content APIs may be slow.
	MaxTime = 30 * time.Second
	// MaxCalls is how many calls of content APIs one render makes.
	MaxCalls = 100

	maxTag     = 8 << 10 // bytes between {{ and }}
	maxNesting = 32      // blocks within blocks, brackets within brackets
	maxSteps   = 500_000 // of work: an evaluation, an item that is looked at, some bytes of text
	// How many bytes make a step: those that are copied, and those that a filter reads.
	bytesOfStep, filteredOfStep = 64, 16
)

// Data is what the expressions of one message can name. Every member may be nil.
//
// Values are nil, bool, numbers (json.Number and the like keep their
// spelling), string, time.Time, []any and map[string]any. A nil value counts
// as missing, as does one of another kind, a NaN and an infinity; an empty
// string is a value.
type Data struct {
	UserAttributes          map[string]any
	EventAttributes         map[string]any
	BusinessEventAttributes map[string]any

	// ContentBlocks holds the source of each block. A block is a template of
	// its own and sees the same data, but not the variables of its caller. One
	// that contains itself, over whatever detour, is refused.
	ContentBlocks map[string]string

	ProductSets map[string][]map[string]any

	// ContentAPIs are called with the positional arguments of the expression.
	// An error makes the expression unresolved, with the error as reason.
	ContentAPIs map[string]func(ctx context.Context, args ...any) (any, error)
}

// Render fills the expressions of src. When values are missing it returns a
// *MissingError that lists all of them, when the template is wrong or exceeds
// a limit an *Error, and when ctx ends its error. Text without a tag comes
// back byte for byte.
func Render(ctx context.Context, src string, data Data) (string, error) {
	out, unresolved, err := render(ctx, src, data, false)
	if err != nil {
		return "", err
	}
	if len(unresolved) > 0 {
		return "", &MissingError{Unresolved: unresolved}
	}
	return out, nil
}

// Preview is Render for looking at: an expression whose value is missing, or
// that cannot be computed, stays as it stands in the source and is listed.
func Preview(ctx context.Context, src string, data Data) (string, []Unresolved, error) {
	return render(ctx, src, data, true)
}

// Parse checks what can be known before there is data: syntax, structures,
// filters and tests. It returns nil or an *Error.
func Parse(src string) error {
	if !hasTag(src) {
		return nil
	}
	_, err := compile(src)
	return err
}

func render(ctx context.Context, src string, data Data, preview bool) (string, []Unresolved, error) {
	if err := ctx.Err(); err != nil {
		return "", nil, err
	}
	if !hasTag(src) {
		return src, nil, nil
	}
	t, err := compiled(src)
	if err != nil {
		return "", nil, err
	}
	limited, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	r := newRun(limited, data, preview)
	out, err := r.execute(t)
	var located *Error
	switch {
	case err == nil:
		return out, r.unresolved, nil
	case ctx.Err() != nil:
		return "", nil, fmt.Errorf("personalizing the message: %w", ctx.Err())
	case limited.Err() != nil:
		return "", nil, &Error{Message: fmt.Sprintf("personalizing this text takes longer than %s", MaxTime), Hint: "check if its content APIs respond"}
	case errors.As(err, &located):
		return "", nil, err
	}
	return "", nil, &Error{Message: err.Error()}
}

func hasTag(src string) bool {
	return strings.Contains(src, "{{") || strings.Contains(src, "{%") || strings.Contains(src, "{#")
}
