export { IconTicket as icon } from '@tabler/icons-react';
