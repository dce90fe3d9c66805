package livepage_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bugle/engine/message/chromiumtest"
	"bugle/engine/message/livepage"
)

// hostilePages are emails that try to reach their author, whose server is SITE at HOST, each in one way.
var hostilePages = map[string]string{
	"links":             `<link rel=preconnect href=SITE><link rel=dns-prefetch href=SITE><link rel=prefetch href=SITE/x><link rel=preload as=image href=SITE/x><link rel=modulepreload href=SITE/x><link rel=prerender href=SITE><link rel=stylesheet href=SITE/x><link rel=icon href=SITE/x><link rel=manifest href=SITE/x>`,
	"links in the body": `<p>x<link rel="preconnect"href="SITE"/><LINK REL='PreConnect stylesheet' HREF=SITE crossorigin>`,
	"noscript":          `<p><noscript><link rel=preconnect href=SITE><img src=SITE/image></noscript>`,
	"noscript in head":  `<head><noscript><link rel=preconnect href=SITE><style>p { background: url(SITE/x) }</style></noscript></head><p>x`,
	"escaped noscript":  `<noscript>&lt;link rel=preconnect href=SITE></noscript>`,
	"svg title":         `<svg><title><link rel=preconnect href=SITE></title><desc><link rel=preconnect href=SITE></desc></svg>`,
	"svg style":         `<svg><style><link rel=preconnect href=SITE></style></svg><svg><style></svg><link rel=preconnect href=SITE></style>`,
	"svg pictures":      `<svg><image href=SITE/image /><use href=SITE/x#a /><filter id=f><feImage href=SITE/x /></filter><rect width=9 height=9 filter="url(#f)" fill="url(SITE/x#a)" /><script href=SITE/x /></svg>`,
	"svg foreignObject": `<svg><foreignObject><link rel=preconnect href=SITE><iframe src=SITE></iframe></foreignObject></svg>`,
	"svg script":        `<svg><script><link rel=preconnect href=SITE></script></svg>`,
	"math":              `<math><mtext><style><link rel=preconnect href=SITE></style></mtext><annotation-xml encoding="text/html"><link rel=preconnect href=SITE></annotation-xml></math>`,
	"math title":        `<math><title><link rel=preconnect href=SITE></title><xmp><link rel=preconnect href=SITE></xmp></math>`,
	"cdata":             `<svg><![CDATA[ > ]]><link rel=preconnect href=SITE></svg><![CDATA[ > ]]><link rel=preconnect href=SITE>`,
	"xmp":               `<svg><xmp><link rel=preconnect href=SITE></xmp></svg><xmp></xmp ><link rel=preconnect href=SITE>`,
	"select":            `<select><xmp><link rel=preconnect href=SITE></xmp><option><link rel=preconnect href=SITE></select>`,
	"raw in select":     `<select><title></select><link rel=preconnect href=SITE></title><style></select><link rel=preconnect href=SITE></style></select>`,
	"noframes":          `<noframes></noframes/><link rel=preconnect href=SITE></noframes><noembed><link rel=preconnect href=SITE></noembed>`,
	"frameset":          `<frameset><frame src=SITE><noframes><link rel=preconnect href=SITE></noframes></frameset>`,
	"title and text":    `<title></title x><link rel=preconnect href=SITE><textarea></textarea/><link rel=preconnect href=SITE></textarea>`,
	"frames":            `<iframe src=SITE></iframe><iframe srcdoc="<link rel=preconnect href=SITE><img src=SITE/x>"></iframe><iframe src="data:text/html,<link rel=preconnect href=SITE>"></iframe>`,
	"objects":           `<object data=SITE><embed src=SITE></object><embed src=SITE/x.svg type=image/svg+xml><applet code=SITE></applet><object><param name=src value=SITE></object><portal src=SITE></portal><fencedframe src=SITE></fencedframe>`,
	"template":          `<div><template shadowrootmode=open><link rel=preconnect href=SITE><style>:host { background: url(SITE/x) }</style></template></div><template><link rel=preconnect href=SITE></template>`,
	"refresh":           `<meta http-equiv=refresh content="0;url=SITE"><meta http-equiv=REFRESH content="0;SITE"><meta http-equiv=link content="<SITE>; rel=preconnect">`,
	"meta":              `<meta http-equiv=x-dns-prefetch-control content=on><meta http-equiv=delegate-ch content="sec-ch-dpr SITE"><meta http-equiv=origin-trial content=x><a href=SITE>x</a>`,
	"style":             `<style>@import url(SITE/x); @import "SITE/x"; @font-face { font-family: x; src: url(SITE/x) } p { font-family: x; background: url(SITE/background) } b { background: image-set("SITE/x" 1x, url(SITE/x) 2x); cursor: url(SITE/x), auto } i { content: url(SITE/x) } ul { list-style-image: url(SITE/x); mask: url(SITE/x#a); shape-outside: url(SITE/x) }</style><p>x<b>y</b><i>z</i><ul><li>x</ul>`,
	"style attribute":   `<p style="background:url(SITE/x);background-image:-webkit-image-set(url(SITE/x) 1x);border-image:url(SITE/x) 1;filter:url(SITE/x#a);clip-path:url(SITE/x#a)">x</p>`,
	"images":            `<img src=SITE/image srcset="SITE/x 1x, SITE/x 2x" lowsrc=SITE/x><picture><source srcset=SITE/x><img></picture><input type=image src=SITE/x><image src=SITE/x><img loading=eager fetchpriority=high importance=high src=SITE/x>`,
	"media":             `<video src=SITE/x poster=SITE/x autoplay preload=auto></video><audio src=SITE/x autoplay></audio><video autoplay><source src=SITE/x><track default src=SITE/x></video>`,
	"backgrounds":       `<body background=SITE/x><table background=SITE/x><tr background=SITE/x><td background=SITE/x>x</table>`,
	"form":              `<form action=SITE method=post id=f><input name=a autofocus onfocus="form.submit()"><button formaction=SITE>x</button></form><isindex action=SITE>`,
	"base":              `<base href="SITE/"><img src=image><link rel=preconnect href="/"><a href=x>x</a>`,
	"comments":          `<!--><link rel=preconnect href=SITE>--><!---><link rel=preconnect href=SITE>--><!-- --!><link rel=preconnect href=SITE>--><!-- <!-- --><link rel=preconnect href=SITE>--><? > <link rel=preconnect href=SITE><!x><link rel=preconnect href=SITE></ ><link rel=preconnect href=SITE>`,
	"conditional":       `<!--[if IE]>x<![endif]--><!--[if !mso]><!--><link rel=preconnect href=SITE><!--<![endif]--><![if !mso]><link rel=preconnect href=SITE><![endif]>`,
	"scripts":           `<script src=SITE/x></script><script>location='SITE'</script><script type=speculationrules>{"prefetch":[{"urls":["SITE/x"]}],"prerender":[{"urls":["SITE/x"]}]}</script><script><!--<script></script><link rel=preconnect href=SITE>--></script><body onload="fetch('SITE')" onpageshow="fetch('SITE')">`,
	"schemes":           `<a href="java&#115;cript:fetch('SITE')" id=x autofocus onfocus=click()>x</a><iframe src="&#106;avascript:location='SITE'"></iframe><img src="&#104;ttp&colon;//HOST/x"><object data="java&Tab;script:fetch('SITE')"></object><meta http-equiv=refresh content="0;url=javascript:location='SITE'">`,
	"beacons":           `<a href="#" ping=SITE/x id=x>x</a><img attributionsrc=SITE/x src="data:,"><a attributionsrc=SITE/x href="#">x</a><area ping=SITE/x href="#"><img src="data:," browsingtopics sharedstoragewritable>`,
	"mutation": `<form><math><mtext></form><form><mglyph><style></math><link rel=preconnect href=SITE></style></form></math></form>
		<svg></p><style><g title="</style><link rel=preconnect href=SITE>"></svg>
		<math><mtext><table><mglyph><style><!--</style><g title="--&gt;&lt;link rel=preconnect href=SITE&gt;">`,
	"mutation of tables": `<table><svg><title><style><link rel=preconnect href=SITE></style></title></svg><tr><noscript><p title="</noscript><link rel=preconnect href=SITE>"></table><p id="</title><link rel=preconnect href=SITE>">`,
	"style ends":         `<style><!-- </style><link rel=preconnect href=SITE> --></style><svg><style>&lt;/style>&lt;link rel=preconnect href=SITE></style></svg>`,
	"plaintext":          `<svg><plaintext><link rel=preconnect href=SITE></svg><link rel=preconnect href=SITE><plaintext><link rel=preconnect href=SITE>`,
}

