export { IconMessageCircle as icon } from '@tabler/icons-react';
