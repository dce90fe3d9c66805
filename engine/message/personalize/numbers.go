package personalize

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/nikolalohinski/gonja/v2/tokens"
)

// MaxDigits is the most digits of a whole number.
const MaxDigits = 4300

// maxBits is the same limit in bits.
const maxBits = 14_285

var errDigits = fmt.Errorf("a number in this expression has more than %d digits", MaxDigits)

// amount is a number for computations: a whole number of any size if whole is set, or else a finite float.
type amount struct {
	whole *big.Int
	float float64
}

// number returns v as a number. Booleans count as 0 and 1, as in Python. Texts that contain a number count
// too, unlike in Jinja, because attributes are often texts.
func number(v any) (amount, bool) {
	switch v := v.(type) {
	case int:
		return amount{whole: big.NewInt(int64(v))}, true
	case *big.Int:
		return amount{whole: v}, true
	case float64:
		return amount{float: v}, true
	case bool:
		if v {
			return amount{whole: big.NewInt(1)}, true
		}
		return amount{whole: new(big.Int)}, true
	case numeral:
		return spelled(v.String())
	case string:
		return spelled(v)
	}
	return amount{}, false
}

// isNumber reports whether v is a number, not a text that contains one.
func isNumber(v any) bool {
	switch v.(type) {
	case int, *big.Int, float64, bool:
		return true
	}
	return false
}

// spelled parses a number in decimal digits.
func spelled(s string) (amount, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > MaxDigits || strings.Trim(s, "+-.eE0123456789") != "" {
		return amount{}, false
	}
	if !strings.ContainsAny(s, ".eE") {
		i, ok := new(big.Int).SetString(s, 10)
		return amount{whole: i}, ok
	}
	x, err := strconv.ParseFloat(s, 64)
	return amount{float: x}, err == nil
}

// value returns a as a value of the evaluation: an int if it fits.
func (a amount) value() any {
	if a.whole == nil {
		return a.float
	}
	return wholeValue(a.whole)
}

func wholeValue(i *big.Int) any {
	if i.IsInt64() {
		return int(i.Int64())
	}
	return i
}

// asFloat returns the nearest float, or false if it is out of range.
func (a amount) asFloat() (float64, bool) {
	if a.whole == nil {
		return a.float, true
	}
	x, _ := new(big.Float).SetInt(a.whole).Float64()
	return x, !math.IsInf(x, 0)
}

// sign is -1, 0 or 1.
func (a amount) sign() int {
	if a.whole != nil {
		return a.whole.Sign()
	}
	switch {
	case a.float < 0:
		return -1
	case a.float > 0:
		return 1
	}
	return 0
}

// cmp compares two numbers without rounding.
func (a amount) cmp(b amount) int {
	if a.whole != nil && b.whole != nil {
		return a.whole.Cmp(b.whole)
	}
	return a.exact().Cmp(b.exact())
}

func (a amount) exact() *big.Float {
	if a.whole != nil {
		return new(big.Float).SetInt(a.whole)
	}
	return big.NewFloat(a.float)
}

// truncated returns a without its fraction.
func (a amount) truncated() *big.Int {
	if a.whole != nil {
		return a.whole
	}
	i, _ := big.NewFloat(a.float).Int(nil)
	return i
}

// integer returns v as an int for an index, a width or a count. A number beyond the range of int becomes the
// nearest int.
func integer(v any) (int, bool) {
	if _, isText := v.(string); isText {
		return 0, false
	}
	a, ok := number(v)
	if !ok || a.whole == nil && a.float != math.Trunc(a.float) {
		return 0, false
	}
	i := a.truncated()
	switch {
	case i.IsInt64():
		return int(i.Int64()), true
	case i.Sign() < 0:
		return math.MinInt, true
	}
	return math.MaxInt, true
}

// finite returns a computed float as a value, or fails if it is not finite.
func finite(x float64) (any, error) {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil, failure("the result is not a number")
	}
	return x, nil
}

func fits(i *big.Int) (any, error) {
	if i.BitLen() > maxBits {
		return nil, errDigits
	}
	return wholeValue(i), nil
}

// small computes with two small whole numbers, the usual case, which cannot overflow.
func small(op tokens.Type, left, right any) (int, bool) {
	const most = 1 << 30
	i, ok := left.(int)
	j, both := right.(int)
	if !ok || !both || i < -most || i > most || j < -most || j > most {
		return 0, false
	}
	switch op {
	case tokens.Addition:
		return i + j, true
	case tokens.Subtraction:
		return i - j, true
	case tokens.Multiply:
		return i * j, true
	}
	return 0, false
}

// arithmetic computes like Python, except that a division without a remainder returns a whole number, so that
// it stays exact.
func arithmetic(op tokens.Type, a, b amount) (any, error) {
	switch op {
	case tokens.Division, tokens.FloorDivision, tokens.Modulo:
		if b.sign() == 0 {
			return nil, failure("division by zero")
		}
	}
	if a.whole != nil && b.whole != nil {
		return wholeArithmetic(op, a.whole, b.whole)
	}
	x, xOK := a.asFloat()
	y, yOK := b.asFloat()
	if !xOK || !yOK {
		return nil, failure("a whole number is too large to be computed with a fraction")
	}
	switch op {
	case tokens.Addition:
		return finite(x + y)
	case tokens.Subtraction:
		return finite(x - y)
	case tokens.Multiply:
		return finite(x * y)
	case tokens.Power:
		return finite(math.Pow(x, y))
	case tokens.Division:
		return finite(x / y)
	}
	rest := math.Mod(x, y)
	if rest != 0 && (rest < 0) != (y < 0) {
		rest += y
	}
	if op == tokens.Modulo {
		return finite(rest)
	}
	return finite(math.Round((x - rest) / y))
}

