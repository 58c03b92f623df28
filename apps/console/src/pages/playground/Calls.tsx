import { Button, Textarea } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { findOwn } from '@tollgate/vocabulary';
import type { Input } from './conversation.ts';
import type { ToolCall } from './formats/format.ts';
import classes from './Exchange.module.css';

interface CallsProps {
  readonly calls: readonly ToolCall[];
  /** Those that still want a result: all of them, or none. */
  readonly open: readonly ToolCall[];
  readonly onResults: (input: Input) => void;
}

/** The calls of an answer, and a form for their results while they are wanted. */
export function Calls({ calls, open, onResults }: CallsProps) {
  const { t } = useTranslation('playground');
  const [outputs, setOutputs] = useState<Readonly<Record<string, string>>>({});
  const send = () =>
    onResults({
      kind: 'results',
      results: open.map(({ id, name }) => ({ id, name, output: findOwn(outputs, id) ?? '' })),
    });
  return (
    <form
      className={classes.calls}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {calls.map(({ id, name, args }) => (
        <div key={id} className={classes.call}>
          <div className={classes.callHead}>
            <IconTool size={15} stroke={1.7} />
            {t('call.title', { name })}
          </div>
          <pre tabIndex={0}>{indented(args)}</pre>
          {open.some((call) => call.id === id) && (
            <Textarea
              label={t('call.result', { name })}
              placeholder={t('call.resultSuch')}
              required
              rows={2}
              value={findOwn(outputs, id) ?? ''}
              onChange={({ currentTarget: { value } }) =>
                setOutputs((before) => ({ ...before, [id]: value }))
              }
            />
          )}
        </div>
      ))}
      {open.length > 0 && (
        <Button type="submit" size="compact-md" w="fit-content">
          {t(open.length > 1 ? 'call.submitAll' : 'call.submit')}
        </Button>
      )}
    </form>
  );
}

/** JSON on several lines; while it is incomplete, as it is. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
