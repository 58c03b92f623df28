/** So many texts are held at once. */
const TEXTS_MAX = 500;

/** What was made of texts that may come again. Where they hardly do, looking for them takes longer than making it: it holds none then. */
export class TextMemo<V> {
  #made: Map<string, V> | undefined = new Map();
  #asked = 0;

  get(text: string): V | undefined {
    this.#asked += 1;
    return this.#made?.get(text);
  }

  set(text: string, value: V): void {
    if (this.#made?.size === TEXTS_MAX) {
      if (this.#asked < 2 * TEXTS_MAX) this.#made = undefined;
      this.clear();
    }
    this.#made?.set(text, value);
  }

  /** What it holds is no longer so. */
  clear(): void {
    this.#asked = 0;
    this.#made?.clear();
  }
}
