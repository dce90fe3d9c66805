package activity_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	calls "bugle/engine/service/activity"
	"bugle/ui/activity"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

const id = "65f0a1b2c3d4e5f60718293a"

// newCall returns a call that began that long before now.
func newCall(before, took time.Duration, operation, method, path string, status int) calls.Call {
	return calls.Call{At: uitest.Now.Add(-before), Took: took, Operation: operation, Method: method, Path: path, Status: status}
}

// newFilledLog returns a log with every kind of call; the newest is a successful create.
func newFilledLog(t *testing.T) *calls.Log {
	t.Helper()
	l := &calls.Log{}
	lost := newCall(26*time.Hour, 35*time.Second, "search", "POST", "/v5/campaigns/search", 0)
	lost.Err = "nothing came within 35s"
	l.Add(lost.WithBodies([]byte(`{"limit":15,"page":1}`), nil))

	page := newCall(2*time.Hour, 240*time.Millisecond, "test", "POST", "/v5/campaigns/test", 502)
	page.Err = "api.example.com answered 502 Bad Gateway"
	page.ResponseHeader = http.Header{"Content-Type": {"text/html"}}
	l.Add(page.WithBodies([]byte(`{"draft_id":"`+id+`"}`), []byte("<html>\x1b[31m<p>Bad gateway</p>\n</html>")))

	get := newCall(90*time.Second, 1200*time.Microsecond, "get", "GET", "/v5/campaigns/"+id, 200)
	get.Campaign = id
	l.Add(get.WithBodies(nil, []byte(`{"response_id":"r7","type":"campaign","data":{"id":"`+id+`","basic_details":{"name":"Spring \u001b[31mmail"}}}`)))

	kept := calls.Call{At: uitest.Now.Add(-time.Minute), Took: 20 * time.Microsecond, Operation: "save", Campaign: id, Local: true}
	for range 2 {
		l.Add(kept.WithBodies([]byte(`{"basic_details":{"name":"Spring"}}`), []byte(`{"id":"`+id+`","revision":8}`)))
	}

	refused := newCall(12*time.Second, 4*time.Millisecond, "create", "POST", "/v5/campaigns", 400)
	refused.Attempt, refused.Err = 1, "the campaign has 1 problem"
	l.Add(refused.WithBodies([]byte(`{"channel":"PUSH"}`), []byte(`{"response_id":"r8","error":{"code":"VALIDATION_FAILED","message":"the campaign has 1 problem","details":[{"target":"created_by","message":"is required"}]}}`)))

	made := newCall(300*time.Millisecond, 18*time.Millisecond, "create", "POST", "/v5/campaigns", 201)
	made.Attempt, made.Campaign, made.RequestID, made.IdempotencyKey = 2, id, "r9", "3f2b8a52-7d0c-4f0c-9a75-1f1f3f0f9c11"
	made.Base = "https://api-01.example.com"
	made.RequestHeader = http.Header{"Authorization": {"Basic c2VjcmV0"}, "X-Svc-Request-Id": {"r9"}}
	l.Add(made.WithBodies([]byte(`{"channel":"PUSH","created_by":"o'neil@example.com","api_key":"k"}`), []byte(`{"response_id":"r9","type":"campaign","data":{"id":"`+id+`","status":"DRAFT"}}`)))
	return l
}

// idleScreen is the screen without waiting for the next call, which a harness would wait for too.
type idleScreen struct{ *activity.Screen }

func (idleScreen) Init() tea.Cmd { return nil }

func newScreen(l *calls.Log) *activity.Screen {
	deps := uitest.Deps(nil)
	return activity.New(deps, screen.Route{Name: "activity"}, l)
}

func open(t *testing.T, l *calls.Log) *uitest.Harness {
	t.Helper()
	return uitest.New(t, idleScreen{newScreen(l)}, 80, 24)
}

func TestReadCall(t *testing.T) {
	h := open(t, newFilledLog(t))
	h.Script(
		"down enter", "?POST /v5/campaigns", "?400 · 4.0 ms", `?"message": "is required"`,
		"shift+tab", `?"channel": "PUSH"`,
		"shift+tab", `?"operation": "create"`, `?"took_ms": 4`, `?"error": "the campaign has 1 problem"`,
		"esc", "?2 of 6",
		"end enter", "?nothing came within 35s", // no answer
		", shift+tab", "?<html>", "?<p>Bad gateway</p>", // no JSON
		"tab", `?"Content-Type": "text/html"`,
		", shift+tab", `?"type": "campaign"`, "?Spring",
	)
	h.WantFits()
}

