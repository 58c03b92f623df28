export { IconFileInvoice as icon } from '@tabler/icons-react';
