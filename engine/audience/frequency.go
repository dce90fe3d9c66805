package audience

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bugle/engine"
	"bugle/engine/doc"
)

// frequency is how often and in which period a user did what an action filter names.
type frequency struct {
	did      bool
	how      string // as in execution
	times    int64
	within   string   // operator on the time of the event; empty for any time
	operands []string // of within
	unread   string   // the text, if it is not read yet: see [KeepFrequency]
}

func (o frequency) same(p frequency) bool {
	return o.did == p.did && o.how == p.how && o.times == p.times && o.within == p.within && o.unread == p.unread && slices.Equal(o.operands, p.operands)
}

// The words of an often, as they are read and written. Those of a meaning that are written stand first.
var (
	countWords = []struct{ word, how string }{
		{"at least", "atleast"}, {"at most", "atmost"}, {"exactly", "exactly"},
		{">=", "atleast"}, {"≥", "atleast"}, {"<=", "atmost"}, {"≤", "atmost"}, {"=", "exactly"}, {"up to", "atmost"},
	}
	dateWords = []struct{ word, operator string }{
		{"on", "on"}, {"before", "before"}, {"after", "after"},
	}
	unitDays = map[string]int64{"d": 1, "day": 1, "days": 1, "w": 7, "week": 7, "weeks": 7, "month": 30, "months": 30, "year": 365, "years": 365}
)

// readFrequency reads an action filter. It returns false if the filter cannot be expressed as text.
func readFrequency(f doc.Value) (o frequency, ok bool) {
	o = frequency{did: true, how: "atleast", times: 1}
	if v := f.Get(mExecuted); v.Exists() {
		if v.Kind() != doc.Bool {
			return o, false
		}
		o.did = v.True()
	}
	if v := f.Get(mExecution); v.Get(mTimes).Kind() == doc.String {
		o.unread = v.Get(mTimes).Text()
	} else if v.Exists() {
		count, whole := v.Get(mTimes).Int()
		o.how, o.times = v.Get(mCounting).Text(), count
		if !whole || optionTitle(filterNode().Child(mExecution).Child(mCounting), o.how) == o.how {
			return o, false
		}
	}
	if !o.did && o.times == 0 {
		o.how, o.times = "atleast", 1 // never, said twice, means it once
	}
	if i := withinOf(f); i >= 0 {
		c := f.Get(mConditions).Get(mFilters).At(i)
		o.within = c.Get(mOperator).Text()
		o.operands, _ = Values(c)
	}
	return o, true
}

func isDescribable(action doc.Value) bool {
	_, ok := readFrequency(action)
	return ok
}

// withinOf returns the index of the condition on the event's time, or -1 if there is none that can be
// expressed as text.
func withinOf(action doc.Value) int {
	group := action.Get(mConditions)
	if joinOf(group) == joinOr && group.Get(mFilters).Len() > 1 {
		return -1
	}
	for i, c := range group.Get(mFilters).Elems() {
		if c.Get(mName).Text() != engine.AttrEventTime || kindOf(c, true) != EventAttribute || c.Get(mDataType).Text() != "datetime" || c.Get(mNegate).True() || c.Get(mDynamic).True() {
			continue
		}
		texts, ok := Values(c)
		switch op := c.Get(mOperator).Text(); {
		case !ok:
		case op == "today",
			op == "inTheLast" && len(texts) == 1 && texts[0] != "" && strings.Trim(texts[0], "0123456789") == "",
			(op == "on" || op == "before" || op == "after") && len(texts) == 1 && texts[0] != "",
			op == opBetween && len(texts) == 2 && texts[0] != "" && texts[1] != "":
			return i
		}
	}
	return -1
}

// FrequencyText returns how often and in which period a user did what the filter names, as editable text for
// [SetFrequency]: "at least 2 times in the last 7 days". It returns false if the filter cannot be expressed
// like this.
func FrequencyText(filter doc.Value) (string, bool) {
	o, ok := readFrequency(filter)
	if !ok || o.unread != "" {
		return o.unread, ok
	}
	text := "never"
	if o.did || o.how != "atleast" || o.times != 1 {
		text = times(int(o.times))
		for _, w := range countWords {
			if w.how == o.how {
				text = w.word + " " + text
				break
			}
		}
		if !o.did {
			text = "not " + text
		}
	}
	switch o.within {
	case "":
	case "today":
		text += " today"
	case "inTheLast":
		text += " in the last " + o.operands[0] + " days"
		if o.operands[0] == "1" {
			text = strings.TrimSuffix(text, "s")
		}
	case opBetween:
		text += " between " + o.operands[0] + " and " + o.operands[1]
	default:
		text += " " + o.within + " " + o.operands[0]
	}
	return text, true
}

