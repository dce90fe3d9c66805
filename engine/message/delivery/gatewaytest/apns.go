package gatewaytest

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// APNs is a fake of Apple's push service: only HTTP/2 with TLS.
type APNs struct {
	recorder
	URL                  string
	Roots                *x509.CertPool
	CAFile               string
	Key                  []byte // the .p8 file
	KeyID, TeamID, Topic string

	key     *ecdsa.PrivateKey
	stale   map[string]bool // provider tokens that Expire declared expired
	last    string
	bearers map[string]bool
}

// NewAPNs starts a fake APNs.
func NewAPNs(t testing.TB) *APNs {
	t.Helper()
	a := &APNs{KeyID: "ABCDE12345", TeamID: "TEAM123456", Topic: "com.example.shop", key: ecKey(t), stale: map[string]bool{}, bearers: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /3/device/{token}", a.push)
	s := start(t, mux)
	a.URL = s.URL
	a.Roots, a.CAFile = roots(t, s)
	a.Key = pkcs8(t, a.key)
	return a
}

// Expire declares the last provider token expired.
func (a *APNs) Expire() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stale[a.last] = true
}

// Bearers returns the number of different provider tokens received.
func (a *APNs) Bearers() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.bearers)
}

// APNsError returns an error response of APNs.
func APNsError(status int, reason string) Response {
	return Response{Status: status, Body: fmt.Sprintf(`{"reason":%q}`, reason)}
}

func (a *APNs) push(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor != 2 {
		writeResponse(w, APNsError(http.StatusHTTPVersionNotSupported, "HTTP/2 only"))
		return
	}
	if reason := a.provider(r); reason != "" {
		writeResponse(w, APNsError(http.StatusForbidden, reason))
		return
	}
	body, err := io.ReadAll(r.Body)
	var m struct {
		APS map[string]any `json:"aps"`
	}
	switch {
	case err != nil || json.Unmarshal(body, &m) != nil || m.APS == nil:
		writeResponse(w, APNsError(http.StatusBadRequest, "PayloadEmpty"))
	case len(body) > 4096:
		writeResponse(w, APNsError(http.StatusRequestEntityTooLarge, "PayloadTooLarge"))
	case r.Header.Get("apns-topic") != a.Topic:
		writeResponse(w, APNsError(http.StatusBadRequest, "TopicDisallowed"))
	case r.Header.Get("apns-push-type") == "":
		writeResponse(w, APNsError(http.StatusBadRequest, "InvalidPushType"))
	default:
		if a.take(w, r, Received{To: r.PathValue("token"), Payload: body}) {
			w.Header().Set("apns-id", fmt.Sprintf("00000000-0000-0000-0000-%012d", len(a.Messages())))
		}
	}
}

// provider checks the provider token (APNs, Establishing a token-based connection): alg, kid, iss, and an iat
// of the last hour.
func (a *APNs) provider(r *http.Request) string {
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "bearer ")
	if !ok {
		return "MissingProviderToken"
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last, a.bearers[bearer] = bearer, true
	claims := jwt.MapClaims{}
	t, err := jwt.ParseWithClaims(bearer, claims, func(*jwt.Token) (any, error) { return &a.key.PublicKey, nil },
		jwt.WithValidMethods([]string{"ES256"}), jwt.WithIssuer(a.TeamID), jwt.WithIssuedAt(), jwt.WithLeeway(10*time.Second))
	if err != nil || t.Header["kid"] != a.KeyID {
		return "InvalidProviderToken"
	}
	issued, err := claims.GetIssuedAt()
	if err != nil || issued == nil {
		return "InvalidProviderToken"
	}
	if time.Since(issued.Time) > time.Hour || a.stale[bearer] {
		return "ExpiredProviderToken"
	}
	return ""
}
