/** What this browser remembers between visits. */
export type Kept = 'language' | 'theme' | 'signed-in';

/** Local storage that may be switched off: then nothing is remembered and nothing fails. */
export const kept = {
  read(name: Kept): string | null {
    try {
      return localStorage.getItem(`tollgate.${name}`);
    } catch {
      return null;
    }
  },
  write(name: Kept, value: string): void {
    try {
      localStorage.setItem(`tollgate.${name}`, value);
    } catch {
      return;
    }
  },
  forget(name: Kept): void {
    try {
      localStorage.removeItem(`tollgate.${name}`);
    } catch {
      return;
    }
  },
};
