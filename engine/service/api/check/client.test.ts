// Goes through the ten operations, and what they refuse, with the client that @hey-api/openapi-ts
// makes of the service's own document: tsc holds what is sent to the document's types, Zod what comes
// back to its schemas, here and, for every answer that is no refusal, in the client itself.
//
//   BASE_URL     the service without limits, by way of the proxy
//   LIMITED_URL  the service with its limits
//   WORKSPACE_ID, API_KEY
//   PUBLISH_KEY  a key that may publish, and nothing else
//   BUGLE        the program
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { createClient, createConfig, type Client } from './client/client/index.ts';
import * as api from './client/sdk.gen.ts';
import type { CreatePush, Error as Refusal, TestInline } from './client/types.gen.ts';
import { zError } from './client/zod.gen.ts';

function env(name: string): string {
  const value = process.env[name];
  assert.ok(value, name);
  return value;
}

function caller(baseUrl: string, key: string): Client {
  return createClient(createConfig({ baseUrl: env(baseUrl), auth: `${env('WORKSPACE_ID')}:${key}` }));
}

const client = caller('BASE_URL', env('API_KEY'));
const publisher = caller('BASE_URL', env('PUBLISH_KEY'));
const limited = caller('LIMITED_URL', env('API_KEY'));

const ids = () => ({ 'X-SVC-Request-Id': crypto.randomUUID(), 'Idempotency-Key': crypto.randomUUID() });
const nobody = '0123456789abcdef01234567';

type Outcome<T> = { data?: T; error?: unknown; request?: Request; response?: Response };

// done gives what an answer says that is no refusal.
function done<T>({ data, error, request, response }: Outcome<T>, status = 200): T {
  assert.equal(response?.status, status, JSON.stringify(error));
  assert.ok(data !== undefined);
  sameID(request, response, (data as { response_id: string }).response_id);
  return data;
}

function refused({ error, request, response }: Outcome<unknown>, status: number, code: Refusal['error']['code']): Refusal['error'] {
  assert.equal(response?.status, status, JSON.stringify(error));
  const refusal = zError.parse(error);
  assert.equal(refusal.error.code, code);
  sameID(request, response, refusal.response_id);
  return refusal.error;
}

function sameID(request: Request | undefined, response: Response | undefined, id: string) {
  assert.equal(response?.headers.get('X-SVC-Request-Id'), id);
  const sent = request?.headers.get('X-SVC-Request-Id');
  if (sent) assert.equal(id, sent);
}

const push: CreatePush & { channel: 'PUSH' } = {
  channel: 'PUSH',
  campaign_delivery_type: 'ONE_TIME',
  created_by: 'ann@example.com',
  basic_details: { name: 'Spring sale', platforms: ['ANDROID'] },
};

const content = (title: string) => ({
  content: { push: { android: { template_type: 'BASIC' as const, basic_details: { title, message: '25% off' } } } },
});

const created = async (body: typeof push = push) => done(await api.createCampaignV5({ client, headers: ids(), body }), 201).data.id;

const inline = (connector_name: string): TestInline => ({
  channel: 'EMAIL',
  basic_details: { name: 'Spring', content_type: 'TRANSACTIONAL', subscription_category: 'Offers', user_attribute_identifier: 'Email (Standard)' },
  connector: { connector_type: 'CUSTOM_SMTP', connector_name },
  campaign_content: { content: { email: { subject: 'Hello', html_content: '<p>Hello</p>', from_address: 'shop@example.com', sender_name: 'Shop' } } },
  test_campaign_meta: { identifier: 'EMAIL', identifier_values: ['ann@example.com'] },
});

// found gives the id of a campaign of the sample.
async function found(status: 'ACTIVE' | 'PAUSED', type: 'PERIODIC' | 'EVENT_TRIGGERED'): Promise<string> {
  const body = { campaign_fields: { status: [status], channels: ['PUSH' as const], campaign_delivery_type: [type] }, limit: 15, page: 1 };
  const { data } = done(await api.searchCampaignsV5({ client, headers: ids(), body }));
  const [first] = data.campaigns;
  assert.ok(first, `a campaign that is ${status} and ${type}`);
  return first.id;
}

test('a draft from its creation to its test', async () => {
  const id = await created();
  const path = { campaign_id: id };
  assert.equal(done(await api.updateCampaignV5({
    client, path, headers: ids(), body: { updated_by: 'ben@example.com', campaign_content: content("Hello {{UserAttribute['First Name']}}") },
  })).data.id, id);
  const { data: record } = done(await api.getCampaignV5({ client, path }));
  assert.deepEqual([record.status, record.updated_by], ['DRAFT', 'ben@example.com']);
  const { data: verdict } = done(await api.validateCampaignV5({ client, path, body: {} }));
  assert.equal(verdict.valid, false);
  assert.ok(verdict.errors?.some((e) => e.field === 'scheduling_details'), JSON.stringify(verdict));

  const { data: sent } = done(await api.testCampaignV5({
    client, headers: ids(), body: { draft_id: id, test_campaign_meta: { identifier: 'USER_ATTRIBUTE_UNIQUE_ID', identifier_values: ['USER_1'] } },
  }));
  assert.deepEqual(sent.data, { ANDROID_default_variation_1: { status: 'SENT' } });
  const { data: unsent } = done(await api.testCampaignV5({
    client, headers: ids(), body: { draft_id: id, test_campaign_meta: { identifier: 'USER_ATTRIBUTE_UNIQUE_ID', identifier_values: ['NOBODY'] } },
  }));
  assert.equal(unsent.data.ANDROID_default_variation_1?.status, 'FAILED');
  assert.ok(unsent.data.ANDROID_default_variation_1?.failure_reason);
});