// However an email is written, a real browser connects to nobody before the click, and loads nothing but images after it.
// Its author does not get to know the address of the page.
func TestHostilePagesInChromium(t *testing.T) {
	s := start(t, mail("Hi", "<p>x</p>"))
	c := chromiumtest.Start(t, s.URL())
	c.Until("the page is loaded", func() bool { return c.Eval(`document.getElementById("wide")?.src.includes("message")`) == "true" })
	c.Eval(`window.loads = 0; for (const f of document.querySelectorAll("iframe")) f.addEventListener("load", () => window.loads++)`)
	shown := func(t *testing.T, name, body string) {
		t.Helper()
		loads := c.Eval("window.loads")
		s.Show(mail(name, body))
		c.Until(name+" is shown", func() bool {
			return c.Eval(`document.getElementById("subject").textContent`) == name && c.Eval("window.loads") != loads
		})
		c.Eval(`Promise.all([1, 2, 3].map(() => fetch("head"))).then(() => "")`) // what it asked the network for before that is on its way
	}
	authors := map[string]*site{} // one for each page, because a browser keeps its connections
	for name, body := range hostilePages {
		author := newSite(t)
		authors[name] = author
		shown(t, name, author.fill(body))
		if n := author.connections(); n > 0 {
			t.Errorf("%s: before the click, the author was connected to %d times: %v", name, n, author.purposes())
		}
	}
	c.Eval(`document.getElementById("images").click()`)
	for name, body := range hostilePages {
		author := authors[name]
		// The last image stands at the beginning, as not every page lets it stand at its end.
		shown(t, "with images: "+name, author.fill(`<img src="SITE/last" referrerpolicy=unsafe-url><meta name=referrer content=unsafe-url>`+body))
		c.Until(name+" has loaded its images", func() bool { return author.count("/last") > 0 })
		for asked := range author.purposes() {
			if asked != "image " {
				t.Errorf("%s: loaded is %s", name, asked)
			}
		}
	}
	if got := c.Eval("location.href"); got != s.URL() {
		t.Errorf("the message has left for %s", got)
	}
}

// An email in files is kept from its author too, until the reader asks for images.
func TestFilesInChromium(t *testing.T) {
	author := newSite(t)
	var body strings.Builder
	for _, name := range slices.Sorted(maps.Keys(hostilePages)) {
		if name != "plaintext" && name != "frameset" {
			body.WriteString(author.fill(hostilePages[name]))
		}
	}
	file, err := livepage.WriteFiles("Hi </title>", "<p>x</p>"+body.String())
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(filepath.Dir(file))
	c := chromiumtest.Start(t, "file://"+file)
	c.Until("the page is loaded", func() bool { return c.Eval(`document.title + document.readyState`) == "Hi </title>complete" })
	if n := author.connections(); n > 0 {
		t.Errorf("before the click, the author was connected to %d times: %v", n, author.purposes())
	}
	c = chromiumtest.Start(t, c.Eval(`document.querySelector("a").href`))
	c.Until("images are loaded", func() bool { return author.count("/image") > 0 && author.count("/background") > 0 })
	for asked := range author.purposes() {
		if asked != "image " {
			t.Errorf("loaded is %s", asked)
		}
	}
}
