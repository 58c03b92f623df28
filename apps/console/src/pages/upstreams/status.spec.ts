import type { GatewayView, Target, TargetState } from '../../api/upstreams.ts';
import { computeFigures, findTargetStatus, findUpstreamStatus, toTiers } from './status.ts';

const target = (state: TargetState, upstream = 'east'): Target => ({
  upstream,
  credential: 'a',
  state,
  outstanding: 0,
  gateways: state === 'ready' ? [view({ requests: 1 })] : [],
});

test.each<[string, TargetState[], string]>([
  ['all are ready', ['ready', 'ready'], 'ready'],
  ['some are not', ['ready', 'disabled'], 'partly'],
  ['all are refused', ['disabled', 'disabled'], 'disabled'],
  ['none is ready', ['unknown', 'cooling_down', 'ejected'], 'cooling_down'],
  ['one was not used yet', ['ready', 'unknown'], 'ready'],
  ['nothing is known', [], 'unknown'],
])('where %s the upstream is so', (_when, states, status) => {
  expect(
    findUpstreamStatus({ name: 'east' }, [...states.map((state) => target(state)), target('ready', 'west')]),
  ).toBe(status);
});

test('one that is switched off is that, whatever its credentials are', () => {
  expect(findUpstreamStatus({ name: 'east', disabled: true }, [target('ready')])).toBe('off');
});

const view = (of: Partial<GatewayView>): GatewayView => ({
  gateway: 'g',
  state: 'ready',
  breaker: 'closed',
  since: null,
  ejected_until: null,
  cooling_down_until: null,
  disabled_since: null,
  failure_rate: 0,
  requests: 0,
  latency_ms: null,
  outstanding: 0,
  last_error: null,
  ...of,
});

test.each<[string, readonly Partial<GatewayView>[], string]>([
  ['was never asked', [{}], 'unknown'],
  ['answered once', [{ latency_ms: 80 }], 'ready'],
  ['answered one gateway', [{}, { requests: 4, failure_rate: 0.5 }], 'ready'],
  ['only failed so far', [{ requests: 4, failure_rate: 1 }], 'unknown'],
  ['is tried again', [{ latency_ms: 80, breaker: 'half-open' }], 'recovering'],
])('what %s is said to be just that', (_what, views, status) => {
  expect(findTargetStatus({ ...target('ready'), gateways: views.map(view) })).toBe(status);
});

test('failures weigh by requests', () => {
  const views = [
    view({ requests: 90, latency_ms: 100 }),
    view({ requests: 10, failure_rate: 0.5, latency_ms: 201 }),
  ];
  expect(computeFigures(views)).toEqual({ requests: 100, failurePercent: 5, latencyMs: 151 });
  expect(computeFigures([view({})])).toEqual({ requests: 0, failurePercent: null, latencyMs: null });
});

test('members stand by the order in which they are tried, with their shares', () => {
  const member = (upstream: string, priority: number, weight: number) => ({
    upstream,
    priority,
    weight,
    model_map: {},
    cost_ratio: null,
  });
  expect(toTiers({ members: [member('c', 5, 1), member('a', 0, 3), member('b', 0, 1)] })).toEqual([
    {
      priority: 0,
      members: [
        { upstream: 'a', percent: 75 },
        { upstream: 'b', percent: 25 },
      ],
    },
    { priority: 5, members: [{ upstream: 'c', percent: 100 }] },
  ]);
});
