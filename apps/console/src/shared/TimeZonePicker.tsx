import { Select, type SelectProps } from '@mantine/core';

/** UTC is no place and not in the list of the browser. */
const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
const MAX_SHOWN = 100;

type TimeZonePickerProps = Omit<SelectProps, 'data' | 'searchable' | 'allowDeselect' | 'limit'>;

/** A time zone of the IANA database. */
export const TimeZonePicker = (props: TimeZonePickerProps) => (
  <Select {...props} searchable allowDeselect={false} limit={MAX_SHOWN} data={ZONES} />
);
