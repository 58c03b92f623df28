// Models and pools of an own simulator are published over the API; the browser looks who serves them, and moves pools as a
// person does. What a request is then answered by is asked of the relay.
import { waitFor } from '@tollgate/harness';
import {
  keyFor,
  ownName,
  type OwnSimulator,
  putModel,
  putPool,
  putUpstream,
  startOwnSimulator,
} from '../pools/own-pool.ts';
import { call } from '../call.ts';
import { admin, sharedStack } from '../shared-stack.ts';
import { barriers, leave, openContext, openDesk, signInAt, takeSession, visit } from './browser.ts';

const at = sharedStack();
let own: OwnSimulator;
beforeAll(async () => {
  own = await startOwnSimulator();
});
afterAll(() => own.close());

const credentialOf = async (key: string, model: string): Promise<string | undefined> => {
  await own.reset();
  await call(`${at.baseUrl}/v1/chat/completions`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model, messages: [{ role: 'user', content: 'Hello' }] },
  });
  const [request] = await own.requests();
  return request?.headers['authorization']?.replace('Bearer ', '');
};

test('a pool that another one hides is told, moved to the front, and serves', async () => {
  const name = ownName('hidden');
  const [first, second] = [`${name}-a`, `${name}-b`];
  for (const each of [first, second]) await putUpstream(at, each, own.url, [each]);
  await putModel(at, name);
  for (const each of [first, second]) await putPool(at, each, [name], { members: [{ upstream: each }] });
  await admin(at, 'PUT', `/api/catalogue/groups/${name}`, { ratio: '1', models: [name] });
  const key = await keyFor(at, name, [name]);
  expect(await credentialOf(key, name)).toBe(first);

  const context = await openDesk();
  const { page, complaints } = await visit(context);
  await signInAt(page, at.baseUrl, '/upstreams?tab=pools');
  const hidden = page.getByRole('region', { name: second, exact: true });
  await hidden.getByText('Never reached').waitFor();
  await hidden.getByText(`${first} in front of it takes every model and group that it has.`).waitFor();
  expect(await barriers(page)).toEqual([]);
  // Other tests publish too: the page says so, and is asked again once it shows what holds now. Where the pool of one of them
  // came between these two, it takes two steps.
  await waitFor(async () => {
    await hidden.getByRole('button', { name: `Look at ${second} earlier` }).click();
    const moved = hidden.getByText('Never reached').waitFor({ state: 'hidden', timeout: 5_000 });
    const isMoved = await moved.then(
      () => true,
      () => false,
    );
    if (!isMoved) await page.reload();
    return isMoved;
  }, 'the pool to be moved');
  await page
    .getByRole('region', { name: first, exact: true })
    .getByText(`${second} in front of it takes every model and group that it has.`)
    .waitFor();
  await waitFor(async () => (await credentialOf(key, name)) === second, 'the pool in front to serve');

  await page.goto(`${at.baseUrl}/catalogue?find=${name}`);
  const row = page.getByRole('row').filter({ hasText: name });
  await row.getByText(second).waitFor();
  for (const each of [first, second]) await admin(at, 'DELETE', `/api/catalogue/pools/${each}`);
  await leave(context);
  expect(complaints.filter((text) => !/ 412 /.test(text))).toEqual([]);
}, 60_000);

test('on a phone and in Chinese, a draft says what would get no requests before it is published', async () => {
  const name = ownName('late');
  // A first start's pool has every model and group here: one that comes after it is never reached.
  const entry = { name, groups: ['*'], models: ['*'], members: [{ upstream: 'simulator' }] };
  await admin(at, 'PUT', `/api/catalogue/drafts/${name}`, {
    reason: 'A pool behind all others',
    changes: [{ op: 'put', section: 'pools', entry }],
  });
  const context = await openContext({
    locale: 'zh-CN',
    viewport: { width: 360, height: 740 },
  });
  const { page, complaints } = await visit(context);
  await takeSession(page, at.baseUrl);
  await page.goto(`${at.baseUrl}/catalogue?tab=changes&draft=${name}`);
  await page
    .getByText(`池 ${name} 收不到任何请求：前面的池已包含它的全部内容，或没有分组可以使用它的模型。`)
    .waitFor();
  expect(await barriers(page)).toEqual([]);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360);
  // Somebody else takes it away meanwhile: what is refused is said in the reader's language.
  await admin(at, 'DELETE', `/api/catalogue/drafts/${name}`);
  await page.reload();
  await page.getByText('该内容已不存在，请重新加载页面。').waitFor();
  await leave(context);
  expect(complaints.filter((text) => !/ 404 /.test(text))).toEqual([]);
}, 60_000);