func TestCopy(t *testing.T) {
	h := open(t, newFilledLog(t))
	h.FromPalette("curl")
	h.Press("y", "down", "down")
	for i, want := range []string{"curl -X POST 'https://api-01.example.com/v5/campaigns'", "  \"response_id\": \"r9\""} {
		if len(h.Copied) != 2 || !strings.Contains(h.Copied[i], want) {
			t.Fatalf("copied %s, want %s", h.Copied, want)
		}
	}
	h.FromPalette("curl") // a save
	if len(h.Copied) != 2 {
		t.Errorf("a save was copied as %s", h.Copied[2])
	}
	h.Want("there is no curl command")
}

func TestFilter(t *testing.T) {
	h := open(t, newFilledLog(t))
	for typed, want := range map[string]int{
		"4xx": 1, "4x": 1, "5xx": 1, "2xx create": 1, "201": 1, "409": 0, "2xx 4xx": 0, "failed": 3, "local": 1,
		"failed search": 1, "CREATE post": 2, "3f2b8a52": 1, "r9": 1, "35s": 1, id: 3, "zzz": 0,
	} {
		h.Script("/", ">"+typed)
		if want == 0 {
			h.Want("No call matches. Press esc to clear the filter.")
		} else {
			h.Want(fmt.Sprintf("1 of %d", want))
		}
		h.Press("esc", "home")
	}
	h.Script("/", ">create", "down", "?2 of 2", "enter enter", "?VALIDATION_FAILED", "esc", "?/ create", "esc", "?2 of 6")
}

func TestFollowing(t *testing.T) {
	l := newFilledLog(t)
	h := open(t, l)
	more := func() {
		l.Add(newCall(0, time.Millisecond, "meta", "POST", "/v5/campaigns/meta", 200))
		h.Send(screen.ChangedMsg{})
	}
	more()
	h.Script("?1 of 7", "down") // on the newest, until one moves away
	more()
	h.Script("?3 of 8", "home enter") // the call being read stays
	more()
	h.Script("esc", "?2 of 9")
}

func TestClear(t *testing.T) {
	l := newFilledLog(t)
	h := open(t, l)
	h.Script("x", "?Clear the list of calls?", "?6 calls", "enter", "?1 of 6", "x y", "?No calls yet.") // first the safe answer
	if len(l.Calls()) != 0 {
		t.Error("the log still has them")
	}
	for _, key := range []string{"x", "y", "e", "enter"} {
		if h.DisabledReason(key) == "" {
			t.Errorf("%s works without a call", key)
		}
	}
}

func TestOpenCampaign(t *testing.T) {
	h := open(t, newFilledLog(t))
	h.Press("e")
	if r := h.LastRoute(); r.Name != screen.Builder || r.ID != id {
		t.Errorf("e opened %+v", r)
	}
	h.Press("esc", "down")
	if h.DisabledReason("e") == "" {
		t.Error("a call about no campaign leads to one")
	}
}

// The log drops old bodies first, and then old calls.
func TestFullLog(t *testing.T) {
	get := newCall(0, 0, "get", "GET", "/v5/campaigns/x", 200)
	l := &calls.Log{}
	for range 9 {
		l.Add(get.WithBodies(nil, make([]byte, 4<<20)))
	}
	l.Add(get)
	h := open(t, l)
	h.Script("end enter", "?were dropped", "esc")
	for range calls.Capacity + 1 {
		l.Add(get)
	}
	h.Send(screen.ChangedMsg{}) // the selected call has been removed
	h.Script("end", "?500 of 500", "?older calls are dropped")
}

// The screen waits for calls without polling, and nothing waits after it is closed.
func TestWaitForNextCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &calls.Log{}
		s := newScreen(l)
		s.SetSize(80, 20)
		news := make(chan tea.Msg)
		run := func(cmd tea.Cmd) {
			go func() { news <- cmd().(screen.LaterMsg).Start()() }()
		}
		run(s.Init())
		for i := range 3 {
			synctest.Wait()
			select {
			case msg := <-news:
				t.Fatalf("without a call there is %v", msg)
			default:
			}
			l.Add(newCall(0, 0, fmt.Sprint("call", i), "GET", "/v5/campaigns/x", 200))
			next := s.Update(<-news)
			if !strings.Contains(s.View(), fmt.Sprint("call", i)) {
				t.Fatalf("call %d is not shown:\n%s", i, s.View())
			}
			run(next)
		}
		s.Close()
		if next := s.Update(<-news); next != nil {
			t.Error("a closed screen goes on waiting")
		}
	})
}

func TestPictures(t *testing.T) {
	h := open(t, newFilledLog(t))
	h.GoldenSizes("calls")
	h.WantFits()
	h.Resize(80, 24)
	h.Press("down", "enter")
	h.Golden("call-80x24")
	h.Script("esc /", ">4xx")
	h.Golden("filter-80x24")
	open(t, &calls.Log{}).Golden("empty-80x24")
}
