package mem_test

import (
	"testing"

	"bugle/store"
	"bugle/store/mem"
	"bugle/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(testing.TB) store.DB { return mem.New() })
}
