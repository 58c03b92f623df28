import { EventEmitter } from 'node:events';
import { waitFor } from '@tollgate/harness';
import { createDepartures, type DepartureLimits } from './departures.ts';

const LIMITS = { readOnMs: 60_000, perKey: 2, perProcess: 3 };

/** A response whose client may leave. */
class Response extends EventEmitter {
  destroyed = false;
  writableFinished = false;
  leave(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function start(limits: Partial<DepartureLimits> = {}) {
  const departures = createDepartures({ ...LIMITS, ...limits });
  const watch = (keyId: string, { keepsAnswer = false, mayGoOn = false } = {}) => {
    const response = new Response();
    const notified = { gone: 0 };
    const onGone = () => void (notified.gone += 1);
    const departure = departures.watch({ response, keyId, keepsAnswer, mayGoOn, onGone });
    return { response, departure, notified };
  };
  return { departures, watch };
}

/** Whether the client is gone, and why its upstream is not read any longer. */
const stateOf = ({ departure }: ReturnType<ReturnType<typeof start>['watch']>) => [
  departure.gone.aborted,
  departure.ended.aborted ? departure.endedBy() : 'read on',
];

test('an upstream is read on for so long after its client has gone', async () => {
  const { departures, watch } = start({ readOnMs: 50 });
  const one = watch('a');
  expect(stateOf(one)).toEqual([false, 'read on']);
  const leftAt = performance.now();
  one.response.leave();
  expect([stateOf(one), one.notified.gone, departures.reading]).toEqual([[true, 'read on'], 1, 1]);
  await waitFor(() => one.departure.ended.aborted, 'the end');
  expect(performance.now() - leftAt).toBeGreaterThan(48);
  expect(stateOf(one)).toEqual([true, 'limit']);
  one.departure[Symbol.dispose]();
  expect([departures.reading, departures.givenUp]).toEqual([0, { limit: 1, stop: 0 }]);
});

test('a client that has its whole answer has not gone, and after the end nobody can go', () => {
  const { departures, watch } = start();
  const one = watch('a');
  one.response.writableFinished = true;
  one.response.leave();
  const two = watch('a');
  two.departure[Symbol.dispose]();
  two.response.leave();
  expect([stateOf(one), stateOf(two)]).toEqual([
    [false, 'read on'],
    [false, 'read on'],
  ]);
  expect([one.notified.gone, two.notified.gone]).toEqual([0, 0]);
  expect(departures.reading).toBe(0);
});

test('a client that had gone before is not waited for', () => {
  const { departures } = start();
  const response = new Response();
  response.destroyed = true;
  const departure = departures.watch({
    response,
    keyId: 'a',
    keepsAnswer: false,
    mayGoOn: false,
    onGone: () => {},
  });
  expect([departure.gone.aborted, departure.ended.aborted, departures.reading]).toEqual([true, true, 0]);
});

test('no more are read on than a key and the process may have', () => {
  const { departures, watch } = start();
  const all = ['a', 'a', 'a', 'b', 'b'].map((key) => watch(key));
  for (const { response } of all) response.leave();
  const states = all.map(stateOf).map(([, state]) => state);
  expect(states).toEqual(['read on', 'read on', 'limit', 'limit', 'limit']);
  for (const { departure } of all) departure[Symbol.dispose]();
  const again = watch('a');
  again.response.leave();
  expect(stateOf(again)).toEqual([true, 'read on']);
  expect(departures.givenUp.limit).toBe(3);
});

test('nothing is read on where that is switched off', () => {
  const one = start({ readOnMs: 0 }).watch('a');
  one.response.leave();
  expect(stateOf(one)).toEqual([true, 'limit']);
});

test('what is kept for a repeat goes on as if its client were there, but counts', async () => {
  const { departures, watch } = start({ perKey: 1, readOnMs: 10 });
  const kept = watch('a', { keepsAnswer: true });
  kept.response.leave();
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect([stateOf(kept), kept.notified.gone]).toEqual([[false, 'read on'], 0]);
  const second = watch('a', { keepsAnswer: true });
  second.response.leave();
  expect(stateOf(second)).toEqual([false, 'limit']);
  departures.stop();
  expect(stateOf(kept)).toEqual([false, 'read on']);
});

test('a job is waited for where as many are read on as may be, and where nothing is', () => {
  for (const limits of [{ perKey: 1 }, { perProcess: 1 }, { readOnMs: 0, perKey: 0 }]) {
    const { departures, watch } = start(limits);
    watch('a').response.leave();
    const job = watch('a', { mayGoOn: true });
    job.response.leave();
    departures.stop();
    expect([stateOf(job), job.notified.gone]).toEqual([[false, 'read on'], 0]);
  }
});

test('a stop ends what is read on, and from then on whoever leaves; it is over when all are', async () => {
  const { departures, watch } = start();
  const [before, after] = [watch('a'), watch('b')];
  before.response.leave();
  departures.stop();
  expect(stateOf(before)).toEqual([true, 'stop']);
  after.response.leave();
  expect(stateOf(after)).toEqual([true, 'stop']);
  let isIdle = false;
  const idle = departures.idle().then(() => (isIdle = true));
  before.departure[Symbol.dispose]();
  await new Promise((resolve) => setImmediate(resolve));
  expect(isIdle).toBe(false);
  after.departure[Symbol.dispose]();
  await idle;
  expect(departures.givenUp).toEqual({ limit: 0, stop: 2 });
});
