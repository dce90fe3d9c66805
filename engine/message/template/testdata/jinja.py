"""Renders templates with Jinja, the reference: reads lines of {"template", "context"}, and answers each with a line
of {"result"} or {"error"}.

This is Jinja as it comes. With the argument "decided" it is Jinja with the decisions that the random comparison
would meet in every second template, so that everything else can be compared exactly:

  - a missing value fails the message unless it meets default, and, or, not, if, a test, == or !=; what is looked
    up in it is missing too (Jinja prints nothing, or fails for what is looked up)
    (Jinja finds a missing value in nothing); a loop over it writes its else, also an empty one, which Jinja drops
  - default also replaces none, and what data made fail: a value that is missing inside, or a division by zero
  - a none that is written is missing, and so is null in data, and what get does not find, which equals none, too
  - a float that is whole is written without a fraction, and one in the data as it is spelled there
  - wordwrap leaves words with hyphens whole
  - x.name of a map is its entry, also if maps have a method of that name
"""

import json
import re
import sys
from functools import wraps

from jinja2 import Environment, Undefined, UndefinedError, nodes, pass_context
from jinja2.compiler import CodeGenerator
from jinja2.runtime import Macro, missing
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup


class Missing(Undefined):
    __iter__ = __str__ = __len__ = __contains__ = __format__ = __repr__ = __hash__ = Undefined._fail_with_undefined_error

    def __getitem__(self, key):
        if isinstance(key, slice):
            given(key.start), given(key.stop), given(key.step)
        return type(self)(name=self._undefined_name)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __call__(self, *args, **named):
        if self._undefined_obj is missing:
            return self[""]
        raise TypeError("no such method")


class Nothing(Missing):
    def __str__(self):
        return ""


class Absent(Missing):
    __hash__ = Missing.__hash__

    def __eq__(self, other):
        return other is None or isinstance(other, Undefined)


class Float(float):
    spelling = None

    def __str__(self):
        return self.spelling or (str(int(self)) if self.is_integer() and abs(self) < 1e15 else float.__repr__(self))

    __repr__ = __str__

    def __neg__(self):
        return Float(-float(self))

    def __format__(self, how):
        if how and self.is_integer() and how[-1:] not in tuple("eEfFgG%"):
            return format(int(self), how)
        return float.__format__(self, how) if how else str(self)


def written(value):
    return Float(value) if type(value) is float else value


class Code(CodeGenerator):
    def visit_Filter(self, node, frame):
        if node.name not in ("default", "d") or node.node is None:
            return super().visit_Filter(node, frame)
        self.write("environment.replace(lambda: ")
        self.visit(node.node, frame)
        self.signature(node, frame)
        self.write(")")

    def visit_Const(self, node, frame):
        if isinstance(node.value, float):
            return self.write(f"environment.filters['float']({node.value!r})")
        super().visit_Const(node, frame)


class Decided(SandboxedEnvironment):
    code_generator_class = Code
    intercepted_binops = frozenset(SandboxedEnvironment.default_binop_table)

    def _parse(self, source, name, filename):
        def wrap(node, name):
            return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno or 1, environment=self)

        source = re.sub(r"(\{%[-+]?\s*else\s*[-+]?%\}\s*)(\{%([-+]?)\s*endfor)", r"\1{%\3 if 0 %}{% endif %}\2", source)
        tree = super()._parse(source, name, filename)
        for node in list(tree.find_all((nodes.CondExpr, nodes.For, nodes.Compare, nodes.Filter, nodes.List, nodes.Tuple, nodes.Pair))):
            if isinstance(node, nodes.CondExpr):
                node.expr2 = node.expr2 or wrap(nodes.Const(None), "nothing")
            elif isinstance(node, nodes.For) and node.else_:
                node.iter = wrap(node.iter, "listed")
            elif isinstance(node, nodes.Compare):
                for left, op in zip([node, *node.ops], node.ops):
                    if op.op in ("in", "notin"):
                        left.expr = wrap(left.expr, "given")
            elif isinstance(node, nodes.Filter) and node.name not in ("default", "d"):
                node.node = node.node and wrap(node.node, "known")
                if node.node and node.name in ("indent", "truncate", "wordwrap"):
                    node.node = wrap(node.node, "string")
                node.args = [wrap(arg, "given") for arg in node.args]
                for pair in node.kwargs:
                    pair.value = wrap(pair.value, "given")
            elif isinstance(node, (nodes.List, nodes.Tuple)) and getattr(node, "ctx", "load") == "load":
                node.items = [wrap(item, "given") for item in node.items]
            elif isinstance(node, nodes.Pair):
                node.key, node.value = wrap(node.key, "given"), wrap(node.value, "given")
        return tree

    def call_binop(self, context, operator, left, right):
        if operator == "**" and isinstance(right, int) and right > 64 and isinstance(left, int) and abs(left) > 1:
            raise ZeroDivisionError("too large, and Python would compute it for minutes")
        return written(self.binop_table[operator](given(left), given(right)))

    def getattr(self, obj, name):
        return obj[name] if isinstance(obj, dict) and name in obj else super().getattr(obj, name)

    def getitem(self, obj, key):
        return super().getitem(obj, given(key))

    def call(self, context, f, *args, **named):
        if not isinstance(f, Macro):
            args, named = [given(arg) for arg in args], {name: given(arg) for name, arg in named.items()}
        value = super().call(context, f, *args, **named)
        owner = getattr(f, "__self__", None)
        if value is None and isinstance(owner, dict) and f.__name__ == "get" and args[0] not in owner:
            return Absent(name="get")
        return written(value)

    def replace(self, value, default="", boolean=False):
        try:
            value = value()
        except (UndefinedError, ZeroDivisionError):
            return default
        return self.filters["default"](value, default, boolean)


