import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';

/** The themes in the order in which they are offered. */
export const THEMES = [
  { name: 'auto', icon: IconDeviceDesktop },
  { name: 'light', icon: IconSun },
  { name: 'dark', icon: IconMoon },
] as const;
