package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugle/cmd/bugle/internal/cli"
	"bugle/engine/service/remote/vendortest"
)

// The commands against a server of another vendor, which refuses each request that its description
// does not allow.
func TestCommandsAgainstOtherVendor(t *testing.T) {
	t.Parallel()
	server := vendortest.Start(t)
	b := newBugle(t)
	b.env["XDG_CONFIG_HOME"], b.env["REMOTE_KEY"], b.env[cli.EnvRemote] = t.TempDir(), "k", "acme"
	b.run(cli.ExitDone, "", "remote", "add", "acme", "--url", server.URL, "--workspace-id", vendortest.Workspace, "--key-env", "REMOTE_KEY", "--dialect", vendortest.DialectFile(t))
	in := func(name string) string { return filepath.Join(b.env[cli.EnvData], name) }
	each := func(name string, do func(*testing.T, bugle)) {
		t.Run(name, func(t *testing.T) { do(t, bugle{t, b.env}) })
	}
	says := func(t *testing.T, out string, texts ...string) {
		t.Helper()
		for _, want := range texts {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing in:\n%s", want, out)
			}
		}
	}
	each("remote test", func(t *testing.T, b bugle) {
		out, _ := b.run(cli.ExitDone, "", "remote", "test", "acme")
		says(t, out, "Remote acme answers (")
	})
	each("search", func(t *testing.T, b bugle) {
		out, _ := b.run(cli.ExitDone, "", "search")
		says(t, out, "Acme summer sale", "Boots are back", "Parcel on its way")
		out, _ = b.run(cli.ExitDone, "", "search", "--children", "created:2024") // nodes of flows too
		says(t, out, "Acme summer sale", "Boots are back")
		if strings.Contains(out, "Parcel") {
			t.Errorf("a campaign of 2023 is found in 2024:\n%s", out)
		}
	})
	for _, id := range []string{vendortest.Email, vendortest.Push} {
		each("the record "+id, func(t *testing.T, b bugle) {
			record, _ := b.run(cli.ExitDone, "", "get", id)
			says(t, record, id)
			b.run(cli.ExitDone, record, "update", "-")
			file := in("record.json")
			if err := os.WriteFile(file, []byte(strings.Replace(record, "summer", "autumn", 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			b.run(cli.ExitDone, "", "apply", "--yes", file)
			b.run(cli.ExitDone, "", "publish", id, "--yes")
		})
	}
	each("create", func(t *testing.T, b bugle) {
		out, _ := b.run(cli.ExitDone, "", "create", "--channel", "PUSH", "--type", "ONE_TIME", "--name", "New")
		says(t, out, vendortest.Email)
		out, _ = b.run(cli.ExitDone, smtpDraft, "create", "-")
		says(t, out, vendortest.Email)
	})
	each("check", func(t *testing.T, b bugle) {
		out, errs := b.run(cli.ExitInvalid, "", "check", vendortest.Email)
		says(t, out+errs, "optimizer_campaign_duration", "Acme wants two days")
	})
	each("pause", func(t *testing.T, b bugle) {
		out, _ := b.run(cli.ExitDone, "", "pause", vendortest.Push, "--yes")
		says(t, out, vendortest.Push)
	})
	each("test", func(t *testing.T, b bugle) {
		out, errs := b.run(cli.ExitFailed, "", "test", vendortest.Email, "--to", "ann@acme.example")
		says(t, out+errs, " sent", "Acme has no such mailbox")
	})
	each("preview", func(t *testing.T, b bugle) {
		out, _ := b.run(cli.ExitDone, "", "preview", vendortest.Email, "--email", "ann@acme.example")
		says(t, out, "Hello Ann", "Rich Editor")
	})
	each("export", func(t *testing.T, b bugle) {
		b.run(cli.ExitDone, "", "export", "--all", "--dir", in("files"))
		found, err := filepath.Glob(in("files") + "/*")
		if err != nil || len(found) != 2 { // and not the SMS campaign
			t.Errorf("%q, %v", found, err)
		}
	})
	each("refused", func(t *testing.T, b bugle) {
		_, errs := b.run(cli.ExitRefused, `{"basic_details": {"team": "Nobody"}}`, "update", vendortest.Email, "-")
		says(t, errs, "Acme cannot take this request", "basic_details.team: Acme has no such team", "optimizer_campaign_duration: Acme wants")
		if strings.Contains(errs, "--help") || strings.Contains(errs, "invalid") {
			t.Errorf("the refusal is taken for one of ours:\n%s", errs)
		}
	})
}
