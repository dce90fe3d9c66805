package check

import (
	"bugle/engine"
	"bugle/engine/catalog"
)

var (
	emailOnly = []engine.Channel{catalog.Email}
	pushOnly  = []engine.Channel{catalog.Push}
)

// rows finds the rows of the table by the ids of the checks.
var rows = map[string]int{}

func init() {
	for i, k := range table {
		rows[k.ID] = i
	}
	runs := map[string]func(*run){
		"audience-empty": audienceEmpty, "audience-everyone": audienceEveryone, "audience-unreachable": audienceUnreachable,
		"duplicate-audience": duplicates,
		"event-unknown":      unknownNames, "content-block-unknown": unknownBlocks, "product-set-unknown": unknownContent,
		"content-api-refused": refusedAPIs,
		"value-missing":       valueMissing, "default-missing": defaultMissing,
		"value-never": neverThere, "value-unescaped": valueUnescaped,
		"title-cut": drawn, "subject-cut": drawn, "image-http": pushImages, "preview-text-repeats": previewRepeats, "text-placeholder": placeholders,
		"subject-caps": subjectSpam,
		"button-empty": emptyButtons, "link-bad": badLinks, "utm-partial": untagged, "utm-missing": unparameterized,
		"send-refused": unsendable, "text-blank": blankTexts,
		"unsubscribe-missing": unsubscribe, "address-missing": postalAddress, "reply-to-domain": replyTo,
		"image-alt-missing": emailImages, "image-only": imageOnly, "html-clipped": clippedHTML, "html-script": activeParts,
		"mjml-not-compiled": notCompiled, "mjml-differs": unverified, "css-unsupported": unsupported, "dark-mode": readability,
		"locale-untranslated": untranslated, "variations-identical": identical,
		"start-past-somewhere": userZones, "send-at-night": atNight, "clock-change": clockChange,
		"month-without-day": shortMonths, "end-after-one-send": earlyEnd,
		"limits-ignored": limitsIgnored,
	}
	for id, run := range runs {
		table[rows[id]].run = run
	}
}

const (
	spamAssassin = "https://spamassassin.apache.org/old/tests_3_3_x.html"
	canSpam      = "https://www.ftc.gov/business-guidance/resources/can-spam-act-compliance-guide-business"
	wcagContrast = "https://www.w3.org/TR/WCAG22/#contrast-minimum"
	wcagText     = "https://www.w3.org/TR/WCAG22/#non-text-content"
	canIEmail    = "https://www.caniemail.com"
	gmailSenders = "https://support.google.com/mail/answer/81126"
	contract     = "CONTRACT.md, Personalization"
)

