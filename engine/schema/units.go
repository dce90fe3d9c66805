package schema

import (
	"math/big"
	"strings"
)

// units are the spellings of units that a number can be typed with, and how many of the field's unit each is.
var units = map[string]map[string]int64{
	"meters":  {"m": 1, "meter": 1, "meters": 1, "metre": 1, "metres": 1, "km": 1000, "kilometer": 1000, "kilometers": 1000},
	"hours":   {"h": 1, "hour": 1, "hours": 1, "day": 24, "days": 24},
	"days":    {"d": 1, "day": 1, "days": 1, "week": 7, "weeks": 7},
	"percent": {"%": 1, "percent": 1},
}

// maxAmount is the length of the longest amount that is converted.
const maxAmount = 40

// Amount returns the number in a text that names the field's unit, or one that can be converted to it: 150 for "150
// meters", 200 for "0.2 km". Any other text is returned as it is.
func (n *Node) Amount(typed string) string {
	text := strings.TrimSpace(typed)
	end := strings.LastIndexFunc(text, func(r rune) bool { return r >= '0' && r <= '9' }) + 1
	factor, known := units[n.Unit][strings.ToLower(strings.TrimSpace(text[end:]))]
	if !known || len(text) > maxAmount || strings.ContainsAny(text[:end], "eE/_") {
		return typed
	}
	number, ok := new(big.Rat).SetString(text[:end])
	if !ok {
		return typed
	}
	if factor == 1 {
		return text[:end]
	}
	decimal := number.Mul(number, big.NewRat(factor, 1)).FloatString(maxAmount)
	return strings.TrimSuffix(strings.TrimRight(decimal, "0"), ".")
}