test('a preview for a user, and for one that is not known', async () => {
  const preview = (value: string) => api.personalizedPreviewV5({ client, headers: ids(), body: {
    channel: 'PUSH', user_identification: { type: 'EMAIL', value }, campaign_content: content("Hello {{UserAttribute['First Name']}}"),
  } });
  const { type, data } = done(await preview('ann@example.com'));
  assert.equal(type, 'personalization');
  assert.match(JSON.stringify(data.personalized_content), /"Hello Ann"/);
  const unknown = done(await preview('nobody@example.com')).data.unresolved;
  assert.equal(unknown?.[0]?.field, 'campaign_content.content.push.android.basic_details.title');
});

test('search and meta, page by page', async () => {
  const rows = (page: number) => api.getCampaignMetaV5({ client, headers: ids(), body: { campaign_fields: { name: 'a' }, limit: 2, page } });
  const first = done(await rows(1)).data.campaigns;
  const second = done(await rows(2)).data.campaigns;
  assert.equal(first.length, 2);
  assert.notDeepEqual(first, second);
  const all = { status: ['DRAFT' as const, 'ARCHIVED' as const, 'SENT' as const], created_date: { from_date: '2020-01-01' } };
  for (let page = 1; ; page++) {
    const { data } = done(await api.searchCampaignsV5({
      client, headers: ids(), body: { campaign_fields: all, limit: 15, page, include_archive_campaigns: true, include_child_campaigns: true },
    }));
    if (data.campaigns.length < 15) break;
  }
});

test('stop, pause and resume', async () => {
  const path = { campaign_id: await found('PAUSED', 'PERIODIC') };
  assert.equal(done(await api.updateCampaignStatusV5({ client, path, headers: ids(), body: { action: 'RESUME' } })).data.action, 'RESUME');
  assert.equal(done(await api.updateCampaignStatusV5Patch({ client, path, headers: ids(), body: { action: 'PAUSE' } })).data.action, 'PAUSE');
  refused(await api.updateCampaignStatusV5({ client, path, headers: ids(), body: { action: 'STOP' } }), 422, 'UNPROCESSABLE_ENTITY');
});

test('400: what is wrong, all of it', async () => {
  const wrong = { ...push, created_by: 'ann', basic_details: { name: 5, platform: ['ANDROID'] } } as unknown as typeof push;
  const error = refused(await api.createCampaignV5({ client, headers: ids(), body: wrong }), 400, 'VALIDATION_FAILED');
  assert.deepEqual(error.details?.map((d) => d.target).sort(), ['basic_details.name', 'basic_details.platform', 'created_by']);
  const keyless = { 'X-SVC-Request-Id': 'r-1', 'Idempotency-Key': 'not-a-uuid' };
  assert.equal(refused(await api.createCampaignV5({ client, headers: keyless, body: push }), 400, 'VALIDATION_FAILED').target, 'Idempotency-Key');
  const both = { status: 'PUBLISH', updated_by: 'ann@example.com', advanced: {} } as unknown as { status: 'PUBLISH' };
  refused(await api.updateCampaignV5({ client, path: { campaign_id: await created() }, headers: ids(), body: both }), 400, 'BAD_REQUEST');
});

test('401: wrong credentials, for every operation', async () => {
  const client = caller('BASE_URL', 'wrong');
  const path = { campaign_id: nobody };
  for (const outcome of [
    await api.createCampaignV5({ client, headers: ids(), body: push }),
    await api.getCampaignV5({ client, path }),
    await api.updateCampaignV5({ client, path, headers: ids(), body: { status: 'PUBLISH' } }),
    await api.validateCampaignV5({ client, path }),
    await api.updateCampaignStatusV5({ client, path, headers: ids(), body: { action: 'STOP' } }),
    await api.updateCampaignStatusV5Patch({ client, path, headers: ids(), body: { action: 'STOP' } }),
    await api.searchCampaignsV5({ client, headers: ids(), body: { limit: 1, page: 1 } }),
    await api.getCampaignMetaV5({ client, headers: ids(), body: { limit: 1, page: 1 } }),
    await api.testCampaignV5({ client, headers: ids(), body: inline('Demo mail') }),
    await api.personalizedPreviewV5({ client, headers: ids(), body: {
      channel: 'PUSH', user_identification: { type: 'EMAIL', value: 'ann@example.com' }, campaign_content: content('Hello'),
    } }),
  ]) {
    refused(outcome, 401, 'UNAUTHORIZED');
    assert.match(outcome.response?.headers.get('WWW-Authenticate') ?? '', /^Basic /);
  }
});

