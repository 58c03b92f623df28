/** What this browser remembers between visits. */
type Kept = 'language' | 'theme' | 'signed-in' | 'playground-chats' | 'seen-notices' | `columns.${string}`;

/** What this tab remembers until it is closed. */
type KeptInTab = 'playground-key' | 'reloads';

/** Storage that may be switched off: then nothing is remembered and nothing fails. */
const keptIn = <Name extends string>(storage: () => Storage) => ({
  read(name: Name): string | null {
    try {
      return storage().getItem(`tollgate.${name}`);
    } catch {
      return null;
    }
  },
  write(name: Name, value: string): void {
    try {
      storage().setItem(`tollgate.${name}`, value);
    } catch {
      return;
    }
  },
  forget(name: Name): void {
    try {
      storage().removeItem(`tollgate.${name}`);
    } catch {
      return;
    }
  },
});

export const browserStorage = keptIn<Kept>(() => localStorage);
export const tabStorage = keptIn<KeptInTab>(() => sessionStorage);
