import { Input, Radio, SegmentedControl, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { FORMATS, KINDS, type WhatForm } from './export-form.ts';
import classes from './Exports.module.css';

interface WhatFieldsProps {
  readonly values: WhatForm;
  readonly onChange: (change: Partial<WhatForm>) => void;
}

/** What is exported, and in which format. */
export function WhatFields({ values, onChange }: WhatFieldsProps) {
  const { t } = useTranslation('exports');
  return (
    <>
      <Radio.Group
        label={t('form.kind')}
        value={values.kind}
        onChange={(value) => onChange({ kind: KINDS.find((kind) => kind === value) ?? 'usage' })}
      >
        <div className={classes.kinds}>
          {KINDS.map((kind) => (
            <Radio.Card key={kind} value={kind} className={classes.kind} aria-label={t(`kinds.${kind}`)}>
              <Radio.Indicator />
              <Stack gap={0}>
                <Text size="sm" fw={580}>
                  {t(`kinds.${kind}`)}
                </Text>
                <Text size="xs" c="dimmed">
                  {t(`kindMeans.${kind}`)}
                </Text>
              </Stack>
            </Radio.Card>
          ))}
        </div>
      </Radio.Group>
      <Stack gap={4}>
        <Input.Label labelElement="div" id="export-format">
          {t('form.format')}
        </Input.Label>
        <SegmentedControl
          fullWidth
          aria-labelledby="export-format"
          data={FORMATS.map((format) => ({ value: format, label: t(`formats.${format}`) }))}
          value={values.format}
          onChange={(value) => onChange({ format: FORMATS.find((format) => format === value) ?? 'csv' })}
        />
        <Text size="xs" c="dimmed">
          {t(`formatMeans.${values.format}`)}
        </Text>
      </Stack>
    </>
  );
}
