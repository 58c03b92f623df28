// A provider of an own simulator is connected over the API, as the console's own form does it elsewhere; the browser sees what is
// to be done first, and how all accounts fare once a request was answered.
import { waitFor } from '@tollgate/harness';
import { call } from '../call.ts';
import {
  makeOwnPool,
  ownName,
  type OwnSimulator,
  putUpstream,
  startOwnSimulator,
} from '../pools/own-pool.ts';
import { admin, sharedStack } from '../shared-stack.ts';
import { barriers, leave, openContext, openDesk, signInAt, takeSession, visit } from './browser.ts';

const at = sharedStack();
let own: OwnSimulator;
beforeAll(async () => {
  own = await startOwnSimulator();
});
afterAll(() => own.close());

test('an operator sees how all accounts fare, and is led to what needs attention', async () => {
  const name = ownName('watched');
  await putUpstream(at, name, own.url, [`${name}-key`]);
  const { key, model } = await makeOwnPool(at, { members: [{ upstream: name }] });
  const ask = () =>
    call(`${at.baseUrl}/v1/chat/completions`, {
      headers: { authorization: `Bearer ${key}` },
      body: { model, messages: [{ role: 'user', content: 'Hello' }] },
    });
  // Those with the most requests are listed, and tests beside this one make more of them elsewhere.
  await waitFor(async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, ask));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const { upstreams } = await admin(at, 'GET', '/api/overview');
    // Not one of the last that are listed, whose place another one may take.
    return upstreams.slice(0, 6).some(({ upstream }) => upstream === name);
  }, 'its upstream to stand among those with the most');
  await own.script({ status: 401 }, { credential: `${name}-key` });
  await waitFor(async () => (await ask()).status >= 500, 'the credential to be refused');
  const context = await openDesk();
  const { page, complaints } = await visit(context);
  await signInAt(page, at.baseUrl, '/overview');
  const attention = page.getByRole('listitem').filter({ hasText: `${name} / ${name}-key` });
  await attention.getByText('Credential refused').waitFor({ timeout: 60_000 });
  await page.getByRole('table', { name: 'Upstreams' }).getByText(name).waitFor({ timeout: 60_000 });
  expect(await barriers(page)).toEqual([]);
  const { requests, failed } = await admin(at, 'GET', '/api/overview');
  expect(requests).toBeGreaterThan(failed);
  expect(failed).toBeGreaterThan(0);
  await page.getByRole('radio', { name: 'Spend and margin' }).check();
  await page.getByRole('slider', { name: 'Spend and margin' }).waitFor();
  await attention.getByRole('link').click();
  await page.getByRole('dialog').getByText('Credential refused').first().waitFor();
  expect(complaints).toEqual([]);

  const phone = await openContext({
    locale: 'zh-CN',
    colorScheme: 'dark',
    viewport: { width: 360, height: 740 },
  });
  const { page: small, complaints: onPhone } = await visit(phone);
  await takeSession(small, at.baseUrl);
  await small.goto(`${at.baseUrl}/overview?range=7d&measure=spend`);
  await small.getByText('凭据被拒').first().waitFor();
  await small.getByRole('slider', { name: '消费与毛利' }).waitFor();
  expect(await barriers(small)).toEqual([]);
  expect(await small.evaluate<number>('document.documentElement.scrollWidth')).toBe(360);
  await phone.close();
  await leave(context);
  expect(onPhone).toEqual([]);
  await admin(at, 'DELETE', `/api/catalogue/pools/${model}`);
  await admin(at, 'DELETE', `/api/catalogue/upstreams/${name}`);
}, 120_000);

test('what did not answer is asked again by itself', async () => {
  const context = await openDesk();
  const { page } = await visit(context);
  await signInAt(page, at.baseUrl, '/settings');
  const keys = '**/api/keys*';
  await page.route(keys, (route) => route.abort());
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByText('The relay does not answer.').waitFor();
  await page.unroute(keys);
  await page.getByText('The relay does not answer.').waitFor({ state: 'hidden' });
  await page.getByRole('table').or(page.getByText('No keys yet')).first().waitFor();
  await leave(context);
}, 60_000);
