package forms

import (
	"testing"

	"bugle/engine/catalog"
)

// What an optional section requires is starred once somebody has begun the section.
func TestStars(t *testing.T) {
	open := func(s string, component catalog.Component) *Form {
		cfg := config(parse(t, s), string(component))
		cfg.Schema = catalog.Campaign(catalog.Push)
		return New(cfg)
	}
	f := open(`{}`, catalog.UTMParams)
	shows(t, f, "Source")
	hides(t, f, "Source *", "Medium *")
	f = open(`{"utm_params":{"utm_campaign":"spring"}}`, catalog.UTMParams)
	shows(t, f, "Source *", "Medium *")
	f = open(`{}`, catalog.BasicDetails)
	shows(t, f, "Campaign name *")
}
