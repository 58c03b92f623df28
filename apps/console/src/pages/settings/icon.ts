export { IconSettings as icon } from '@tabler/icons-react';
