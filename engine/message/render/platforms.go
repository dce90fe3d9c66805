package render

import (
	"strconv"
	"strings"
	"time"

	"bugle/engine/doc"
	"bugle/engine/phrase"
	"bugle/engine/schema"
	"bugle/engine/timeparse"
)

func (n *Notification) android(c part, o Options) {
	n.template(c, o)
	d, advanced := c.child("basic_details"), c.child("advanced")
	n.texts(d, true)
	n.Image = d.image("image_url")
	if gif := d.image("input_gif_url"); gif != nil {
		gif.Kind = GIF
		n.Image = gif
	}
	n.Colors = Colors{
		Background: ParseColor(d.source("background_color_code")), AppName: ParseColor(d.source("app_name_color_code")),
		Controls: d.source("notification_control_color"),
	}
	n.carousel(d)
	if n.Template == "IMAGE_BANNER_WITH_TEXT" {
		n.Image = d.image("banner_image_url")
		n.Banner = &Banner{
			Header: d.get("include_app_name_and_time").True(), Text: d.get("include_title_and_message").True(),
			Collapsed: d.text("collapsed_push_notification"),
		}
	}
	n.countdown(c.child("timer"), o.Now)
	for _, b := range c.list("buttons") {
		n.Buttons = append(n.Buttons, Button{
			Title: b.text("btn_name"), Action: joined(b.option("click_action_type"), b.source("click_action_name"), b.word("click_action_value")),
		})
	}
	n.tap(d)
	n.androidFacts(d, advanced)
	n.Backup = n.plain(c.child("template_backup"), true)
	n.withoutMarkup(d, "title", "summary")
	if SystemDraws(c.value) {
		if hasMarkup(d.source("message")) {
			n.Warnings = append(n.Warnings, Warning{Check: "markup-lost", Of: "message", Minor: true, Text: "Message: its formatting is only shown where the app draws the notification, not in a test"})
		}
		if !advanced.get("group_key").Empty() {
			n.Warnings = append(n.Warnings, Warning{Check: "group-hidden", Of: "group_key", Minor: true, Text: advanced.label("group_key") + ": Android does not group what it draws itself; the app gets the key"})
		}
	}
	n.measure()
	n.legible()
}

// SystemDraws reports whether Android itself can show all of a notification. What only the app can draw is a message for
// the app (FCM, message types).
func SystemDraws(content doc.Value) bool {
	if orElse(content.Get("template_type").Text(), "BASIC") != "BASIC" {
		return false
	}
	advanced := content.Get("advanced")
	for _, name := range []string{"make_notification_sticky", "auto_dismiss_notification", "use_large_icon"} {
		if advanced.Get(name).True() {
			return false
		}
	}
	return content.Get("buttons").Empty() && content.Get("basic_details").Get("input_gif_url").Empty() && advanced.Get("coupon_code").Empty()
}

func (n *Notification) androidFacts(d, advanced part) {
	if advanced.get("use_large_icon").True() {
		n.Icon = &Image{Name: "large icon", Kind: Picture}
	}
	if dismiss := advanced.text("dismiss_button_text"); !dismiss.Empty() {
		n.Buttons = append(n.Buttons, Button{Title: dismiss, Action: "closes the notification"})
	}
	n.fact("Coupon", advanced.word("coupon_code"))
	if advanced.get("make_notification_sticky").True() {
		n.fact("Sticky", "stays until its button is tapped")
	}
	if v := advanced.get("auto_dismiss_notification_time_value").Literal(); v != "" {
		unit := strings.ToLower(advanced.option("auto_dismiss_notification_time_granularity"))
		if v == "1" {
			unit = strings.TrimSuffix(unit, "s")
		}
		n.fact("Disappears", "after "+strings.TrimSpace(v+" "+unit))
	}
	n.fact("Pictures", d.optionHelp("image_scaling"))
	n.fact("Channel", d.source("notification_channel"))
}

