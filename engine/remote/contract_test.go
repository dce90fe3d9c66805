package remote_test

import (
	"testing"

	"bugle/engine/api"
	"bugle/engine/enginetest"
	"bugle/engine/remote"
)

func TestContract(t *testing.T) {
	for name, dialect := range map[string]remote.Dialect{"plain": {}, "patch": {StatusMethod: "PATCH"}} {
		t.Run(name, func(t *testing.T) {
			enginetest.Run(t, func(t *testing.T) enginetest.Env {
				clock := enginetest.NewClock()
				svc, key := home(t, clock.Now)
				h := serving(svc, api.Options{Clock: clock.Now, Unlimited: true})
				return enginetest.Env{Service: over(t, h, remote.Config{Key: fixedKey(key), Dialect: dialect}), Home: svc, Clock: clock}
			})
		})
	}
}
