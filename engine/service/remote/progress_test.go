package remote_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bugle/engine"
	"bugle/engine/service/remote"
)

// A service that takes its time is at work on all keys of the test, and how each fared is told with
// the answer.
func TestProgress(t *testing.T) {
	const draftBody = `{"draft_id":"65f0a1b2c3d4e5f60718293a","test_campaign_meta":{"identifier":"PUSH_ID","identifier_values":["a","b"]}}`
	const record = `{"data":{"id":"65f0a1b2c3d4e5f60718293a","status":"DRAFT","channel":"PUSH","basic_details":{"platforms":["ANDROID","IOS"]},"campaign_content":{"content":{"push":{}}}}}`
	inline := strings.Replace(inlineMail("x"), `"campaign_content":{`, `"campaign_content":{"locales":["de"],`, 1)
	result := func(data string) *http.Response {
		return answering(200, `{"response_id":"r","data":{"data":{`+data+`},"message":"m"}}`, nil)
	}
	pushed := func() *http.Response {
		return result(`"ANDROID_default_variation_1":{"status":"SENT"},"IOS_default_variation_1":{"status":"FAILED","failure_reason":"no token"}`)
	}
	const androidOver, iosOver = "ANDROID_default_variation_1 done 1/2", "IOS_default_variation_1 done 2/2: no token"
	for name, tt := range map[string]struct {
		body   string
		answer func(attempt int, r *http.Request) (*http.Response, error)
		record string
		want   string // what is told, "|" where the answer came
	}{
		"a saved draft": {
			body: draftBody, record: record,
			answer: func(int, *http.Request) (*http.Response, error) { time.Sleep(3 * time.Second); return pushed(), nil },
			want:   "ANDROID_default_variation_1 0/2, IOS_default_variation_1 0/2 | " + androidOver + ", " + iosOver,
		},
		"narrowed": {
			body: strings.Replace(draftBody, `{"identifier"`, `{"platform":"IOS","identifier"`, 1), record: record,
			answer: func(int, *http.Request) (*http.Response, error) {
				time.Sleep(3 * time.Second)
				return result(`"IOS_default_variation_1":{"status":"SENT"}`), nil
			},
			want: "IOS_default_variation_1 0/1 | IOS_default_variation_1 done 1/1",
		},
		"inline": {
			body: inline,
			answer: func(int, *http.Request) (*http.Response, error) {
				time.Sleep(3 * time.Second)
				return result(`"EMAIL_default_variation_1":{"status":"SENT"},"EMAIL_de_variation_1":{"status":"SENT"}`), nil
			},
			want: "EMAIL_default_variation_1 0/2, EMAIL_de_variation_1 0/2 | EMAIL_default_variation_1 done 1/2, EMAIL_de_variation_1 done 2/2",
		},
		"at once": {
			body: draftBody, record: record, answer: func(int, *http.Request) (*http.Response, error) { return pushed(), nil },
			want: "| ANDROID_default_variation_1 0/2, " + androidOver + ", IOS_default_variation_1 1/2, " + iosOver,
		},
		"a draft that cannot be read": {
			body: draftBody, record: `{"data":{}}`,
			answer: func(int, *http.Request) (*http.Response, error) { time.Sleep(3 * time.Second); return pushed(), nil },
			want:   "| ANDROID_default_variation_1 0/2, " + androidOver + ", IOS_default_variation_1 1/2, " + iosOver,
		},
		"another attempt": { // what is under way stays so, and is not told twice
			body: draftBody, record: record,
			answer: func(attempt int, _ *http.Request) (*http.Response, error) {
				time.Sleep(3 * time.Second)
				if attempt == 1 {
					return nil, errReset
				}
				return pushed(), nil
			},
			want: "ANDROID_default_variation_1 0/2, IOS_default_variation_1 0/2 | " + androidOver + ", " + iosOver,
		},
		"refused": {
			body: draftBody, record: record,
			answer: func(int, *http.Request) (*http.Response, error) {
				time.Sleep(400 * time.Millisecond)
				return answering(400, `{"error":{"code":"VALIDATION_FAILED","message":"no"}}`, nil), nil
			},
			want: "|",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var told []string
				tell := func(s string) {
					mu.Lock()
					defer mu.Unlock()
					told = append(told, s)
				}
				attempt := 0
				way := &wire{fault: func(r *http.Request, _ func() *http.Response) (*http.Response, error) {
					if r.Method == http.MethodGet {
						return answering(200, tt.record, nil), nil
					}
					attempt++
					res, err := tt.answer(attempt, r)
					if err == nil {
						tell("|")
					}
					return res, err
				}}
				s := open(t, remote.Config{BaseURL: "https://api.example.com", Transport: way})
				_, err := s.Test(t.Context(), engine.TestRequest{Body: parse(t, tt.body), Progress: func(p engine.TestProgress) {
					say := fmt.Sprintf("%s %d/%d", p.Key, p.Completed, p.Total)
					if p.Done {
						say = fmt.Sprintf("%s done %d/%d", p.Key, p.Completed, p.Total)
					}
					if p.Err != "" {
						say += ": " + p.Err
					}
					if p.Recipient != "" {
						t.Errorf("a recipient is named: %+v", p)
					}
					tell(say)
				}})
				if (err != nil) != (name == "refused") {
					t.Error(err)
				}
				got := strings.ReplaceAll(strings.ReplaceAll(strings.Join(told, ", "), ", |", " |"), "|, ", "| ")
				if got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			})
		})
	}
}

// Who cancels a test is told no more once the call has returned.
func TestProgressEndsWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		way := &wire{fault: func(r *http.Request, _ func() *http.Response) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}}
		s := open(t, remote.Config{BaseURL: "https://api.example.com", Transport: way})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		over := false
		_, err := s.Test(ctx, engine.TestRequest{
			Body: parse(t, `{"draft_id":"65f0a1b2c3d4e5f60718293a"}`), Progress: func(p engine.TestProgress) { t.Errorf("told %+v, over: %v", p, over) },
		})
		over = true
		if err == nil {
			t.Error("it went well")
		}
		time.Sleep(time.Minute)
	})
}
