import type { IconProps, TablerIcon } from '@tabler/icons-react';
import type { Place } from '../app/page.ts';

/** Each stands in the folder of its page, and is loaded with the frame: the first view has no room for them. */
const ICONS = import.meta.glob<TablerIcon>('../pages/*/icon.ts', { eager: true, import: 'icon' });

/** What stands beside the name of a page in the navigation. */
export function PlaceIcon({ words, ...look }: Pick<Place, 'words'> & Pick<IconProps, 'size' | 'stroke'>) {
  const Icon = ICONS[`../pages/${words}/icon.ts`];
  return Icon && <Icon {...look} />;
}
