export { IconReceipt2 as icon } from '@tabler/icons-react';
