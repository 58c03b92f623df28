import { Box, TextInput } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { loadWords } from '../i18n/i18n.ts';
import type { DaysPickerProps } from './DaysPicker.tsx';
import { useFormat } from './use-format.ts';
import { useDeferred } from './use-deferred.ts';

const loadPicker = async () => {
  const [{ DaysPicker }] = await Promise.all([import('./DaysPicker.tsx'), loadWords('days')]);
  return DaysPicker;
};

/** A stretch of days that a page shows. The calendar is loaded when the page is first touched. */
export function DaysField(props: DaysPickerProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { loaded: Picker, place, keepClick } = useDeferred(loadPicker);
  const { from, to } = props.days;
  const [first, last] = [from, to].map((day) => (day === undefined ? '' : format.calendarDay(day)));
  return (
    <Box ref={place} flex="1 1 14rem" maw={{ sm: 310 }}>
      {Picker ? (
        <Picker {...props} />
      ) : (
        <TextInput
          label={props.label ?? t('days.label')}
          placeholder={t('days.always')}
          leftSection={<IconCalendar size={16} />}
          readOnly
          pointer
          value={from === undefined && to === undefined ? '' : `${first} – ${last}`}
          onClick={keepClick}
        />
      )}
    </Box>
  );
}
