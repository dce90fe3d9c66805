package catalog

import "bugle/engine/schema"

// refOwn is the source of rules that the specification leaves open.
const refOwn = "ours"

// How many items lists may have where the specification says nothing: more than anybody writes by hand,
// and few enough that a campaign is one change of the store.
const (
	fewItems  = 100 // tags, buttons, pairs, attachments, days
	manyItems = 500 // what is made of lists elsewhere: locales, filters of a group, what a search asks for
)

// atMost bounds the items of a list. Every list has a bound; a test looks.
func atMost(n int) schema.Rule { return schema.Guard{Rule: schema.Items{Max: n}, Ref: refOwn} }
