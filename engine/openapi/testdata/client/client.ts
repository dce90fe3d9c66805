// Calls every operation of the document through the types that openapi-typescript makes of it.
import createClient from 'openapi-fetch';
import type { components, operations, paths } from './schema.js';

const client = createClient<paths>({ baseUrl: 'http://127.0.0.1:8080' });
const header = { 'X-SVC-Request-Id': crypto.randomUUID(), 'Idempotency-Key': crypto.randomUUID() };
const ids = { 'X-SVC-Request-Id': crypto.randomUUID() };

// The operations that are called below; a new one in the document has to be called here too.
type Called =
  | 'create_campaign_v5' | 'get_campaign_v5' | 'update_campaign_v5' | 'validate_campaign_v5'
  | 'update_campaign_status_v5' | 'update_campaign_status_v5_patch'
  | 'search_campaigns_v5' | 'get_campaign_meta_v5' | 'test_campaign_v5' | 'personalized_preview_v5';
const all: [Exclude<keyof operations, Called>, Exclude<Called, keyof operations>] extends [never, never] ? true : never = true;

type Refusal = components['schemas']['Error'];

export async function everyOperation(): Promise<string[]> {
  const created = await client.POST('/v5/campaigns', {
    params: { header },
    body: {
      channel: 'PUSH', campaign_delivery_type: 'EVENT_TRIGGERED', created_by: 'ann@example.com',
      basic_details: { name: 'Abandoned cart', platforms: ['ANDROID', 'IOS'] },
      delivery_controls: { bypass_dnd: false },
    },
  });
  if (created.error) return [created.error.error.code, created.error.error.message];
  const path = { campaign_id: created.data.data.id };

  await client.POST('/v5/campaigns', {
    params: { header },
    body: {
      channel: 'EMAIL', campaign_delivery_type: 'PERIODIC', created_by: 'ann@example.com',
      connector: { connector_type: 'CUSTOM_SMTP', connector_name: 'Main SMTP' },
      scheduling_details: {
        delivery_type: 'AT_FIXED_TIME', start_time: '2026-12-01T09:00:00Z',
        periodic_details: { sending_frequency: 'WEEKLY', repeat_on_days_of_week: ['MONDAY'], no_of_occurences: 10 },
      },
    },
  });

  const updated = await client.PATCH('/v5/campaigns/{campaign_id}', {
    params: { path, header },
    body: {
      channel: 'PUSH', campaign_delivery_type: 'EVENT_TRIGGERED', updated_by: 'ben@example.com',
      campaign_content: {
        variation_details: { distribution_type: 'MANUAL', no_of_variations: 1, manual_distribution_percentage: { variation_1: 100 } },
        content: { default: { variation_1: { push: { android: { template_type: 'BASIC', basic_details: { title: 'Hello', message: '25% off' } } } } } },
      },
    },
  });
  const published = await client.PATCH('/v5/campaigns/{campaign_id}', { params: { path, header }, body: { status: 'PUBLISH' } });
  const refused: Refusal | undefined = published.error;

  const got = await client.GET('/v5/campaigns/{campaign_id}', { params: { path } });
  const status: string | undefined = got.data?.data.status;

  const checked = await client.POST('/v5/campaigns/{campaign_id}/validate', { params: { path, header: ids }, body: {} });
  const issues = checked.data?.data.errors?.map((e) => `${e.field}: ${e.issue}`) ?? [];

  const paused = await client.POST('/v5/campaigns/{campaign_id}/status', { params: { path, header }, body: { action: 'PAUSE' } });
  const resumed = await client.PATCH('/v5/campaigns/{campaign_id}/status', { params: { path, header }, body: { action: 'RESUME' } });

  const found = await client.POST('/v5/campaigns/search', {
    params: { header: ids },
    body: { campaign_fields: { status: ['DRAFT'], channels: ['PUSH'] }, limit: 15, page: 1, include_child_campaigns: true, include_archive_campaigns: true },
  });
  const rows = await client.POST('/v5/campaigns/meta', {
    params: { header: ids },
    body: {
      campaign_fields: { campaign_delivery_type: ['PERIODIC'] }, limit: 15, page: 1,
      include_child_campaigns: true, include_archive_campaigns: true,
    },
  });
  const reach: number | undefined = rows.data?.data.campaigns[0]?.reachability_details?.count;

  const sent = await client.POST('/v5/campaigns/test', {
    params: { header },
    body: { draft_id: path.campaign_id, test_campaign_meta: { identifier: 'PUSH_ID', identifier_values: ['token'] } },
  });
  const inline = await client.POST('/v5/campaigns/test', {
    params: { header },
    body: {
      channel: 'PUSH', campaign_content: { content: { push: { web: { basic_details: { title: 'Hello', message: '25% off', redirect_url: 'https://shop.example.com' } } } } },
      test_campaign_meta: { identifier: 'USER_ATTRIBUTE_UNIQUE_ID', identifier_values: ['USER_1'] },
    },
  });
  const results = Object.entries({ ...sent.data?.data.data, ...inline.data?.data.data }).map(([key, r]) => `${key} ${r.status} ${r.failure_reason ?? ''}`);

  const shown = await client.POST('/v5/personalization/preview', {
    params: { header: ids },
    body: {
      channel: 'EMAIL', user_identification: { type: 'EMAIL', value: 'ann@example.com' },
      campaign_content: { content: { email: { subject: 'Hello' } } }, event_attributes: { product: 'boots' },
    },
  });
  const open = shown.data?.data.unresolved?.map((u) => u.expression) ?? [];

  return [
    String(all), updated.data?.data.id ?? '', refused?.error.message ?? '', status ?? '', paused.data?.data.action ?? '', resumed.data?.data.action ?? '',
    ...(found.data?.data.campaigns.map((c) => c.id) ?? []), String(reach), ...issues, ...results, ...open,
  ];
}
