package gatewaytest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// PushService is a fake of a browser's push service, with the browser that decrypts messages.
type PushService struct {
	recorder
	URL    string
	Roots  *x509.CertPool
	CAFile string
	VAPID  []byte // the private key that browsers subscribed with, in base64url

	public  string // its public key
	browser *ecdh.PrivateKey
	auth    []byte
}

// NewPushService starts a fake push service.
func NewPushService(t testing.TB) *PushService {
	t.Helper()
	p := &PushService{auth: make([]byte, 16)}
	rand.Read(p.auth)
	var err error
	if p.browser, err = ecdh.P256().GenerateKey(rand.Reader); err != nil {
		t.Fatal(err)
	}
	server, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p.VAPID = []byte(base64.RawURLEncoding.EncodeToString(server.Bytes()))
	p.public = base64.RawURLEncoding.EncodeToString(server.PublicKey().Bytes())
	mux := http.NewServeMux()
	mux.HandleFunc("POST /push/{id}", p.push)
	s := start(t, mux)
	p.URL = s.URL
	p.Roots, p.CAFile = roots(t, s)
	return p
}

// Endpoint returns the endpoint of a subscription.
func (p *PushService) Endpoint(id string) string { return p.URL + "/push/" + id }

// Keys returns the keys of every subscription in base64url.
func (p *PushService) Keys() (p256dh, auth string) {
	return base64.RawURLEncoding.EncodeToString(p.browser.PublicKey().Bytes()), base64.RawURLEncoding.EncodeToString(p.auth)
}

func (p *PushService) push(w http.ResponseWriter, r *http.Request) {
	if err := p.vapid(r); err != nil {
		writeResponse(w, Response{Status: http.StatusForbidden, Body: err.Error()})
		return
	}
	if _, err := strconv.ParseUint(r.Header.Get("TTL"), 10, 31); err != nil || r.Header.Get("Content-Encoding") != "aes128gcm" {
		writeResponse(w, Response{Status: http.StatusBadRequest, Body: "TTL or Content-Encoding"})
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 4097))
	if err != nil || len(body) > 4096 {
		writeResponse(w, Response{Status: http.StatusRequestEntityTooLarge})
		return
	}
	plain, err := p.decrypt(body)
	if err != nil {
		writeResponse(w, Response{Status: http.StatusBadRequest, Body: err.Error()})
		return
	}
	if p.take(w, r, Received{To: r.PathValue("id"), Payload: plain}) {
		w.Header().Set("Location", p.URL+"/message/"+strconv.Itoa(len(p.Messages())))
		w.WriteHeader(http.StatusCreated)
	}
}

// vapid checks the sender (RFC 8292, 2 and 3).
func (p *PushService) vapid(r *http.Request) error {
	fields, ok := strings.CutPrefix(r.Header.Get("Authorization"), "vapid ")
	if !ok {
		return errors.New("no vapid")
	}
	var t, k string
	for _, f := range strings.Split(fields, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(f), "=")
		switch name {
		case "t":
			t = value
		case "k":
			k = value
		}
	}
	if k != p.public {
		return errors.New("another key than the browser subscribed with")
	}
	point, err := base64.RawURLEncoding.DecodeString(k)
	if err != nil {
		return errors.New("k is no key")
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return errors.New("k is no key")
	}
	claims := jwt.MapClaims{}
	if _, err := jwt.ParseWithClaims(t, claims, func(*jwt.Token) (any, error) { return key, nil },
		jwt.WithValidMethods([]string{"ES256"}), jwt.WithAudience(p.URL), jwt.WithExpirationRequired()); err != nil {
		return fmt.Errorf("vapid: %w", err)
	}
	ends, _ := claims.GetExpirationTime()
	subject, _ := claims.GetSubject()
	if time.Until(ends.Time) > 24*time.Hour || !strings.HasPrefix(subject, "mailto:") && !strings.HasPrefix(subject, "https:") || strings.HasPrefix(subject, "mailto:mailto:") {
		return errors.New("exp or sub")
	}
	return nil
}

// decrypt implements RFC 8188 and RFC 8291 on the browser's side.
func (p *PushService) decrypt(body []byte) ([]byte, error) {
	const header = 16 + 4 + 1
	if len(body) < header || int(body[20]) != 65 || len(body) < header+65 {
		return nil, errors.New("no header of aes128gcm")
	}
	salt, size, sender := body[:16], binary.BigEndian.Uint32(body[16:20]), body[header:header+65]
	sealed := body[header+65:]
	if len(sealed) > int(size) {
		return nil, errors.New("more than one record")
	}
	key, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		return nil, err
	}
	shared, err := p.browser.ECDH(key)
	if err != nil {
		return nil, err
	}
	info := "WebPush: info\x00" + string(p.browser.PublicKey().Bytes()) + string(sender)
	ikm, err := hkdf.Key(sha256.New, shared, p.auth, info, 32)
	if err != nil {
		return nil, err
	}
	cek, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(cek)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	plain, err := gcm.Open(nil, nonce, sealed, nil)
	if err != nil {
		return nil, err
	}
	end := len(plain)
	for end > 0 && plain[end-1] == 0 {
		end--
	}
	if end == 0 || plain[end-1] != 2 { // the delimiter of the last record
		return nil, errors.New("no delimiter")
	}
	return plain[:end-1], nil
}
