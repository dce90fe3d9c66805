package mem_test

import (
	"testing"

	"bugle/store/kv"
	"bugle/store/mem"
	"bugle/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(testing.TB) *kv.Store { return mem.New().Store })
}
