import type { DialectRule } from './dialect.ts';

/** What Claude models sample by, whatever format they are spoken to in; the newest, and those to come, by nothing. */
export const CLAUDE_SAMPLING: readonly DialectRule[] = [
  {
    models: /claude-/,
    says: { sampling: 'none' },
    source:
      'Anthropic migration guide to Opus 4.7; The-PR-Agent/pr-agent#2456, UKGovernmentBEIS/inspect_ai#3721',
  },
  {
    models: /claude-(?:opus-4-[156]|sonnet-4-[56]|haiku-4-5)(?!\d)/,
    says: { sampling: 'temperature_or_top_p' },
    source: 'BerriAI/litellm#15097, SalesforceAIResearch/MCP-Universe#49, Vali-98/ChatterUI#564',
  },
  {
    models: /claude-(?:[23]-|instant|(?:opus|sonnet)-4(?:$|@|:|-0(?!\d)|-20\d{6}|-latest))/,
    says: { sampling: 'all' },
    source: 'Anthropic API reference for models before Opus 4.1',
  },
];