// table is all checks. A row without a function of its own is found by that of a row before it.
var table = []Check{
	// Who gets it.
	{ID: "audience-empty", Severity: Warning, Title: "The audience is empty", needs: needAudience,
		Why: "Nobody gets the campaign.", Remedy: "Change the filters of the audience."},
	{ID: "audience-everyone", Severity: Warning, Title: "The audience is everybody",
		Why:    "A promotion to users who are not interested costs subscribers.",
		Remedy: "Check if everybody is meant, or choose a segment."},
	{ID: "audience-unreachable", Severity: Warning, Title: "Most of the audience cannot be reached", needs: needAudience,
		Why: "Users without an address or a device do not get the message.", Remedy: "Add a filter, or choose another channel or platform."},
	{ID: "duplicate-audience", Severity: Warning, Title: "Another campaign goes to the same audience within a day", needs: needOthers | needNow,
		Why: "Several messages a day make users unsubscribe.", Remedy: "Move one of the two, or exclude the audience of the other."},

	// What it names.
	{ID: "event-unknown", Severity: Warning, Title: "The workspace has no such event", needs: needWorkspace,
		Why: "A filter or trigger on an event that no app reports never matches.", Remedy: "Choose an event of the workspace, or add it in its settings."},
	{ID: "attribute-unknown", Severity: Warning, Title: "The workspace has no such attribute", needs: needWorkspace,
		Why: "Users have no value for an attribute that does not exist.", Remedy: "Choose an attribute of the workspace, or add it in its settings."},
	{ID: "segment-unknown", Severity: Warning, Title: "The workspace has no such segment", needs: needWorkspace,
		Why: "A segment that does not exist has no users.", Remedy: "Choose a segment of the workspace, or add it in its settings."},
	{ID: "content-block-unknown", Severity: Warning, Title: "The workspace has no such content block", needs: needWorkspace,
		Why: "A message that includes it is not sent.", Remedy: "Choose a content block of the workspace, or add it.", Source: contract},
	{ID: "product-set-unknown", Severity: Warning, Title: "The workspace has no such product set", needs: needContent,
		Why: "A message that shows it is not sent.", Remedy: "Choose a product set of the workspace, or add it.", Source: contract},
	{ID: "content-api-unknown", Severity: Warning, Title: "The workspace has no such content API", needs: needContent,
		Why: "A message that calls it is not sent.", Remedy: "Choose a content API of the workspace, or add it.", Source: contract},
	{ID: "content-api-refused", Severity: Warning, Title: "The content API may not be called", needs: needWorkspace | needContent,
		Why: "A message that needs its answer is not sent, unless the expression has a default.", Remedy: "Add its host to those that content APIs may call, or a default.", Source: contract},
	{ID: "template-unknown", Severity: Warning, Title: "The saved template cannot be used", needs: needContent,
		Why: "The message has no content.", Remedy: "Choose a saved template of the workspace."},
	{ID: "value-missing", Severity: Warning, Title: "Recipients have no value for an expression", needs: needAudience,
		Why: "The message is not sent to users without a value.", Remedy: "Add |default('…') to the expression, or a filter on the attribute.", Source: contract},
	{ID: "default-missing", Severity: Note, Title: "An expression has no default",
		Why: "The message is not sent to users without a value.", Remedy: "Add |default('…') to the expression.", Source: contract},
	{ID: "value-never", Severity: Warning, Title: "An expression has no value for anybody",
		Why: "The message is not sent, or a default or a condition hides the mistake.", Remedy: "Write an attribute of a user as user.name or UserAttribute['Name'], and correct what fails.", Source: contract},
	{ID: "value-unescaped", Severity: Warning, Title: "Values are written as they are into HTML or links",
		Why: "A value with <, & or a quote breaks the HTML, and one with a blank or & the link.", Remedy: "Add |e to values in HTML and |urlencode to those in links, or |safe to values that are meant to be HTML.", Source: contract},

	// What is seen of it.
	{ID: "send-refused", Severity: Warning, Title: "The message is refused when it is sent",
		Why: "Nobody gets it, or nobody with long values.", Remedy: "Change it before it is sent."},
	{ID: "text-blank", Severity: Warning, Title: "A required text is blank",
		Why: "Nothing is seen of it.", Remedy: "Write a text."},
	{ID: "title-cut", Severity: Warning, Title: "The title is cut", Channels: pushOnly,
		Why: "Users see the beginning alone.", Remedy: "Shorten it, or put what matters first."},
	{ID: "message-cut", Severity: Warning, Title: "The message is cut", Channels: pushOnly,
		Why: "Users see the beginning alone.", Remedy: "Shorten it, or put what matters first."},
	{ID: "button-cut", Severity: Warning, Title: "The text of a button is cut", Channels: pushOnly,
		Why: "Users do not see what it does.", Remedy: "Shorten it."},
	{ID: "subject-cut", Severity: Warning, Title: "The subject is cut", Channels: emailOnly,
		Why: "Recipients see the beginning alone.", Remedy: "Shorten it, or put what matters first."},
	{ID: "sender-cut", Severity: Warning, Title: "The sender's name is cut", Channels: emailOnly,
		Why: "Recipients see the beginning alone.", Remedy: "Shorten it."},
	{ID: "preview-text-cut", Severity: Note, Title: "The preview text is cut", Channels: emailOnly,
		Why: "Recipients see the beginning alone.", Remedy: "Shorten it."},
	{ID: "preview-text-missing", Severity: Warning, Title: "There is no preview text", Channels: emailOnly,
		Why: "Inboxes show the start of the email after the subject.", Remedy: "Write a preview text."},
	{ID: "preview-text-short", Severity: Note, Title: "The preview text is short", Channels: emailOnly,
		Why: "Inboxes fill up the line with the start of the email.", Remedy: "Write some more words."},
	{ID: "preview-text-unused", Severity: Warning, Title: "The preview text is not used", Channels: emailOnly,
		Why: "Inboxes show the hidden text at the start of the HTML, which is often that of a template.", Remedy: "Remove the hidden text from the HTML, or write the preview text there."},
	{ID: "preview-text-repeats", Severity: Warning, Title: "The preview text repeats the subject", Channels: emailOnly,
		Why: "Recipients read the same words twice, and learn nothing more.", Remedy: "Write a preview text that adds to the subject."},
	{ID: "buttons-hidden", Severity: Warning, Title: "Not all buttons are shown", Channels: pushOnly,
		Why: "The platform leaves the last ones out.", Remedy: "Remove buttons."},
	{ID: "markup-lost", Severity: Warning, Title: "HTML is left out", Channels: pushOnly,
		Why: "The platform shows plain text there.", Remedy: "Remove the tags."},
	{ID: "group-hidden", Severity: Note, Title: "Android does not group the notification", Channels: pushOnly,
		Why: "Notifications that Android draws itself have no group (FCM, AndroidNotification).", Remedy: "Group them in the app, or let a newer one replace the older with a replace key."},
	{ID: "image-hidden", Severity: Note, Title: "Some browsers show no image", Channels: pushOnly,
		Why: "The message has to be understood without it.", Remedy: "Say in the text what the image shows."},
	{ID: "text-placeholder", Severity: Warning, Title: "The text holds a placeholder",
		Why: "Somebody meant to write something there.", Remedy: "Replace it."},
	{ID: "subject-caps", Severity: Warning, Title: "The subject is all capitals", Channels: emailOnly,
		Why: "Spam filters count it (SUBJ_ALL_CAPS).", Remedy: "Write it in small letters.", Source: spamAssassin},
	{ID: "subject-marks", Severity: Note, Title: "The subject has both an exclamation mark and a question mark", Channels: emailOnly,
		Why: "Spam filters count it (PLING_QUERY).", Remedy: "Remove one of them.", Source: spamAssassin},

	// Where it leads.
	{ID: "button-empty", Severity: Warning, Title: "A button or link is empty",
		Why: "Users do not see it, or it does nothing.", Remedy: "Write what it says and where it leads, or remove it."},
	{ID: "link-bad", Severity: Warning, Title: "A link leads nowhere",
		Why: "Users who follow it get an error, or nothing happens.", Remedy: "Write the whole address, such as https://shop.example.com/spring."},
	{ID: "link-placeholder", Severity: Warning, Title: "A link is a placeholder",
		Why: "Somebody meant to put an address there.", Remedy: "Replace it with the address."},
	{ID: "link-ip", Severity: Warning, Title: "A link has a number for its host", Channels: emailOnly,
		Why: "Spam filters count it (NORMAL_HTTP_TO_IP).", Remedy: "Use the name of the host.", Source: spamAssassin},
	{ID: "utm-partial", Severity: Warning, Title: "Some links have UTM parameters, and others do not",
		Why: "Visits by the other links are counted as something else.", Remedy: "Set the UTM parameters of the campaign, which are added to all links."},
	{ID: "utm-missing", Severity: Warning, Title: "Links get no UTM parameters",
		Why: "Visits by them are counted as something else.", Remedy: "Make links of them that begin with https://, or write the parameters there."},
	{ID: "unsubscribe-missing", Severity: Warning, Title: "There is no unsubscribe link", Channels: emailOnly,
		Why: "Promotional emails need one by law, and mailbox providers ask for it.", Remedy: "Add a link to unsubscribe, for example in a content block for the footer.", Source: canSpam},
	{ID: "address-missing", Severity: Warning, Title: "There is no postal address", Channels: emailOnly,
		Why: "Promotional emails need the sender's postal address by law.", Remedy: "Add the address, for example in a content block for the footer.", Source: canSpam},
	{ID: "reply-to-domain", Severity: Note, Title: "Replies go to another domain", Channels: emailOnly,
		Why: "Recipients and spam filters take it for a forgery.", Remedy: "Use a reply-to address in the domain of the from address."},

	// What it is made of.
	{ID: "mjml-not-compiled", Severity: Warning, Title: "MJML was not compiled to HTML", Channels: emailOnly,
		Why: "Inboxes cannot show MJML, so the email can be neither tested nor published.", Remedy: "Correct it, or install mjml, and save it in the builder or with `bugle edit`, which compile it."},
	{ID: "mjml-differs", Severity: Warning, Title: "The HTML is not what its MJML describes", Channels: emailOnly,
		Why: "The HTML is sent, and people read the MJML. Somebody changed the HTML, or another version of mjml made it.", Remedy: "Compile the MJML again: change it and save it."},
	{ID: "mjml-not-verified", Severity: Note, Title: "The HTML may be something else than its MJML", Channels: emailOnly,
		Why: "The HTML is sent, and people read the MJML. Whether they belong together is known where mjml is installed.", Remedy: "Install mjml, or read the HTML."},
	{ID: "image-alt-missing", Severity: Warning, Title: "Images have no alternative text", Channels: emailOnly,
		Why: "Screen readers, and recipients who block images, get nothing there.", Remedy: `Add alt="…" that says what the image shows, or alt="" to decoration.`, Source: wcagText},
	{ID: "image-size-missing", Severity: Note, Title: "Images have no size", Channels: emailOnly,
		Why: "The layout jumps while they load, and Outlook shows them at their full size.", Remedy: "Add width and height."},
	{ID: "image-http", Severity: Warning, Title: "Images are loaded over http",
		Why: "Apps and mail clients block them.", Remedy: "Use https."},
	{ID: "image-only", Severity: Warning, Title: "The email is images without text", Channels: emailOnly,
		Why: "Recipients who block images see nothing, and spam filters count it (HTML_IMAGE_ONLY).", Remedy: "Write what the images say as text.", Source: spamAssassin},
	{ID: "html-clipped", Severity: Warning, Title: "Gmail clips the email", Channels: emailOnly,
		Why: "What comes after about 102 KB, often the unsubscribe link, is hidden.", Remedy: "Shorten the HTML.", Source: "https://github.com/hteumeuleu/email-bugs/issues/41"},
	{ID: "html-script", Severity: Warning, Title: "The email has scripts", Channels: emailOnly,
		Why: "Mail clients remove them, and some refuse the email.", Remedy: "Remove them.", Source: "https://developers.google.com/workspace/gmail/design/css"},
	{ID: "html-form", Severity: Warning, Title: "The email has a form", Channels: emailOnly,
		Why: "Outlook does not show it, and Gmail warns of it.", Remedy: "Link to a page with the form.", Source: canIEmail + "/features/html-form/"},
	{ID: "html-stylesheet", Severity: Warning, Title: "The email loads style sheets", Channels: emailOnly,
		Why: "Most mail clients do not load them.", Remedy: "Put the styles into the email.", Source: canIEmail + "/features/html-link/"},
	{ID: "css-unsupported", Severity: Warning, Title: "Major mail clients ignore parts of it", Channels: emailOnly,
		Why: "The email looks different there.", Remedy: "Use tables and simple styles for what matters.", Source: canIEmail},
	{ID: "css-outlook", Severity: Note, Title: "Outlook for Windows ignores parts of it", Channels: emailOnly,
		Why: "The email looks different there.", Remedy: "Use tables and simple styles for what matters.", Source: canIEmail},
	{ID: "contrast-low", Severity: Warning, Title: "Text is hard to read",
		Why: "Many people cannot read text that hardly differs from what is behind it.", Remedy: "Use a contrast of at least 4.5:1, or 3:1 for large text.", Source: wcagContrast},
	{ID: "dark-mode", Severity: Warning, Title: "Text may vanish in dark mode", Channels: emailOnly,
		Why: "Dark text without a background of its own stands on the dark one of the mail client.", Remedy: "Set a background wherever you set a text color.", Source: "https://www.litmus.com/blog/the-ultimate-guide-to-dark-mode-for-email-marketers"},

	// Its versions.
	{ID: "locale-untranslated", Severity: Warning, Title: "A locale still equals the default",
		Why: "Users of that locale get the text of the default one.", Remedy: "Translate it, or remove the locale."},
	{ID: "variations-identical", Severity: Warning, Title: "Two variations are the same",
		Why: "The test compares a message with itself.", Remedy: "Change one of them, or remove it."},

	// When.
	{ID: "start-past-somewhere", Severity: Warning, Title: "The start is over in some time zones", needs: needNow,
		Why: "Users there do not get it, or get it at once.", Remedy: "Move the start to a later day, or decide what users there get."},
	{ID: "send-at-night", Severity: Warning, Title: "It is sent at night", needs: needNow,
		Why: "Most users sleep between 22:00 and 7:00.", Remedy: "Move the start to the day."},
	{ID: "clock-change", Severity: Note, Title: "The clocks change on that day", needs: needNow,
		Why: "It is easily sent an hour early or late.", Remedy: "Check the time, or choose another day."},
	{ID: "month-without-day", Severity: Warning, Title: "Some months do not have the day",
		Why: "Nothing is sent for that day in these months.", Remedy: "Choose a day up to 28, or a weekday of the last week."},
	{ID: "end-after-one-send", Severity: Warning, Title: "It ends before the second send",
		Why: "A campaign that repeats is sent once, or never.", Remedy: "Move the end to a later day, or make it a one-time campaign."},
	{ID: "limits-ignored", Severity: Warning, Title: "A promotion ignores limits that users rely on",
		Why: "Users who get too much, or at night, unsubscribe.", Remedy: "Turn it off for promotional campaigns."},

	// What only a request tells.
	{ID: "link-broken", Severity: Warning, Title: "A link does not answer", Online: true,
		Why: "Users who follow it get an error.", Remedy: "Repair the address or the page."},
	{ID: "link-redirects", Severity: Note, Title: "A link leads to another host", Online: true,
		Why: "Users may wonder where they are, and UTM parameters may be lost.", Remedy: "Link to the last address."},
	{ID: "image-broken", Severity: Warning, Title: "An image does not answer", Online: true,
		Why: "Users see a gap.", Remedy: "Repair the address or the file."},
	{ID: "image-heavy", Severity: Warning, Title: "An image is larger than 1 MB", Online: true,
		Why: "It loads slowly on phones, and push services leave it out.", Remedy: "Make it smaller.", Source: "https://firebase.google.com/docs/cloud-messaging/android/send-image"},
	{ID: "spf-missing", Severity: Warning, Title: "The domain has no SPF record", Channels: emailOnly, Online: true,
		Why: "Mailbox providers refuse emails of domains without SPF or DKIM.", Remedy: "Publish an SPF record that includes the connector.", Source: gmailSenders},
	{ID: "dkim-missing", Severity: Warning, Title: "The DKIM key is not published", Channels: emailOnly, Online: true,
		Why: "Mailbox providers cannot check the signature.", Remedy: "Publish the key of the selector.", Source: gmailSenders},
	{ID: "dmarc-missing", Severity: Warning, Title: "The domain has no DMARC record", Channels: emailOnly, Online: true,
		Why: "Gmail and Yahoo want one of who sends in bulk.", Remedy: "Publish a DMARC record, at first with p=none.", Source: gmailSenders},
}
