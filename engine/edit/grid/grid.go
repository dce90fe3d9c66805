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

// messages are the fields of a cell, and of content in the flat shape.
var messages = []string{"push", "email"}

var variationName = regexp.MustCompile(`^variation_[1-9][0-9]{0,8}$`)

// MaxVariations is the most variations in a [Grid]. It protects against a huge no_of_variations.
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

// LocalesPath returns the path of the list of locales.
func LocalesPath() doc.Path { return locales }

// Locale is a row of the grid.
type Locale struct {
	Name string
	// Unlisted reports that the locale has messages but is not in the list of locales.
	Unlisted bool
}

// Variation is a column of the grid.
type Variation struct {
	Name string
	// Unlisted reports that a locale has the variation but the A/B test does not.
	Unlisted bool
	// Share is its percentage as written, or "".
	Share string
}

// Split says how the audience is distributed among the variations.
type Split uint8

// The splits.
const (
	NoSplit   Split = iota // one variation, or not set
	Manual                 // fixed percentages
	Automatic              // by the service, as it learns
)

// Grid holds the messages of a campaign by locale and variation.
type Grid struct {
	Locales    []Locale    // the default locale first, then the listed ones, then unlisted ones
	Variations []Variation // in numerical order, then those that are not part of the A/B test
	Split      Split
	// Flat reports that there is at most one message, without a locale or variation.
	Flat bool

	channel engine.Channel
	root    doc.Value
}

// Cell is the place of one message.
type Cell struct {
	Locale, Variation string
	// Path is the path of the object that contains the message: the cell, or content if it is flat.
	Path doc.Path
	// Message is the path of the message itself, which may be absent.
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

// shapes returns which fields of content are flat messages and which are locales.
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

// configured returns the names of the variations in the A/B test, or one name if there is none.
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

// message returns the field that holds the channel's message, or "" for read-only channels.
func message(ch engine.Channel) string {
	switch ch {
	case catalog.Push:
		return "push"
	case catalog.Email:
		return "email"
	}
	return ""
}

// HasMany reports whether the grid has more than one cell.
func (g Grid) HasMany() bool { return len(g.Locales) > 1 || len(g.Variations) > 1 }

// Cell returns the cell of a locale and a variation, which need not be in the grid.
func (g Grid) Cell(locale, variation string) Cell {
	c := Cell{Locale: locale, Variation: variation, Path: messagesPath.Child(locale).Child(variation)}
	if g.Flat && locale == engine.DefaultLocale && variation == g.Variations[0].Name {
		c.Path = messagesPath
	}
	c.Message = c.Path.Child(message(g.channel))
	return c
}

// Value returns the value of a cell: an object that contains the message, or absent if the cell is empty.
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

// CellAt returns the cell that contains p; for the path of a locale, its first cell. It returns false if p is
// in no cell.
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

// Duplicates finds cells with the same message.
type Duplicates struct {
	grid  Grid
	seen  map[doc.Value]uint64
	first map[uint64]Cell
}

var seed = maphash.MakeSeed()

// maxCompared is the largest number of cells that are all compared with each other. In a larger grid each
// cell is compared with the default one only.
const maxCompared = 5000

// Duplicates compares the messages of the grid. old is the result for an earlier grid or nil; it saves
// reading unchanged messages again.
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

// sum returns a hash of the message in c, or false for an empty cell.
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

// Find returns another cell with the same message: preferably in the default locale, then in the locale's
// first variation, then the first one. It returns false for an empty cell.
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

// Is reports whether both cells have the same locale and variation.
func (c Cell) Is(o Cell) bool { return c.Locale == o.Locale && c.Variation == o.Variation }

// SharePath returns the path of the percentage of a variation.
func SharePath(variation string) doc.Path { return shares.Child(variation) }

// ShareOf returns the variation whose percentage is at p, or false.
func ShareOf(p doc.Path) (string, bool) {
	if len(p) != len(shares)+1 || !p.HasPrefix(shares) {
		return "", false
	}
	return p.Last().Name, true
}

// LocalePath returns the path of the messages of a locale.
func LocalePath(locale string) doc.Path { return messagesPath.Child(locale) }

// Path returns the path of the messages of all locales.
func Path() doc.Path { return messagesPath }
