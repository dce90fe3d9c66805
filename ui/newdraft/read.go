package newdraft

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/forms/textfield"
	"bugle/ui/screen"
	"bugle/ui/widget"
)

// Read asks for what the draft needs; for the creator only if it is not known.
func (s *Screen) Read() screen.Page {
	var rows screen.RowSlice
	for _, f := range s.fields {
		rows = append(rows, s.readField(f))
	}
	return screen.Page{
		Form: true, Cursor: s.at() + 1, Summary: strings.Join(s.refusalLines(), " "), Parts: []screen.Part{{Rows: rows}},
		Done: func() tea.Cmd { return s.create(false) },
	}
}

// readField is one question.
func (s *Screen) readField(f any) screen.Row {
	switch f {
	case s.channels:
		var all []screen.FormOption
		for _, ch := range s.offeredChannels() {
			all = append(all, screen.FormOption{Value: string(ch), Label: ch.Label(), Help: channelHelp(ch), On: ch == s.channel})
		}
		return s.spokenChoice("Channel", all, func(text string) { s.channel = engine.Channel(text) })
	case s.types:
		var all []screen.FormOption
		for _, o := range catalog.DeliveryTypes(s.channel) {
			if o.Offered {
				all = append(all, screen.FormOption{Value: string(o.Type), Label: o.Label, Help: o.Help, On: o.Type == s.deliveryType})
			}
		}
		return s.spokenChoice("Delivery type", all, func(text string) { s.deliveryType = catalog.DeliveryType(text) })
	case s.name:
		return spokenText("Name", "Recipients never see it. You can leave it empty until you publish.", s.name)
	}
	return spokenText("Creator", "The email address of the person who creates the campaign.", s.creator)
}

func (s *Screen) spokenChoice(name string, all []screen.FormOption, choose func(string)) screen.Row {
	row := screen.Row{Text: name}
	if on := slices.IndexFunc(all, func(o screen.FormOption) bool { return o.On }); on >= 0 {
		row.State = all[on].Label
	}
	row.Field = &screen.FormField{Required: true, Options: all, Help: []string{"You cannot change it later."}, Set: func(text string) (string, tea.Cmd, error) {
		choose(text)
		s.build(s.at())
		return "", nil, nil
	}}
	return row
}

func spokenText(name, help string, in *textfield.Field) screen.Row {
	return screen.Row{Text: name, State: widget.Clean(in.Text()), Field: &screen.FormField{
		Value: in.Text(), Help: []string{help}, Set: func(text string) (string, tea.Cmd, error) {
			was := in.Text()
			in.SetText(text)
			if err := in.Check(); err != nil {
				in.SetText(was)
				return "", nil, err
			}
			return "", nil, nil
		}}}
}
