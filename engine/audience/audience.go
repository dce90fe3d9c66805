// Package audience evaluates audience filters (CONTRACT.md, Audience) on users and their events. It also
// explains results, describes filters in plain English, and edits them as a tree.
//
// Filters are a segmentation_details, a trigger_condition, or a single filter group. Where the contract does
// not define the meaning of an operator, this package follows these rules.
//
// # Groups
//
//   - A group without filters matches no one if it is the whole audience, and is
//     ignored elsewhere: an empty excluded_filters excludes no one, and an action
//     without attribute conditions counts every event.
//   - is_all_user_campaign includes all users regardless of included_filters;
//     excluded_filters still applies. Users who opted out are only included if
//     send_campaign_to_opt_out_users is true.
//   - A group among the filters of a group is not part of the contract. One from
//     another service is evaluated like a group.
//
// # Attributes
//
//   - A value that is missing, null, or cannot be converted to the filter's data
//     type fails every operator. negate is the exact opposite, so a negated filter
//     matches those values. exists matches every value but null, even an empty text.
//   - Data from files and apps is often imprecise: a number or boolean in quotes
//     counts as one, and a number counts as its text. Numbers are compared as float64.
//   - A list attribute matches if one of its elements does. A name that is not an
//     attribute and contains dots is a path into objects: address.city.
//   - Texts are compared ignoring case (Unicode simple folding) unless
//     case_sensitive is true. is and in with a list match any of its values; so does
//     contains.
//   - between includes both ends in either order. lessThan and greaterThan exclude
//     the value.
//
// # Dates
//
//   - Days are in the workspace's time zone, and so is a date-time without an
//     offset. A day with a daylight saving change has 23 or 25 hours.
//   - A date without a time means the whole day: as the attribute, it matches if any
//     moment of the day does; in the filter, before means before its start, after
//     means after its end, and between includes the last day. on uses the day of a
//     date-time.
//   - inTheLast and inTheNext range from now to the same time of day that many days
//     away, including both ends. today is the day of now.
//
// # Actions
//
//   - execution counts the events with the name that match all conditions in
//     attributes; without it, one is enough. atmost and exactly 0 match users
//     without such an event. executed false is the exact opposite of the rest,
//     except for a count of 0: that says twice that the event never happened, and is
//     not a double negation.
//   - The contract has no time period for actions. Every event has the attribute
//     [engine.AttrEventTime], its time, and a condition on it limits the period.
//
// # Expressions
//
//   - A value with is_dynamic_value or a personalization expression is resolved for
//     each user. If that fails, the filter does not match, whether negated or not.
package audience

import (
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Env is the environment in which filters are evaluated. The zero value has no segments and uses UTC.
type Env struct {
	Workspace engine.Workspace // its segments, events, attributes and time zone
	Now       time.Time        // the base of relative dates; zero: the time of the call
	// Resolve returns the value of a personalization expression for a user, or false if it has none. Nil
	// means that expressions cannot be resolved. It must be safe for concurrent use.
	Resolve func(p *engine.User, expression string) (string, bool)
}

// zone returns the workspace's time zone, or UTC.
func (e Env) zone() *time.Location {
	if e.Workspace.Timezone == "" {
		return time.UTC
	}
	if loc, err := time.LoadLocation(e.Workspace.Timezone); err == nil {
		return loc
	}
	return time.UTC
}

func (e Env) now() time.Time {
	if e.Now.IsZero() {
		return time.Now()
	}
	return e.Now
}

// Audience is a compiled set of filters. It is immutable, and safe for concurrent use if Env.Resolve is.
type Audience struct{ top *top }

// Compile compiles filters. If they are incomplete, unknown, or refer to a missing segment, it returns nil
// and the problems, with paths relative to filters.
func Compile(filters doc.Value, env Env) (*Audience, []schema.Problem) {
	c := newCompiler(env)
	t := c.top(filters)
	if len(c.problems) > 0 {
		return nil, c.problems
	}
	return &Audience{t}, nil
}

// Match reports whether the user is in the audience. It does not keep p.
func (a *Audience) Match(p *engine.User) bool { return a.top.match(p, nil) }

// Explain returns the result of each filter for the user, and the user's value.
func (a *Audience) Explain(p *engine.User) engine.AudienceResult { return a.top.explain(p, nil) }
