import fc from 'fast-check';
import { type CredentialAlert, createHealthRegistry, targetId } from './registry.ts';
import type { Transition } from './transition.ts';

const START = 1_000_000;
const FAILED = { kind: 'failed', cause: 'connect', elapsedMs: 1 } as const;

function start(self = 'gw-1', now = () => START) {
  const alerts: CredentialAlert[] = [];
  const transitions: Transition[] = [];
  const registry = createHealthRegistry({
    self,
    now,
    wallNow: now,
    random: () => 0,
    alert: (alert) => alerts.push(alert),
  });
  const end = registry.changes((transition) => transitions.push(transition));
  const record = (id: string, outcome: Parameters<ReturnType<typeof begin>['record']>[0], times = 1) => {
    for (let time = 0; time < times; time += 1) {
      const attempt = begin(id);
      attempt.record(outcome);
      attempt.end();
    }
  };
  const begin = (id: string) => {
    const target = registry.target(id);
    if (!target) throw new Error(`No target ${id}.`);
    return target.begin();
  };
  const stateOf = (id: string) => registry.view().find((view) => view.id === id)?.availability;
  return { registry, alerts, transitions, end, record, stateOf };
}

test('a target keeps its state over snapshots, and loses it with its place in them', () => {
  const { registry, record, stateOf } = start();
  registry.update([{ targets: ['a', 'b'] }]);
  const target = registry.target('a');
  record('a', FAILED, 5);
  registry.update([{ targets: ['a', 'c'] }, { targets: ['a', 'b'] }]);
  expect(registry.target('a')).toBe(target);
  expect(stateOf('a')).toBe('ejected');
  registry.update([{ targets: ['b', 'c'] }]);
  expect(registry.view().map(({ id }) => id)).toEqual(['b', 'c']);
  registry.update([{ targets: ['a', 'b'] }]);
  expect(stateOf('a')).toBe('ready');
});

test('another credential is another target, and the credential cannot be read from its id', () => {
  expect(targetId('openai', 'sk-1')).toMatch(/^openai#[0-9a-f]{12}$/);
  expect(targetId('openai', 'sk-1')).toBe(targetId('openai', 'sk-1'));
  expect(targetId('openai', 'sk-2')).not.toBe(targetId('openai', 'sk-1'));
  expect(targetId('local', null)).toBe('local#none');
});

test('of a pool no more than the share is ejected, and never its last', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (size, maxEjected) => {
        const registry = createHealthRegistry({
          self: 'gw-1',
          now: () => START,
          wallNow: () => START,
          maxEjectedShare: maxEjected,
        });
        const targets = Array.from({ length: size }, (_, index) => `t${index}`);
        registry.update([{ targets }]);
        for (let round = 0; round < 10; round += 1) {
          for (const id of targets) registry.target(id)?.begin().record(FAILED);
        }
        const ejected = registry.view().filter(({ availability }) => availability === 'ejected');
        expect(ejected).toHaveLength(Math.min(size - 1, Math.floor(size * maxEjected)));
      },
    ),
  );
});

test('a target in two pools is ejected only where both can bear it', () => {
  const { registry, record, stateOf } = start();
  registry.update([{ targets: ['a', 'b', 'c'] }, { targets: ['a'] }]);
  record('a', FAILED, 10);
  expect(stateOf('a')).toBe('ready');
  record('b', FAILED, 10);
  expect(stateOf('b')).toBe('ejected');
});

test('the last that is not cooling down or refused is not ejected', () => {
  const { registry, record, stateOf } = start();
  registry.update([{ targets: ['a', 'b', 'c', 'd'] }]);
  record('a', { kind: 'rate-limited', status: 429, retryAfterMs: 60_000 });
  record('b', { kind: 'refused', status: 401, isCertain: true });
  record('c', FAILED, 5);
  record('d', FAILED, 5);
  expect(['a', 'b', 'c', 'd'].map(stateOf)).toEqual(['cooling_down', 'disabled', 'ejected', 'ready']);
});

