package accessible

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/muesli/cancelreader"

	"bugle/ui/widget"
)

// Errors that end a question without an answer.
var (
	errBack           = errors.New("back to the question before")
	errTooManyInvalid = errors.New("too many answers were not understood")
	errQuit           = errors.New("the person asked for the end")
)

// isBack reports whether a question was left, so that the one around it continues.
func isBack(err error) bool { return errors.Is(err, errBack) || errors.Is(err, errTooManyInvalid) }

// maxInvalidAnswers is how many invalid answers a question accepts before it is left.
const maxInvalidAnswers = 10

// invalidAnswer is returned for an invalid answer, so that the question is asked again.
type invalidAnswer struct{ reason string }

func (a invalidAnswer) Error() string { return a.reason }

func invalid(format string, args ...any) error { return invalidAnswer{fmt.Sprintf(format, args...)} }

// console prints lines and asks questions, each on a line of its own; nothing printed is changed afterwards.
// Questions are asked by one goroutine, lines may be printed by several.
type console struct {
	in *lineReader
	// commands are the words and names of the menus that were listed, in lower case.
	commands []string

	mu       sync.Mutex
	out      io.Writer
	writeErr error // first error of out
	// endsPromptLine reports that the input does not echo the end of a prompt's line, because it is not a terminal.
	endsPromptLine bool
}

// println prints one or several lines. Control characters of documents and servers are removed.
func (c *console) println(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	c.write(widget.CleanLines(text) + "\n")
}

func (c *console) write(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writeErr == nil {
		_, c.writeErr = io.WriteString(c.out, text)
	}
}

func (c *console) writeFailure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.writeErr
}

// line asks for one line and returns it without its line end.
func (c *console) line(ctx context.Context, prompt string) (string, error) {
	c.write(widget.Clean(prompt) + ": ")
	if err := c.writeFailure(); err != nil {
		return "", fmt.Errorf("the questions cannot be written: %w", err)
	}
	text, err := c.in.next(ctx)
	if c.endsPromptLine || err != nil {
		c.write("\n")
	}
	return text, err
}

// Words that every question understands.
const (
	wordHelp   = "?"
	wordBack   = "back"
	wordCancel = "cancel"
	wordQuit   = "quit"
	wordClear  = "clear"
	wordKeep   = "keep"
	wordList   = "list"
	wordEdit   = "edit"
	wordLines  = "lines"
	wordRead   = "read"
)

const commonHelp = "At any question, type back to go back, or quit to save everything and quit; :back and :quit work too. " +
	"A command is never stored as a text. To store such a word, put a backslash before it."

// question is a question answered with one line.
type question struct {
	prompt string
	help   func() []string
	// words are those that the question understands besides its answers.
	words []string
	// text reports that the answer is stored as it is typed, so that it must not be a command; names are the texts that it
	// may be anyway.
	text  bool
	names []string
	// handle handles an answer, which may be empty. If it returns an [invalidAnswer], the question is asked again.
	handle func(answer) error
}

// answer is what the user typed.
type answer struct {
	text string
	word string // the word, if the line was one of the question's words
}

// ask asks until an answer is valid.
func (c *console) ask(ctx context.Context, q question) error {
	for missed := 0; ; {
		text, err := c.line(ctx, q.prompt)
		if err != nil {
			return err
		}
		if low := command(text); q.understands(low) && (!q.text || strings.HasPrefix(text, ":")) {
			text = low
		}
		switch text {
		case wordHelp:
			if q.help != nil {
				for _, l := range q.help() {
					c.println("%s", l)
				}
			}
			c.println(commonHelp)
			continue
		case wordBack, wordCancel:
			return errBack
		case wordQuit:
			return errQuit
		}
		switch {
		case strings.ContainsRune(text, '\x1b'):
			err = invalid("Arrow and other cursor keys do not work here. Type your answer again.")
		case q.text && !slices.Contains(q.words, text) && c.isCommand(q, text):
			err = invalid("%s was not stored, because it is a command. Type :back to go back, or \\%s to store it as a text.", strings.TrimSpace(text), strings.TrimSpace(text))
		default:
			err = q.handle(c.parse(q, text))
		}
		var a invalidAnswer
		if !errors.As(err, &a) {
			return err
		}
		c.println("%s", a.reason)
		if missed++; missed == maxInvalidAnswers {
			c.println("That was %d invalid answers in a row. The value was left as it was.", maxInvalidAnswers)
			return errTooManyInvalid
		}
	}
}

