package campaigns_test

import (
	"errors"
	"strings"
	"testing"

	"bugle/ui/campaigns"
	"bugle/ui/screen"
	"bugle/ui/uitest"
)

func TestDelete(t *testing.T) {
	h, fake := open(t, 80, 24, sample()...)
	h.Script("x", "?Delete “Spring sale, first wave”?", "?deleted permanently", "enter") // Cancel has the focus
	if fake.Called("Delete " + id(1)) {
		t.Error("deleted without a yes")
	}
	h.Script("x y", "?10 of 10", "?Deleted", "x", "?You can't delete this campaign: only drafts") // the next one is active
}

func TestClone(t *testing.T) {
	h, fake := open(t, 80, 24, sample()...)
	h.Press("down", "c")
	if !fake.Called("Clone " + id(2)) {
		t.Fatalf("asked %q", fake.Calls())
	}
	if got := h.LastRoute(); got.Name != screen.Builder || !strings.HasSuffix(got.ID, "f00c") {
		t.Errorf("opened %+v", got)
	}
	h.Script("esc", "?12 of 12", "?Draft 3", "y")
	if !strings.HasSuffix(h.Copied[0], "f00c") {
		t.Errorf("the cursor is on %s", h.Copied[0])
	}

	fake.Fail("Clone", errors.New("the disk is full"))
	h.Script("c", "?Can't clone: the disk is full")
}

func TestReasons(t *testing.T) {
	h, fake := open(t, 80, 24, sample()...)
	h.Press("down")
	if why := h.DisabledReason("t"); !strings.Contains(why, "only test drafts") {
		t.Errorf("t on an active campaign: %q", why)
	}
	h.Script("/", ">code", "enter") // the SMS campaign
	for _, key := range []string{"t", "v", "c", "x"} {
		if why := h.DisabledReason(key); !strings.Contains(why, "SMS campaigns") {
			t.Errorf("%s on an SMS campaign: %q", key, why)
		}
	}
	if why := h.DisabledReason("enter"); why != "" {
		t.Errorf("an SMS campaign cannot be looked at: %q", why)
	}
	empty, _ := open(t, 80, 24)
	for _, key := range []string{"enter", "s", "v", "t", "c", "x", "y"} {
		if why := empty.DisabledReason(key); !strings.Contains(why, "Press n") {
			t.Errorf("%s with no campaign: %q", key, why)
		}
	}
	bare := uitest.New(t, campaigns.New(uitest.Deps(fake.WithoutCapabilities()), screen.Route{}), 80, 24)
	if why := bare.DisabledReason("c"); !strings.Contains(why, "can't clone") {
		t.Errorf("clone without the capability: %q", why)
	}
}