def given(value):
    return value._fail_with_undefined_error() if isinstance(value, Undefined) else value


def known(value):
    return "" if isinstance(value, Nothing) else given(value)


def nothing(_):
    return Nothing(name="an if without an else")


def listed(value):
    return () if isinstance(value, Undefined) else value


@pass_context  # so that nothing is computed before it
def finalize(context, value):
    return Missing(name="none") if value is None else value


def spelled(text):
    value = Float(text)
    value.spelling = text
    return value


def marked(value):
    if isinstance(value, dict):
        return {key: marked(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [marked(item) for item in value]
    return f"\0{value}\0" if isinstance(value, Float) else value


def dumps(value, **how):
    return re.sub(r'"\\u0000(.*?)\\u0000"', r"\1", json.dumps(marked(value), **how))


settings = {"keep_trailing_newline": True, "extensions": ["jinja2.ext.do"]}
environment = Environment(**settings)
loading = {"object_pairs_hook": lambda pairs: dict(sorted(pairs))}  # as maps of the data are
if "decided" in sys.argv:
    environment = Decided(undefined=Missing, finalize=finalize, optimized=False, **settings)
    environment.policies["json.dumps_function"] = dumps
    filters, tests = environment.filters, environment.tests
    filters |= {"known": known, "given": given, "nothing": nothing, "listed": listed}
    for name in ("float", "round", "sum", "abs"):
        filters[name] = wraps(filters[name])(lambda *args, f=filters[name], **named: written(f(*args, **named)))
    for name in ("default", "d"):
        filters[name] = lambda value, default="", boolean=False, f=filters[name]: default if value is None else f(value, default, boolean)
    wordwrap = filters["wordwrap"]
    filters["wordwrap"] = wraps(wordwrap)(lambda *args, **named: wordwrap(*args, **named, break_on_hyphens=False))
    for name in ("lower", "upper", "callable"):
        tests[name] = lambda value, *, f=tests[name]: not isinstance(value, Undefined) and f(value)
    for name, known_names in ("filter", filters), ("test", tests):
        tests[name] = lambda value, *, names=known_names: not isinstance(value, Undefined) and value in names
    for name in ("sequence", "iterable"):
        tests[name] = lambda value, *, f=tests[name]: isinstance(value, Undefined) or f(value)
    tests["none"] = lambda value: value is None or isinstance(value, Absent)
    tests["in"] = lambda value, items: given(value) in items
    Markup.__repr__ = str.__repr__
    loading = {"parse_float": spelled, "object_pairs_hook": lambda pairs: {k: v for k, v in sorted(pairs) if v is not None}}

for line in sys.stdin:
    asked = json.loads(line)
    context = json.loads(asked["context"], **loading)
    for short, name in ("user", "UserAttribute"), ("event", "EventAttribute"):
        context[short] = context.setdefault(name, {})
    try:
        answer = {"result": environment.from_string(asked["template"]).render(context)}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
