import { type Simulated, inTurn, withTwoUpstreams } from '../../testing/forwarding.ts';

let one: Simulated;
let two: Simulated;
const { start, send, both } = withTwoUpstreams((first, second) => {
  [one, two] = [first, second];
});
afterEach(() => jest.restoreAllMocks());

/** Sets the clock of this process, once an upstream has been asked. */
async function setClockAfter(asked: Promise<unknown>, ms: number): Promise<void> {
  await asked;
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
}

const askedOnce = async (simulated: Simulated): Promise<void> => {
  while ((await simulated.count()) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe.each([
  ['2036', 10 * 365 * 86_400_000],
  ['1970', -56 * 365 * 86_400_000],
])('a clock that is set to %s while an upstream is at work', (_year, ms) => {
  test.each([
    ['a whole answer', { stream: false }, { first_delay_ms: 300 }],
    ['a stream', { stream: true }, { first_delay_ms: 300 }],
    ['a stream before its first event', { stream: true }, { first_delay_ms: 300, body_delay_ms: 100 }],
  ])('does not end %s', async (_what, request, script) => {
    await one.script(script);
    start({ upstreams: both(), pool: inTurn });
    const sent = send(request);
    await setClockAfter(askedOnce(one), ms);
    expect(await sent).toBe('one as m');
    expect(await two.count()).toBe(0);
  });

  test('takes no further try away', async () => {
    await one.script({ first_delay_ms: 300, cut_before_headers: true });
    start({ upstreams: both(), pool: inTurn });
    const sent = send();
    await setClockAfter(askedOnce(one), ms);
    expect(await sent).toBe('two as m');
  });

  test('makes nobody look slow', async () => {
    await one.script({ first_delay_ms: 300 });
    const { stages } = start({ upstreams: both(), pool: inTurn });
    const sent = send();
    await setClockAfter(askedOnce(one), ms);
    await sent;
    const latencyMs = stages[0]?.candidates[0]?.target.view().latencyMs ?? 0;
    expect(latencyMs).toBeGreaterThanOrEqual(290);
    expect(latencyMs).toBeLessThan(60_000);
  });
});
