package validate

import (
	"bugle/engine/catalog"
	"bugle/engine/message/check"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/ui/screen"
	"bugle/ui/validate/problems"
)

// Read says whether the campaign can be published, its problems and its warnings.
func (s *Screen) Read() screen.Page {
	switch {
	case s.failed != nil:
		return screen.Page{Summary: "Cannot check the campaign: " + phrase.Sentence(s.failed.Error())}
	case !s.checked:
		return screen.Page{}
	}
	part := s.list.Read()
	for _, note := range s.warnings.result.NotChecked() {
		part.Lines = append(part.Lines, phrase.Sentence(note))
	}
	return screen.Page{Summary: s.summary(), Cursor: s.list.At(), Parts: []screen.Part{part}}
}

// summary describes the result of the validation.
func (s *Screen) summary() string {
	text := "Valid: this campaign can be published."
	switch {
	case s.pending && s.campaign.Status != catalog.Draft:
		text = "Valid: your changes can be applied."
	case s.campaign.Status != catalog.Draft:
		text = "Nothing is wrong with it."
	}
	if s.errors > 0 {
		text = "Not valid yet: " + problems.Count(s.errors, schema.Error) + "."
	}
	if s.notices > 0 {
		text += " " + problems.Count(s.notices, schema.Notice) + "."
	}
	if n := s.warnings.result.Count(check.Warning); n > 0 {
		text += " " + phrase.Count(n, "warning") + "."
	}
	return text
}
