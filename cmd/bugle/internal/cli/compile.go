package cli

import (
	"context"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/mjml"
)

// Compile returns a body in which the MJML of emails was compiled to HTML. before is the body of the campaign that it
// changes, which may be absent. The error has the problems of what cannot be compiled, or is that of ctx.
func Compile(ctx context.Context, ch engine.Channel, before, body doc.Value) (doc.Value, error) {
	out, problems, err := mjml.UpdateAll(ctx, catalog.Campaign(ch), before, body)
	if err == nil {
		err = engine.Invalid(problems)
	}
	return out, err
}
