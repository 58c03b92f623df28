import { waitFor } from '@tollgate/harness';
import { admin, sharedStack } from '../shared-stack.ts';
import { ask, makeOwnPool, ownName, type OwnSimulator, putUpstream, startOwnSimulator } from './own-pool.ts';
import { settled } from './shown-health.ts';

const at = sharedStack();
let own: OwnSimulator;
beforeAll(async () => {
  own = await startOwnSimulator();
});
afterAll(() => own.close());
beforeEach(() => own.reset());

/** How many refused credentials the gateways have told of since they started. */
async function alerts(): Promise<number> {
  const { gateways } = await admin(at, 'GET', '/api/catalogue/health');
  return gateways.reduce((sum, { credential_alerts }) => sum + credential_alerts, 0);
}

test('a credential that its upstream refuses is used by no gateway until an admin enables it', async () => {
  const name = ownName('refused');
  const [bad, good] = [`${name}-bad`, `${name}-good`];
  const upstream = await putUpstream(at, name, own.url, [bad, good]);
  const pool = await makeOwnPool(at, { retry_percent: 100, members: [{ upstream }] });
  await own.script({ status: 401 }, { credential: bad });
  const [first] = at.gatewayUrls;
  const alertsBefore = await alerts();
  await waitFor(async () => {
    expect((await ask(first ?? at.baseUrl, pool)).status).toBe(200);
    return (await own.requests(bad)).length === 1;
  }, 'a request with the bad credential');

  const view = await settled(at, name, bad, 'disabled');
  expect(view.gateways.some(({ last_error }) => last_error?.reason === 'status 401')).toBe(true);
  await waitFor(async () => (await alerts()) > alertsBefore, 'the alert');
  for (const url of at.gatewayUrls)
    for (let n = 0; n < 15; n += 1) expect((await ask(url, pool)).status).toBe(200);
  expect((await own.requests(bad)).length).toBe(1);

  await own.script({}, { credential: bad });
  await admin(at, 'POST', `/api/catalogue/upstreams/${name}/credentials/${bad}/enable`, {});
  await settled(at, name, bad, 'ready');
  for (const url of at.gatewayUrls)
    await waitFor(async () => {
      const before = (await own.requests(bad)).length;
      await ask(url, pool);
      return (await own.requests(bad)).length > before;
    }, 'a request with the enabled credential');
});

test('only a credential that is there can be enabled', async () => {
  await expect(
    admin(at, 'POST', '/api/catalogue/upstreams/simulator/credentials/none/enable', {}),
  ).rejects.toThrow('answered 404');
});

test('an upstream that one gateway ejects is left alone by the others, and found by probes when it is back', async () => {
  const name = ownName('ejected');
  const [bad, good] = [`${name}-bad`, `${name}-good`];
  const failing = await putUpstream(at, `${name}-failing`, own.url, [bad], { probe_interval_s: 1 });
  const healthy = await putUpstream(at, `${name}-healthy`, own.url, [good]);
  const pool = await makeOwnPool(at, {
    retry_percent: 100,
    members: [{ upstream: failing }, { upstream: healthy, priority: 1 }],
  });
  await own.script({ status: 500 }, { credential: bad });
  const [first] = at.gatewayUrls;
  for (let n = 0; n < 5; n += 1) expect((await ask(first ?? at.baseUrl, pool)).status).toBe(200);
  await settled(at, failing, bad, 'ejected');
  const callers = async () => (await own.requests(bad)).filter(({ method }) => method === 'POST').length;
  const before = await callers();
  for (const url of at.gatewayUrls)
    for (let n = 0; n < 10; n += 1) expect((await ask(url, pool)).status).toBe(200);
  // Half-open breakers let one request at a time through.
  expect((await callers()) - before).toBeLessThanOrEqual(at.gatewayUrls.length);

  await own.script({}, { credential: bad });
  await settled(at, failing, bad, 'ready');
  const probes = (await own.requests(bad)).filter(
    ({ method, url }) => method === 'GET' && url === '/v1/models',
  );
  expect(probes.length).toBeGreaterThan(0);
});

test('an upstream that cuts its streams after their first byte is ejected as one that fails', async () => {
  const name = ownName('cutting');
  const [bad, good] = [`${name}-bad`, `${name}-good`];
  const cutting = await putUpstream(at, `${name}-cutting`, own.url, [bad]);
  const healthy = await putUpstream(at, `${name}-healthy`, own.url, [good]);
  const pool = await makeOwnPool(at, {
    members: [{ upstream: cutting }, { upstream: healthy, priority: 1 }],
  });
  await own.script({ cut_after_chunks: 2 }, { credential: bad });
  const [first] = at.gatewayUrls;
  const stream = () => ask(first ?? at.baseUrl, pool, { body: { stream: true } });
  for (let n = 0; n < 5; n += 1) expect((await stream()).text).not.toContain('[DONE]');
  const view = await settled(at, cutting, bad, 'ejected');
  expect(view.gateways.some(({ last_error }) => last_error?.reason === 'broken off')).toBe(true);
  expect((await stream()).text).toContain('[DONE]');
});
