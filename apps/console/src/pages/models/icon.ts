export { IconTag as icon } from '@tabler/icons-react';
