package cli

import (
	"context"
	"os"
	"strings"
	"time"

	"bugle/engine"
	"bugle/engine/service/local"
	"bugle/engine/service/local/sample"
)

// EmptyID is the default id of a workspace without sample data.
const EmptyID = "MAIN"

// NewWorkspace describes the workspace to create.
type NewWorkspace struct {
	ID, Name, Author string
	Sample           bool
	Encrypt          bool
}

// CreateWorkspace creates the workspace and returns its id and the first API key, which is not stored.
func CreateWorkspace(ctx context.Context, f *Factory, w NewWorkspace) (id, key string, err error) {
	s, err := f.Open(ctx)
	if err != nil {
		return "", "", err
	}
	if w.Author == "" {
		w.Author = f.Author("")
	}
	switch {
	case w.ID != "":
	case f.Workspace != "":
		w.ID = f.Workspace
	case w.Sample:
		w.ID = sample.ID
	default:
		w.ID = EmptyID
	}
	if w.Sample {
		key, err = sample.Install(ctx, s.records, sample.Options{ID: w.ID, Name: w.Name, Author: w.Author, Now: time.Now()})
		return w.ID, key, err
	}
	key, err = local.CreateWorkspace(ctx, s.records, engine.Workspace{
		ID: w.ID, Name: w.Name, Author: w.Author, Timezone: localZone(f.Getenv),
		Connectors: []engine.Connector{{Type: defaultConnectorType, Name: "Outbox", Provider: engine.ProviderOutbox}},
	})
	return w.ID, key, err
}

// localZone returns the IANA name of the time zone of this machine, or UTC.
func localZone(getenv func(string) string) string {
	names := []string{getenv("TZ")}
	if link, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(link, "zoneinfo/"); ok {
			names = append(names, name)
		}
	}
	for _, n := range names {
		if _, err := time.LoadLocation(n); err == nil && n != "" && n != "Local" {
			return n
		}
	}
	return "UTC"
}

// defaultConnectorType is the default type of a connector: the user's own mail server (CONTRACT.md, connector).
const defaultConnectorType = "CUSTOM_SMTP"
