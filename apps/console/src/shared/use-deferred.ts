import { type RefObject, useEffect, useRef, useState } from 'react';
import { onFirstTouch, whenReleased } from './first-touch.ts';

interface Late<T> {
  /** Undefined until it is loaded. */
  readonly loaded: T | undefined;
  /** The element around both what stands there first and what takes its place. */
  readonly place: RefObject<HTMLDivElement | null>;
  /** To be called when what stands there first is clicked. */
  readonly keepClick: () => void;
}

/**
 * Loads a field's inner works with the first key or pointer that is touched, so that no page waits for them. Focus and
 * a click that came earlier go over to what takes the place.
 *
 * @param load answers the same each time.
 */
export function useDeferred<T>(load: () => Promise<T>): Late<T> {
  const [loaded, setLoaded] = useState<T>();
  const place = useRef<HTMLDivElement>(null);
  const before = useRef({ isFocused: false, isClicked: false });
  const loader = useRef(load);
  const [lost, setLost] = useState<{ readonly error: unknown }>();
  const start = useRef(() => {
    loader.current().then(
      (value) =>
        whenReleased(() => {
          before.current.isFocused = place.current?.contains(document.activeElement) ?? false;
          setLoaded(() => value);
        }),
      (error: unknown) => setLost({ error }),
    );
  });
  useEffect(() => onFirstTouch(() => start.current()), []);
  useEffect(() => {
    if (loaded === undefined) return;
    const field = place.current?.querySelector<HTMLElement>('input, button');
    if (before.current.isFocused) field?.focus();
    if (before.current.isClicked) field?.click();
  }, [loaded]);
  // Nobody misses it before they click; then what stands around it says so, as of any part of a page.
  if (lost && before.current.isClicked) throw lost.error;
  return {
    loaded,
    place,
    keepClick: () => {
      before.current.isClicked = true;
      if (!lost) return;
      setLost(undefined);
      start.current();
    },
  };
}
