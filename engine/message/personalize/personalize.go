// Package personalize fills the expressions in a message's text: Jinja over the attributes of a user and an
// event, and over the content of a workspace (CONTRACT.md, Personalization).
//
//	{{ UserAttribute['First Name'] }}   {{ user.first_name | default('friend') }}
//	{{ EventAttribute['product'] }}     {{ event.product }}
//	{{ BusinessEventAttribute['season'] }}
//	{{ ContentBlock['footer'] }}        {{ ContentApi.weather('Oslo').today }}
//	{{ ProductSet.shoes[0].title }}     {% if %} {% for %} {% set %} {% with %} {% raw %}
//
// gonja parses the templates. Evaluation, filters and tests are implemented here, because gonja's cannot be
// limited or canceled, do not distinguish missing from empty values, compute with floats, and print errors in
// Go's format.
//
// A message with a missing value must never be sent. A missing value, or one that cannot be computed, makes
// the message incomplete, even in a condition. Only the filter default replaces it.
//
// Results are those of Jinja, with these differences: whole numbers have no fraction and stay exact if
// possible, texts that contain a number count as one in arithmetic and next to numbers, maps are sorted by
// key, and None is missing.
//
// Values are not escaped for HTML. Authors keep markup in attributes, content blocks and product sets and
// expect it to stay markup, and the same engine fills subjects and push titles, where "&amp;" would be
// visible. The filter `escape` is available for those who need it.
package personalize

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Limits of one render including content blocks. They stop faulty and hostile templates; real messages stay
// far below.
const (
	MaxSource     = 256 << 10 // bytes of one template
	MaxOutput     = 1 << 20   // bytes of the result, and of any value on the way
	MaxItems      = 10_000    // items of a list that is built or iterated
	MaxIterations = 100_000   // iterations of all loops together

	// MaxTime limits the duration of one render. The limit of steps stops computations long before; content
	// APIs may be slow.
	MaxTime = 30 * time.Second
	// MaxCalls is the most content API calls in one render.
	MaxCalls = 100

	maxTag     = 8 << 10 // bytes between {{ and }}
	maxNesting = 32      // blocks within blocks, brackets within brackets
	maxSteps   = 500_000 // units of work: an evaluation, an item, some bytes of text
	// The number of bytes per step: when copying, and when a filter reads them.
	bytesOfStep, filteredOfStep = 64, 16
)

// Data holds what the expressions of one message can refer to. All fields may be nil.
//
// Values are nil, bool, numbers (json.Number and similar types keep their spelling), string, time.Time, []any
// and map[string]any. Nil, values of other types, NaN and infinities count as missing; an empty string is a
// value.
type Data struct {
	UserAttributes          map[string]any
	EventAttributes         map[string]any
	BusinessEventAttributes map[string]any

	// ContentBlocks holds the source of each block. A block is a separate template with the same data, but
	// without the variables of its caller. A block that includes itself, directly or indirectly, is refused.
	ContentBlocks map[string]string

	ProductSets map[string][]map[string]any

	// ContentAPIs are called with the positional arguments of the expression. An error makes the expression
	// unresolved, with the error as the reason.
	ContentAPIs map[string]func(ctx context.Context, args ...any) (any, error)
}

// Render fills the expressions of src. If values are missing it returns a *[MissingError] that lists all of
// them; if the template is invalid or exceeds a limit, an *[Error]; and if ctx ends, its error. Text without
// tags is returned unchanged.
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

// Preview is [Render] for display: an expression that has no value or cannot be computed stays in the text
// and is listed.
func Preview(ctx context.Context, src string, data Data) (string, []Unresolved, error) {
	return render(ctx, src, data, true)
}

// Parse checks a template without data: syntax, structures, filters and tests. It returns nil or an *[Error].
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
