// Package audience evaluates the filters of an audience (CONTRACT.md, Audience) on users and their events, explains
// the result, puts filters into words, and edits them as a tree.
//
// Filters come as a segmentation_details, a trigger_condition, or a filter group alone. Where
// the contract is silent on what an operator means, this package holds to the following.
//
// # Groups
//
//   - A group without filters picks nobody where it is the whole audience, and says nothing elsewhere:
//     an empty excluded_filters excludes nobody, an action without attribute conditions takes every
//     event.
//   - is_all_user_campaign puts everybody in whatever included_filters says; excluded_filters still
//     takes out. Users who have opted out are in only where send_campaign_to_opt_out_users is true.
//   - A group among the filters of a group is no part of the contract. One that a service sends is evaluated
//     as what it looks like.
//
// # Attributes
//
//   - A value that is missing, null, or cannot be read as the filter's data type fails every operator.
//     negate is the exact opposite, so a negated filter takes those as well. exists takes every value
//     but null, an empty text too.
//   - Profiles come from files and apps that spell loosely: a number or boolean in quotes counts as
//     one, and a number counts as the text that it is spelled with. Numbers are compared as float64.
//   - An attribute that is a list matches where one of its elements does. A name that is no attribute
//     and has dots leads into objects: address.city.
//   - Texts are compared without regard to case unless case_sensitive is true, by Unicode's simple
//     folding. is and in, given a list, take any of it; so does contains.
//   - between includes both ends, and takes them in either order. lessThan and greaterThan do not
//     include the value.
//
// # Dates
//
//   - Days are those of the workspace's zone, and so is a date-time without an offset. A day of a
//     clock change is 23 or 25 hours long.
//   - A date without a time of day is that whole day: as the attribute, it matches where any moment of
//     the day would; in the filter, before is before it begins, after is after it ends, and between
//     includes the last day. on takes the day of a date-time.
//   - inTheLast and inTheNext reach from now to the same time of day that many days off, both ends
//     included. today is the day of now.
//
// # Actions
//
//   - execution counts the events of that name which match all of attributes' conditions; where it is
//     missing, one is enough. atmost and exactly 0 take users who never did it. executed false is the
//     exact opposite of what the rest says, but for a count of 0: that says twice that the event never
//     happened, and means it once.
//   - Actions have no period of time in the contract. Every event has the attribute [engine.AttrEventTime],
//     the time at which it happened, and a condition on that narrows the period.
//
// # Expressions
//
//   - A value with is_dynamic_value, or with a personalization expression in it, is resolved for each
//     profile. Where that fails there is nothing to compare with, and the filter does not match, be it
//     negated or not.
package audience

import (
	"time"

	"bugle/engine"
	"bugle/engine/doc"
	"bugle/engine/schema"
)

// Env is what filters mean something in. The zero Env knows no segments and counts days in UTC.
type Env struct {
	Workspace engine.Workspace // its segments, events, attributes and time zone
	Now       time.Time        // what relative dates count from; zero: the time of the call
	// Resolve returns what a personalization expression is for a profile, and false where it is
	// nothing; nil where expressions cannot be resolved. It has to be safe for concurrent use.
	Resolve func(p *engine.User, expression string) (string, bool)
}

// zone returns the workspace's time zone, UTC where it has none.
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

// Audience is filters made ready to be asked of many profiles. It is immutable, and safe for
// concurrent use where [Env].Resolve is.
type Audience struct{ top *top }

// Compile makes filters ready. What cannot be evaluated, because it is unfinished, unknown or asks
// for a segment that is not there, comes back as problems with paths from the filters' root; there is
// no audience then.
func Compile(filters doc.Value, env Env) (*Audience, []schema.Problem) {
	c := newCompiler(env)
	t := c.top(filters)
	if len(c.problems) > 0 {
		return nil, c.problems
	}
	return &Audience{t}, nil
}

// Match reports whether the profile is in the audience. It does not keep p.
func (a *Audience) Match(p *engine.User) bool { return a.top.match(p, nil) }

// Explain tells what each filter says of the profile, and what of the profile it says it of.
func (a *Audience) Explain(p *engine.User) engine.AudienceResult { return a.top.explain(p, nil) }
