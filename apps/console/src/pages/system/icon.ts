export { IconServer2 as icon } from '@tabler/icons-react';
