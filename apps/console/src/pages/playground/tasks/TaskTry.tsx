import { Text } from '@mantine/core';
import { IconMessageCircle } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PriceBook } from '../../../api/pricing.ts';
import { ApiError } from '../../../api/result.ts';
import { Choice } from '../../../shared/Choice.tsx';
import { Page } from '../../../shared/Page.tsx';
import { Panel } from '../../../shared/Panel.tsx';
import { Nothing } from '../../../shared/States.tsx';
import { useFormat } from '../../../shared/use-format.ts';
import { offeredModels } from '../setup.ts';
import { KEY_BUDGET_USD } from '../temporary-key.ts';
import type { PlaygroundKey } from '../use-playground-key.ts';
import { askTask, type TaskInput, type TaskOutcome } from './ask-task.ts';
import { TaskChoice } from './TaskChoice.tsx';
import { TaskForm } from './TaskForm.tsx';
import { TaskOutcomeView } from './TaskOutcomeView.tsx';
import classes from './Tasks.module.css';
import type { TryTask } from './try-tasks.ts';

interface TaskTryProps {
  readonly task: TryTask;
  readonly book: PriceBook;
  readonly groups: readonly string[];
  readonly group: string;
  readonly apiKey: PlaygroundKey;
  readonly model: string | undefined;
  readonly onChange: (change: { readonly model?: string; readonly group?: string }) => void;
  readonly onTask: (task: TryTask | undefined) => void;
}

/** One task, asked of one model: what came of it, and what it cost. */
export default function TaskTry(props: TaskTryProps) {
  const { task, book, groups, group, apiKey, model: named, onChange, onTask } = props;
  const { t } = useTranslation('playground');
  const format = useFormat();
  const models = offeredModels(book, group, task).map(({ model_name }) => model_name);
  const model = models.find((name) => name === named) ?? models[0];
  const { outcome, isBusy, ask, stop } = useTask(apiKey);
  const choice = <TaskChoice book={book} group={group} task={task} onChange={onTask} />;
  return (
    <Page title={t('title')} about={t('about')} actions={choice}>
      <Panel className={classes.panel}>
        <div className={classes.head}>
          <Choice
            flex="1 1 12rem"
            label={t('model')}
            searchable
            allowDeselect={false}
            data={models}
            value={model ?? null}
            onChange={(chosen) => chosen !== null && onChange({ model: chosen })}
          />
          <Choice
            flex="1 1 9rem"
            label={t('form.group')}
            allowDeselect={false}
            data={groups}
            value={group}
            onChange={(chosen) => chosen !== null && onChange({ group: chosen })}
          />
        </div>
        {model === undefined ? (
          <Nothing icon={IconMessageCircle} title={t('noModels.title')} about={t('tasks.noModels')} />
        ) : (
          <TaskForm key={task} task={task} model={model} isBusy={isBusy} onAsk={ask} onStop={stop} />
        )}
        <Text size="xs" c="dimmed" className={classes.note}>
          <b>{t('key.title')}</b>{' '}
          {apiKey.temporary
            ? t('key.temporary', {
                masked: apiKey.temporary.masked,
                time: format.shortMoment(apiKey.temporary.until),
              })
            : t('key.none', { budget: format.shortMoney(KEY_BUDGET_USD) })}
        </Text>
        {outcome?.input.task === task && !isBusy && <TaskOutcomeView outcome={outcome} />}
      </Panel>
    </Page>
  );
}

/** Asks one thing at a time. Leaving the page stops what runs. */
function useTask(apiKey: PlaygroundKey) {
  const [outcome, setOutcome] = useState<TaskOutcome | null>(null);
  const [isBusy, setBusy] = useState(false);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const run = async (input: TaskInput): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    setBusy(true);
    try {
      const asked = await askTask(input, { key: await apiKey.get(), signal: controller.signal });
      if (asked.refusal?.status === 401) apiKey.renew();
      setOutcome(asked);
    } catch (error) {
      const { status = 0, message = '' } = error instanceof ApiError ? error : {};
      const refusal = { status, message, retryAfterS: null };
      setOutcome({ input, requestId: null, totalMs: 0, result: null, refusal });
    }
    setBusy(false);
  };
  return {
    outcome,
    isBusy,
    ask: (input: TaskInput) => void run(input),
    stop: () => running.current?.abort(),
  };
}
