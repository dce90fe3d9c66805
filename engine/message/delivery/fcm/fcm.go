// Package fcm sends push notifications to Android through Firebase Cloud Messaging, HTTP v1.
package fcm

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"bugle/engine/catalog"
	"bugle/engine/message/delivery"
	"bugle/engine/message/delivery/gateway"
)

// Endpoint is Google's endpoint.
const Endpoint = "https://fcm.googleapis.com"

// Config configures FCM.
type Config struct {
	Key           []byte // the JSON of a service account's key
	Project       string // "": the service account's project
	Endpoint      string // "": Google's
	TokenEndpoint string // "": the service account's endpoint
	Roots         *x509.CertPool
	Retry         gateway.Retry
}

// Sender is a [delivery.Sender] for Android. It is safe for concurrent use and shares its token and
// connections.
type Sender struct {
	account *account
	client  *http.Client
	host    string
	send    string // the URL of the send method
	retry   gateway.Retry
}

var projectID = regexp.MustCompile(`^[A-Za-z0-9:._-]+$`)

// maxProjectID is in bytes. It is not part of the regular expression, because compiling that would slow down
// every start.
const maxProjectID = 100

// New checks the settings and the key without connecting.
func New(c Config) (*Sender, error) {
	if c.Endpoint == "" {
		c.Endpoint = Endpoint
	}
	u, err := gateway.Endpoint("the endpoint of FCM", c.Endpoint)
	if err != nil {
		return nil, err
	}
	client := gateway.Transport{Roots: c.Roots}.Client()
	a, err := newAccount(c.Key, c.TokenEndpoint, client)
	if err != nil {
		return nil, err
	}
	project := c.Project
	if project == "" {
		project = a.project
	}
	if len(project) > maxProjectID || !projectID.MatchString(project) {
		return nil, gateway.Refuse("the FCM project is missing; set the id of the Firebase project")
	}
	return &Sender{
		account: a, client: client, host: u.Host, retry: c.Retry,
		send: u.String() + "/v1/projects/" + url.PathEscape(project) + "/messages:send",
	}, nil
}

// Close closes idle connections.
func (c *Sender) Close() error {
	c.client.CloseIdleConnections()
	return nil
}

// Deliver sends a notification to its device. It renews an expired token once.
func (c *Sender) Deliver(ctx context.Context, m delivery.Message) (delivery.Receipt, error) {
	if m.Push == nil || m.Push.Platform != string(catalog.Android) {
		return delivery.Receipt{}, gateway.Refuse("the message %s is not for Android, so FCM cannot send it", m.Key)
	}
	var name string
	err := c.retry.Do(ctx, "FCM", func(ctx context.Context) error {
		token, err := c.account.accessToken(ctx, "")
		if err != nil {
			return err
		}
		name, err = c.post(ctx, m.Push, token)
		if errors.Is(err, errExpired) {
			if token, err = c.account.accessToken(ctx, token); err != nil {
				return err
			}
			name, err = c.post(ctx, m.Push, token)
		}
		return err
	})
	if err != nil {
		return delivery.Receipt{}, err
	}
	return delivery.Receipt{ID: name, Detail: "accepted by FCM"}, nil
}

// errExpired is wrapped by the error for an access token that FCM refused.
var errExpired = errors.New("the access token is not valid")

func (c *Sender) post(ctx context.Context, p *delivery.Push, token string) (name string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.send, bytes.NewReader(p.Payload))
	if err != nil {
		return "", gateway.Refuse("the FCM endpoint does not work: %s", delivery.RootCause(err))
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := c.client.Do(req)
	if err != nil {
		return "", gateway.Undelivered("FCM", c.host, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		return "", c.explain(resp, body, token, p.Token)
	}
	if err != nil {
		return "", delivery.Unconfirmed("FCM at "+c.host, err)
	}
	var sent struct {
		Name string `json:"name"` // projects/*/messages/{message_id}
	}
	if err := json.Unmarshal(body, &sent); err != nil || sent.Name == "" {
		return "", &delivery.Error{Reason: delivery.Refused, Message: fmt.Sprintf("the response of %s is not from FCM; check the endpoint of the gateway", c.host)}
	}
	return sent.Name, nil
}

// answer is the body of an error response (google.rpc.Status with FcmError among its details).
type answer struct {
	Error struct {
		Message string `json:"message"`
		Status  string `json:"status"`
		Details []struct {
			ErrorCode string `json:"errorCode"`
		} `json:"details"`
	} `json:"error"`
}

func (a answer) code() string {
	for _, d := range a.Error.Details {
		if d.ErrorCode != "" {
			return d.ErrorCode
		}
	}
	return a.Error.Status
}

// explain returns the error for a response (FCM, REST reference, ErrorCode).
func (c *Sender) explain(resp *http.Response, body []byte, secrets ...string) error {
	var a answer
	_ = json.Unmarshal(body, &a) // for a response that is not FCM's, the status decides
	code := a.code()
	e := &delivery.Error{After: gateway.RetryAfter(resp.Header, time.Now()), Reason: delivery.Refused}
	said := gateway.ResponseText(a.Error.Message, secrets...)
	status := orDefault(code, strconv.Itoa(resp.StatusCode))
	if said != "" {
		status += ": " + said
	}
	switch {
	case code == "UNREGISTERED":
		e.Reason = delivery.Gone
		e.Message = "FCM no longer knows the device (UNREGISTERED); the app was removed or its token was renewed, so update the user"
	case code == "SENDER_ID_MISMATCH":
		e.Message = "the device belongs to another Firebase project (SENDER_ID_MISMATCH); use a token from this project's app, or the service account of the other project"
	case code == "INVALID_ARGUMENT" && strings.Contains(strings.ToLower(said), "registration token"):
		e.Reason = delivery.Gone
		e.Message = "FCM refused the device token (INVALID_ARGUMENT): " + said
	case code == "INVALID_ARGUMENT":
		e.Message = "FCM refused the message (INVALID_ARGUMENT): " + said
	case code == "THIRD_PARTY_AUTH_ERROR":
		e.Reason = delivery.Auth
		e.Message = "FCM has no credential for the platform of this device (" + status + "); use an Android device"
	case resp.StatusCode == http.StatusUnauthorized:
		e.Reason, e.Err = delivery.Auth, errExpired
		e.Message = "FCM refused a new access token (" + status + "); check the service account and the clock of this machine"
	case resp.StatusCode == http.StatusForbidden:
		e.Reason = delivery.Auth
		e.Message = "the service account is not allowed to send for this project (" + status + "); assign it the role Firebase Cloud Messaging API Admin, and check the project id"
	case resp.StatusCode == http.StatusTooManyRequests:
		e.Reason, e.Temporary = delivery.Throttled, true
		e.Message = "FCM accepts no more messages for now (" + status + ")"
	case resp.StatusCode >= 500:
		e.Temporary = true
		e.Message = "FCM failed (" + status + "); try again later"
	case resp.StatusCode == http.StatusNotFound:
		e.Message = "FCM does not know the project (" + status + "); check the project id and the endpoint"
	default:
		e.Message = fmt.Sprintf("FCM refused the message (%s): %s", orDefault(code, resp.Status), orDefault(said, "no reason given"))
	}
	return e
}

func orDefault(s, other string) string {
	if s == "" {
		return other
	}
	return delivery.SanitizeText(s)
}
