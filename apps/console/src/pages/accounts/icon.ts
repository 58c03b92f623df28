export { IconUsers as icon } from '@tabler/icons-react';
