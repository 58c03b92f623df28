import { Button, Loader, Text } from '@mantine/core';
import { IconAlertTriangle, IconBrain, IconRefresh } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Mark } from '../../shared/Mark.tsx';
import { AnswerFigures } from './AnswerFigures.tsx';
import type { Exchange, Input } from './conversation.ts';
import { dataUrl, type ToolCall } from './formats/format.ts';
import classes from './Exchange.module.css';
import { Calls } from './Calls.tsx';

const Markdown = lazy(() => import('./Markdown.tsx'));

interface ExchangeViewProps {
  readonly exchange: Exchange;
  /** Calls of this answer that still want a result. */
  readonly openCalls: readonly ToolCall[];
  readonly isLast: boolean;
  readonly onResults: (input: Input) => void;
  readonly onRetry: () => void;
  readonly onCode: () => void;
}

/** What was asked and what came of it. */
export default function ExchangeView({
  exchange,
  openCalls,
  isLast,
  onResults,
  onRetry,
  onCode,
}: ExchangeViewProps) {
  const { t } = useTranslation('playground');
  const { answer, status } = exchange;
  const isWaiting = status === 'running' && exchange.firstTokenMs === null;
  const isSilent = status === 'done' && answer.text === '' && answer.calls.length === 0;
  return (
    <article className={classes.exchange}>
      <Asked input={exchange.input} />
      <div className={classes.answer} data-status={status}>
        <Text size="xs" className={`tg-mono ${classes.who}`}>
          {exchange.model}
        </Text>
        {answer.reasoning !== '' && (
          <details className={classes.reasoning}>
            <summary>
              <IconBrain size={15} stroke={1.7} /> {t('reasoning')}
            </summary>
            <p>{answer.reasoning}</p>
          </details>
        )}
        {isWaiting && (
          <span className={classes.waiting} role="status">
            <Loader size={14} type="dots" /> {t('waiting')}
          </span>
        )}
        {answer.text !== '' && <Said text={answer.text} isRunning={status === 'running'} />}
        {isSilent && (
          <Text size="sm" c="dimmed">
            {t('nothingSaid')}
          </Text>
        )}
        {answer.calls.length > 0 && <Calls calls={answer.calls} open={openCalls} onResults={onResults} />}
        {status === 'stopped' && (
          <div>
            <Mark tone="warn">{t('stopped')}</Mark>
          </div>
        )}
        {status === 'failed' && <Refused exchange={exchange} onRetry={isLast ? onRetry : undefined} />}
        <Notes exchange={exchange} />
        {status !== 'running' && <AnswerFigures exchange={exchange} onCode={onCode} />}
      </div>
    </article>
  );
}

function Asked({ input }: { readonly input: Input }) {
  const { t } = useTranslation('playground');
  return (
    <div className={classes.asked}>
      <Text size="xs" className={classes.who}>
        {t(input.kind === 'prompt' ? 'you' : 'results')}
      </Text>
      {input.kind === 'prompt' ? (
        <>
          {input.pictures.map((picture) => (
            <img key={picture.name} src={dataUrl(picture)} alt={picture.name} className={classes.picture} />
          ))}
          {input.text}
        </>
      ) : (
        input.results.map(({ id, name, output }) => (
          <div key={id}>
            <span className="tg-mono">{name}</span>: {output}
          </div>
        ))
      )}
    </div>
  );
}

/** Until what reads Markdown is there, the words stand as they came. */
const Said = ({ text, isRunning }: { readonly text: string; readonly isRunning: boolean }) => (
  <div className={classes.said} data-running={isRunning}>
    <Suspense fallback={<p>{text}</p>}>
      <Markdown text={text} />
    </Suspense>
  </div>
);

function Notes({ exchange: { dropped, emulated } }: { readonly exchange: Exchange }) {
  const { t } = useTranslation('playground');
  return (
    <>
      {dropped.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('dropped', { fields: dropped.join(', ') })}
        </Text>
      )}
      {emulated.length > 0 && (
        <Text size="xs" c="dimmed">
          {t('emulated', { fields: emulated.join(', ') })}
        </Text>
      )}
    </>
  );
}

interface RefusedProps {
  readonly exchange: Exchange;
  readonly onRetry: (() => void) | undefined;
}

function Refused({ exchange: { refusal }, onRetry }: RefusedProps) {
  const { t } = useTranslation('playground');
  if (!refusal) return null;
  const { status, message, retryAfterS } = refusal;
  return (
    <div className={classes.refused} role="alert">
      <IconAlertTriangle size={18} stroke={1.7} />
      <div>
        {status > 0 && <b>{t('failed.title', { status })}</b>}
        <p>{message !== '' ? message : t(status === 0 ? 'failed.offline' : 'failed.unknown')}</p>
        {retryAfterS !== null && <p>{t('failed.wait', { seconds: retryAfterS })}</p>}
        {onRetry && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconRefresh size={14} />}
            onClick={onRetry}
          >
            {t('failed.retry')}
          </Button>
        )}
      </div>
    </div>
  );
}
