export { IconActivity as icon } from '@tabler/icons-react';
