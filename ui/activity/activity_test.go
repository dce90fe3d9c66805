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

// refresh sends a ChangedMsg.
func refresh(h *uitest.Harness) { h.Send(screen.ChangedMsg{}) }

func TestReadCall(t *testing.T) {
	h := open(t, newFilledLog(t))
	h.Press("down", "enter")
	h.Want("POST /v5/campaigns", "400 · 4.0 ms", `"message": "is required"`)
	h.Press("shift+tab")
	h.Want(`"channel": "PUSH"`)
	h.Press("shift+tab")
	h.Want(`"operation": "create"`, `"took_ms": 4`, `"error": "the campaign has 1 problem"`)
	h.Press("esc")
	h.Want("2 of 6")
}

func TestNonJSONBodies(t *testing.T) {
	h := open(t, newFilledLog(t))
	h.Press("end", "enter")
	h.Want("nothing came within 35s")
	h.Press(",")
	h.Want("<html>", "<p>Bad gateway</p>")
	h.WantFits()
	h.Press("tab")
	h.Want(`"Content-Type": "text/html"`)
	h.Press(",", "shift+tab")
	h.Want(`"type": "campaign"`, "Spring")
	h.WantFits()
}

func TestCopy(t *testing.T) {
	h := open(t, newFilledLog(t))
	h.FromPalette("curl")
	h.Press("y", "down", "down")
	want := `curl -X POST 'https://api-01.example.com/v5/campaigns' \
  -H 'Authorization: Basic {credentials}' \
  -H 'X-Svc-Request-Id: r9' \
  --data-binary '{"channel":"PUSH","created_by":"o'\''neil@example.com","api_key":"[hidden]"}'`
	if len(h.Copied) != 2 || h.Copied[0] != want {
		t.Fatalf("copied %s", h.Copied)
	}
	if !strings.Contains(h.Copied[1], "  \"response_id\": \"r9\"") {
		t.Errorf("what is shown was copied as %s", h.Copied[1])
	}
	h.FromPalette("curl")
	if len(h.Copied) != 2 {
		t.Errorf("a save was copied as %s", h.Copied[2])
	}
	h.Want("there is no curl command")
}

func TestFilter(t *testing.T) {
	for _, test := range []struct {
		typed string
		want  int
	}{
		{"4xx", 1}, {"4x", 1}, {"5xx", 1}, {"2xx create", 1}, {"201", 1}, {"409", 0}, {"2xx 4xx", 0},
		{"failed", 3}, {"local", 1}, {"failed search", 1}, {"CREATE post", 2}, {"3f2b8a52", 1}, {"r9", 1}, {"35s", 1}, {id, 3}, {"zzz", 0},
	} {
		h := open(t, newFilledLog(t))
		h.Press("/")
		h.Type(test.typed)
		if test.want == 0 {
			h.Want("No call matches. Press esc to clear the filter.")
			continue
		}
		h.Want(fmt.Sprintf("1 of %d", test.want))
	}
	h := open(t, newFilledLog(t))
	h.Press("/")
	h.Type("create")
	h.Press("down")
	h.Want("2 of 2")
	h.Press("enter", "enter")
	h.Want("VALIDATION_FAILED")
	h.Press("esc")
	h.Want("/ create")
	h.Press("esc")
	h.Want("2 of 6")
}

func TestFollowing(t *testing.T) {
	l := newFilledLog(t)
	h := open(t, l)
	more := func() { l.Add(newCall(0, time.Millisecond, "meta", "POST", "/v5/campaigns/meta", 200)); refresh(h) }
	more()
	h.Want("1 of 7") // on the newest
	h.Press("down")
	more() // moving away ends following
	h.Want("3 of 8")
	h.Press("home", "enter") // the call being read stays
	more()
	h.Press("esc")
	h.Want("2 of 9")
}

func TestClear(t *testing.T) {
	l := newFilledLog(t)
	h := open(t, l)
	h.Press("x")
	h.Want("Clear the list of calls?", "6 calls")
	h.Press("enter") // the harmless answer has the focus
	if len(l.Calls()) != 6 {
		t.Fatal("they were forgotten without a yes")
	}
	h.Press("enter", "x", "y")
	h.Want("No calls yet.")
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
	h = open(t, newFilledLog(t))
	h.Press("down")
	if h.DisabledReason("e") == "" {
		t.Error("a call about no campaign leads to one")
	}
}

func TestDiscardedBodies(t *testing.T) {
	l := &calls.Log{}
	for range 9 { // more than it keeps
		l.Add(newCall(0, 0, "get", "GET", "/v5/campaigns/x", 200).WithBodies(nil, make([]byte, 4<<20)))
	}
	l.Add(newCall(0, 0, "get", "GET", "/v5/campaigns/x", 200))
	h := open(t, l)
	h.Press("end", "enter")
	h.Want("were dropped")
}

func TestFullLog(t *testing.T) {
	l := &calls.Log{}
	for range calls.Capacity + 1 {
		l.Add(newCall(0, 0, "get", "GET", "/v5/campaigns/x", 200))
	}
	h := open(t, l)
	h.Press("end")
	h.Want("500 of 500", "older calls are dropped")
	l.Add(newCall(0, 0, "get", "GET", "/v5/campaigns/y", 200))
	refresh(h) // the selected call has been removed
	h.Want("500 of 500")
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
	l := newFilledLog(t)
	h := open(t, l)
	h.GoldenSizes("calls")
	h.Resize(80, 24)
	h.WantFits()
	h.Press("down", "enter")
	h.Golden("call-80x24")
	h.WantFits()
	h.Press("tab")
	h.WantFits()
	h.Press("esc", "/")
	h.Type("4xx")
	h.Golden("filter-80x24")
	h.WantFits()

	empty := open(t, &calls.Log{})
	empty.Golden("empty-80x24")
	empty.WantFits()
}
