import type { Namespace } from 'i18next';
import { loadWords } from '../i18n/i18n.ts';
import { mustBe } from './guards.ts';

const operators = mustBe('owner', 'admin');

/** For pages of owners and admins that speak with the words of other catalogues too. */
export const operatorsWith =
  (...words: readonly Extract<Namespace, string>[]) =>
  async (visit: Parameters<typeof operators>[0]): ReturnType<typeof operators> => {
    const [found] = await Promise.all([operators(visit), loadWords(words)]);
    return found;
  };
