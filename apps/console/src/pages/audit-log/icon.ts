export { IconHistory as icon } from '@tabler/icons-react';
