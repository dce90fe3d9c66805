package gatewaytest

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// FCM is a fake of Firebase Cloud Messaging, HTTP v1, with Google's token endpoint.
type FCM struct {
	recorder
	URL     string
	Roots   *x509.CertPool
	CAFile  string
	Account []byte // the service account's JSON
	Project string

	key       *rsa.PrivateKey
	tokens    int    // number of access tokens issued
	valid     string // the current one
	Refuse    *Response
	expiresIn int
}

// NewFCM starts a fake FCM.
func NewFCM(t testing.TB) *FCM {
	t.Helper()
	f := &FCM{Project: "shop-1", key: rsaKey(t), expiresIn: 3600}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", f.token)
	mux.HandleFunc("POST /v1/projects/{project}/messages:send", f.send)
	s := start(t, mux)
	f.URL = s.URL
	f.Roots, f.CAFile = roots(t, s)
	account, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": f.Project, "private_key_id": "k1", "private_key": string(pkcs8(t, f.key)),
		"client_email": "sender@shop-1.iam.gserviceaccount.com", "token_uri": f.URL + "/token",
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Account = account
	return f
}

// Tokens returns the number of access tokens issued.
func (f *FCM) Tokens() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tokens
}

// Expire invalidates the last access token.
func (f *FCM) Expire() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.valid = ""
}

// SetTokenLifetime sets the lifetime of new access tokens in seconds.
func (f *FCM) SetTokenLifetime(seconds int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.expiresIn = seconds
}

// token is Google's token endpoint (RFC 7523, 2.1 and 3).
func (f *FCM) token(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Refuse != nil {
		writeResponse(w, *f.Refuse)
		return
	}
	bad := func(description string) {
		writeResponse(w, Response{Status: http.StatusBadRequest, Body: fmt.Sprintf(`{"error":"invalid_grant","error_description":%q}`, description)})
	}
	if r.PostFormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		bad("Unsupported grant_type.")
		return
	}
	claims := jwt.MapClaims{}
	parsed, err := jwt.ParseWithClaims(r.PostFormValue("assertion"), claims, func(*jwt.Token) (any, error) { return &f.key.PublicKey, nil },
		jwt.WithValidMethods([]string{"RS256"}), jwt.WithAudience(f.URL+"/token"), jwt.WithIssuer("sender@shop-1.iam.gserviceaccount.com"),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(10*time.Second))
	if err != nil {
		bad("Invalid JWT: " + err.Error())
		return
	}
	if parsed.Header["kid"] != "k1" || claims["scope"] != "https://www.googleapis.com/auth/firebase.messaging" {
		bad("Invalid JWT: kid or scope.")
		return
	}
	f.tokens++
	f.valid = fmt.Sprintf("ya29.access-%d", f.tokens)
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","expires_in":%d}`, f.valid, f.expiresIn)
}

func (f *FCM) send(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	known := f.valid != "" && r.Header.Get("Authorization") == "Bearer "+f.valid
	f.mu.Unlock()
	switch {
	case !known:
		writeResponse(w, FCMError(http.StatusUnauthorized, "UNAUTHENTICATED", "", "Request had invalid authentication credentials. "+r.Header.Get("Authorization")))
		return
	case r.PathValue("project") != f.Project:
		writeResponse(w, FCMError(http.StatusNotFound, "NOT_FOUND", "", "no such project"))
		return
	}
	body, err := io.ReadAll(r.Body)
	var m struct {
		Message struct {
			Token string            `json:"token"`
			Data  map[string]string `json:"data"` // FCM takes nothing but text
		} `json:"message"`
	}
	if err != nil || json.Unmarshal(body, &m) != nil || m.Message.Token == "" {
		writeResponse(w, FCMError(http.StatusBadRequest, "INVALID_ARGUMENT", "INVALID_ARGUMENT", "Invalid JSON payload received."))
		return
	}
	if f.take(w, r, Received{To: m.Message.Token, Payload: body}) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"name":"projects/%s/messages/%d"}`, f.Project, len(f.Messages()))
	}
}

// FCMError returns an error response of FCM: a google.rpc.Status.
func FCMError(status int, code, detail, message string) Response {
	details := "[]"
	if detail != "" {
		details = fmt.Sprintf(`[{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":%q}]`, detail)
	}
	return Response{Status: status, Body: fmt.Sprintf(`{"error":{"code":%d,"message":%q,"status":%q,"details":%s}}`, status, message, code, details)}
}
