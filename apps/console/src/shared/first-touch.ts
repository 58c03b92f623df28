import { flushSync } from 'react-dom';

const EVENTS = ['pointermove', 'pointerdown', 'keydown', 'touchstart', 'click'] as const;

let isTouched = false;
let isWatching = false;
const waiting = new Set<() => void>();

let isPressed = false;
const held = new Set<() => void>();

function watchPresses(): void {
  const press = () => (isPressed = true);
  // The click comes right after: whoever waits acts once it is over.
  const release = () =>
    setTimeout(() => {
      isPressed = false;
      flushSync(() => held.forEach((act) => act()));
      held.clear();
    });
  document.addEventListener('pointerdown', press, true);
  (['pointerup', 'pointercancel', 'dragend'] as const).forEach((name) =>
    document.addEventListener(name, release, true),
  );
}

const due = new Set<() => void>();

function actOnDue(): void {
  const acts = [...due];
  due.clear();
  flushSync(() => acts.forEach((act) => act()));
}

/**
 * Acts before the next event, or when the pointer is let go: what is taken away under a pressed pointer never hears of its
 * click. What that changes is drawn in one go, before the pointer can be pressed in between.
 */
export function whenReleased(act: () => void): void {
  if (isPressed) {
    held.add(act);
    return;
  }
  if (due.size === 0) queueMicrotask(actOnDue);
  due.add(act);
}

function touch(): void {
  isTouched = true;
  EVENTS.forEach((name) => document.removeEventListener(name, touch, true));
  waiting.forEach((act) => act());
  waiting.clear();
}

/** Acts when the page is first touched, at once when it was; answers how to take that back. */
export function onFirstTouch(act: () => void): () => void {
  if (!isWatching) watchPresses();
  isWatching = true;
  if (isTouched) {
    act();
    return () => undefined;
  }
  if (waiting.size === 0) EVENTS.forEach((name) => document.addEventListener(name, touch, true));
  waiting.add(act);
  return () => waiting.delete(act);
}
