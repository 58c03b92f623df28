import { cloneElement, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { onFirstTouch, whenReleased } from './first-touch.ts';
import type { ActionsMenuProps, OpenableMenu } from './OpenableMenu.tsx';

let loading: Promise<typeof OpenableMenu> | undefined;

/** One promise for all menus of a page: what waits for it is drawn together. What could not be loaded is asked for again. */
function loadMenu(): Promise<typeof OpenableMenu> {
  loading ??= import('./OpenableMenu.tsx').then(
    (loaded) => loaded.OpenableMenu,
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

let isPreparing = false;

/** Once for all menus, of which a list has one in every row. */
function prepareMenu(): void {
  if (isPreparing) return;
  isPreparing = true;
  onFirstTouch(() => void loadMenu().catch(() => undefined));
}

/**
 * A button with a menu. What draws the menu is loaded with the first key or pointer that is touched, so that no page
 * waits for it, and takes the button's place when that is clicked: a list has one in every row.
 */
export function ActionsMenu(props: ActionsMenuProps) {
  const [Menu, setMenu] = useState<typeof OpenableMenu>();
  const [lost, setLost] = useState<{ readonly error: unknown }>();
  const place = useRef<HTMLSpanElement>(null);
  const wasFocused = useRef(false);
  useEffect(prepareMenu, []);
  useLayoutEffect(() => {
    if (Menu && wasFocused.current) place.current?.querySelector('button')?.focus();
  }, [Menu]);
  const open = () =>
    void loadMenu().then(
      (loaded) =>
        whenReleased(() => {
          wasFocused.current = place.current?.contains(document.activeElement) ?? false;
          setMenu(() => loaded);
        }),
      (error: unknown) => setLost({ error }),
    );
  // As any part of a page that did not come: what stands around it says so.
  if (lost) throw lost.error;

  return (
    <span ref={place} style={{ display: 'contents' }}>
      {Menu ? (
        <Menu {...props} />
      ) : (
        cloneElement(props.target, { onClick: open, 'aria-haspopup': 'menu', 'aria-expanded': false })
      )}
    </span>
  );
}
