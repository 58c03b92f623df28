import { isMantineColorScheme, type MantineColorSchemeManager } from '@mantine/core';
import { browserStorage } from '../shared/browser-storage.ts';

/** Keeps the chosen theme where the page itself finds it before the first script runs. */
export const themeKeeper: MantineColorSchemeManager = {
  get(fallback) {
    const value = browserStorage.read('theme');
    return isMantineColorScheme(value) ? value : fallback;
  },
  set: (value) => browserStorage.write('theme', value),
  subscribe: () => undefined,
  unsubscribe: () => undefined,
  clear: () => browserStorage.forget('theme'),
};
