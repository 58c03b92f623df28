import { type FloatingPosition, Menu } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { type ReactElement, type ReactNode, useLayoutEffect, useState } from 'react';

export interface MenuEntry {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly isChosen?: boolean;
  /** It is switched on and off while the menu stays. */
  readonly isSwitch?: boolean;
  readonly isDanger?: boolean;
  readonly lang?: string;
  readonly onClick: () => void;
}

export interface ActionsMenuProps {
  /** The button that opens it. */
  readonly target: ReactElement<ButtonProps>;
  /** Asked for when it is opened: a list has a menu in every row. */
  readonly sections: () => readonly { readonly title?: string; readonly entries: readonly MenuEntry[] }[];
  readonly width?: number;
  readonly position?: FloatingPosition;
}

interface ButtonProps {
  readonly onClick?: () => void;
  readonly 'aria-haspopup'?: 'menu';
  readonly 'aria-expanded'?: boolean;
}

/** A menu that is open when it comes. */
export function OpenableMenu({ target, sections, width, position }: ActionsMenuProps) {
  // After it is there, for the focus to come back to its button, and before the next picture.
  const [isShown, setShown] = useState(false);
  useLayoutEffect(() => setShown(true), []);
  return (
    <Menu width={width ?? 200} position={position ?? 'bottom-end'} opened={isShown} onChange={setShown}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        {sections().map(({ title, entries }, index) => (
          <div key={title ?? index} role="group" aria-label={title}>
            {title !== undefined && <Menu.Label aria-hidden>{title}</Menu.Label>}
            {title === undefined && index > 0 && <Menu.Divider />}
            {entries.map((entry) =>
              entry.isSwitch ? (
                <Menu.CheckboxItem
                  key={entry.label}
                  checked={entry.isChosen ?? false}
                  closeMenuOnClick={false}
                  onChange={entry.onClick}
                >
                  {entry.label}
                </Menu.CheckboxItem>
              ) : (
                <Entry key={entry.label} entry={entry} />
              ),
            )}
          </div>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Entry({ entry }: { readonly entry: MenuEntry }) {
  const { t } = useTranslation();
  const { label, icon, isChosen, isDanger, lang, onClick } = entry;
  return (
    <Menu.Item
      leftSection={icon}
      rightSection={isChosen ? <IconCheck size={15} aria-label={t('chosen')} /> : undefined}
      c={isDanger ? 'var(--mantine-color-error)' : undefined}
      lang={lang}
      onClick={onClick}
    >
      {label}
    </Menu.Item>
  );
}
