import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type ExportJob, fileUrl, manifestQuery } from '../../api/exports.ts';
import { Copy } from '../../shared/Copy.tsx';
import { Figure, Figures } from '../../shared/Figures.tsx';
import { SideDrawer } from '../../shared/SideDrawer.tsx';
import { Failed, LoadingRows } from '../../shared/States.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { byteSize, listSums } from './sums.ts';
import { useSpan } from './use-span.ts';
import classes from './Exports.module.css';

interface ManifestDrawerProps {
  readonly job: ExportJob | null;
  readonly onClose: () => void;
}

/** What is in an export: how many rows, what they add up to, and how to tell that a file is the right one. */
export default function ManifestDrawer({ job, onClose }: ManifestDrawerProps) {
  const { t } = useTranslation('exports');
  return (
    <SideDrawer of={job} onClose={onClose} title={() => t('manifest.title')}>
      {(shown) => <Contents job={shown} />}
    </SideDrawer>
  );
}

function Contents({ job }: { readonly job: ExportJob }) {
  const { t, i18n } = useTranslation('exports');
  const format = useFormat();
  const spanText = useSpan();
  const { data: manifest, error, refetch } = useQuery(manifestQuery(job.id));
  if (!manifest) return error ? <Failed error={error} onRetry={() => void refetch()} /> : <LoadingRows />;
  const digits = (value: string) => new Intl.NumberFormat(i18n.language).format(BigInt(value));
  return (
    <Stack gap="lg">
      <div>
        <Text fw={580}>
          {t('what', { kind: t(`kinds.${job.kind}`), format: t(`formats.${job.format}`) })}
        </Text>
        <Text size="sm" c="dimmed">
          {spanText(job.from, job.to)}
        </Text>
      </div>
      <section>
        <Title order={2} mb="xs">
          {t('manifest.sums')}
        </Title>
        <Figures>
          <Figure name={t('columns.rows')}>{format.count(manifest.rows)}</Figure>
          {listSums(manifest.sums).map(({ name, value, isMoney }) => (
            <Figure key={name} name={name}>
              {isMoney ? format.exactMoney(value) : digits(value)}
            </Figure>
          ))}
        </Figures>
      </section>
      <section>
        <Title order={2} mb="xs">
          {t('manifest.files')}
        </Title>
        <Stack gap="xs">
          {manifest.files.map(({ name, rows, bytes, sha256 }, index) => (
            <div key={name} className={classes.file}>
              <Group justify="space-between" wrap="nowrap">
                <Stack gap={0}>
                  <Text size="sm" fw={580} className="tg-mono">
                    {name}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {t('manifest.file', {
                      rows: format.count(rows),
                      size: byteSize(bytes, i18n.language),
                    })}
                  </Text>
                </Stack>
                {job.files_removed_at === null && (
                  <Button
                    size="compact-md"
                    variant="default"
                    leftSection={<IconDownload size={15} />}
                    component="a"
                    href={fileUrl(job.id, index + 1)}
                    download
                  >
                    {t('download')}
                  </Button>
                )}
              </Group>
              <Group gap={2} wrap="nowrap" mt={6}>
                <span className={`tg-mono ${classes.sha}`}>{sha256}</span>
                <Copy text={sha256} what={t('manifest.sha')} />
              </Group>
            </div>
          ))}
        </Stack>
        <Text size="xs" c="dimmed" mt="xs">
          {job.files_removed_at === null
            ? t('manifest.how')
            : t('manifest.removed', { day: format.day(job.files_removed_at) })}
        </Text>
      </section>
      <section>
        <Title order={2} mb="xs">
          {t('manifest.facts')}
        </Title>
        <Figures>
          <Figure name={t('manifest.watermark')}>{format.count(manifest.watermark)}</Figure>
          <Figure name={t('manifest.columns')}>{format.count(manifest.columns.length)}</Figure>
          <Figure name={t('columns.asked')}>{job.requested_by}</Figure>
          <Figure name={t('manifest.id')}>
            <span className="tg-mono">{job.id}</span>
          </Figure>
        </Figures>
      </section>
    </Stack>
  );
}