// SuggestFrequencies returns texts for [SetFrequency] that start with the typed text.
func SuggestFrequencies(typed string) []string {
	typed = strings.ToLower(strings.TrimSpace(typed))
	var out []string
	for _, o := range []string{
		"at least once", "at least once in the last 7 days", "at least once in the last 30 days", "at least 2 times in the last 30 days",
		"exactly once", "at most 3 times", "today", "never", "never in the last 30 days",
	} {
		if strings.HasPrefix(o, typed) {
			out = append(out, o)
		}
	}
	return out
}

// SetFrequency sets how often and in which period a user did what the action filter names, from text: "at
// least 2 times in the last 7 days", "never", "twice since yesterday". Unchanged parts keep their spelling.
func SetFrequency(root doc.Value, filter doc.Path, text string, env Env) (doc.Value, error) {
	f := root.Lookup(filter)
	if !f.Exists() {
		return root, errNoFilter
	}
	now, err := parseFrequency(text, env)
	was, ok := readFrequency(f)
	switch {
	case err != nil:
		return root, err
	case !ok:
		return root, errors.New("this filter says more than words can; edit it as JSON")
	case now.same(was):
		return root, nil
	}
	out := root
	if now.how != was.how || now.times != was.times || now.did != was.did || was.unread != "" {
		if out, err = change(out, filter.Child(mExecution), doc.M(mCounting, doc.NewString(now.how)), doc.M(mTimes, doc.NewInt(now.times))); err != nil {
			return root, err
		}
	}
	if now.did != was.did {
		if out, err = change(out, filter, doc.M(mExecuted, doc.NewBool(now.did))); err != nil {
			return root, err
		}
	}
	if now.within != was.within || !slices.Equal(now.operands, was.operands) {
		if out, err = setWithin(out, filter, now); err != nil {
			return root, err
		}
	}
	return out, nil
}

// KeepFrequency keeps a text that [SetFrequency] cannot parse as the number of times, so that nothing typed is lost and the
// validator reports it.
func KeepFrequency(root doc.Value, filter doc.Path, text string) (doc.Value, error) {
	if !root.Lookup(filter).Exists() {
		return root, errNoFilter
	}
	return change(root, filter.Child(mExecution), doc.M(mTimes, doc.NewString(text)))
}

// setWithin sets or removes the condition on the time of the event.
func setWithin(root doc.Value, filter doc.Path, o frequency) (doc.Value, error) {
	group := filter.Child(mConditions)
	i := withinOf(root.Lookup(filter))
	p := group.Child(mFilters).Elem(max(i, 0))
	if o.within == "" {
		out := root.Delete(p)
		if left := out.Lookup(group); left.Get(mFilters).Len() == 0 {
			out = out.Delete(group)
		}
		return out, nil
	}
	out := root
	if i < 0 {
		if v := root.Lookup(group); joinOf(v) == joinOr && v.Get(mFilters).Len() > 0 {
			return root, errors.New("the conditions below are joined by or; join them by and first, then name the time")
		}
		var err error
		out, p, err = insert(root, group, 0, doc.NewObject(
			doc.M(mType, doc.NewString(typeAttribute)), doc.M(mDataType, doc.NewString("datetime")), doc.M(mName, doc.NewString(engine.AttrEventTime)),
		))
		if err != nil {
			return root, err
		}
	}
	out, err := change(out, p, doc.M(mOperator, doc.NewString(o.within)))
	if err != nil {
		return root, err
	}
	if len(o.operands) == 0 {
		return out.Delete(p.Child(mValue)).Delete(p.Child(mSecond)), nil
	}
	if o.within != opBetween {
		out = out.Delete(p.Child(mSecond))
	}
	return SetValues(out, p, o.operands)
}

