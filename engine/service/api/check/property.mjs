// Sends what json-schema-faker makes of the request schemas of a service's own document, and the
// document's examples, as they are and with one value changed by fast-check, through a Prism proxy that
// judges each answer by the document. Ajv says of each body whether the document takes it, and what it
// does not take the service must refuse.
//
//   BASE_URL     the proxy
//   DOCUMENT     path of the document
//   WORKSPACE_ID, API_KEY
//   RUNS         bodies for each operation
//   SEED         of a run that is to be seen again
//   VERBOSE      show what was refused though the document takes it
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { generateSync } from 'json-schema-faker';

const { BASE_URL, DOCUMENT, WORKSPACE_ID, API_KEY } = process.env;
const runs = Number(process.env.RUNS ?? 400);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'));

const ajv = new Ajv2020.default({ strict: false, allErrors: true });
addFormats.default(ajv);

// The generator goes by one branch of a choice more often where it is given that branch alone.
function branches(schema) {
  const choices = schema.oneOf ?? schema.anyOf ?? (schema.$ref ? branchesOf(schema.$ref) : []);
  return [schema, ...choices.flatMap(branches)];
}

function branchesOf(ref) {
  const target = ref.slice(2).split('/').reduce((at, step) => at[step], document);
  return target.oneOf ?? [];
}

const whole = (schema) => ({ ...schema, components: document.components });

// places lists all that can be changed in a value: [holder, key].
function places(value, into = []) {
  if (value === null || typeof value !== 'object') return into;
  for (const key of Object.keys(value)) {
    into.push([value, key]);
    places(value[key], into);
  }
  return into;
}

// change takes out a value, or puts another in its place.
function change(body, { at, to }) {
  const all = places(body);
  if (all.length === 0) return;
  const [holder, key] = all[at % all.length];
  if (to === undefined && !Array.isArray(holder)) delete holder[key];
  else holder[key] = to ?? null;
}

// What a request is made of; the choices are counted off by the operation.
const arbitrary = fc.record({
  source: fc.noBias(fc.nat()),
  seed: fc.noBias(fc.nat()),
  optionals: fc.noBias(fc.integer({ min: 0, max: 10 })),
  examples: fc.boolean(), // of the schemas, in place of texts by chance
  change: fc.option(fc.record({ at: fc.noBias(fc.nat()), to: fc.option(fc.jsonValue(), { nil: undefined }) }), { freq: 2, nil: undefined }),
  target: fc.noBias(fc.nat()),
  stranger: rarely(fc.stringMatching(/^[^/?#%.\\\p{C}\p{Z}]{1,30}$/u)), // in place of a campaign's id
  id: rarely(fc.stringMatching(/^[!-~]{0,300}$/)),
  key: rarely(fc.stringMatching(/^[!-~]{0,40}$/)),
});

function rarely(what) {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: what });
}

// generate skips what the generator cannot make up.
function generate(schema, c) {
  try {
    return generateSync(schema, { seed: c.seed, optionalsProbability: c.optionals / 10, useExamplesValue: c.examples, maxDepth: 12 });
  } catch {
    return fc.pre(false);
  }
}

async function send(method, path, body, headers) {
  const response = await fetch(BASE_URL + path, {
    method: method.toUpperCase(),
    headers: { Authorization: `Basic ${btoa(`${WORKSPACE_ID}:${API_KEY}`)}`, 'Content-Type': 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { response, answer: await response.json() };
}

function headersOf(keyed, c = {}, body = {}) {
  const given = typeof body?.request_id === 'string' && body.request_id !== ''; // then the header would have to be the same
  const id = c.id ?? (given ? undefined : crypto.randomUUID());
  return { ...(id && { 'X-SVC-Request-Id': id }), ...(keyed && { 'Idempotency-Key': c.key ?? crypto.randomUUID() }) };
}

// Campaigns of each channel and state to send changes to, and one id that is nobody's.
async function targets() {
  const fields = { status: ['DRAFT', 'SCHEDULED', 'ACTIVE', 'PAUSED', 'SENT', 'STOPPED'] };
  const { response, answer } = await send('post', '/v5/campaigns/search', { campaign_fields: fields, limit: 15, page: 1 }, headersOf(false));
  assert.equal(response.status, 200, JSON.stringify(answer));
  const ids = answer.data.campaigns.map((c) => c.id);
  for (const channel of ['PUSH', 'EMAIL']) {
    const connector = { connector_type: 'CUSTOM_SMTP', connector_name: 'Main SMTP' };
    const { answer } = await send('post', '/v5/campaigns', {
      channel, campaign_delivery_type: 'ONE_TIME', created_by: 'ann@example.com', ...(channel === 'EMAIL' && { connector }),
    }, headersOf(true));
    ids.push(...Array(8).fill(answer.data.id));
  }
  return [...ids, '0123456789abcdef01234567'];
}

async function operation(path, method, op, ids) {
  const { schema, examples } = op.requestBody?.content['application/json'] ?? {};
  const keyed = op.parameters.some((p) => p.$ref.endsWith('/idempotency_key'));
  const sources = schema ? [
    ...branches(schema).map((s) => (c) => generate(whole(s), c)),
    ...Object.values(examples).map((e) => () => structuredClone(e.value)),
  ] : [() => undefined];
  const takes = schema ? ajv.compile(whole(schema)) : () => true;
  const statuses = {};
  const beyond = {};
  let valid = 0;
  await fc.assert(fc.asyncProperty(arbitrary, async (c) => {
    const body = sources[c.source % sources.length](c);
    if (c.change) change(body, c.change);
    const id = encodeURIComponent(c.stranger ?? ids[c.target % ids.length]);
    const fits = takes(body);
    const { response, answer } = await send(method, path.replace('{campaign_id}', id), body, headersOf(keyed, c, body));
    const said = `${response.status} ${JSON.stringify(answer).slice(0, 1000)} to ${JSON.stringify(body)}`;
    assert.notEqual(response.headers.get('content-type'), 'application/problem+json', `the proxy refuses the answer: ${said}`);
    assert.ok(response.status < 500, `failed: ${said}`);
    assert.ok(String(response.status) in op.responses, `not a documented status: ${said}`);
    if (!fits) assert.ok(response.status >= 400, `taken, and not as documented, ${ajv.errorsText(takes.errors)}: ${said}`);
    if (fits) valid++;
    if (fits && response.status === 400) {
      for (const d of answer.error.details ?? [answer.error]) beyond[`${d.target}: ${d.message}`] = (beyond[`${d.target}: ${d.message}`] ?? 0) + 1;
    }
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
  }), { numRuns: runs, seed });
  console.log(`${op.operationId}: ${runs} requests, ${valid} as documented, answers by status`, statuses);
  if (process.env.VERBOSE) console.log('refused though the document takes it:', beyond);
}

console.log(`seed ${seed}`);
const ids = await targets();
let failed = false;
for (const [path, item] of Object.entries(document.paths)) {
  for (const [method, op] of Object.entries(item)) {
    try {
      await operation(path, method, op, ids);
    } catch (err) {
      failed = true;
      console.error(`${op.operationId}: ${err.message}${err.cause ? `\n${err.cause.message}` : ''}`);
    }
  }
}
process.exit(failed ? 1 : 0);
