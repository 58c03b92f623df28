import { Button, Center } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface MoreButtonProps {
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

/** Where a list goes on. */
export function MoreButton({ list }: MoreButtonProps) {
  const { t } = useTranslation('finance');
  if (!list.hasNextPage) return null;
  return (
    <Center p="md">
      <Button
        variant="default"
        loading={list.isFetchingNextPage}
        onClick={() => {
          list.fetchNextPage();
        }}
      >
        {t('more')}
      </Button>
    </Center>
  );
}
