// What gateways say of an upstream to each other, and how long it holds, whatever their wall clocks do.
import { START, startTarget as start } from '../../testing/started-target.ts';

const REFUSED = { kind: 'refused', status: 401, isCertain: true } as const;

describe.each([1, 5_000, 59_000])('a clock that steps back by %i ms', (ms) => {
  const listenTo = (from: ReturnType<typeof start>, to: ReturnType<typeof start>) => () => {
    const said = from.changes.at(-1);
    return said !== undefined && to.target.applyRemote({ id: 'openai#1', by: 'gw-0', ...said });
  };

  test('has its newer word taken by those that heard the older one', () => {
    const [speaker, listener] = [start(), start()];
    const listen = listenTo(speaker, listener);
    speaker.once(REFUSED);
    expect(listen()).toBe(true);
    speaker.setClock(-ms);
    speaker.target.enable('by an admin');
    expect(listen()).toBe(true);
    expect(listener.target.availability(listener.now())).toBe('ready');
    speaker.once(REFUSED);
    expect(listen()).toBe(true);
    expect(listener.target.availability(listener.now())).toBe('disabled');
  });

  test('or is behind the others has its word taken as an answer to theirs', () => {
    const [speaker, listener] = [start(), start()];
    listener.setClock(-ms);
    speaker.once(REFUSED);
    expect(listenTo(speaker, listener)()).toBe(true);
    listener.target.enable('by an admin');
    expect(listenTo(listener, speaker)()).toBe(true);
    expect(speaker.target.availability(speaker.now())).toBe('ready');
  });

  test('does not let an older word come again', () => {
    const { target, heard, pass, setClock, now } = start();
    const older = heard('disabled');
    expect(target.applyRemote(older)).toBe(true);
    pass(1);
    expect(target.applyRemote(heard('enabled'))).toBe(true);
    setClock(-ms);
    expect(target.applyRemote(older)).toBe(false);
    expect(target.availability(now())).toBe('ready');
  });
});

test('a word of a clock that is ahead beats those who have not heard it for as long as it is ahead, a minute at most', () => {
  const { target, heard, pass } = start();
  expect(target.applyRemote(heard('disabled', { at: START + 59_000 }))).toBe(true);
  pass(58_999);
  expect(target.applyRemote(heard('enabled'))).toBe(false);
  pass(2);
  expect(target.applyRemote(heard('enabled'))).toBe(true);
});

describe.each([
  ['2036', 10 * 365 * 86_400_000],
  ['1970', -56 * 365 * 86_400_000],
])('a clock that is set to %s', (_year, ms) => {
  test('lets nobody be left alone for longer or shorter', () => {
    const { target, once, pass, setClock, now } = start();
    once({ kind: 'rate-limited', status: 429, retryAfterMs: 2_000 });
    setClock(ms);
    expect(target.availability(now())).toBe('cooling_down');
    expect(target.coolsDownMs(now())).toBe(2_000);
    expect(target.view().coolingDownUntil).toBe(START + ms + 2_000);
    pass(2_000);
    expect(target.availability(now())).toBe('ready');
  });

  test('lets nobody be held back for longer or shorter', () => {
    const { target, once, pass, setClock, now } = start();
    for (let time = 0; time < 5; time += 1) once({ kind: 'failed', cause: 'connect', elapsedMs: 1 });
    const until = target.view().until ?? 0;
    setClock(ms);
    expect(target.view()).toMatchObject({ availability: 'ejected', until: until + ms });
    pass(until - START);
    expect(target.availability(now())).toBe('ready');
  });

  test('and put back has not had the last word', () => {
    const { target, once, heard, pass, setClock, now } = start();
    setClock(ms);
    once(REFUSED);
    setClock(-ms);
    pass(1);
    expect(target.applyRemote(heard('enabled'))).toBe(true);
    expect(target.availability(now())).toBe('ready');
  });

  test('makes what others tell as long as they meant', () => {
    const { target, heard, setClock, now } = start();
    setClock(ms);
    target.applyRemote(heard('cooling_down', { until: START + ms + 700 }));
    expect(target.coolsDownMs(now())).toBe(700);
  });
});
