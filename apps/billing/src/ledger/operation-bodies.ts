export { plainText } from '@tollgate/api';
