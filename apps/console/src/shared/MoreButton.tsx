import { Button, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { FormError } from './FormError.tsx';

interface MoreButtonProps {
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly error: Error | null;
    readonly fetchNextPage: () => unknown;
  };
}

/** Where a list goes on. */
export function MoreButton({ list }: MoreButtonProps) {
  const { t } = useTranslation('finance');
  return <NextPage list={list} label={t('more')} />;
}

/** The same in words of one's own. */
export function NextPage({ list, label }: MoreButtonProps & { readonly label: string }) {
  if (!list.hasNextPage) return null;
  return (
    <Stack p="md" gap="xs" align="center">
      <FormError error={list.isFetchNextPageError ? list.error : null} />
      <Button
        variant="default"
        loading={list.isFetchingNextPage}
        onClick={() => {
          list.fetchNextPage();
        }}
      >
        {label}
      </Button>
    </Stack>
  );
}
