export { IconHome as icon } from '@tabler/icons-react';