test('a refused credential raises one alert, at the gateway that was refused', () => {
  const one = start('gw-1');
  const two = start('gw-2');
  for (const { registry } of [one, two]) registry.update([{ targets: ['a', 'b'] }]);
  one.record('a', { kind: 'refused', status: 401, isCertain: true }, 3);
  expect(one.alerts).toEqual([{ kind: 'credential-refused', id: 'a', reason: 'status 401', at: START }]);
  for (const transition of one.transitions) two.registry.applyRemote(transition);
  expect(two.stateOf('a')).toBe('disabled');
  expect(two.alerts).toEqual([]);
  expect(two.transitions).toEqual([]);
});

test('a gateway learns nothing of its own decisions, of targets it does not know, and after the end', () => {
  const { registry, transitions, record, end } = start();
  registry.update([{ targets: ['a', 'b'] }]);
  record('a', FAILED, 5);
  expect(transitions).toEqual([
    {
      id: 'a',
      state: 'open',
      until: START + 5_000,
      reason: '5 failures in a row, the last with connect',
      at: START,
      by: 'gw-1',
    },
  ]);
  const [own] = transitions;
  if (!own) throw new Error('No transition was told.');
  expect(registry.applyRemote(own)).toBe(false);
  expect(registry.applyRemote({ ...own, id: 'unknown', by: 'gw-2' })).toBe(false);
  end();
  record('b', { kind: 'refused', status: 401, isCertain: true });
  expect(transitions).toHaveLength(1);
});

test('gateways agree on credentials and cooldowns, in whatever order they hear of each other', () => {
  const decision = fc.record({
    state: fc.constantFrom<Transition['state']>('cooling_down', 'disabled', 'enabled'),
    at: fc.integer({ min: START - 5, max: START }),
    by: fc.constantFrom('gw-2', 'gw-3', 'gw-4'),
    wait: fc.integer({ min: 1, max: 9_000 }),
  });
  const unique = fc.uniqueArray(decision, { selector: ({ at, by }) => `${at} ${by}` });
  const shuffled = unique.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
  );
  fc.assert(
    fc.property(shuffled, ([one, other]) => {
      const seen = [one, other].map((decisions) => {
        const { registry } = start();
        registry.update([{ targets: ['a'] }]);
        for (const { state, at, by, wait } of decisions) {
          registry.applyRemote({ id: 'a', state, at, by, until: START + wait, reason: 'heard' });
        }
        const [view] = registry.view();
        return [view?.availability, view?.coolingDownUntil, view?.disabledSince === null];
      });
      expect(seen[0]).toEqual(seen[1]);
    }),
  );
});

test('the view tells all that an operator asks', () => {
  let now = START;
  const { registry, record } = start('gw-1', () => now);
  registry.update([{ targets: ['a', 'b'] }]);
  record('a', { kind: 'answered', firstByteMs: 40 });
  record('a', { kind: 'failed', cause: 'status 503', elapsedMs: 9_000 }, 5);
  const [view] = registry.view();
  expect(view).toEqual({
    id: 'a',
    availability: 'ejected',
    state: 'open',
    since: START,
    until: START + 5_000,
    failureRate: 5 / 6,
    volume: 6,
    latencyMs: 9_000,
    outstanding: 0,
    coolingDownUntil: null,
    disabledSince: null,
    lastError: { at: START, reason: 'status 503' },
  });
  now += 5_000;
  expect(registry.view()[0]).toMatchObject({ state: 'half-open', availability: 'ready', since: START });
  record('a', { kind: 'answered', firstByteMs: 40 }, 2);
  expect(registry.view()[0]).toMatchObject({ state: 'closed', since: now, until: null, volume: 0 });
  expect(registry.view()[1]).toMatchObject({ id: 'b', since: null, latencyMs: null });
});
