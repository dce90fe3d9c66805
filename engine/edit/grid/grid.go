package grid

import (
	"hash/maphash"
	"regexp"
	"slices"
	"strconv"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
)

// The members of the component.
const (
	mLocales    = "locales"
	mDetails    = "variation_details"
	mContent    = "content"
	mNumber     = "no_of_variations"
	mShares     = "manual_distribution_percentage"
	mSplit      = "distribution_type"
	splitManual = "MANUAL"
	namePrefix  = "variation_"
)

// messages are the members of a cell, and of content in the flat shape.
var messages = []string{"push", "email"}

var variationName = regexp.MustCompile(`^variation_[1-9][0-9]{0,8}$`)

// MaxVariations is how many variations a [Grid] has at most: a number of variations is only a
// number, and may be any.
const MaxVariations = 100

var (
	contentPath  = doc.P(string(catalog.CampaignContent))
	messagesPath = contentPath.Child(mContent)
	locales      = contentPath.Child(mLocales)
	details      = contentPath.Child(mDetails)
	number       = details.Child(mNumber)
	shares       = details.Child(mShares)
	split        = details.Child(mSplit)
)

// LocalesPath leads to the list of locales, whose table says where their names come from.
func LocalesPath() doc.Path { return locales }

// Locale is a row of the grid.
type Locale struct {
	Name string
	// Unlisted says that it has messages and is not listed.
	Unlisted bool
}

// Variation is a column of the grid.
type Variation struct {
	Name string
	// Unlisted says that some locale has it and the A/B test does not.
	Unlisted bool
	// Share is its percentage as it is written, "" where it has none.
	Share string
}

// Split says who gives each variation its share.
type Split uint8

// The splits.
const (
	NoSplit   Split = iota // one variation, or nobody has said
	Manual                 // fixed percentages
	Automatic              // the service, as it learns
)

// Grid is the messages of a campaign, by locale and variation.
type Grid struct {
	Locales    []Locale    // the default one first, then as listed, then those that are not
	Variations []Variation // as numbered, then those that the A/B test does not have
	Split      Split
	// Flat says that there is one message, or none yet, without a locale or variation to its name.
	Flat bool

	channel engine.Channel
	root    doc.Value
}

// Cell is the place of one message.
type Cell struct {
	Locale, Variation string
	// Path leads to what holds the message: to the cell, or to content where that is flat.
	Path doc.Path
	// Message leads to the message itself, whether it is there or not.
	Message doc.Path
}

// New returns the grid of a document.
func New(ch engine.Channel, root doc.Value) Grid {
	g := Grid{channel: ch, root: root}
	all := root.Lookup(messagesPath)
	flat, keyed := shapes(all)
	g.Locales = append(g.Locales, Locale{Name: engine.DefaultLocale})
	for _, name := range root.Lookup(locales).Strings() {
		g.addLocale(Locale{Name: name})
	}
	for _, name := range keyed {
		g.addLocale(Locale{Name: name, Unlisted: true})
	}
	of := root.Lookup(shares)
	for _, name := range configured(root) {
		g.Variations = append(g.Variations, Variation{Name: name, Share: of.Get(name).Literal()})
	}
	for _, l := range keyed {
		for name := range all.Get(l).Members() {
			g.addVariation(Variation{Name: name, Unlisted: name != engine.ControlVariation, Share: of.Get(name).Literal()})
		}
	}
	for name, v := range of.Members() {
		g.addVariation(Variation{Name: name, Unlisted: true, Share: v.Literal()})
	}
	g.Flat = len(flat) > 0 && !all.Get(engine.DefaultLocale).Exists() || all.Empty() && !g.HasMany()
	switch kind := root.Lookup(split).Text(); kind {
	case "":
	case splitManual:
		g.Split = Manual
	default:
		g.Split = Automatic
	}
	return g
}

func (g *Grid) addLocale(l Locale) {
	if len(g.Locales) < engine.MaxTestKeys && !slices.ContainsFunc(g.Locales, func(o Locale) bool { return o.Name == l.Name }) {
		g.Locales = append(g.Locales, l)
	}
}

func (g *Grid) addVariation(v Variation) {
	if len(g.Variations) < MaxVariations && !slices.ContainsFunc(g.Variations, func(o Variation) bool { return o.Name == v.Name }) {
		g.Variations = append(g.Variations, v)
	}
}

// shapes tells which members of content are messages that stand alone, and which are locales.
func shapes(content doc.Value) (flat, keyed []string) {
	for name := range content.Members() {
		if slices.Contains(messages, name) {
			flat = append(flat, name)
		} else {
			keyed = append(keyed, name)
		}
	}
	return flat, keyed
}

