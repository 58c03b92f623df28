import { useId } from 'react';
import classes from './Segments.module.css';

interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly data: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value) => void;
}

/** One of a few, side by side. Mantine's own costs the first view three kilobytes. */
export function Segments<Value extends string>({ label, value, data, onChange }: SegmentsProps<Value>) {
  const name = useId();
  return (
    <div className={classes.segments} role="radiogroup" aria-label={label}>
      {data.map((each) => (
        <label key={each.value} className={classes.segment}>
          <input
            type="radio"
            name={name}
            value={each.value}
            checked={each.value === value}
            onChange={() => onChange(each.value)}
          />
          <span>{each.label}</span>
        </label>
      ))}
    </div>
  );
}
