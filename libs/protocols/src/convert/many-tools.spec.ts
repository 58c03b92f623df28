import { findDialect } from '../dialects/find-dialect.ts';
import { convertRequest } from './convert-request.ts';
import { createStateWrapper } from './reasoning-state.ts';

const NAMES = Array.from({ length: 100_000 }, (_, index) => `tool_${index}`);
const chosen = NAMES.map((name) => ({ type: 'function', name }));

test.each([
  ['openai-chat', 'gpt-5.5'],
  ['openai-chat', 'mistral-large-latest'],
  ['anthropic-messages', 'claude-sonnet-5'],
  ['gemini', 'gemini-3.5-flash'],
] as const)(
  'as many tools as a body holds are chosen among in linear time at %s, %s',
  (to, upstreamModel) => {
    const begun = process.cpuUsage();
    const converted = convertRequest({
      from: 'openai-responses',
      to,
      stream: false,
      framing: 'none',
      includeUsage: false,
      strict: false,
      model: 'm',
      upstreamModel,
      defaultMaxTokens: 8_192,
      dialect: findDialect(to, upstreamModel),
      states: createStateWrapper(Buffer.alloc(32)),
      body: {
        model: 'm',
        input: 'Hello.',
        tools: chosen,
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: chosen },
      },
    });
    expect(converted.ok).toBe(true);
    // Each with each would be ten billion steps, and take six seconds at least.
    expect(process.cpuUsage(begun).user).toBeLessThan(4_000_000);
  },
);
