import { Tooltip } from '@mantine/core';
import { Mark } from '../../shared/Mark.tsx';

interface TestFailureProps {
  readonly name: string;
  readonly why: string;
}

/** What a test failed with, in short; why is told to who points at it. */
export default function TestFailure({ name, why }: TestFailureProps) {
  return (
    <Tooltip label={why} multiline maw={360}>
      <span tabIndex={0}>
        <Mark tone="bad">{name}</Mark>
      </span>
    </Tooltip>
  );
}