// parseFrequency parses how often and in which period.
func parseFrequency(text string, env Env) (frequency, error) {
	o := frequency{did: true, how: "atleast", times: 1}
	r := reader{strings.Join(strings.Fields(strings.TrimSuffix(strings.TrimSpace(text), ".")), " ")}
	if r.cut("never") {
		o.did = false
		return o, o.readWithin(&r, env)
	}
	r.cut("did")
	if r.cut("not") {
		o.did = false
	}
	said := false
	for _, w := range countWords {
		if r.cut(w.word) {
			o.how, said = w.how, true
			break
		}
	}
	switch n, ok := r.number(); {
	case ok:
		o.times = n
		_ = r.cut("times") || r.cut("time") || r.cut("x") || r.cut("×")
	case r.cut("once"):
	case r.cut("twice"):
		o.times = 2
	case said:
		return o, errors.New("say how many times, such as “at least 2 times in the last 7 days”")
	}
	return o, o.readWithin(&r, env)
}

func (o *frequency) readWithin(r *reader, env Env) error {
	unread := fmt.Errorf("“%s” cannot be read here; try “at least 2 times in the last 7 days”", clip(r.rest))
	days := false
	for _, w := range []string{
		"within the last", "in the last", "during the last", "over the last", "in last", "within last", "within", "last", "in",
	} {
		if days = r.cut(w); days {
			break
		}
	}
	if days {
		n, ok := r.number()
		if !ok {
			if n = 1; len(r.rest) == 0 {
				return errors.New("say how many days, such as “in the last 7 days”")
			}
		}
		per, known := unitDays[strings.ToLower(r.rest)]
		if !known && (r.rest != "" || !ok) {
			return fmt.Errorf("“%s” is no unit here; use days, weeks or months", clip(r.rest))
		}
		o.within, o.operands = "inTheLast", []string{strconv.FormatInt(n*max(per, 1), 10)}
		return nil
	}
	date := func(text string) (string, error) {
		d, err := ParseDate(text, env)
		return d.Wire, err
	}
	switch {
	case r.rest == "":
		return nil
	case strings.EqualFold(r.rest, "today"):
		o.within = "today"
		return nil
	case r.cut("between"):
		i := strings.Index(strings.ToLower(r.rest), " and ")
		if i < 0 {
			return errors.New("name two dates, such as “between 2026-12-01 and 2026-12-24”")
		}
		low, err := date(r.rest[:i])
		if err != nil {
			return err
		}
		high, err := date(r.rest[i+len(" and "):])
		o.within, o.operands = opBetween, []string{low, high}
		return err
	}
	for _, w := range dateWords {
		if r.cut(w.word) {
			wire, err := date(r.rest)
			o.within, o.operands = w.operator, []string{wire}
			return err
		}
	}
	if wire, err := date(r.rest); err == nil { // "yesterday"
		o.within, o.operands = "on", []string{wire}
		return nil
	}
	return unread
}

// reader consumes words from the start of a text.
type reader struct{ rest string }

// cut consumes words, ignoring case, unless they are only a prefix of a longer word.
func (r *reader) cut(words string) bool {
	if len(r.rest) < len(words) || !strings.EqualFold(r.rest[:len(words)], words) {
		return false
	}
	after := r.rest[len(words):]
	if isLetter := func(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }; after != "" && isLetter(after[0]) && isLetter(words[len(words)-1]) {
		return false
	}
	r.rest = strings.TrimSpace(after)
	return true
}

// maxTimes is the largest count that can be typed.
const maxTimes = 1_000_000

func (r *reader) number() (int64, bool) {
	digits := len(r.rest) - len(strings.TrimLeft(r.rest, "0123456789"))
	n, err := strconv.ParseInt(r.rest[:digits], 10, 64)
	if err != nil || n > maxTimes || digits < len(r.rest) && r.rest[digits] == '-' {
		return 0, false
	}
	r.rest = strings.TrimSpace(r.rest[digits:])
	return n, true
}

// SplitAction parses an event and its frequency from one text: "Purchase Completed at least 2 times in the
// last 7 days". It returns false if the text does not start with a known name, or is only a name, or if the
// rest cannot be parsed; it returns the name in the last case.
func SplitAction(text string, names []string, env Env) (name, often string, ok bool) {
	r := reader{strings.TrimSpace(text)}
	r.cut("did")
	not := ""
	if r.cut("not") {
		not = "not "
	}
	for _, n := range names {
		rest := reader{r.rest}
		switch {
		case strings.EqualFold(n, r.rest) && not == "":
			return "", "", false
		case len(n) > len(name) && rest.cut(n):
			_, err := parseFrequency(not+rest.rest, env)
			name, often, ok = n, not+rest.rest, err == nil
		}
	}
	return name, often, ok
}
