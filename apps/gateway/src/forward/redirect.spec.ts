import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { outcome, simulate, type Simulated, startForwarding, upstream } from '../../testing/forwarding.ts';

let inside: Simulated;
let other: Simulated;
let redirecting: Server;
let status = 302;
let asked = 0;

beforeAll(async () => {
  [inside, other] = await Promise.all([simulate(), simulate()]);
  redirecting = createServer((request, response) => {
    asked += 1;
    request.resume();
    response.writeHead(status, { location: `${inside.url}/v1/chat/completions` }).end();
  });
  redirecting.listen(0, '127.0.0.1');
  await once(redirecting, 'listening');
});
afterAll(async () => {
  redirecting.close();
  await Promise.all([inside.close(), other.close()]);
});

test.each([301, 302, 303, 307, 308])(
  'an upstream that answers %i leads nobody elsewhere: it has failed, and the next one answers',
  async (redirect) => {
    status = redirect;
    const before = asked;
    const forwarding = startForwarding({
      upstreams: [
        upstream('leading', `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`, ['a']),
        upstream('other', other.url, ['b']),
      ],
      pool: { members: [{ upstream: 'leading' }, { upstream: 'other', priority: 1 }] },
    });
    expect(outcome(await forwarding.send())).toBe('other as m');
    expect(asked - before).toBe(1);
    expect(await inside.count()).toBe(0);
    const [leading] = forwarding.stages[0]?.candidates ?? [];
    expect(leading?.target.view().lastError).toMatchObject({ reason: `status ${redirect}` });
    await forwarding.close();
  },
);
