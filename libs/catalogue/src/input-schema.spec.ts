import { upstreamInputSchema } from './input-schema.ts';
import { upstreamSchema } from './schema.ts';

const UPSTREAM = { name: 'one', base_url: 'https://one.example', protocols: ['openai-chat'] };

test.each(['connect', 'first_byte', 'idle', 'total'])(
  'the timeout "%s" is one that a timer can wait for',
  (of) => {
    const field = `${of}_timeout_ms`;
    const longest = 2 ** 31 - 1;
    expect(upstreamInputSchema.parse({ ...UPSTREAM, [field]: longest })).toMatchObject({ [field]: longest });
    expect(upstreamInputSchema.safeParse({ ...UPSTREAM, [field]: longest + 1 }).error?.issues).toMatchObject([
      { path: [field], code: 'too_big' },
    ]);
  },
);

test('whoever writes an upstream has the timeouts that the catalogue has', () => {
  const timeouts = (upstream: object) =>
    Object.entries(upstream).filter(([field]) => field.endsWith('_timeout_ms'));
  expect(timeouts(upstreamInputSchema.parse(UPSTREAM))).toHaveLength(4);
  expect(timeouts(upstreamInputSchema.parse(UPSTREAM))).toEqual(timeouts(upstreamSchema.parse(UPSTREAM)));
});
