export { IconBuildingBank as icon } from '@tabler/icons-react';
