package bench

import (
	"context"
	"fmt"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

const (
	validatedSize = 4500 // size of the validated campaign, in bytes
	problems      = 10
	// validations is how many are timed together: a single one is too short to measure.
	validations = 20
)

// validate measures parsing a campaign and validating it against all rules: a valid one, and one with problems.
func (r *run) validate(ctx context.Context) error {
	valid, err := r.validCampaign(ctx, validatedSize)
	if err != nil {
		return err
	}
	wrong, err := spoil(valid, problems)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		what    string
		text    []byte
		found   int
		atMost_ float64
	}{
		{"read and validate a campaign", valid.Encode(), 0, 30},
		{fmt.Sprintf("read and validate a campaign with %d problems", problems), wrong.Encode(), problems, 40},
	} {
		took, err := r.validating(ctx, c.text, c.found)
		if err != nil {
			return err
		}
		row := durations(Validating, c.what, time.Microsecond, took, atMost(ofMedian, c.atMost_))
		row.Note = fmt.Sprintf("%d bytes", len(c.text))
		r.add(row)
	}
	return nil
}

// validCampaign returns the push campaign without problems whose size is closest to the wanted one.
func (r *run) validCampaign(ctx context.Context, size int) (best doc.Value, err error) {
	m, err := newMaker(ctx, Filled{Campaigns: 1, Seed: r.Seed, At: time.Now().UTC()})
	if err != nil {
		return best, err
	}
	off := size
	for _, c := range m.templates[catalog.Push] {
		v := c.Document()
		d := max(len(v.Encode())-size, size-len(v.Encode()))
		if d < off && len(check(v)) == 0 {
			best, off = v, d
		}
	}
	if !best.Exists() {
		return best, fmt.Errorf("no campaign of the sample is valid")
	}
	return best, nil
}

func check(v doc.Value) []schema.Problem {
	return catalog.Campaign(catalog.Push).Validate(v, schema.Env{Stage: schema.Publish})
}

func (r *run) validating(ctx context.Context, text []byte, want int) (took []time.Duration, err error) {
	for end := time.Now().Add(r.For); len(took) == 0 || time.Now().Before(end); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		began := time.Now()
		for range validations {
			v, err := doc.Parse(text)
			if err != nil {
				return nil, err
			}
			if n := len(check(v)); n != want {
				return nil, fmt.Errorf("%d problems were found, not %d", n, want)
			}
		}
		took = append(took, time.Since(began)/validations)
	}
	return took, nil
}

// spoil changes n values of a campaign so that each is a problem.
func spoil(v doc.Value, n int) (doc.Value, error) {
	found := 0
	for _, p := range leaves(nil, v) {
		if found == n {
			break
		}
		bad := doc.NewInt(7)
		if v.Lookup(p).Kind() == doc.Number {
			bad = doc.NewString("seven")
		}
		spoilt, err := v.Set(p, bad)
		if err != nil {
			return v, err
		}
		if len(check(spoilt)) == found+1 {
			v, found = spoilt, found+1
		}
	}
	if found < n {
		return v, fmt.Errorf("only %d values of the campaign can be made wrong alone", found)
	}
	return v, nil
}

// leaves returns the paths of the values that do not contain others.
func leaves(at doc.Path, v doc.Value) (out []doc.Path) {
	switch v.Kind() {
	case doc.Object:
		for name, m := range v.Members() {
			out = append(out, leaves(at.Child(name), m)...)
		}
	case doc.Array:
		for i, e := range v.Elems() {
			out = append(out, leaves(at.Elem(i), e)...)
		}
	default:
		out = append(out, at)
	}
	return out
}
