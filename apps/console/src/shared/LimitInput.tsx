import { NumberInput, type NumberInputProps } from '@mantine/core';

/** The largest limit that the services keep. */
const MAX = 2_147_483_647;

/** A whole number from 1 on; empty is no limit. */
export const LimitInput = (props: NumberInputProps) => (
  <NumberInput
    min={1}
    max={MAX}
    allowDecimal={false}
    allowNegative={false}
    thousandSeparator=","
    hideControls
    {...props}
  />
);
