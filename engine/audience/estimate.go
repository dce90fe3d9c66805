package audience

import (
	"context"
	"iter"
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
)

// batchSize is how many profiles are looked at between two looks at the context and two tellings.
const batchSize = 4096

// Estimate counts who of the profiles is in the audience, and how many of those a message can reach.
// Progress, where it is not nil, is told of the count as it grows. An error of the profiles, or the
// end of ctx, ends the count with what was counted so far.
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

// reach counts the profile wherever a message can reach it.
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

// isAddress tells what looks like an address from what does not; a send looks closer.
func isAddress(s string) bool {
	at := strings.LastIndexByte(s, '@')
	return at > 0 && at < len(s)-1 && !strings.ContainsAny(s, " \t\r\n")
}