func wholeArithmetic(op tokens.Type, a, b *big.Int) (any, error) {
	switch op {
	case tokens.Addition:
		return fits(new(big.Int).Add(a, b))
	case tokens.Subtraction:
		return fits(new(big.Int).Sub(a, b))
	case tokens.Multiply:
		return fits(new(big.Int).Mul(a, b))
	case tokens.Power:
		return wholePower(a, b)
	}
	quotient, rest := new(big.Int).QuoRem(a, b, new(big.Int))
	if op == tokens.Division {
		if rest.Sign() == 0 {
			return wholeValue(quotient), nil
		}
		x, _ := new(big.Rat).SetFrac(a, b).Float64()
		return finite(x)
	}
	if rest.Sign() != 0 && rest.Sign() != b.Sign() { // Python rounds down, Go towards zero
		quotient.Sub(quotient, big.NewInt(1))
		rest.Add(rest, b)
	}
	if op == tokens.Modulo {
		return wholeValue(rest), nil
	}
	return wholeValue(quotient), nil
}

func wholePower(a, b *big.Int) (any, error) {
	if b.Sign() < 0 {
		if a.Sign() == 0 {
			return nil, failure("division by zero")
		}
		x, _ := amount{whole: a}.asFloat()
		y, _ := amount{whole: b}.asFloat()
		return finite(math.Pow(x, y))
	}
	if a.BitLen() <= 1 { // 0, 1 or -1
		switch {
		case b.Sign() == 0:
			return 1, nil
		case a.Sign() < 0 && b.Bit(0) == 0:
			return 1, nil
		}
		return wholeValue(a), nil
	}
	if !b.IsInt64() || b.Int64() > maxBits || int64(a.BitLen()-1)*b.Int64() > maxBits {
		return nil, errDigits
	}
	return fits(new(big.Int).Exp(a, b, nil))
}

// rounded rounds to a number of decimals, which may be negative. The method is common (half to even), ceil or
// floor.
func rounded(a amount, decimals int, method string) (any, error) {
	if decimals >= 0 && a.whole != nil {
		return a.value(), nil
	}
	if a.whole != nil {
		return roundedWhole(a.whole, -decimals, method)
	}
	x := a.float
	switch {
	case method == "common" && decimals >= 0:
		if decimals > 340 {
			return x, nil
		}
		r, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', decimals, 64), 64)
		return finite(r)
	case method == "common":
		if decimals < -340 {
			return 0.0, nil
		}
		// Python rounds the float itself, not its whole part: 15.5 rounds to 20.
		scale := new(big.Rat).SetInt(tens(-decimals))
		q := new(big.Rat).Quo(new(big.Rat).SetFloat64(x), scale)
		r, _ := new(big.Rat).Mul(new(big.Rat).SetInt(halfEven(q.Num(), q.Denom())), scale).Float64()
		return finite(r)
	}
	scale := math.Pow(10, float64(decimals))
	x *= scale
	if math.IsInf(x, 0) || math.IsNaN(x) || scale == 0 {
		return nil, failure("the result is not a number")
	}
	if method == "ceil" {
		return finite(math.Ceil(x) / scale)
	}
	return finite(math.Floor(x) / scale)
}

func tens(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func roundedWhole(i *big.Int, zeros int, method string) (any, error) {
	if zeros > MaxDigits {
		zeros = MaxDigits
	}
	unit := tens(zeros)
	var q *big.Int
	switch method {
	case "ceil":
		q = new(big.Int).Neg(floorDiv(new(big.Int).Neg(i), unit))
	case "floor":
		q = floorDiv(i, unit)
	default:
		q = halfEven(i, unit)
	}
	return fits(q.Mul(q, unit))
}

func floorDiv(a, b *big.Int) *big.Int {
	q, rest := new(big.Int).QuoRem(a, b, new(big.Int))
	if rest.Sign() != 0 && rest.Sign() != b.Sign() {
		q.Sub(q, big.NewInt(1))
	}
	return q
}

// halfEven returns a/b rounded to the nearest whole number, and half to even. b is positive.
func halfEven(a, b *big.Int) *big.Int {
	q := floorDiv(a, b)
	twice := new(big.Int).Sub(a, new(big.Int).Mul(q, b))
	switch c := twice.Lsh(twice, 1).Cmp(b); {
	case c > 0, c == 0 && q.Bit(0) == 1:
		q.Add(q, big.NewInt(1))
	}
	return q
}

// reprFloat returns x as Python prints it, except that a whole number has no fraction: 3 instead of 3.0.
func reprFloat(x float64) string {
	if x == 0 {
		return "0"
	}
	if size := math.Abs(x); size >= 1e16 || size < 1e-4 {
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
