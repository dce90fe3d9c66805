package audience

import (
	"context"
	"iter"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/visible"
)

// batchSize is the number of users between two checks of the context and progress reports.
const batchSize = 4096

// Estimate counts the users in the audience, and how many of them a message can reach. Progress, if not nil,
// is called with the count as it grows. If the sequence fails or ctx ends, it returns the error with the
// count so far.
func Estimate(ctx context.Context, a *Audience, profiles iter.Seq2[engine.User, error], progress func(engine.AudienceCount)) (engine.AudienceCount, error) {
	var out engine.AudienceCount
	var p engine.User // one place for all of them
	for next, err := range profiles {
		if err != nil {
			return out, err
		}
		p = next
		out.Total++
		if a.Match(&p) {
			out.Matched++
			reach(&out.Reach, &p)
		}
		if out.Total%batchSize != 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if progress != nil {
			progress(out)
		}
	}
	return out, ctx.Err()
}

// reach counts the user for each channel that can reach them.
func reach(r *engine.AudienceReach, p *engine.User) {
	if address, _ := p.Attributes[engine.AttrEmail].(string); isAddress(address) {
		r.Email++
	}
	android, ios, web := 0, 0, 0
	for i := range p.Devices {
		if p.Devices[i].Token == "" {
			continue
		}
		switch catalog.Platform(p.Devices[i].Platform) {
		case catalog.Android:
			android = 1
		case catalog.IOS:
			ios = 1
		case catalog.Web:
			web = 1
		}
	}
	r.Android, r.IOS, r.Web = r.Android+android, r.IOS+ios, r.Web+web
	if android+ios+web > 0 {
		r.Push++
	}
}

// isAddress is a rough check for an email address; a send checks more closely.
func isAddress(s string) bool {
	at := strings.LastIndexByte(s, '@')
	return at > 0 && at < len(s)-1 && !visible.HasBlank(s)
}
