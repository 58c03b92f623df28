import { isMantineColorScheme, type MantineColorSchemeManager } from '@mantine/core';
import { kept } from '../shared/kept.ts';

/** Keeps the chosen theme where the page itself finds it before the first script runs. */
export const themeKeeper: MantineColorSchemeManager = {
  get(fallback) {
    const value = kept.read('theme');
    return isMantineColorScheme(value) ? value : fallback;
  },
  set: (value) => kept.write('theme', value),
  subscribe: () => undefined,
  unsubscribe: () => undefined,
  clear: () => kept.forget('theme'),
};
