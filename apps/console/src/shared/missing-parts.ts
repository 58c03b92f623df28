import { tabStorage } from './browser-storage.ts';

/** Of scripts and words that could not be fetched: the network was gone, or a newer console stands in their place. */
class MissingPart extends Error {
  override readonly name = 'MissingPart';
}

const missing = new WeakSet<Error>();

/** Notes what the build's own loader could not fetch. */
export const noteMissingParts = (): void =>
  addEventListener('vite:preloadError', ({ payload }) => missing.add(payload));

export const toMissingPart = (what: string): Error => {
  const error = new MissingPart(`${what} could not be loaded`);
  missing.add(error);
  return error;
};

export const isMissingPart = (error: unknown): boolean => error instanceof Error && missing.has(error);

const MAX_WAIT_S = 60;
/** A page that stood for so long is well. */
const IS_WELL_AFTER_MS = 20_000;

/** The page is loaded again by itself, after a second at first and twice as long each time. Answers how to take that back. */
export function reloadSoon(): () => void {
  const tries = Number(tabStorage.read('reloads') ?? 0);
  const timer = setTimeout(
    () => {
      tabStorage.write('reloads', String(tries + 1));
      location.reload();
    },
    Math.min(MAX_WAIT_S, 2 ** tries) * 1_000,
  );
  return () => clearTimeout(timer);
}

/** Once the page has stood for a while the next failure is a first one. */
export const forgetReloadsOnceWell = (): void =>
  void setTimeout(() => tabStorage.forget('reloads'), IS_WELL_AFTER_MS);
