package accessible

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/muesli/cancelreader"

	"bugle/ui/widget"
)

// How a question can end other than by an answer.
var (
	errBack = errors.New("back to the question before")
	errTooManyInvalid = errors.New("too many answers were not understood")
	errQuit = errors.New("the person asked for the end")
)

// isBack reports that a question was left, and the one around it goes on.
func isBack(err error) bool { return errors.Is(err, errBack) || errors.Is(err, errTooManyInvalid) }

// maxInvalidAnswers is how many answers to one question may go wrong before it is left.
const maxInvalidAnswers = 10

// invalidAnswer is an answer that does not do: the sentence says why, and the question is asked again.
type invalidAnswer struct{ reason string }

func (a invalidAnswer) Error() string { return a.reason }

func invalid(format string, args ...any) error { return invalidAnswer{fmt.Sprintf(format, args...)} }

// console asks questions in lines: what is told ends with a line end, a question stands on a line of
// its own, and nothing that was written changes. It is used by one goroutine; what is told may come
// from several.
type console struct {
	in *lineReader

	mu     sync.Mutex
	out    io.Writer
	writeErr error // of out
	// endsPromptLine says that nobody ends the line of a question by pressing Enter: the input is no terminal.
	endsPromptLine bool
}

// println tells one line, or several where the text has line ends. What documents and servers say is told
// without the characters that a terminal obeys.
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

// line asks for one line, without its line end.
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

// The words that are understood at every question.
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

const commonHelp = "At any question, type back to go back, or quit to save everything and quit. " +
	"To answer with one of these words itself, put a backslash before it."

// question is what is asked in one line.
type question struct {
	prompt string
	help   func() []string
	// words are those that the question understands besides its answers, as the answer is told them.
	words []string
	// handle takes an answer; empty where the line was. Where that is [invalidAnswer], the question is asked again.
	handle func(answer) error
}

// answer is what a person typed.
type answer struct {
	text string
	word string // one of the question's words, where the line was that
}

// ask asks until an answer does.
func (c *console) ask(ctx context.Context, q question) error {
	for missed := 0; ; {
		text, err := c.line(ctx, q.prompt)
		if err != nil {
			return err
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
		err = invalid("Arrow and other cursor keys do not work here. Type your answer again.")
		if !strings.ContainsRune(text, '\x1b') {
			err = q.handle(q.parse(text))
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

// parse takes an answer apart: one of the question's words, or a text. A backslash makes a text of a
// word.
func (q question) parse(text string) answer {
	for _, w := range q.words {
		if text == w {
			return answer{word: w}
		}
	}
	if bare, ok := strings.CutPrefix(text, `\`); ok {
		switch rest := strings.TrimLeft(bare, `\`); {
		case rest == wordHelp || rest == wordBack || rest == wordCancel || rest == wordQuit:
			return answer{text: bare}
		default:
			for _, w := range q.words {
				if rest == w {
					return answer{text: bare}
				}
			}
		}
	}
	return answer{text: text}
}

// confirm asks a question that is answered with yes or no. An empty line is what instead says.
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

// lineReader reads lines from a reader, and stops waiting where a context ends.
type lineReader struct {
	r      *bufio.Reader
	cancel func() bool
}

// newLineReader reads from r. Waiting for a terminal or a pipe can be ended; for other readers it goes on
// in the background to their next line or end, and what comes is dropped.
func newLineReader(r io.Reader) *lineReader {
	can, err := cancelreader.NewReader(r)
	if err != nil { // a plain file, which never makes anybody wait
		return &lineReader{bufio.NewReader(r), func() bool { return false }}
	}
	return &lineReader{bufio.NewReader(can), can.Cancel}
}

// maxLineLength is how long a line may be, in bytes.
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

// read returns the next line. A last line without a line end counts as one.
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
