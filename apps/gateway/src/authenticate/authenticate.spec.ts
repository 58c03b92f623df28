import { hash } from 'node:crypto';
import { authenticate } from './authenticate.ts';

const KEYS = ['a', 'b'].map((letter) => `sk-${letter.repeat(48)}`);

/** The hash that is looked up for each of the keys that come, over the same connection or each over none. */
async function lookedUp(keys: readonly string[], connection?: object): Promise<string[]> {
  const asked: string[] = [];
  const deps = {
    keys: {
      holds: () => false,
      find: async (keyHash: string) => {
        asked.push(keyHash);
        return null;
      },
      canFind: async () => true,
      forget: () => {},
    },
    wrongKeys: { blockedMs: () => 0, count: async () => {} },
  };
  for (const key of keys)
    await authenticate(deps, {
      headers: { authorization: `Bearer ${key}` },
      queryKey: undefined,
      clientAddress: '127.0.0.1',
      connection,
    });
  return asked;
}

test.each([
  ['one connection', {}],
  ['no connection that is known', undefined],
])('keys that come one after the other over %s are each looked up as themselves', async (_, connection) => {
  const [a = '', b = ''] = KEYS;
  const sent = [a, a, b, a, b, b];
  expect(await lookedUp(sent, connection)).toEqual(sent.map((key) => hash('sha256', key)));
});

test('what a connection has brought says nothing of another one', async () => {
  const [a = '', b = ''] = KEYS;
  await lookedUp([a], {});
  expect(await lookedUp([b], {})).toEqual([hash('sha256', b)]);
});