func (n *Notification) countdown(t part, now time.Time) {
	if !strings.HasPrefix(n.Template, "TIMER") {
		return
	}
	n.Timer = &Timer{Bar: n.Template == "TIMER_WITH_PROGRESS_BAR"}
	hours, hoursOK := number(t.word("duration_hour"))
	minutes, minutesOK := number(t.word("duration_minute"))
	moment := joined(t.word("specific_time"), t.source("time_period"))
	switch ends := t.source("timer_ends_at"); {
	case strings.HasPrefix(ends, "SPECIFIC_TIME") && moment != "":
		whose := "the campaign's time zone"
		if ends == "SPECIFIC_TIME_USER_TIMEZONE" {
			whose = "the user's time zone"
		}
		n.Timer.Text = "Ends " + moment + ", in " + whose
		if at, ok := schema.ParseTime(t.word("specific_time"), time.UTC); ok && !now.IsZero() {
			n.Timer.Text = "Ends " + timeparse.Moment(at, now) + ", in " + whose
			n.Timer.Left, n.Timer.Known = max(at.Sub(now), 0), true
		}
	case hoursOK || minutesOK:
		n.Timer.Left, n.Timer.Known = time.Duration(hours)*time.Hour+time.Duration(minutes)*time.Minute, true
		n.Timer.Text = "Ends " + formatDuration(hours, minutes) + " after it arrives"
	case moment != "":
		n.Timer.Text = "Ends " + moment
	default:
		n.Timer.Text = "No end time set"
	}
	n.fact("Countdown", n.Timer.Text)
}

// number parses a whole number of at most five digits: the hours or minutes of a countdown.
func number(s string) (int, bool) {
	if len(s) > 5 {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0
}

func formatDuration(hours, minutes int) string {
	var out []string
	if hours > 0 || minutes == 0 {
		out = append(out, phrase.Count(hours, "hour"))
	}
	if minutes > 0 {
		out = append(out, phrase.Count(minutes, "minute"))
	}
	return strings.Join(out, " ")
}

func (n *Notification) ios(c part, o Options) {
	n.template(c, o)
	d, advanced := c.child("basic_details"), c.child("advanced")
	n.Badge = advanced.get("enable_ios_badge").True()
	// The designs that an app draws by itself read markup; the system's own has plain text.
	markup := n.Template != "BASIC"
	n.texts(d, markup)
	n.Subtitle = d.unstyled("subtitle")
	n.Image = iosMedia(d)
	n.Colors.Background = ParseColor(d.source("background_color_code"))
	n.carousel(d)
	for _, b := range c.list("buttons") {
		if name := b.source("button_category"); name != "" {
			n.Buttons = append(n.Buttons, Button{Title: plain(name), Action: "the buttons that the app has registered under this name", Set: true})
		}
	}
	n.tap(d)
	n.fact("Coupon", advanced.word("coupon_code"))
	n.fact("Sound", advanced.source("sound_file"))
	backup := c.child("template_backup")
	if n.Backup = n.plain(backup, false); n.Backup != nil {
		n.Backup.Subtitle, n.Backup.Image = backup.unstyled("subtitle"), iosMedia(backup)
	}
	if !markup {
		n.withoutMarkup(d, "message")
	}
	n.withoutMarkup(d, "title", "subtitle")
	n.measure()
	n.legible()
}

// iosMedia returns a notification's media from the first field that has one.
func iosMedia(d part) *Image {
	if gif := d.image("input_gif_url"); gif != nil {
		gif.Kind = GIF
		return gif
	}
	img := d.image("rich_media_value")
	if img == nil {
		return d.image("image_url")
	}
	switch d.source("rich_media_type") {
	case "Video":
		img.Kind = Video
	case "GIF":
		img.Kind = GIF
	}
	return img
}

func (n *Notification) web(c part, o Options) {
	n.template(c, o)
	d, advanced := c.child("basic_details"), c.child("advanced")
	n.texts(d, false)
	n.Summary = nil
	n.Image = d.image("image_url")
	n.Icon = advanced.image("icon_url")
	target := d.word("redirect_url")
	n.App = orElse(host(target), orElse(o.App, "your site"))
	for _, b := range c.list("buttons") {
		n.Buttons = append(n.Buttons, Button{Title: b.unstyled("title"), Action: opens(b.word("url"))})
	}
	n.fact("Click", opens(target))
	if d.get("auto_dismiss_notification").True() {
		n.fact("Disappears", "after a while")
	}
	if n.Image != nil {
		n.Warnings = append(n.Warnings, Warning{Check: "image-hidden", Of: "image_url", Text: "Picture: Firefox and browsers on macOS don't show it", Minor: true})
	}
	n.withoutMarkup(d, "title", "message")
	n.measure()
	n.legible()
}

func opens(target string) string {
	if target == "" {
		return ""
	}
	return "opens " + target
}
