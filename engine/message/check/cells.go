package check

import (
	"strings"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/edit/grid"
	"bugle/engine/message/template"
	"bugle/engine/schema"
)

// untranslated finds messages of a locale that say the same as those of the default one.
func untranslated(r *run) {
	for _, m := range r.messages {
		if m.Locale == engine.DefaultLocale {
			continue
		}
		of := r.messageOf(m.Platform, engine.DefaultLocale, m.Variation)
		if of == nil {
			continue
		}
		var same []string
		for _, t := range m.texts {
			if !t.Path.HasPrefix(m.Content) {
				continue // of the whole campaign
			}
			rest := t.Path[len(m.Content):]
			n := r.schema.At(t.Path)
			if n != nil && n.Lead > 0 && r.prose(t.Path, t.Source) && of.content.Lookup(rest).Text() == t.Source {
				same = append(same, strings.ToLower(n.Label()))
			}
		}
		if len(same) > 0 {
			r.find("locale-untranslated", m.Content, m.TestKey, "%s: %s %s as in the default locale", grid.LocaleName(m.Locale), strings.Join(same, ", "), isAre(len(same)))
		}
	}
}

// prose reports whether a text has words of its own, which are written anew for each language.
func (r *run) prose(at doc.Path, text string) bool {
	n := r.schema.At(at)
	if n == nil || n.Links == schema.LinkItself || strings.Contains(text, "://") && n.Links == schema.NoLinks || n.Name == catalog.EmailSender || strings.Contains(text, "@") && !strings.Contains(text, " ") {
		return false
	}
	words := 0
	for part := range template.Parts(text) {
		if part.Kind == template.TextPart {
			words += len(strings.Fields(part.Source))
		}
	}
	return words > 1
}

func (r *run) messageOf(platform, locale, variation string) *message {
	for _, m := range r.messages {
		if m.Platform == platform && m.Locale == locale && m.Variation == variation {
			return m
		}
	}
	return nil
}

// identical finds variations that are the same on every platform and in every locale.
func identical(r *run) {
	_, locales, variations := engine.KeyChoices(r.channel, r.document)
	member := "push"
	if r.channel == catalog.Email {
		member = "email"
	}
	cell := func(locale, variation string) (doc.Path, doc.Value) {
		at := doc.P(string(catalog.CampaignContent), "content", locale, variation, member)
		return at, r.document.Lookup(at)
	}
	for i, b := range variations[:min(len(variations), 50)] {
		for _, a := range variations[:i] {
			same, any := true, false
			for _, l := range locales {
				_, x := cell(l, a)
				_, y := cell(l, b)
				same, any = same && doc.Equal(x, y), any || !x.Empty()
			}
			if same && any {
				at, _ := cell(engine.DefaultLocale, b)
				r.find("variations-identical", at, engine.TestKey{Locale: engine.DefaultLocale, Variation: b, Content: at},
					"Variation %s is the same as %s", grid.VariationName(b), grid.VariationName(a))
				break
			}
		}
	}
}
