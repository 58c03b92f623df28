const EVENTS = ['pointermove', 'pointerdown', 'keydown', 'touchstart', 'click'] as const;

let isTouched = false;
const waiting = new Set<() => void>();

function touch(): void {
  isTouched = true;
  EVENTS.forEach((name) => document.removeEventListener(name, touch, true));
  waiting.forEach((act) => act());
  waiting.clear();
}

/** Acts when the page is first touched, at once when it was; answers how to take that back. */
export function onFirstTouch(act: () => void): () => void {
  if (isTouched) {
    act();
    return () => undefined;
  }
  if (waiting.size === 0) EVENTS.forEach((name) => document.addEventListener(name, touch, true));
  waiting.add(act);
  return () => waiting.delete(act);
}
