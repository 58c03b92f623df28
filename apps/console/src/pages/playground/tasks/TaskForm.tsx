import { Button, FileInput, Textarea, TextInput } from '@mantine/core';
import { IconPlayerStopFilled, IconSend2 } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TaskInput } from './ask-task.ts';
import classes from './Tasks.module.css';
import type { TryTask } from './try-tasks.ts';

interface TaskFormProps {
  readonly task: TryTask;
  readonly model: string;
  readonly isBusy: boolean;
  readonly onAsk: (input: TaskInput) => void;
  readonly onStop: () => void;
}

interface Values {
  readonly text: string;
  readonly second: string;
  readonly voice: string;
  readonly file: File | null;
}

/** What a task wants to know. */
export function TaskForm({ task, model, isBusy, onAsk, onStop }: TaskFormProps) {
  const { t } = useTranslation('playground');
  const [values, setValues] = useState<Values>({ text: '', second: '', voice: 'alloy', file: null });
  const set = (change: Partial<Values>) => setValues((before) => ({ ...before, ...change }));
  const input = toInput(task, model, values);
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (input && !isBusy) onAsk(input);
      }}
    >
      {task === 'transcribe' ? (
        <FileInput
          label={t('tasks.file')}
          description={t('tasks.fileAbout')}
          placeholder={t('tasks.fileSuch')}
          accept="audio/*,video/mp4,video/webm"
          clearable
          value={values.file}
          onChange={(file) => set({ file })}
        />
      ) : (
        <Textarea
          label={t(`tasks.texts.${task}`)}
          placeholder={t(`tasks.such.${task}`)}
          rows={3}
          value={values.text}
          onChange={({ currentTarget: { value } }) => set({ text: value })}
        />
      )}
      {task === 'embed' && (
        <Textarea
          label={t('tasks.second')}
          placeholder={t('tasks.secondSuch')}
          rows={3}
          value={values.second}
          onChange={({ currentTarget: { value } }) => set({ second: value })}
        />
      )}
      {task === 'speak' && (
        <TextInput
          label={t('tasks.voice')}
          maw={260}
          value={values.voice}
          onChange={({ currentTarget: { value } }) => set({ voice: value })}
        />
      )}
      {isBusy ? (
        <Button variant="default" leftSection={<IconPlayerStopFilled size={15} />} onClick={onStop}>
          {t('stop')}
        </Button>
      ) : (
        <Button type="submit" disabled={input === null} leftSection={<IconSend2 size={16} />}>
          {t(`tasks.do.${task}`)}
        </Button>
      )}
    </form>
  );
}

/** Null while something is missing. */
function toInput(task: TryTask, model: string, values: Values): TaskInput | null {
  const [text, second, voice] = [values.text.trim(), values.second.trim(), values.voice.trim()];
  if (task === 'transcribe') return values.file && { task, model, file: values.file };
  if (text === '') return null;
  if (task === 'embed') return { task, model, texts: second === '' ? [text] : [text, second] };
  if (task === 'draw') return { task, model, prompt: text };
  return voice === '' ? null : { task, model, text, voice };
}
