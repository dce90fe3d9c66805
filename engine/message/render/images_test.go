package render_test

import (
	"slices"
	"testing"

	"bugle/engine/catalog"
	"bugle/engine/message/render"
)

// The images of a message are those that can be loaded, each once.
func TestImages(t *testing.T) {
	n := android(t, `{"template_type":"SIMPLE_IMAGE_CAROUSEL","basic_details":{"title":"t","image_url":"https://a.example.com/1.png",
		"carousel_content":{"slide_data":[{"image_url":"https://a.example.com/2.png"},{"image_url":"https://a.example.com/2.png"},{"image_url":"https://a.example.com/{{x}}.png"}]}},
		"template_backup":{"message":"b","image_url":"HTTPS://a.example.com/3.png"}}`, render.Options{})
	mail := render.Email(parse(t, `{"html_content":"<p>Hi</p><img src='https://a.example.com/1.png' alt='A cup'><img src='cid:x'><img src='data:image/png;base64,AA=='>"}`), render.Options{})
	for name, c := range map[string]struct {
		view render.View
		want []string
	}{
		"push": {render.View{Notification: &n}, []string{"https://a.example.com/1.png", "https://a.example.com/2.png", "HTTPS://a.example.com/3.png"}},
		"mail": {render.View{Mail: &mail}, []string{"https://a.example.com/1.png", "data:image/png;base64,AA=="}},
		"none": {render.View{}, nil},
	} {
		var got []string
		for _, i := range c.view.Images() {
			got = append(got, i.URL)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s has %q, want %q", name, got, c.want)
		}
	}
	if all := (render.View{Mail: &mail}).Images(); all[0].Name != "1.png" || all[1].Name != "embedded image/png" {
		t.Errorf("the images are named %q and %q", all[0].Name, all[1].Name)
	}
	video := render.Push(catalog.IOS, parse(t, `{"basic_details":{"title":"t","allow_rich_media":true,"rich_media_type":"VIDEO","rich_media_value":"https://a.example.com/1.mp4"}}`), render.Options{})
	if got := (render.View{Notification: &video}).Images(); len(got) > 0 {
		t.Errorf("a video has the images %v", got)
	}
}
