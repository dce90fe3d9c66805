package audience

import (
	"context"
	"errors"
	"iter"
	"testing"

	"bugle/engine"
)

func sequence(n int, each func(i int) engine.User) iter.Seq2[engine.User, error] {
	return func(yield func(engine.User, error) bool) {
		for i := range n {
			if !yield(each(i), nil) {
				return
			}
		}
	}
}

func TestEstimate(t *testing.T) {
	device := func(platforms ...string) (out []engine.Device) {
		for _, p := range platforms {
			out = append(out, engine.Device{Platform: p, Token: "t"})
		}
		return out
	}
	mail := func(address any) map[string]any { return map[string]any{engine.AttrEmail: address} }
	profiles := []engine.User{
		{ID: "1", Attributes: mail("ann@example.com"), Devices: device("ANDROID", "ANDROID", "WEB")},
		{ID: "2", Attributes: mail("not an address"), Devices: device("IOS")},
		{ID: "3", Attributes: mail("ann at home@example.com")},
		{ID: "4", Attributes: mail(7), Devices: []engine.Device{{Platform: "IOS"}}}, // no token
		{ID: "5", Attributes: mail("eve@example.com"), Devices: device("WEB"), OptedOut: true},
		{ID: "6", Attributes: map[string]any{"x": 1, engine.AttrEmail: "x@example.com"}},
	}
	a := compiled(t, `{"is_all_user_campaign":true,"excluded_filters":`+filterGroup("and", no)+`}`, Env{})
	got, err := Estimate(context.Background(), a, sequence(len(profiles), func(i int) engine.User { return profiles[i] }), nil)
	want := engine.AudienceCount{Total: 6, Matched: 4, Reach: engine.AudienceReach{Email: 1, Push: 2, Android: 1, IOS: 1, Web: 1}}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestEstimateEnds(t *testing.T) {
	a := compiled(t, `{"is_all_user_campaign":true}`, Env{})
	anybody := func(int) engine.User { return engine.User{} }

	ctx, cancel := context.WithCancel(context.Background())
	var told []int
	got, err := Estimate(ctx, a, sequence(1<<30, anybody), func(n engine.AudienceCount) {
		if told = append(told, n.Matched); len(told) == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(told) != 3 || told[0] >= told[1] || got.Total < told[2] {
		t.Errorf("canceled: %+v, %v, told %v", got, err, told)
	}

	broken := errors.New("broken")
	got, err = Estimate(context.Background(), a, func(yield func(engine.User, error) bool) {
		_ = yield(engine.User{}, nil) && yield(engine.User{}, broken)
	}, nil)
	if !errors.Is(err, broken) || got.Total != 1 {
		t.Errorf("broken: %+v, %v", got, err)
	}
}
