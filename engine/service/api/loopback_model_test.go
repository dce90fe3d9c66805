package api_test

import (
	"math"
	"net/http"
	"sort"
	"strconv"
	"time"

	"bugle/engine/service/api/limit"
)

// rolling is the naive model of one set of windows: it keeps all that passed, and counts them anew
// at each question.
type rolling struct {
	windows []limit.Window
	passed  []batch
}

// batch is so many that passed at one moment.
type batch struct {
	at time.Time
	n  int
}

// room is how many more may pass at now.
func (m *rolling) room(now time.Time) int {
	left := 1 << 30
	for _, w := range m.windows {
		n, from := w.N, now.Add(-w.Per)
		for _, b := range m.passed {
			if b.at.After(from) {
				n -= b.n
			}
		}
		left = min(left, n)
	}
	return left
}

// wait is how long after now the next one passes, where none passes meanwhile.
func (m *rolling) wait(now time.Time) time.Duration {
	longest := 24 * time.Hour
	return time.Duration(sort.Search(int(longest), func(d int) bool { return m.room(now.Add(time.Duration(d))) > 0 }))
}

func (m *rolling) add(now time.Time, n int) {
	if n > 0 {
		m.passed = append(m.passed, batch{now, n})
	}
}

// wholeSeconds returns the wait as Retry-After must say it: never too short.
func wholeSeconds(wait time.Duration) string { return strconv.Itoa(int(math.Ceil(wait.Seconds()))) }

// caller is who has windows of its own: a workspace, a credential and an operation.
type caller struct{ workspace, key, operation string }

// said is all that a caller learns of an answer.
type said struct {
	status     int
	retryAfter string
}

// model says what callers must be answered.
type model struct {
	requests  map[caller]*rolling
	creations map[caller]*rolling
}

func newModel() *model {
	return &model{requests: map[caller]*rolling{}, creations: map[caller]*rolling{}}
}

func (m *model) of(c caller) (requests, creations *rolling) {
	if m.requests[c] == nil {
		m.requests[c] = &rolling{windows: calls[c.operation].windows}
		m.creations[c] = &rolling{windows: limit.Creations}
	}
	return m.requests[c], m.creations[c]
}

// answers returns what n requests at one moment are answered, in whatever order they come. Where
// fails is set, creates that are let through fail.
func (m *model) answers(c caller, now time.Time, n int, fails bool) map[said]int {
	out := map[said]int{}
	tell := func(n, status int, wait time.Duration) {
		s := said{status: status}
		if wait > 0 {
			s.retryAfter = wholeSeconds(wait)
		}
		if n > 0 {
			out[s] += n
		}
	}
	requests, creations := m.of(c)
	admitted := min(n, requests.room(now))
	requests.add(now, admitted)
	if n > admitted {
		tell(n-admitted, http.StatusTooManyRequests, requests.wait(now))
	}
	switch room := creations.room(now); {
	case c.operation != "create":
		tell(admitted, http.StatusOK, 0)
	case fails && room > 0:
		tell(admitted, http.StatusBadRequest, 0)
	default:
		made := min(admitted, room)
		creations.add(now, made)
		tell(made, http.StatusCreated, 0)
		if admitted > made {
			tell(admitted-made, http.StatusTooManyRequests, creations.wait(now))
		}
	}
	return out
}

// calls are the operations under test, as clients send them.
var calls = map[string]struct {
	method, path, body string
	windows            []limit.Window
}{
	"create": {"POST", campaigns, `{}`, limit.Create},
	"get":    {"GET", campaigns + "/" + unused, "", limit.Other},
	"update": {"PATCH", campaigns + "/" + unused, `{"a":1}`, limit.Other},
	"search": {"POST", campaigns + "/search", `{"limit":1,"page":1}`, limit.Other},
	"meta":   {"POST", campaigns + "/meta", `{"limit":1,"page":1}`, limit.Other},
	"test":   {"POST", campaigns + "/test", `{}`, limit.Other},
}
