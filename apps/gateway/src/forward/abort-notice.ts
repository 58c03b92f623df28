/** What of an AbortSignal those need that wait for one. */
export interface AbortNotice {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * As an AbortController with its signal. Every request has two, and listens to one: what EventTarget does for that, which is made
 * for pages, took a fiftieth of a request.
 */
export class Abortable implements AbortNotice {
  aborted = false;
  #listeners: (() => void)[] = [];

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    // One that is taken off meanwhile is not told.
    for (let next = this.#listeners.shift(); next; next = this.#listeners.shift()) next();
  }
}

/** Waits so long, or until it is aborted. */
export function sleepUnless(aborts: AbortNotice, ms: number): Promise<void> {
  if (aborts.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      aborts.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    aborts.addEventListener('abort', end, { once: true });
  });
}
