/**
 * Ratios that stand in new-api's program and hold while the option that would hold them has never been saved. Saving it, be it
 * for one model, replaces all of them.
 */
interface OwnRatios {
  readonly [model: string]: number;
}

/** Beside what its program holds by the shape of a name. */
export const OWN_COMPLETION: OwnRatios = {
  'gpt-4-gizmo-*': 2,
  'gpt-4o-gizmo-*': 3,
  'gpt-4-all': 2,
  'gpt-image-1': 8,
};
export const OWN_IMAGE: OwnRatios = { 'gpt-image-1': 2 };
export const OWN_AUDIO: OwnRatios = {
  'gpt-4o-audio-preview': 16,
  'gpt-4o-mini-audio-preview': 66.67,
  'gpt-4o-realtime-preview': 8,
  'gpt-4o-mini-realtime-preview': 16.67,
  'gpt-4o-mini-tts': 25,
};
export const OWN_AUDIO_COMPLETION: OwnRatios = {
  'gpt-4o-realtime': 2,
  'gpt-4o-mini-realtime': 2,
  'gpt-4o-mini-tts': 1,
};

/** The names of its table of what is read from a cache, which are whole names. */
const OWN_CACHE: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4(?:\.5-preview(?:-2025-02-27)?)?$|^gpt-4o-2024-(?:08-06|11-20)$|^gpt-4o-mini-2024-07-18$/, 0.5],
  [/^gpt-4o(?:-mini)?(?:-realtime-preview)?$|^o1(?:-2024-12-17)?$|^o3-mini(?:-2025-01-31)?$/, 0.5],
  [/^o1-preview(?:-2024-09-12)?$|^o1-mini(?:-2024-09-12)?$/, 0.5],
  [/^gpt-4\.1(?:-mini|-nano)?$|^deepseek-(?:chat|reasoner|coder)$/, 0.25],
  [/^gpt-5(?:-mini|-nano)?(?:-2025-08-07)?$|^gpt-5-chat-latest$/, 0.1],
  [
    /^gemini-3(?:-flash-preview|-pro-preview|\.1-pro-preview|\.1-flash-lite|\.5-flash-lite|\.6(?:-flash)?)$/,
    0.1,
  ],
  [/^claude-3-(?:sonnet-20240229|opus-20240229|haiku-20240307)$/, 0.1],
  [/^claude-3-5-(?:haiku-20241022|sonnet-20240620|sonnet-20241022)$|^claude-haiku-4-5-20251001$/, 0.1],
  [/^claude-(?:3-7-sonnet-20250219|sonnet-4-20250514|sonnet-4-5-20250929)(?:-thinking)?$/, 0.1],
  [/^claude-opus-4-(?:20250514|1-20250805|5-20251101)(?:-thinking)?$/, 0.1],
  [
    /^claude-opus-4-(?:6(?:-thinking|-max|-high|-medium|-low)?|[78](?:-thinking|-max|-x?high|-medium|-low)?)$/,
    0.1,
  ],
];
export const findOwnCacheRatio = (model: string): number | undefined =>
  OWN_CACHE.find(([pattern]) => pattern.test(model))?.[1];

/** What writing to a cache costs of the input where no ratio is known, and what an hour costs of that. */
export const CACHE_WRITE_RATIO = 1.25;
export const HOUR_RATIO = 1.6;

/** A minute of sound counts as so many tokens where a model reports none, and each character that is said as one. */
export const TOKENS_OF_A_MINUTE = 1_000;

/** The name that its tables have for a model with a budget for thinking, or of somebody's own GPT. */
export function toRatedName(model: string): string {
  if (/^gpt-4o?-gizmo/.test(model)) return model.startsWith('gpt-4o') ? 'gpt-4o-gizmo-*' : 'gpt-4-gizmo-*';
  const [, budgeted] = /^(gemini-2\.5-(?:flash-lite|flash|pro)).*-thinking-/.exec(model) ?? [];
  return budgeted === undefined ? model : `${budgeted}-thinking-*`;
}
