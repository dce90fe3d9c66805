package render

import (
	"time"

	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/utm"
)

// Options say for whom, when and for which app a model is made. The zero value is for nobody.
type Options struct {
	// App is the name that notifications carry; "Your app" where empty, and on the web the site that
	// the notification opens.
	App string
	// Now is when the message arrives; a countdown to a moment needs it.
	Now time.Time
	// Fill fills expressions for one person. Without it they stay as they are.
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
	Template string // as it stands in the document; BASIC where it has none
	Label    string // the template for people: "Timer with progress bar"
	Custom   Saved  // the saved template that gives the look
	Blank    bool   // nothing is there to show

	App      string // the app, or on the web the site
	Title    Text
	Subtitle Text // iOS
	Body     Text
	Summary  Text // Android: beside the app's name

	Image  *Image  // the large picture; of the banner template the banner
	Icon   *Image  // an icon of its own
	Colors Colors  // colors
	Slide  []Slide // the carousel's

	// AutoSlide says that the slides change by themselves.
	AutoSlide bool
	// Banner is how the banner template is laid out.
	Banner *Banner
	Timer  *Timer

	Buttons []Button
	// Badge says that iOS counts it on the app's icon.
	Badge bool
	// Facts are what it does and does not show: where a tap leads, how long it stays.
	Facts []Fact

	// Backup is the plain notification of devices that cannot draw the template.
	Backup *Notification

	Missing  []Missing
	Warnings []Warning
}

// Colors is what a template's colors are: #rrggbb, or "" for the device's own.
type Colors struct {
	Background, AppName string
	// Controls are those of arrows: "LIGHT", "DARK", or "".
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
	URL  string // with its expressions, filled where they can be
	Name string // the file's name, or the host's where the URL has none
	Alt  string // what is said in place of it; mails have it
	Kind MediaKind
}

// Slide is one picture of a carousel.
type Slide struct {
	Image  Image
	Action string // what a tap on it does, in words
}

// Banner is how an image banner with text is laid out.
type Banner struct {
	Header, Text bool // app name and time; title and message over the picture
	Collapsed    Text // in place of all that while it is collapsed
}

// Timer is a countdown.
type Timer struct {
	// Text say when it ends: "2 hours 30 minutes after it arrives".
	Text string
	// Left is what it starts from, and Known says that it is known.
	Left  time.Duration
	Known bool
	// Bar says that a progress bar shows how far it is.
	Bar bool
}

// Percent is how far the countdown is when elapsed has passed since its start, from 0 to 100.
func (t *Timer) Percent(elapsed time.Duration) int {
	if !t.Known || t.Left <= 0 {
		return 0
	}
	return int(min(max(100*elapsed.Seconds()/t.Left.Seconds(), 0), 100))
}

// Button is a button and what it does.
type Button struct {
	Title  Text
	Action string // in words: "Deep link · shop://offers"
	// Set says that it stands for buttons that the app has registered under this name.
	Set bool
}

// Fact is something about a message that it does not show by itself.
type Fact struct{ Name, Text string }

// Missing is an expression without a value for the chosen person.
type Missing struct {
	Field      string // for people: "Title"
	Expression string
}

// Push makes the model of a notification from the content of one platform: what stands in a push
// content under `android`, `ios` or `web`. For a platform that is not known it is blank.
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
	n.Title, n.Summary = d.text("title"), d.text("summary")
	if markup {
		n.Body = d.rich("message")
	} else {
		n.Body = d.text("message")
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
