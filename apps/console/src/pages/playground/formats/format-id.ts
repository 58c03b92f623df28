/** The formats that the relay speaks, by the names that the price list gives them. */
export const FORMAT_IDS = ['openai', 'openai-response', 'anthropic', 'gemini'] as const;
export type FormatId = (typeof FORMAT_IDS)[number];

export const isFormatId = (text: string | undefined): text is FormatId =>
  FORMAT_IDS.some((id) => id === text);
