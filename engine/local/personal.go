package local

import (
	"errors"
	"strings"

	"bugle/engine"
	"bugle/engine/contentapi"
	"bugle/engine/doc"
	"bugle/engine/personalize"
	"bugle/store"
)

// material is what the messages of one send or preview are made of, beside who gets them. It must be
// closed.
type material struct {
	blocks map[string]string
	sets   map[string][]map[string]any
	apis   *contentapi.Send
	taken  []taken
}

// material gives what the expressions of a document can name, and the document with its templates.
// Product sets, which are large, are read where something names one.
func (s *Service) material(sp store.Space, w engine.Workspace, ch engine.Channel, document doc.Value) (*material, doc.Value, error) {
	document, all, err := s.withTemplates(sp, ch, document)
	if err != nil {
		return nil, document, err
	}
	m := &material{blocks: contentBlocks(w), taken: all}
	text := string(document.Encode())
	mentions := func(name string) bool {
		if strings.Contains(text, name) {
			return true
		}
		for _, b := range w.ContentBlocks {
			if strings.Contains(b.Source, name) {
				return true
			}
		}
		return false
	}
	if mentions("ProductSet") {
		m.sets = map[string][]map[string]any{}
		err := sp.Content(engine.KindProducts, func(item engine.ContentItem) error {
			m.sets[item.Products.Name] = item.Products.Products
			return nil
		})
		if err != nil {
			return nil, document, err
		}
	}
	var apis []engine.ContentAPI
	if mentions("ContentApi") {
		err := sp.Content(engine.KindAPI, func(item engine.ContentItem) error {
			apis = append(apis, *item.API)
			return nil
		})
		if err != nil {
			return nil, document, err
		}
	}
	m.apis = (&contentapi.Client{Now: s.now}).Send(apis, w.ContentAPIs)
	return m, document, nil
}

// data gives what the expressions of one person's message can name.
func (m *material) data(user, event map[string]any) personalize.Data {
	return personalize.Data{
		UserAttributes: user, EventAttributes: event, BusinessEventAttributes: event,
		ContentBlocks: m.blocks, ProductSets: m.sets, ContentAPIs: m.apis.Functions(),
	}
}

// untaken says why a message cannot be sent: the template that it takes is not there.
func (m *material) untaken(content doc.Path) error {
	for _, t := range m.taken {
		if t.why != "" && t.at.HasPrefix(content) {
			return errors.New(t.why)
		}
	}
	return nil
}

// withoutNames gives a document that no longer names the templates it has the content of.
func (m *material) withoutNames(document doc.Value) doc.Value {
	for _, t := range m.taken {
		if t.why == "" {
			document = document.Delete(t.at.Child(mTemplateID)).Delete(t.at.Child(mTemplateVersion))
		}
	}
	return document
}

func (m *material) close() { m.apis.Close() }
