package local

import (
	"context"
	"slices"

	"bugle/engine"
	"bugle/engine/catalog"
	"bugle/engine/doc"
	"bugle/engine/message/resolve"
	"bugle/engine/message/template"
	"bugle/engine/schema"
	"bugle/store"
)

// Preview resolves content for one user and sends nothing (CONTRACT.md, Preview and Personalization). An
// expression without a value stays unchanged, and is listed.
func (s *Service) Preview(ctx context.Context, r engine.PreviewRequest) (engine.Preview, error) {
	ids, err := withIDs(r.Call, r.Body)
	if err != nil {
		return engine.Preview{}, err
	}
	if err := checkBody(r.Body); err != nil {
		return engine.Preview{}, withRequestID(err, ids.RequestID)
	}
	ch := engine.Channel(r.Body.Get(mChannel).Text())
	table := catalog.PreviewRequest(ch)
	var m *sendContent
	var data template.Data
	var known bool
	var env schema.Env
	body := r.Body
	err = s.view(ctx, func(sp store.WorkspaceTx) error {
		w, err := s.reader.settings(sp)
		if err != nil {
			return err
		}
		env = s.env(w, schema.Draft)
		if err := invalid("the preview request", table.Validate(r.Body, env)); err != nil {
			return err
		}
		if !slices.Contains([]engine.Channel{catalog.Push, catalog.Email, catalog.SMS}, ch) {
			return refuse(mChannel, "the channel must be PUSH, EMAIL or SMS, not %q", ch)
		}
		if m, body, err = s.loadContent(ctx, sp, w, ch, r.Body); err != nil {
			return err
		}
		data, known, err = previewData(sp, m, r.Body)
		return err
	})
	if err != nil {
		return engine.Preview{}, withRequestID(err, ids.RequestID)
	}
	defer m.close()
	out := engine.Preview{ResponseInfo: engine.ResponseInfo{ResponseID: ids.RequestID}, UnknownUser: !known}
	for _, t := range m.Templates {
		if t.Problem != "" {
			out.Unresolved = append(out.Unresolved, engine.Unresolved{Field: t.At.Child(catalog.CustomTemplateID).String(), Expression: t.String()})
		}
	}
	f := resolve.Texts{
		Table: table, Root: body, Env: env, All: ch == catalog.SMS,
		Fill: func(at doc.Path, _ *schema.Node, text string) (string, error) {
			filled, missing, err := template.Preview(ctx, text, data)
			if err != nil && ctx.Err() == nil {
				return "", refuse(at.String(), "%w", err)
			}
			for _, u := range missing {
				out.Unresolved = append(out.Unresolved, engine.Unresolved{Field: at.String(), Expression: u.Expression})
			}
			return filled, err
		},
	}
	if out.Content, err = f.At(doc.P(string(catalog.CampaignContent))); err != nil {
		return engine.Preview{}, withRequestID(err, ids.RequestID)
	}
	out.Calls = m.apis.Calls()
	return out, nil
}

// previewData returns the data for resolving expressions, and reports whether the workspace knows the user.
func previewData(sp store.WorkspaceTx, m *sendContent, body doc.Value) (data template.Data, known bool, err error) {
	user := body.Get("user_identification")
	prof, known, err := find(sp, user.Get("type").Text(), user.Get("value").Text())
	if err != nil {
		return template.Data{}, false, err
	}
	return m.data(prof.Attributes, resolve.Values(body.Get(mEventAttrs))), known, nil
}
