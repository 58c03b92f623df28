import { Box, TextInput } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../shared/use-format.ts';
import { useLate } from '../../shared/use-late.ts';

export interface PeriodFieldProps {
  /** Days such as "2026-11-21"; null is open. */
  readonly from: string | null;
  readonly to: string | null;
  readonly onChange: (from: string | null, to: string | null) => void;
}

const loadPicker = () => import('./PeriodPicker.tsx').then(({ PeriodPicker }) => PeriodPicker);

/** The days that are shown. The calendar is loaded when the page is first touched. */
export function PeriodField(props: PeriodFieldProps) {
  const { t } = useTranslation('usage');
  const format = useFormat();
  const { loaded: Picker, place, keepClick } = useLate(loadPicker);
  const days = [props.from, props.to].map((day) => (day === null ? '' : format.day(`${day}T00:00:00`)));
  return (
    <Box ref={place} flex="1 1 15rem" maw={{ sm: 290 }}>
      {Picker ? (
        <Picker {...props} />
      ) : (
        <TextInput
          label={t('period')}
          placeholder={t('always')}
          leftSection={<IconCalendar size={16} />}
          readOnly
          pointer
          value={props.from === null && props.to === null ? '' : days.join(' – ')}
          onClick={keepClick}
        />
      )}
    </Box>
  );
}
