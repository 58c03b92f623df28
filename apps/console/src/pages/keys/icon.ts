export { IconKey as icon } from '@tabler/icons-react';