test('403: a scope that the key lacks, and another tenant', async () => {
  refused(await api.createCampaignV5({ client: publisher, headers: ids(), body: push }), 403, 'FORBIDDEN');
  refused(await api.getCampaignV5({ client, path: { campaign_id: nobody }, headers: { 'X-SVC-Tenant-ID': 'OTHER' } }), 403, 'FORBIDDEN');
});

test('404: a campaign that is not there', async () => {
  const path = { campaign_id: nobody };
  const tested = { draft_id: nobody, test_campaign_meta: { identifier: 'PUSH_ID' as const, identifier_values: ['token-1'] } };
  for (const outcome of [
    await api.getCampaignV5({ client, path }),
    await api.updateCampaignV5({ client, path, headers: ids(), body: { utm_params: { utm_source: 'a', utm_medium: 'b' } } }),
    await api.validateCampaignV5({ client, path }),
    await api.updateCampaignStatusV5({ client, path, headers: ids(), body: { action: 'STOP' } }),
    await api.updateCampaignStatusV5Patch({ client, path, headers: ids(), body: { action: 'STOP' } }),
    await api.testCampaignV5({ client, headers: ids(), body: tested }),
  ]) refused(outcome, 404, 'NOT_FOUND');
});

test('409: keys and request ids that were used, and what the state locks', async () => {
  const headers = ids();
  const first = await api.createCampaignV5({ client, headers, body: push });
  const again = await api.createCampaignV5({ client, headers, body: push });
  assert.deepEqual(done(again, 201), done(first, 201));
  assert.deepEqual([first, again].map((a) => a.response?.headers.get('Idempotent-Replayed')), [null, 'true']);
  const other = { ...push, campaign_delivery_type: 'PERIODIC' as const };
  refused(await api.createCampaignV5({ client, headers, body: other }), 409, 'BAD_REQUEST');
  const request_id = crypto.randomUUID();
  const same = () => api.createCampaignV5({ client, headers: { ...ids(), 'X-SVC-Request-Id': request_id }, body: { ...push, request_id } });
  done(await same(), 201);
  assert.equal(refused(await same(), 409, 'BAD_REQUEST').target, 'request_id');
  const locked = refused(await api.updateCampaignV5({
    client, path: { campaign_id: await found('ACTIVE', 'EVENT_TRIGGERED') }, headers: ids(), body: { conversion_goal_details: { attribution_window_in_hours: 24, goals: [] } },
  }), 409, 'BAD_REQUEST');
  assert.ok(locked.details?.some((d) => d.target.startsWith('conversion_goal_details')), JSON.stringify(locked));
});

test('409: a send that is still in progress for the key', async () => {
  const mail = createServer().listen(0, '127.0.0.1'); // it says nothing until it is told to
  await once(mail, 'listening');
  execFileSync(env('BUGLE'), ['workspace', 'connector', 'Slow', '--smtp', `127.0.0.1:${(mail.address() as AddressInfo).port}`, '--tls', 'none']);
  const headers = ids();
  const first = api.testCampaignV5({ client, headers, body: inline('Slow') });
  const [socket] = await once(mail, 'connection') as [Socket];
  refused(await api.testCampaignV5({ client, headers, body: inline('Slow') }), 409, 'BAD_REQUEST');
  socket.destroy();
  mail.close();
  const { data } = done(await first);
  assert.equal(data.data.EMAIL_default_variation_1?.status, 'FAILED');
});

test('413: a body over 1 MiB', async () => {
  const large = { ...push, basic_details: { name: 'a'.repeat(1 << 20) } };
  refused(await api.createCampaignV5({ client, headers: ids(), body: large }), 413, 'BAD_REQUEST');
});

test('422: publishing while it is in beta, a draft that is to pause', async () => {
  const path = { campaign_id: await created() };
  refused(await api.updateCampaignV5({ client, path, headers: ids(), body: { status: 'PUBLISH' } }), 422, 'UNPROCESSABLE_ENTITY');
  refused(await api.updateCampaignStatusV5({ client, path, headers: ids(), body: { action: 'PAUSE' } }), 422, 'UNPROCESSABLE_ENTITY');
});

test('429: over the limit, and not after Retry-After', async () => {
  const get = () => api.getCampaignV5({ client: limited, path: { campaign_id: nobody } });
  const outcomes = await Promise.all(Array.from({ length: 30 }, get));
  const over = outcomes.filter((o) => o.response?.status === 429);
  assert.ok(over.length > 0);
  const waits = over.map((o) => {
    refused(o, 429, 'RATE_LIMITED');
    return Number(o.response?.headers.get('Retry-After'));
  });
  assert.ok(waits.every((seconds) => Number.isInteger(seconds) && seconds >= 1), waits.join());
  await new Promise((resolve) => setTimeout(resolve, 1000 * Math.max(...waits)));
  refused(await get(), 404, 'NOT_FOUND');
});