// configured returns the names of the variations that the A/B test has; one where there is none.
func configured(root doc.Value) []string {
	n, ok := root.Lookup(number).Int()
	if ok && n >= 1 {
		names := make([]string, 0, min(n, MaxVariations))
		for i := int64(1); i <= n && i <= MaxVariations; i++ {
			names = append(names, numbered(i))
		}
		return names
	}
	var names []string
	for name := range root.Lookup(shares).Members() {
		if len(names) < MaxVariations && variationName.MatchString(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return []string{engine.DefaultVariation}
	}
	return names
}

func numbered(i int64) string { return namePrefix + strconv.FormatInt(i, 10) }

// message is the member that holds the channel's message; "" for channels that can only be read.
func message(ch engine.Channel) string {
	switch ch {
	case catalog.Push:
		return "push"
	case catalog.Email:
		return "email"
	}
	return ""
}

// HasMany reports whether there is more than one message, or place for one.
func (g Grid) HasMany() bool { return len(g.Locales) > 1 || len(g.Variations) > 1 }

// Cell returns the place of the message of a locale and a variation, whether the grid has them or not.
func (g Grid) Cell(locale, variation string) Cell {
	c := Cell{Locale: locale, Variation: variation, Path: messagesPath.Child(locale).Child(variation)}
	if g.Flat && locale == engine.DefaultLocale && variation == g.Variations[0].Name {
		c.Path = messagesPath
	}
	c.Message = c.Path.Child(message(g.channel))
	return c
}

// Value returns what is in a cell: an object with the message in it; absent where it is empty.
func (g Grid) Value(c Cell) doc.Value {
	v := g.root.Lookup(c.Path)
	if v.Lookup(c.Message[len(c.Path):]).Empty() {
		return doc.Value{}
	}
	if len(c.Path) == len(messagesPath) {
		_, keyed := shapes(v)
		for _, name := range keyed {
			v = v.Delete(doc.P(name))
		}
	}
	return v
}

// CellAt returns the cell that a place is in, or leads to: of a locale its first cell. It is false where
// the place is in no cell.
func (g Grid) CellAt(p doc.Path) (Cell, bool) {
	if len(p) < len(messagesPath) || !p.HasPrefix(messagesPath) {
		return Cell{}, false
	}
	rest := p[len(messagesPath):]
	switch {
	case len(rest) == 0 || slices.Contains(messages, rest[0].Name) || rest[0].IsIndex:
		return g.Cell(engine.DefaultLocale, g.Variations[0].Name), true
	case len(rest) == 1 || rest[1].IsIndex:
		return g.Cell(rest[0].Name, g.Variations[0].Name), true
	}
	return g.Cell(rest[0].Name, rest[1].Name), true
}

// Duplicates tells which cells hold the same message.
type Duplicates struct {
	grid  Grid
	seen  map[doc.Value]uint64
	first map[uint64]Cell
}

var seed = maphash.MakeSeed()

// maxCompared is up to how many cells all are compared; of more, each with the default one alone.
const maxCompared = 5000

// Duplicates compares the messages of the grid. old is what an earlier grid gave, or nil: messages that
// it knows are not read again.
func (g Grid) Duplicates(old *Duplicates) *Duplicates {
	t := &Duplicates{grid: g, seen: map[doc.Value]uint64{}, first: map[uint64]Cell{}}
	if len(g.Locales)*len(g.Variations) > maxCompared {
		return t
	}
	for _, l := range g.Locales {
		for _, v := range g.Variations {
			c := g.Cell(l.Name, v.Name)
			sum, ok := t.sum(c, old)
			if _, taken := t.first[sum]; ok && !taken {
				t.first[sum] = c
			}
		}
	}
	return t
}

// sum returns a number that equal messages have in common; false for an empty cell.
func (t *Duplicates) sum(c Cell, old *Duplicates) (uint64, bool) {
	v := t.grid.root.Lookup(c.Message)
	if v.Empty() {
		return 0, false
	}
	if sum, ok := t.seen[v]; ok {
		return sum, true
	}
	var sum uint64
	known := false
	if old != nil {
		sum, known = old.seen[v]
	}
	if !known {
		sum = maphash.Bytes(seed, v.Encode())
	}
	t.seen[v] = sum
	return sum, true
}

// Find returns another cell with the same message in it: that of the default locale, that of the
// locale's first variation, else the first one that there is. An empty cell has none.
func (t *Duplicates) Find(c Cell) (Cell, bool) {
	sum, ok := t.sum(c, nil)
	if !ok {
		return Cell{}, false
	}
	g := t.grid
	others := []Cell{g.Cell(engine.DefaultLocale, c.Variation), g.Cell(c.Locale, g.Variations[0].Name)}
	if o, ok := t.first[sum]; ok {
		others = append(others, o)
	}
	for _, o := range others {
		if s, ok := t.sum(o, nil); ok && s == sum && !o.Is(c) {
			return o, true
		}
	}
	return Cell{}, false
}

// Is reports whether both are the cell of one locale and variation.
func (c Cell) Is(o Cell) bool { return c.Locale == o.Locale && c.Variation == o.Variation }

// SharePath leads to the percentage of a variation.
func SharePath(variation string) doc.Path { return shares.Child(variation) }

// ShareOf returns the variation that a place is the percentage of.
func ShareOf(p doc.Path) (string, bool) {
	if len(p) != len(shares)+1 || !p.HasPrefix(shares) {
		return "", false
	}
	return p.Last().Name, true
}

// LocalePath leads to the messages of a locale.
func LocalePath(locale string) doc.Path { return messagesPath.Child(locale) }

// Path leads to the messages of all locales.
func Path() doc.Path { return messagesPath }
