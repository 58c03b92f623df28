import type { DialectRule } from './dialect.ts';

/** xAI's models, in both of the formats that it speaks: a model that cannot be told how much to reason refuses to be. */
export const GROK_MODELS: readonly DialectRule[] = [
  {
    models: /^grok/,
    says: { reasoning: 'none' },
    source: 'BerriAI/litellm#16265, chenyme/grok2api#814, truefoundry/models#643',
  },
  {
    models: /^grok-3-mini/,
    says: { reasoning: 'effort', efforts: ['low', 'high'], reasoning_off: false, reasons_unasked: true },
    source: 'xAI documentation of reasoning',
  },
  {
    models: /^grok-4-3(?!\d)/,
    says: { reasoning: 'effort', efforts: ['none', 'low', 'medium', 'high'] },
    source: 'enricoros/big-AGI#1104',
  },
  {
    models: /^grok-(?:4-[5-9](?!\d)|[5-9])/,
    says: {
      reasoning: 'effort',
      efforts: ['low', 'medium', 'high'],
      reasoning_off: false,
      reasons_unasked: true,
    },
    source: 'anomalyco/models.dev, xAI models of 2026',
  },
];
