/** Languages by their tag, in their own words. */
export const LANGUAGES = { en: 'English', 'zh-CN': '简体中文' } as const;
export type Language = keyof typeof LANGUAGES;

export const isLanguage = (tag: string | null): tag is Language =>
  tag !== null && Object.hasOwn(LANGUAGES, tag);

/** The first of a browser's languages that there is a catalogue for, going by the language alone where needed. */
export function chooseLanguage(tags: readonly string[]): Language {
  for (const tag of tags) {
    if (isLanguage(tag)) return tag;
    const language = tag.split('-')[0]?.toLowerCase();
    if (language === 'zh') return 'zh-CN';
    if (language === 'en') return 'en';
  }
  return 'en';
}
