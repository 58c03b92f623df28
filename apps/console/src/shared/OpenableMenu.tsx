import { Menu } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useEffect, useState } from 'react';
import type { OpenableMenu as MenuComponent } from './ActionsMenu.tsx';

export const OpenableMenu: MenuComponent = ({ target, sections, width, position, isOpen }) => {
  const { t } = useTranslation();
  // After it is there, for the focus to come back to its button.
  const [isShown, setShown] = useState(false);
  useEffect(() => setShown(isOpen), [isOpen]);
  return (
    <Menu width={width ?? 200} position={position ?? 'bottom-end'} opened={isShown} onChange={setShown}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        {sections.map(({ title, entries }, index) => (
          <div key={title ?? index} role="group" aria-label={title}>
            {title !== undefined && <Menu.Label aria-hidden>{title}</Menu.Label>}
            {title === undefined && index > 0 && <Menu.Divider />}
            {entries.map(({ label, icon, isChosen, isDanger, lang, onClick }) => (
              <Menu.Item
                key={label}
                leftSection={icon}
                rightSection={isChosen ? <IconCheck size={15} aria-label={t('chosen')} /> : undefined}
                c={isDanger ? 'var(--mantine-color-error)' : undefined}
                lang={lang}
                onClick={onClick}
              >
                {label}
              </Menu.Item>
            ))}
          </div>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
};
