package catalog

import "bugle/engine/schema"

// refOwn is the source of rules that the specification leaves open.
const refOwn = "ours"

// The largest lists where the specification has no limit: more than anyone writes by hand, and few enough for
// one change in the store.
const (
	fewItems  = 100 // tags, buttons, pairs, attachments, days
	manyItems = 500 // locales, filters in a group, search filters
)

// atMost limits the items of a list. Every list has a limit; a test checks it.
func atMost(n int) schema.Rule { return schema.Guard{Rule: schema.Items{Max: n}, Ref: refOwn} }
