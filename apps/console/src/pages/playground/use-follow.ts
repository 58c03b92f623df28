import { type KeyboardEvent, useEffect, useRef, type WheelEvent } from 'react';

/** So far above the end one still reads it. */
const NEAR_PX = 48;
const UP_KEYS = new Set(['ArrowUp', 'PageUp', 'Home']);

/**
 * Keeps the end of what grows in view, until somebody goes up; at the end again it goes on. What grows is watched itself,
 * as pictures and figures come after the words. That somebody went up is told by what they did, not by where the view is:
 * what shrinks, as text does once it is formatted, moves the view up as well.
 */
export function useFollow() {
  const view = useRef<HTMLDivElement>(null);
  const inside = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    if (!inside.current) return undefined;
    const observer = new ResizeObserver(() => {
      if (follows.current) view.current?.scrollTo({ top: view.current.scrollHeight });
    });
    observer.observe(inside.current);
    return () => observer.disconnect();
  }, []);
  const leave = () => {
    follows.current = false;
  };
  const handlers = {
    onWheel: ({ deltaY }: WheelEvent) => {
      if (deltaY < 0) leave();
    },
    onKeyDown: ({ key }: KeyboardEvent) => {
      if (UP_KEYS.has(key)) leave();
    },
    onTouchMove: leave,
    // Of its scroll bar.
    onPointerDown: ({ target }: { readonly target: EventTarget }) => {
      if (target === view.current) leave();
    },
    onScroll: () => {
      if (!view.current) return;
      const { scrollTop, scrollHeight, clientHeight } = view.current;
      if (scrollHeight - scrollTop - clientHeight < NEAR_PX) follows.current = true;
    },
  };
  return { view, inside, handlers };
}
