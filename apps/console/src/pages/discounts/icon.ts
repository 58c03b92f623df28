export { IconAdjustmentsHorizontal as icon } from '@tabler/icons-react';
