package template

// Span is the place of a node in the source: the byte offset at which it starts, and the one after its end.
type Span struct{ Start, End int }

// Place returns the span itself; nodes embed it.
func (s Span) Place() Span { return s }

func (s *Span) setPlace(to Span) { *s = to }

// Node is a part of a template: *[Text], *[Output] or one of the statements.
type Node interface {
	Place() Span
	setPlace(Span)
}

// Expr is an expression.
type Expr interface{ Place() Span }

// The nodes of a template. A statement's span is from the start of its first tag to the end of its last.
type (
	// Text is what is written as it stands. White space that neighboring tags remove is not in Value; what
	// stands in raw is.
	Text struct {
		Span
		Value string
	}
	// Output is {{ X }}; also {% filter %}, whose X is the filters around a *[Captured], and {% call %}, whose X
	// has its body as the argument caller.
	Output struct {
		Span
		X Expr
	}
	// If is {% if %}…{% elif %}…{% else %}…{% endif %}.
	If struct {
		Span
		Branches []Branch
	}
	// For is {% for Target in X if Cond recursive %}…{% else %}…{% endfor %}. Cond may be nil, and Else is nil
	// if there is none. Target is a *[Name], or a tuple of targets.
	For struct {
		Span
		Target, X, Cond Expr
		Recursive       bool
		Body, Else      []Node
	}
	// Set is {% set Target = X %}, or {% set Target|filters %}…{% endset %}, in which X is the filters around a
	// *[Captured], or {% macro %}, in which it is a *[Macro]. Target is a *[Name], a *[Member] of a name (a
	// namespace's), a tuple of these, or nil for {% do X %}.
	Set struct {
		Span
		Target, X Expr
	}
	// With is {% with a = 1, b = 2 %}…{% endwith %}, or {% autoescape Autoescape %}…{% endautoescape %}.
	With struct {
		Span
		Vars       []*Set
		Autoescape Expr
		Body       []Node
	}
)

// Branch is a part of an [If] that is written if Cond holds, which is nil for else.
type Branch struct {
	Span // of its tag
	Cond Expr
	Body []Node
}

// The expressions.
type (
	// Literal is a number, a text, true, false or none: int, float64, string, bool or nil.
	Literal struct {
		Span
		Value any
	}
	// Name is a variable, or one of the names that every template has, such as user.
	Name struct {
		Span
		Name string
	}
	// Member is X[Key], or X.Key if Dot is set: Key is then a *[Literal] of the name. A number after a dot is X[Key].
	Member struct {
		Span
		X, Key Expr
		Dot    bool
	}
	// Call is X(Args).
	Call struct {
		Span
		X    Expr
		Args []Arg
	}
	// Filter is X|Name(Args), or X is Name(Args) if Func is a test.
	Filter struct {
		Span
		X    Expr
		Func *Function
		Name string // as written
		Args []Arg
	}
	// Operation is an operator with its operands: one for not + -, two for or and + - ~ * / // % **. Those of
	// "if" are the value, the condition, and the value without it, which is nil if there is no else: the value is
	// then missing, as in Jinja. Those of "[:]" are From, To and Step of the key in X[From:To:Step], which may be nil.
	// Those of "[]" and "()" are the items of a list and of a tuple, and those of "{}" the keys and values of a map
	// in turn.
	Operation struct {
		Span
		Op       string
		Operands []Expr
	}
	// Compare is a chain: X < Y <= Z holds if both comparisons do, and evaluates each operand at most once. Ops
	// are == != < <= > >= in and "not in", one less than operands.
	Compare struct {
		Span
		Ops      []string
		Operands []Expr
	}
	// Captured is the text that the body of a statement comes to.
	Captured struct {
		Span
		Body []Node
	}
	// Macro is what {% macro name(Params) %} sets, and what {% call(Params) %} passes as caller.
	Macro struct {
		Span
		Name   string
		Params []Arg // with a name; X is the default, nil if it is required
		Body   []Node
	}
)

// Arg is an argument of a call: x or Name=x.
type Arg struct {
	Name string
	X    Expr
}
