package keymap

// renamed maps the names of actions in earlier versions to their current names, so that existing files still
// work. No key is a current name.
var renamed = map[string]string{
	"activity.keep":                    "activity.apply",
	"activity.no-filter":               "activity.clear-filter",
	"activity.view-before":             "activity.previous-view",
	"app.end-the-wait":                 "app.cancel-requests",
	"builder.as-a-form":                "builder.form",
	"builder.out":                      "builder.back",
	"builder.parts":                    "builder.back",
	"builder.redo":                     "app.redo",
	"builder.tab-before":               "builder.previous-tab",
	"builder.test-send":                "builder.test",
	"builder.undo":                     "app.undo",
	"campaigns.all-states":             "campaigns.all",
	"campaigns.counts":                 "campaigns.filters",
	"campaigns.do-to-selected":         "campaigns.change-selected",
	"campaigns.drop-the-word":          "campaigns.drop-word",
	"campaigns.filter":                 "campaigns.search",
	"campaigns.keep-selected":          "campaigns.close",
	"campaigns.retry-these":            "campaigns.retry",
	"campaigns.save-present":           "campaigns.save-view",
	"campaigns.show-all":               "campaigns.clear",
	"campaigns.turn-round":             "campaigns.reverse",
	"campaigns.usual":                  "campaigns.reset",
	"new.start-bare":                   "new.create-empty",
	"new.starters":                     "new.templates",
	"outbox.keep":                      "outbox.apply",
	"outbox.message-before":            "outbox.previous-message",
	"outbox.no-filter":                 "outbox.clear-filter",
	"outbox.view-before":               "outbox.previous-view",
	"settings.another-key":             "settings.change-key",
	"settings.keep":                    "settings.apply",
	"settings.one-more":                "settings.add-key",
	"settings.tab-before":              "settings.previous-tab",
	"settings.use-from-the-next-start": "settings.use-from-next-start",
	"test.all-again":                   "test.send-all-again",
	"test.before":                      "test.previous-section",
	"test.go-on":                       "test.next-section",
	"test.leave-the-field":             "test.leave-field",
	"test.offers":                      "test.suggestions",
	"test.own-values":                  "test.clear-values",
	"test.read":                        "test.read-message",
	"test.refill":                      "test.replace",
	"test.row-before":                  "test.previous-row",
	"test.send-failed-again":           "test.retry-failed",
	"test.solve":                       "test.go-to-field",
	"test.type":                        "test.back",
	"validate.test-send":               "validate.test",
	"welcome.begin":                    "welcome.start",
	"workspace.again":                  "workspace.test-again",
	"workspace.keep":                   "workspace.apply",
	"workspace.out":                    "workspace.back",
	"workspace.people":                 "workspace.users",
	"workspace.redo":                   "app.redo",
	"workspace.undo":                   "app.undo",
}

// currentName returns the current name of an action, for a current or former name.
func currentName(name string) string {
	if now, ok := renamed[name]; ok {
		return now
	}
	return name
}
