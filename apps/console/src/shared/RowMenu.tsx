import { IconDotsVertical } from '@tabler/icons-react';
import { ActionsMenu } from './ActionsMenu.tsx';
import { IconButton } from './IconButton.tsx';
import type { ActionsMenuProps } from './OpenableMenu.tsx';

interface RowMenuProps extends Pick<ActionsMenuProps, 'sections' | 'width'> {
  /** Whose menu it is, for those who cannot see its row. */
  readonly label: string;
}

/** What can be done with a row of a list. */
export const RowMenu = ({ label, ...menu }: RowMenuProps) => (
  <ActionsMenu
    {...menu}
    target={
      <IconButton aria-label={label}>
        <IconDotsVertical size={17} />
      </IconButton>
    }
  />
);
