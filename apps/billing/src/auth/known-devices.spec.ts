import { fastifyCookie } from '@fastify/cookie';
import Fastify from 'fastify';
import { KnownDevices } from './known-devices.ts';

const SECRET = 'a secret that all replicas share, always';
const STRANGER = ['login:192.0.2.1', 'login:ada@billing.example'];

/** A replica: `/in` is where somebody signs in, `/tries` answers what a try counts against. */
async function replica(secret = SECRET) {
  const devices = new KnownDevices(secret);
  const fastify = Fastify({ trustProxy: true });
  await fastify.register(fastifyCookie);
  fastify.get<{ Querystring: { email: string } }>('/in', ({ query }, reply) => {
    devices.remember(reply, query.email);
    return reply.send();
  });
  fastify.get<{ Querystring: { email?: string } }>('/tries', (request) => {
    const { email } = request.query;
    return devices
      .triesOf('login', request, email === undefined ? undefined : { email, perMinute: 60 })
      .map(({ id, perMinute }) => ({ id, perMinute }));
  });
  const get = (url: string, value: string | undefined) =>
    fastify.inject({
      url,
      headers: { 'x-forwarded-for': '192.0.2.1' },
      ...(value === undefined ? {} : { cookies: { tollgate_device: value } }),
    });
  return {
    async signIn(email: string, value?: string): Promise<string> {
      const answer = await get(`/in?email=${encodeURIComponent(email)}`, value);
      return answer.cookies.find(({ name }) => name === 'tollgate_device')?.value ?? '';
    },
    async tries(value: string | undefined, email?: string): Promise<{ id: string; perMinute: number }[]> {
      return (
        await get(`/tries${email === undefined ? '' : `?email=${encodeURIComponent(email)}`}`, value)
      ).json();
    },
  };
}
const idsOf = (buckets: readonly { id: string }[]) => buckets.map(({ id }) => id);

test('a stranger counts for the client and for whom it names', async () => {
  const { tries } = await replica();
  expect(await tries(undefined, 'Ada@billing.example')).toEqual([
    { id: STRANGER[0], perMinute: 10 },
    { id: STRANGER[1], perMinute: 60 },
  ]);
  expect(idsOf(await tries(undefined))).toEqual([STRANGER[0]]);
});

test('who signed in with a browser counts for it alone, on every replica and after a restart', async () => {
  const value = await (await replica()).signIn('Ada@billing.example');
  const { tries } = await replica();
  const known = await tries(value, 'ada@BILLING.example');
  expect(known).toEqual([{ id: expect.stringMatching(/^login:device:[\w-]{22}$/), perMinute: 10 }]);
  expect(await tries(value)).toEqual(known);
  expect(idsOf(await tries(value, 'grace@billing.example'))).toEqual([
    STRANGER[0],
    'login:grace@billing.example',
  ]);
});

test('a browser stays the same one, for the five who signed in with it last', async () => {
  const { signIn, tries } = await replica();
  const people = Array.from({ length: 6 }, (_, each) => `person${each}@billing.example`);
  let value: string | undefined;
  const ids = new Set<string | undefined>();
  for (const email of people) {
    value = await signIn(email, value);
    ids.add((await tries(value, email))[0]?.id);
  }
  value = await signIn('person3@billing.example', value);
  expect(ids.size).toBe(1);
  const lengths = await Promise.all(people.map(async (email) => (await tries(value, email)).length));
  expect(lengths).toEqual([2, 1, 1, 1, 1, 1]);
});

test('what is not signed by us makes no browser known', async () => {
  const ada = 'ada@billing.example';
  const other = await (await replica('another secret, of another deployment')).signIn(ada);
  const { signIn, tries } = await replica();
  const value = await signIn(ada);
  const graces = await signIn('grace@billing.example');
  const cut = value.lastIndexOf('.');
  const [payload, signature] = [value.slice(0, cut), value.slice(cut + 1)];
  const mark = payload.split('.')[1] ?? '';
  // The last character's lowest bits stand for nothing: these are the bytes of the signature, in another text.
  const respelt = signature.slice(0, -1) + String.fromCharCode(signature.charCodeAt(42) + 1);
  expect(Buffer.from(respelt, 'base64')).toEqual(Buffer.from(signature, 'base64'));
  const forgeries = [
    '',
    'x',
    payload,
    `${payload}.`,
    `${payload}.${signature.slice(1)}`,
    `${payload}.${respelt}`,
    `${value.startsWith('x') ? 'y' : 'x'}${value.slice(1)}`,
    `${payload}.${mark}.${signature}`,
    `${graces.split('.')[0]}.${mark}.${graces.slice(graces.lastIndexOf('.') + 1)}`,
    other,
  ];
  for (const forgery of forgeries)
    expect([forgery, idsOf(await tries(forgery, ada))]).toEqual([forgery, STRANGER]);
  expect(await tries(value, ada)).toHaveLength(1);
  expect(idsOf(await tries(graces, ada))).toEqual(STRANGER);
});

test('nobody reads an address from it', async () => {
  const { signIn } = await replica();
  const [first, second] = [await signIn('ada@billing.example'), await signIn('ada@billing.example')];
  expect(Buffer.from(first, 'base64url').toString() + first).not.toMatch(/ada|billing/);
  expect(second).not.toBe(first);
});
