package webpush_test

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"crypto/x509"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/chromiumtest"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/gateway"
	"bugle/engine/message/delivery/push"
	"bugle/engine/message/delivery/webpush"
)

//go:embed testdata/receive.mjs
var receive []byte

//go:embed testdata/sw.js
var serviceWorker []byte

// What is sent is decrypted and verified by http_ece and jose, and shown by a service worker in a real browser, whose click
// handler finds the links. BUGLE_WEB_PUSH_NPM is the folder node_modules that has the two.
func TestInChromium(t *testing.T) {
	modules := os.Getenv("BUGLE_WEB_PUSH_NPM")
	if modules == "" {
		t.Skip("BUGLE_WEB_PUSH_NPM does not name a folder with http_ece and jose")
	}
	payload := received(t, modules, `{"basic_details":{"title":"<b>Spring</b> 🌷","message":"25% &amp; more","redirect_url":"https://shop.example.com/spring?a=b&c=d","image_url":"https://cdn.example.com/a.png"},
		"buttons":[{"title":"Shop","url":"https://shop.example.com/cart"},{"title":"Later"}]}`)

	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/sw.js" {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write(serviceWorker)
			return
		}
		w.Header().Set("Content-Type", "text/html")
	}))
	t.Cleanup(site.Close)
	c := chromiumtest.Start(t, site.URL+"/")
	c.Call("Browser.grantPermissions", map[string]any{"origin": site.URL, "permissions": []string{"notifications"}})
	c.Call("ServiceWorker.enable", nil)
	c.Until("the page is loaded", func() bool { return c.Eval(`location.href + document.readyState`) == site.URL+"/complete" })
	c.Eval(`navigator.serviceWorker.register("/sw.js").then(() => "registered")`)
	c.Until("the service worker serves the page", func() bool { return c.Eval(`navigator.serviceWorker.controller !== null`) == "true" })
	var told struct {
		Registrations []struct{ RegistrationID string }
	}
	c.Until("the service worker is registered", func() bool {
		return c.Event("ServiceWorker.workerRegistrationUpdated", &told) && len(told.Registrations) > 0
	})
	c.Call("ServiceWorker.deliverPushMessage", map[string]any{"origin": site.URL, "registrationId": told.Registrations[0].RegistrationID, "data": payload})
	const shown = `Promise.race([new Promise(done => setTimeout(done, 1000, "[]")), navigator.serviceWorker.ready.then(r => r.getNotifications()).then(list =>
		JSON.stringify(list.map(n => [n.title, n.body, n.tag, n.actions.map(a => a.title)])))])`
	c.Until("the notification is shown", func() bool { return c.Eval(shown) != "[]" })
	if got, want := c.Eval(shown), `[["Spring 🌷","25% & more","spring",["Shop","Later"]]]`; got != want {
		t.Errorf("the notification is %s, want %s", got, want)
	}
	for action, want := range map[string]string{"": "https://shop.example.com/spring?a=b&c=d", "button_1": "https://shop.example.com/cart"} {
		click := fmt.Sprintf(`new Promise(done => { navigator.serviceWorker.onmessage = e => done(e.data); navigator.serviceWorker.controller.postMessage(%q) })`, action)
		if got := c.Eval(click); got != want {
			t.Errorf("a click on %q opens %s, want %s", action, got, want)
		}
	}
}

// received sends content, and returns what http_ece decrypts of the request, whose token jose has verified.
func received(t *testing.T, modules, content string) string {
	t.Helper()
	var request struct {
		Authorization, Audience, Key, Auth string
		Body                               []byte
	}
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request.Authorization = r.Header.Get("Authorization")
		request.Body, _ = io.ReadAll(r.Body)
		if h := r.Header; h.Get("TTL") != "2419200" || h.Get("Urgency") != "high" || h.Get("Topic") != "spring" {
			t.Errorf("the headers are %v", h)
		}
		w.WriteHeader(http.StatusCreated)
	}))
	defer service.Close()
	roots := x509.NewCertPool()
	roots.AddCert(service.Certificate())
	var keys [2]*ecdh.PrivateKey // of the sender and the browser
	for i := range keys {
		var err error
		if keys[i], err = ecdh.P256().GenerateKey(rand.Reader); err != nil {
			t.Fatal(err)
		}
	}
	auth := make([]byte, 16)
	_, _ = rand.Read(auth)
	text := base64.RawURLEncoding.EncodeToString
	request.Audience, request.Key, request.Auth = service.URL, text(keys[1].Bytes()), text(auth)

	parse := func(s string) doc.Value {
		v, err := doc.Parse([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	note, err := push.Build(catalog.Web, parse(content), push.Options{
		Advanced: parse(`{"expiration_settings":{"expire_notification_after_value":60,"expire_notification_after_type":"DAY"},"platform_level_priority":{"android_specific_priority":{"send_with_priority":true}}}`),
		Message:  parse(`{"android":{"advanced":{"collapse_replace_key":"spring"}}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	sender := open(t, webpush.Config{Key: []byte(text(keys[0].Bytes())), Subject: "push@example.com", Endpoint: service.URL, Roots: roots, Retry: gateway.Retry{}})
	if _, err := sender.Deliver(t.Context(), delivery.Message{Key: "WEB_default_variation_1", Recipient: "USER_1", Push: &delivery.Push{
		Platform: "WEB", Token: service.URL + "/push/1", P256dh: text(keys[1].PublicKey().Bytes()), Auth: text(auth), Headers: note.Headers, Payload: note.Payload.Encode(),
	}}); err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir() // modules are found beside the program alone
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "receive.mjs")
	if err := os.WriteFile(program, receive, 0o600); err != nil {
		t.Fatal(err)
	}
	input, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", program)
	cmd.Stdin = bytes.NewReader(input)
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &problems)
	}
	return string(out)
}
