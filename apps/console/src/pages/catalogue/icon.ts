export { IconBooks as icon } from '@tabler/icons-react';
