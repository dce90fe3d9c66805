package render

import (
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/utm"
)

// Options describe the user, the time and the app that a model is made for. The zero value has no user.
type Options struct {
	// App is the app's name in notifications. If it is empty, it is "Your app" or, on the web, the site that
	// the notification opens.
	App string
	// Now is the time of arrival, which countdowns need.
	Now time.Time
	// Fill fills expressions for one user. If it is nil, they stay as they are.
	Fill Fill
	// Params are the UTM parameters that are added to links; values that they have expressions for are filled already.
	Params []utm.Param
	// Templates tells of the saved templates whose content the messages have already; nil where nothing is
	// known of any.
	Templates TemplateStatus

	at doc.Path // where the content stands, for Fill
}

// Notification is a push notification as a platform shows it.
type Notification struct {
	Platform catalog.Platform
	Template string // as in the document; BASIC if it has none
	Label    string // display name of the template, such as "Timer with progress bar"
	Custom   Saved  // the saved template that defines the layout
	Blank    bool   // there is nothing to show

	App      string // the app or, on the web, the site
	Title    Text
	Subtitle Text // iOS
	Body     Text
	Summary  Text // Android: next to the app's name

	Image  *Image  // the large picture; of the banner template the banner
	Icon   *Image  // an icon of its own
	Colors Colors  // colors
	Slide  []Slide // the carousel's

	// AutoSlide reports that the slides change automatically.
	AutoSlide bool
	// Banner is the layout of the banner template.
	Banner *Banner
	Timer  *Timer

	Buttons []Button
	// Badge reports that iOS counts it on the app's icon.
	Badge bool
	// Facts describe invisible properties: what a tap opens, how long it stays.
	Facts []Fact

	// Backup is the plain notification for devices that cannot show the template.
	Backup *Notification

	Missing  []Missing
	Warnings []Warning
}

// Colors are a template's colors: #rrggbb, or "" for the device's default.
type Colors struct {
	Background, AppName string
	// Controls is the color of arrows: "LIGHT", "DARK", or "".
	Controls string
}

// MediaKind is what an [Image] is.
type MediaKind string

// The kinds of media.
const (
	Picture MediaKind = "picture"
	GIF     MediaKind = "GIF"
	Video   MediaKind = "video"
)

// Image is a picture or video.
type Image struct {
	URL  string // with its expressions filled if possible
	Name string // the file's name, or the host if the URL has none
	Alt  string // the alternative text of an email's image
	Kind MediaKind
}

// Slide is one picture of a carousel.
type Slide struct {
	Image  Image
	Action string // the action of a tap, in words
}

// Banner is the layout of an image banner with text.
type Banner struct {
	Header, Text bool // app name and time; title and message over the picture
	Collapsed    Text // in place of all that while it is collapsed
}

// Timer is a countdown.
type Timer struct {
	// Text describes its end: "2 hours 30 minutes after it arrives".
	Text string
	// Left is the initial time, and Known reports whether it is known.
	Left  time.Duration
	Known bool
	// Bar reports that it has a progress bar.
	Bar bool
}

// Button is a button and its action.
type Button struct {
	Title  Text
	Action string // in words: "Deep link · shop://offers"
	// Set reports that it stands for the buttons that the app registered under this name.
	Set bool
}

// Fact is additional information about a message that is not visible in it.
type Fact struct{ Name, Text string }

// Missing is an expression without a value for the user.
type Missing struct {
	Field      string // display name of the field, such as "Title"
	Expression string
}

// Push returns the model of a notification from the content of one platform, the value under `android`, `ios`
// or `web`. For an unknown platform it is blank.
func Push(platform catalog.Platform, content doc.Value, o Options) Notification {
	n := Notification{Platform: platform, Template: "BASIC", App: orElse(o.App, "Your app"), Blank: content.Empty()}
	r := &reading{fill: o.Fill, params: o.Params, at: o.at}
	switch platform {
	case catalog.Android:
		n.android(r.root(catalog.Push, doc.P("push", platform.Member()), content), o)
	case catalog.IOS:
		n.ios(r.root(catalog.Push, doc.P("push", platform.Member()), content), o)
	case catalog.Web:
		n.web(r.root(catalog.Push, doc.P("push", platform.Member()), content), o)
	default:
		n.Blank = true
	}
	n.Missing = r.missing
	return n
}

func (n *Notification) template(c part, o Options) {
	n.Custom = saved(c, o)
	n.Warnings = append(n.Warnings, n.Custom.warnings()...)
	n.Template, n.Label = orElse(c.source("template_type"), n.Template), c.option("template_type")
	if n.Label == "" {
		n.Label = orElse(c.source("template_type"), "Basic")
	}
}

// texts takes the members that the details of all platforms and their backups share.
func (n *Notification) texts(d part, markup bool) {
	n.Title, n.Summary, n.Body = d.unstyled("title"), d.unstyled("summary"), d.rich("message")
	if !markup {
		n.Body = n.Body.unstyled()
	}
}

func (n *Notification) carousel(d part) {
	c := d.child("carousel_content")
	n.AutoSlide = c.source("slider_transition") == "AUTOMATIC"
	for _, s := range c.list("slide_data") {
		slide := Slide{Action: s.action("image_click_action", "image_click_action_value")}
		if img := s.image("image_url"); img != nil {
			slide.Image = *img
		}
		n.Slide = append(n.Slide, slide)
	}
}

func (n *Notification) fact(name, text string) {
	if text != "" {
		n.Facts = append(n.Facts, Fact{name, text})
	}
}

// tap notes where a tap on the notification leads.
func (n *Notification) tap(d part) {
	n.fact("Tap", d.action("default_click_action", "default_click_action_value"))
}

// plain makes the notification that devices show which cannot draw the template.
func (n *Notification) plain(b part, markup bool) *Notification {
	if b.value.Empty() {
		return nil
	}
	out := &Notification{Platform: n.Platform, Template: "BASIC", Label: "Backup", App: n.App, Badge: n.Badge}
	out.texts(b, markup)
	out.Image = b.image("image_url")
	out.tap(b)
	out.measure()
	return out
}
