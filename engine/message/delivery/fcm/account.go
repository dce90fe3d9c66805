package fcm

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"

	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/gateway"
)

// scope is the required scope of an access token (FCM, Authorize HTTP v1 send requests).
const scope = "https://www.googleapis.com/auth/firebase.messaging"

// expiryMargin is how long before its expiry a token is renewed.
const expiryMargin = time.Minute

// account is a service account that gets access tokens (RFC 7523; Google, Using OAuth 2.0 for server to
// server applications).
type account struct {
	project string
	host    string // of the token endpoint, for errors
	config  jwt.Config
	client  *http.Client

	mu    sync.Mutex
	token *oauth2.Token
}

// newAccount parses the JSON of a service account's key. Errors never quote it.
func newAccount(key []byte, tokenEndpoint string, client *http.Client) (*account, error) {
	var file struct {
		Type         string `json:"type"`
		ProjectID    string `json:"project_id"`
		PrivateKeyID string `json:"private_key_id"`
		PrivateKey   string `json:"private_key"`
		ClientEmail  string `json:"client_email"`
		TokenURI     string `json:"token_uri"`
	}
	if err := json.Unmarshal(key, &file); err != nil || file.Type != "service_account" {
		return nil, gateway.Refuse("the key is not a service account JSON file; create one in the Firebase console under Project settings, Service accounts")
	}
	block, _ := pem.Decode([]byte(file.PrivateKey))
	if block == nil || !isRSA(block.Bytes) || file.ClientEmail == "" {
		return nil, gateway.Refuse("the FCM service account has no valid private_key and client_email; create a new key in the Firebase console")
	}
	if tokenEndpoint == "" {
		tokenEndpoint = file.TokenURI
	}
	u, err := gateway.Endpoint("the token endpoint of FCM", tokenEndpoint)
	if err != nil {
		return nil, err
	}
	return &account{
		project: file.ProjectID, host: u.Host, client: client,
		config: jwt.Config{
			Email: file.ClientEmail, PrivateKey: []byte(file.PrivateKey), PrivateKeyID: file.PrivateKeyID,
			Scopes: []string{scope}, TokenURL: u.String(),
		},
	}, nil
}

func isRSA(der []byte) bool {
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		_, err = x509.ParsePKCS1PrivateKey(der)
		return err == nil
	}
	_, ok := key.(*rsa.PrivateKey)
	return ok
}

// accessToken returns the current token or a new one. not is a token that FCM refused. Concurrent callers
// share a new token.
func (a *account) accessToken(ctx context.Context, not string) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if t := a.token; t != nil && t.AccessToken != not && (t.Expiry.IsZero() || time.Until(t.Expiry) > expiryMargin) {
		return t.AccessToken, nil
	}
	way := &errorRecorder{next: a.client.Transport}
	client := &http.Client{Transport: way, CheckRedirect: a.client.CheckRedirect}
	t, err := a.config.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, client)).Token()
	if err != nil {
		a.token = nil
		if way.failed != nil {
			err = way.failed
		}
		return "", a.explain(err)
	}
	if t.AccessToken == "" {
		return "", &delivery.Error{Reason: delivery.Auth, Message: "the token endpoint of FCM at " + a.host + " returned no access token; check the token endpoint"}
	}
	a.token = t
	return t.AccessToken, nil
}

// errorRecorder keeps the error of a request, because the library only returns its text.
type errorRecorder struct {
	next   http.RoundTripper
	failed error
}

func (n *errorRecorder) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := n.next.RoundTrip(r)
	n.failed = err
	return resp, err
}

// explain returns the error of a token request, without the assertion that was sent.
func (a *account) explain(err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) || refused.Response == nil {
		return gateway.Unreachable("the token endpoint of FCM", a.host, err)
	}
	// RFC 6749, 5.2.
	var body struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	_ = json.Unmarshal(refused.Body, &body) // without JSON, the status decides
	status := refused.Response.StatusCode
	e := &delivery.Error{Reason: delivery.Auth, After: gateway.RetryAfter(refused.Response.Header, time.Now())}
	switch {
	case status == http.StatusTooManyRequests:
		e.Reason, e.Temporary = delivery.Throttled, true
		e.Message = "the token endpoint of FCM at " + a.host + " returns no more tokens for now (429)"
	case status >= 500:
		e.Reason, e.Temporary = delivery.Refused, true
		e.Message = "the token endpoint of FCM at " + a.host + " failed (" + refused.Response.Status + ")"
	default:
		said := body.Error
		if said == "" {
			said = refused.Response.Status
		}
		if body.Description != "" {
			said += ": " + body.Description
		}
		e.Message = "Google refused the service account of FCM (" + gateway.ResponseText(said) + "); check if its key was deleted or belongs to another project, and the clock of this machine"
	}
	return e
}
