export { IconChartHistogram as icon } from '@tabler/icons-react';
