import type { FloatingPosition } from '@mantine/core';
import {
  cloneElement,
  type ComponentType,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react';
import { onFirstTouch, whenReleased } from './first-touch.ts';

export interface MenuEntry {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly isChosen?: boolean;
  readonly isDanger?: boolean;
  readonly lang?: string;
  readonly onClick: () => void;
}

interface ActionsMenuProps {
  /** The button that opens it. */
  readonly target: ReactElement<ButtonProps>;
  readonly sections: readonly { readonly title?: string; readonly entries: readonly MenuEntry[] }[];
  readonly width?: number;
  readonly position?: FloatingPosition;
}

interface ButtonProps {
  readonly onClick?: () => void;
  readonly 'aria-haspopup'?: 'menu';
  readonly 'aria-expanded'?: boolean;
}

export type OpenableMenu = ComponentType<ActionsMenuProps & { readonly isOpen: boolean }>;

/**
 * A button with a menu. What draws the menu is loaded with the first key or pointer that is touched, so that no page
 * waits for it; a click that comes earlier is kept.
 */
export function ActionsMenu(props: ActionsMenuProps) {
  const [Menu, setMenu] = useState<OpenableMenu>();
  const place = useRef<HTMLSpanElement>(null);
  const wasFocused = useRef(false);
  const isClicked = useRef(false);
  useEffect(
    () =>
      onFirstTouch(() => {
        void import('./OpenableMenu.tsx').then((loaded) =>
          whenReleased(() => {
            wasFocused.current = place.current?.contains(document.activeElement) ?? false;
            setMenu(() => loaded.OpenableMenu);
          }),
        );
      }),
    [],
  );
  useEffect(() => {
    if (Menu && wasFocused.current) place.current?.querySelector('button')?.focus();
  }, [Menu]);

  return (
    <span ref={place} style={{ display: 'contents' }}>
      {Menu ? (
        <Menu {...props} isOpen={isClicked.current} />
      ) : (
        cloneElement(props.target, {
          onClick: () => {
            isClicked.current = true;
          },
          'aria-haspopup': 'menu',
          'aria-expanded': false,
        })
      )}
    </span>
  );
}
