import type { ModelProfile } from './rule.ts';

/** What a model behind Gemini's format takes. */
export interface GeminiProfile {
  readonly thinking: 'none' | 'budget' | 'level';
  /** The least and the most budget; `off` where it may be 0. */
  readonly budget?: { readonly min: number; readonly max: number; readonly off: boolean };
  /** Levels that the model does not have. */
  readonly withoutLevels?: readonly string[];
  /** The first call of a running turn comes back with its signature. */
  readonly signatures: boolean;
  /** Functions together with an answer in JSON. */
  readonly functionsWithJson: boolean;
  readonly endsWithModel: boolean;
  /** Of presence and of frequency, other than 0. */
  readonly penalties: boolean;
}

const THINKING = 'https://ai.google.dev/gemini-api/docs/thinking';

const budgeted = (models: RegExp, budget: GeminiProfile['budget']): ModelProfile<GeminiProfile> => ({
  models,
  source: THINKING,
  takes: {
    thinking: 'budget',
    ...(budget ? { budget } : {}),
    signatures: false,
    functionsWithJson: false,
    endsWithModel: true,
    penalties: false,
  },
});

export const UNKNOWN_GEMINI: GeminiProfile = {
  thinking: 'level',
  signatures: true,
  functionsWithJson: true,
  endsWithModel: true,
  penalties: true,
};

export const GEMINI_PROFILES: readonly ModelProfile<GeminiProfile>[] = [
  {
    models: /gemini-(1\.|2\.0)/,
    source: 'https://github.com/immersive-translate/immersive-translate/issues/2976',
    takes: {
      thinking: 'none',
      signatures: false,
      functionsWithJson: false,
      endsWithModel: true,
      penalties: true,
    },
  },
  budgeted(/gemini-2\.5-pro/, { min: 128, max: 32_768, off: false }),
  budgeted(/gemini-2\.5-flash-lite/, { min: 512, max: 24_576, off: true }),
  budgeted(/gemini-2\.5-flash/, { min: 0, max: 24_576, off: true }),
  budgeted(/gemini-2\.5/, undefined),
  {
    models: /gemini-3[\w.]*-pro/,
    source: 'https://github.com/vellum-ai/vellum-assistant/pull/32687',
    takes: { ...UNKNOWN_GEMINI, withoutLevels: ['MINIMAL'], penalties: false },
  },
  {
    models: /gemini-3\.[6-9]/,
    source: 'https://github.com/vellum-ai/vellum-assistant/pull/39495',
    takes: { ...UNKNOWN_GEMINI, endsWithModel: false, penalties: false },
  },
  {
    models: /gemini-[3-9]/,
    source: 'https://github.com/google-gemini/cookbook/issues/1290',
    takes: { ...UNKNOWN_GEMINI, penalties: false },
  },
];
