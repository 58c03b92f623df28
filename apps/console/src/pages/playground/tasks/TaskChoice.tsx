import { useTranslation } from 'react-i18next';
import type { PriceBook } from '../../../api/pricing.ts';
import { Choice } from '../../../shared/Choice.tsx';
import { offeredModels } from '../setup.ts';
import { isTryTask, TRY_TASKS, type TryTask } from './try-tasks.ts';

interface TaskChoiceProps {
  readonly book: PriceBook;
  readonly group: string;
  /** Undefined of conversations. */
  readonly task: TryTask | undefined;
  readonly onChange: (task: TryTask | undefined) => void;
}

/** What is tried out: a conversation, or a task that a model of the group is for. */
export function TaskChoice({ book, group, task, onChange }: TaskChoiceProps) {
  const { t } = useTranslation('playground');
  const offered = TRY_TASKS.filter((each) => each === task || offeredModels(book, group, each).length > 0);
  if (offered.length === 0) return null;
  const data = [undefined, ...offered].map((each) => ({
    value: each ?? 'converse',
    label: t(`tasks.names.${each ?? 'converse'}`),
  }));
  return (
    <Choice
      label={t('tasks.what')}
      isLabelHidden
      maw={170}
      allowDeselect={false}
      data={data}
      value={task ?? 'converse'}
      onChange={(chosen) => onChange(isTryTask(chosen) ? chosen : undefined)}
    />
  );
}
