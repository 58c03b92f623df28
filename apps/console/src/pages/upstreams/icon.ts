export { IconPlugConnected as icon } from '@tabler/icons-react';
