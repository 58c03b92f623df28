import { Button, Center, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react';
import type { ComponentType, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/result.ts';
import { isMissingPart } from './missing-parts.ts';
import classes from './States.module.css';

interface NothingProps {
  readonly icon: ComponentType<{ size?: number; stroke?: number }>;
  readonly title: string;
  readonly about?: string;
  readonly action?: ReactNode;
  /** It is all that the page has. */
  readonly isPage?: boolean;
}

/** What stands where a list has no entries: why, and what to do about it. */
export const Nothing = ({ icon: Icon, title, about, action, isPage = false }: NothingProps) => (
  <Center className={classes.state} mod={{ page: isPage }}>
    <Stack align="center" gap="xs" maw={420}>
      <span className={classes.icon}>
        <Icon size={22} stroke={1.6} />
      </span>
      <Title order={isPage ? 1 : 2} size={isPage ? 'h1' : 'h2'} ta="center">
        {title}
      </Title>
      {about !== undefined && (
        <Text c="dimmed" ta="center" size="sm" className={classes.about}>
          {about}
        </Text>
      )}
      {action !== undefined && <Group mt="sm">{action}</Group>}
    </Stack>
  </Center>
);

/** What stands where something could not be loaded. */
export function Failed({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { t } = useTranslation();
  return (
    <Center className={classes.state} role="alert">
      <Stack align="center" gap="xs" maw={460}>
        <span className={classes.icon} data-tone="bad">
          <IconAlertTriangle size={22} stroke={1.6} />
        </span>
        <Title order={2} ta="center">
          {t('failed.title')}
        </Title>
        <Text c="dimmed" ta="center" size="sm">
          {useErrorText()(error)}
        </Text>
        {onRetry && (
          <Button mt="sm" variant="default" leftSection={<IconRefresh size={16} />} onClick={onRetry}>
            {t('failed.retry')}
          </Button>
        )}
      </Stack>
    </Center>
  );
}

/**
 * What an error says to a person: what its code means, else the service's own words where it has some. What is wrong with a
 * field is told with the field's name, but beside it.
 */
export function useErrorText(): (error: unknown, isBesideField?: boolean) => string {
  const { t, i18n } = useTranslation();
  return (error, isBesideField = false) => {
    if (isMissingPart(error)) return t('failed.missing');
    if (!(error instanceof ApiError)) return t('failed.unknown');
    if (error.status === 0) return t('failed.offline');
    const meaning: unknown = i18n.getResource(i18n.language, 'refusals', error.code ?? '');
    if (typeof meaning === 'string') {
      const said = i18n.services.interpolator.interpolate(meaning, error.values, i18n.language, {});
      const isOfField = error.code?.startsWith('field_') === true && error.param !== null;
      return isOfField && !isBesideField ? t('failed.field', { field: error.param, said }) : said;
    }
    return error.message === '' ? t('failed.status', { status: error.status }) : error.message;
  };
}

/** Grey bars in the form of the rows that are coming. */
export const LoadingRows = ({ rows = 6 }: { readonly rows?: number }) => {
  const { t } = useTranslation();
  return (
    <Stack gap={0} role="status" aria-label={t('loading')}>
      {Array.from({ length: rows }, (_, row) => (
        <Group key={row} className={classes.row} wrap="nowrap" gap="xl">
          <Skeleton height={12} width={`${38 - ((row * 7) % 16)}%`} />
          <Skeleton height={12} width="18%" />
          <Skeleton height={12} width="12%" />
          <Skeleton height={12} width="9%" ml="auto" />
        </Group>
      ))}
    </Stack>
  );
};
