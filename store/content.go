package store

import "bugle/engine"

// ContentKinds returns the kinds of content that have records of their own; content blocks are part of the settings.
func ContentKinds() []engine.ContentKind {
	return []engine.ContentKind{engine.KindProducts, engine.KindAPI, engine.KindTemplate}
}
