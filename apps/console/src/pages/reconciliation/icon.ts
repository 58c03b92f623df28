export { IconScale as icon } from '@tabler/icons-react';
