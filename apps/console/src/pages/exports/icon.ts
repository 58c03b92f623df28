export { IconDownload as icon } from '@tabler/icons-react';
