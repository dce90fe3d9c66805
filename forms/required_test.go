package forms

import (
	"testing"

	"bugle/engine/catalog"
)

// The required fields of an optional section are marked once the section has been started.
func TestStars(t *testing.T) {
	open := func(s string, component catalog.Component) *Form {
		cfg := config(parse(t, s), string(component))
		cfg.Schema = catalog.Campaign(catalog.Push)
		return newForm(cfg)
	}
	f := open(`{}`, catalog.UTMParams)
	shows(t, f, "Source")
	hides(t, f, "Source *", "Medium *")
	f = open(`{"utm_params":{"utm_campaign":"spring"}}`, catalog.UTMParams)
	shows(t, f, "Source *", "Medium *")
	f = open(`{}`, catalog.BasicDetails)
	shows(t, f, "Campaign name *")
}
