package grid

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"bugle/engine/doc"
)

// SetShare sets the percentage of a variation to a whole number, or removes it if percent is empty.
func SetShare(root doc.Value, name, percent string) (doc.Value, error) {
	if percent == "" {
		return root.Delete(shares.Child(name)), nil
	}
	n, err := strconv.Atoi(percent)
	if err != nil || n < 0 || n > 100 {
		return root, fmt.Errorf("%s is not a whole number between 0 and 100", percent)
	}
	out, err := root.Set(shares.Child(name), doc.NewInt(int64(n)))
	if err != nil {
		return root, err
	}
	return out, nil
}

// SplitEvenly gives each variation the same percentage; the first ones get the remainder.
func SplitEvenly(root doc.Value) (doc.Value, error) {
	names := configured(root)
	if len(names) < 2 {
		return root, errors.New("there is only one variation")
	}
	out := root
	for i, name := range names {
		v := doc.NewInt(int64(evenShare(i, len(names))))
		if out.Lookup(shares.Child(name)).Literal() == v.Literal() {
			continue
		}
		var err error
		if out, err = out.Set(shares.Child(name), v); err != nil {
			return root, err
		}
	}
	return out, nil
}

// evenShare returns the percentage of the i-th of n variations in an even split.
func evenShare(i, n int) int {
	share := 100 / n
	if i < 100%n {
		share++
	}
	return share
}

func isEven(root doc.Value, names []string) bool {
	of := root.Lookup(shares)
	if of.Len() != len(names) {
		return false
	}
	for i, name := range names {
		if n, ok := of.Get(name).Int(); !ok || n != int64(evenShare(i, len(names))) {
			return false
		}
	}
	return true
}

// Sum returns the sum of the percentages. It returns false if one of them is not a number.
func (g Grid) Sum() (float64, bool) {
	var sum float64
	for _, v := range g.Variations {
		if v.Share == "" {
			continue
		}
		f, err := strconv.ParseFloat(v.Share, 64)
		if err != nil || math.IsInf(f, 0) {
			return 0, false
		}
		sum += f
	}
	return sum, true
}

// RemainingShare returns the percentage that the other variations leave, at least 0.
func RemainingShare(root doc.Value, name string) int {
	left := 100.0
	for other, v := range root.Lookup(shares).Members() {
		if f, ok := v.Float(); ok && other != name {
			left -= f
		}
	}
	return int(min(max(left, 0), 100))
}
