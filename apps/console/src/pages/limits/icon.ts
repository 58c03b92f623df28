export { IconGauge as icon } from '@tabler/icons-react';
