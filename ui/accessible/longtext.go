package accessible

import (
	"context"
	"strings"

	"bugle/engine/doc"
	"bugle/engine/message/mjml"
	"bugle/engine/phrase"
)

const longHelp = "Type one line. Type edit to open your editor, or lines to type several lines and end with a line that is only a dot. " +
	"Most terminals accept up to about 4,000 characters in a line. Type read to hear the whole text."

// longText asks for a text of several lines.
func (f *fields) longText(ctx context.Context, r row) error {
	a := &fieldQuestion{fields: f, row: r}
	ways := []string{wordLines, wordRead}
	prompt := r.label + ", one line, or lines"
	if f.edit != nil {
		ways = append(ways, wordEdit)
		prompt += ", or edit"
	}
	return f.ask(ctx, question{
		prompt: prompt, text: true, words: fieldWords(r, ways...),
		help: func() []string { return append(f.help(r)(), longHelp) },
		handle: func(got answer) error {
			switch got.word {
			case wordRead:
				return f.readAloud(r)
			case wordLines:
				return f.typeLines(ctx, a)
			case wordEdit:
				return f.editExternally(ctx, a)
			}
			if done, err := a.commonAnswer(ctx, got); done {
				return err
			}
			return a.saveValue(ctx, doc.NewString(got.text), "")
		},
	})
}

// readAloud prints the whole text.
func (f *fields) readAloud(r row) error {
	if r.Value.Text() == "" {
		return invalid("There is no text yet.")
	}
	f.println("%s", r.Value.Text())
	return invalid("End of the text.")
}

// typeLines reads lines until one with a single dot. A line that begins with two dots loses one.
func (f *fields) typeLines(ctx context.Context, a *fieldQuestion) error {
	f.println("Type the text. End it with a line that is only a dot. Nothing is saved before that.")
	var out []string
	for {
		text, err := f.line(ctx, "Line")
		if err != nil {
			return err
		}
		if text == "." {
			break
		}
		if strings.HasPrefix(text, "..") {
			text = text[1:]
		}
		out = append(out, text)
	}
	if len(out) == 0 {
		return invalid("Nothing was typed. The text was left as it was.")
	}
	return a.saveValue(ctx, doc.NewString(strings.Join(out, "\n")), "")
}

// editExternally opens the text in the user's editor.
func (f *fields) editExternally(ctx context.Context, a *fieldQuestion) error {
	before := a.row.Value.Text()
	if a.rejected.Exists() {
		before = a.rejected.Text()
	}
	suffix := ".html"
	if mjml.IsSource(before) {
		suffix = ".mjml"
	}
	after, err := f.edit(ctx, before, suffix)
	if err != nil {
		return invalid("%s", phrase.Sentence(err.Error()))
	}
	if after == before+"\n" {
		after = before // editors end the last line with a newline
	} else if before == "" || !strings.HasSuffix(before, "\n") {
		after = strings.TrimSuffix(after, "\n")
	}
	switch {
	case after == a.row.Value.Text():
		f.println("Not changed.")
		return nil
	case after == "":
		_, err := a.commonAnswer(ctx, answer{word: wordClear})
		return err
	}
	return a.saveValue(ctx, doc.NewString(after), "")
}
