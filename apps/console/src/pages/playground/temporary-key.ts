import { tabStorage } from '../../shared/browser-storage.ts';

export const KEY_BUDGET_USD = '1.00';
/** A key that ends sooner is not begun with. */
const LEAST_LEFT_MS = 60_000;

/** A key that the playground made for itself; it lives as long as the tab, and an hour at most. */
export interface TemporaryKey {
  readonly key: string;
  readonly masked: string;
  readonly group: string;
  readonly userId: string;
  readonly until: string;
}

/** The kept key of a person for a group, while there is time left on it. */
export function usableKey(
  kept: string | null,
  { group, userId, now }: { readonly group: string; readonly userId: string; readonly now: number },
): TemporaryKey | null {
  try {
    const key = JSON.parse(kept ?? 'null') as TemporaryKey | null;
    const isTheirs = key?.userId === userId && key.group === group && typeof key.key === 'string';
    return key && isTheirs && Date.parse(key.until) - now > LEAST_LEFT_MS ? key : null;
  } catch {
    return null;
  }
}

/** Where the tab's storage is switched off, a key lives as long as the page. */
let held: string | null = null;
export const keptKey = {
  read: (): string | null => tabStorage.read('playground-key') ?? held,
  write(key: TemporaryKey): void {
    held = JSON.stringify(key);
    tabStorage.write('playground-key', held);
  },
  forget(): void {
    held = null;
    tabStorage.forget('playground-key');
  },
};
