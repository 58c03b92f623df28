import { createLogger } from './logging.ts';
import { readTraceparent, startTracing, under, writeTraceparent } from './tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const silent = createLogger('traced', 'silent');

test('a traceparent that was read is written as it came', () => {
  const text = `00-${TRACE}-${SPAN}-01`;
  const span = readTraceparent(text);
  expect(span).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags: 1, isRemote: true });
  expect(span && writeTraceparent(span)).toBe(text);
});

test('a later version with more fields is read as far as it is known', () => {
  expect(readTraceparent(`cc-${TRACE}-${SPAN}-03-more`)).toMatchObject({ traceId: TRACE, traceFlags: 1 });
});

test.each([
  ['nothing', undefined],
  ['two headers', [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`]],
  ['the forbidden version', `ff-${TRACE}-${SPAN}-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['a tail without a dash', `00-${TRACE}-${SPAN}-01x`],
])('%s names no span', (_name, text) => {
  expect(readTraceparent(text)).toBeUndefined();
});

test('there are no traces where no collector is named', async () => {
  expect(await startTracing('gateway', { OTEL_TRACES_SAMPLER_ARG: 1 }, 'edge', silent)).toBeUndefined();
});

describe('the sample', () => {
  /** How many of many traces are taken. */
  async function taken(
    place: 'edge' | 'inside',
    share: number,
    flags: '00' | '01' | undefined,
  ): Promise<number> {
    const tracing = await startTracing(
      'sampled',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_SAMPLER_ARG: share },
      place,
      silent,
    );
    if (!tracing) throw new Error('tracing is off');
    const spans = Array.from({ length: 1_000 }, (_, n) => {
      const traceId = (BigInt(n + 1) * 0x9e3779b97f4a7c15f39cc0605cedc835n)
        .toString(16)
        .slice(-32)
        .padStart(32, '0');
      const parent = flags && readTraceparent(`00-${traceId}-${SPAN}-${flags}`);
      return tracing.tracer.startSpan('one', {}, under(parent));
    });
    return spans.filter((span) => span.isRecording()).length;
  }

  test.each([
    ['edge', 0, '01', 0],
    ['edge', 1, '00', 0],
    ['edge', 1, '01', 1_000],
    ['edge', 1, undefined, 1_000],
    ['edge', 0, undefined, 0],
    ['inside', 0, '01', 1_000],
    ['inside', 1, '00', 0],
  ] as const)(
    '%s, of a share of %d, a parent with the flags %s: %d of 1000',
    async (place, share, flags, expected) => {
      expect(await taken(place, share, flags)).toBe(expected);
    },
  );

  test('a caller who wants everything traced gets the share, not everything', async () => {
    const all = await taken('edge', 0.2, '01');
    expect(all).toBeGreaterThan(100);
    expect(all).toBeLessThan(300);
  });
});
