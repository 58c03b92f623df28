import '@mantine/dates/styles.layer.css';
import { DatePickerInput, type DatePickerInputProps } from '@mantine/dates';
import { useCalendar } from './use-calendar.ts';

/** One day from today on, or none. */
export const DayPicker = (props: DatePickerInputProps<'default'>) => {
  const calendar = useCalendar();
  return <DatePickerInput {...calendar} clearable minDate={new Date()} {...props} />;
};
