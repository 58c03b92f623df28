import { Drawer } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FailedLookups } from './FailedLookups.tsx';

interface SideDrawerProps<T> {
  /** What it shows; null closes it. */
  readonly of: T | null;
  readonly title: (shown: T) => ReactNode;
  /** Its width in pixels where there is room. */
  readonly size?: number;
  readonly onClose: () => void;
  readonly children: (shown: T) => ReactNode;
}

/** A drawer with everything about one thing. While it slides away it goes on to show what it showed. */
export function SideDrawer<T extends number | object>({
  of,
  title,
  size = 560,
  onClose,
  children,
}: SideDrawerProps<T>) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(of);
  if (of !== null && of !== shown) setShown(of);
  return (
    <Drawer
      opened={of !== null}
      onClose={onClose}
      position="right"
      size={size}
      title={shown === null ? '' : title(shown)}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <FailedLookups />
      {shown !== null && children(shown)}
    </Drawer>
  );
}