// command returns a line as a command: without outer blanks, capitals, and a colon before it.
func command(line string) string {
	return strings.ToLower(strings.TrimPrefix(strings.TrimSpace(line), ":"))
}

// understands reports whether a word is a command at the question.
func (q question) understands(word string) bool {
	return slices.Contains([]string{wordHelp, wordBack, wordCancel, wordQuit}, word) || slices.Contains(q.words, word)
}

// isCommand reports whether a line is a command, here or in a menu, or looks like one.
func (c *console) isCommand(q question, line string) bool {
	word := command(line)
	if slices.ContainsFunc(q.names, func(name string) bool { return strings.EqualFold(name, word) }) {
		return false
	}
	return q.understands(word) || slices.Contains(c.commands, word) || strings.HasPrefix(line, ":")
}

// parse parses a line as one of the question's words, or as text. A backslash before a command makes it text.
func (c *console) parse(q question, text string) answer {
	for _, w := range q.words {
		if text == w {
			return answer{word: w}
		}
	}
	if bare, ok := strings.CutPrefix(text, `\`); ok {
		if c.isCommand(q, strings.TrimLeft(bare, `\`)) {
			return answer{text: bare}
		}
	}
	return answer{text: text}
}

// confirm asks a question that is answered with yes or no. An empty line means instead.
func (c *console) confirm(ctx context.Context, prompt string, instead bool) (bool, error) {
	yes := instead
	hint := "yes or no, Enter is no"
	if instead {
		hint = "yes or no, Enter is yes"
	}
	err := c.ask(ctx, question{
		prompt: prompt + " (" + hint + ")",
		help:   func() []string { return []string{"Answer yes or no. y and n work too."} },
		handle: func(a answer) error {
			switch strings.ToLower(strings.TrimSpace(a.text)) {
			case "":
			case "y", "yes":
				yes = true
			case "n", "no":
				yes = false
			default:
				return invalid("Answer yes or no.")
			}
			return nil
		},
	})
	return yes, err
}

// lineReader reads lines, and stops waiting when a context ends.
type lineReader struct {
	r      *bufio.Reader
	cancel func() bool
}

// newLineReader returns a reader of the lines of r. Waiting for a terminal or a pipe can be canceled; for other
// readers it continues in the background until their next line or end, which is dropped.
func newLineReader(r io.Reader) *lineReader {
	can, err := cancelreader.NewReader(r)
	if err != nil { // a plain file, which never blocks
		return &lineReader{bufio.NewReader(r), func() bool { return false }}
	}
	return &lineReader{bufio.NewReader(can), can.Cancel}
}

// maxLineLength is the maximum length of a line in bytes.
const maxLineLength = 4 << 20

func (l *lineReader) next(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	type line struct {
		text string
		err  error
	}
	got := make(chan line, 1)
	go func() {
		text, err := l.read()
		got <- line{text, err}
	}()
	select {
	case g := <-got:
		return g.text, g.err
	case <-ctx.Done():
		if l.cancel() {
			<-got
		}
		return "", ctx.Err()
	}
}

// read returns the next line. A last line without a line end counts too.
func (l *lineReader) read() (string, error) {
	var b []byte
	for {
		part, err := l.r.ReadSlice('\n')
		b = append(b, part...)
		switch {
		case len(b) > maxLineLength:
			return "", fmt.Errorf("a line of more than %d million characters was typed", maxLineLength>>20)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(b) == 0:
			return "", err
		}
		text := strings.TrimSuffix(string(b), "\n")
		return strings.TrimSuffix(text, "\r"), nil
	}
}
