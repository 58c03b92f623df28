import '@mantine/dates/styles.layer.css';
import { DatePickerInput, type DatePickerInputProps } from '@mantine/dates';
import { dayIn } from './clock.ts';
import { useCalendar } from './use-calendar.ts';
import { useZone } from './use-zone.ts';

/** One day from today on, or none. */
export const DayPicker = (props: DatePickerInputProps<'default'>) => {
  const calendar = useCalendar();
  return <DatePickerInput {...calendar} clearable minDate={dayIn(useZone(), Date.now())} {...props} />;
};
