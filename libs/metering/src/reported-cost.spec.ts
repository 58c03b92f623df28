import { createMeter } from './meter.ts';
import { readReportedCost } from './reported-cost.ts';

test.each<[string, string | undefined]>([
  ['0', '0'],
  ['1.4e-05', '1.4e-05'],
  // A double has not so many digits.
  ['12345.678901234567890123', '12345.678901234567890123'],
  ['"0.5"', undefined],
  ['null', undefined],
  ['{"digits":"7"}', undefined],
])('a cost of %s', (written, digits) => {
  expect(readReportedCost(`{"cost":9,"usage":{"prompt_tokens":1,"cost":${written}}}`)).toBe(digits);
  expect(readReportedCost(`{"response":{"usage":{"cost":${written}}}}`)).toBe(digits);
});

test.each([
  '{"usage":{"prompt_tokens":1}}',
  '{"choices":[{"message":{"content":"{\\"usage\\":{\\"cost\\":3}}"}}]}',
  '{"usage":{"cost":',
])('%s says nothing of it', (json) => {
  expect(readReportedCost(json)).toBeUndefined();
});

test.each(['sse', 'none'] as const)(
  'it is read where the upstream is marked so alone, framing: %s',
  (stream) => {
    const report = '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"cost":0.000015}}';
    const meterWith = (reportsCost: boolean) => {
      const meter = createMeter('openai-chat', { stream, requestEstimate: 1, reportsCost });
      meter.feed(Buffer.from(stream === 'sse' ? `data: ${report}\n\ndata: [DONE]\n\n` : report));
      meter.end();
      return meter.finish('complete');
    };
    expect(meterWith(true)).toEqual({
      tokens: { input: 3, output: 4 },
      source: 'upstream',
      cost: '0.000015',
    });
    expect(meterWith(false)).not.toHaveProperty('cost');
  },
);
