import { Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { METER_KINDS } from '@tollgate/vocabulary';
import { useTranslation } from 'react-i18next';
import { usageOfRequestQuery } from '../../../api/usage.ts';
import { Copy } from '../../../shared/Copy.tsx';
import { Mark } from '../../../shared/Mark.tsx';
import { useFormat } from '../../../shared/use-format.ts';
import { useMeterKindName } from '../../../shared/use-meter-kind-name.ts';
import { Charge, Figure } from '../AnswerFigures.tsx';
import exchange from '../Exchange.module.css';
import type { TaskOutcome, TaskResult } from './ask-task.ts';
import classes from './Tasks.module.css';
import { measureSimilarity } from './vectors.ts';
import { useLookup } from '../../../shared/use-lookup.ts';

/** What came of a task, what it used and what it cost. */
export function TaskOutcomeView({ outcome }: { readonly outcome: TaskOutcome }) {
  const { t } = useTranslation('playground');
  const { refusal, result } = outcome;
  if (!result && !refusal)
    return (
      <div>
        <Mark tone="warn">{t('stopped')}</Mark>
      </div>
    );
  return (
    <section className={classes.outcome} aria-label={t('tasks.result')}>
      {result && <Result result={result} outcome={outcome} />}
      {refusal && (
        <div className={exchange.refused} role="alert">
          <IconAlertTriangle size={18} stroke={1.7} />
          <div>
            {refusal.status > 0 && <b>{t('failed.title', { status: refusal.status })}</b>}
            <p>{refusal.message || t(refusal.status === 0 ? 'failed.offline' : 'failed.unknown')}</p>
          </div>
        </div>
      )}
      <Figures outcome={outcome} />
    </section>
  );
}

function Result({ result, outcome }: { readonly result: TaskResult; readonly outcome: TaskOutcome }) {
  const { t } = useTranslation('playground');
  const { input } = outcome;
  if (result.task === 'embed') return <Vectors vectors={result.vectors} />;
  if (result.task === 'draw') {
    const alt = input.task === 'draw' ? input.prompt : '';
    return result.pictures.map((address) =>
      address.startsWith('data:') ? (
        <img key={address} src={address} alt={alt} className={classes.drawn} />
      ) : (
        <a key={address} href={address} target="_blank" rel="noreferrer">
          {t('tasks.pictureElsewhere')}
        </a>
      ),
    );
  }
  if (result.task === 'speak')
    return <audio controls src={result.sound} aria-label={t('tasks.sound')} className={classes.sound} />;
  return (
    <div className={classes.heard}>
      <p>{result.text === '' ? t('nothingSaid') : result.text}</p>
      {result.text !== '' && <Copy text={result.text} what={t('tasks.heard')} />}
    </div>
  );
}

const SHOWN = 6;

function Vectors({ vectors }: { readonly vectors: readonly (readonly number[])[] }) {
  const { t } = useTranslation('playground');
  const [first, second] = vectors;
  const similarity = first && second ? measureSimilarity(first, second) : null;
  return (
    <>
      <ol className={classes.vectors}>
        {vectors.map((vector, index) => (
          <li key={index}>
            <b>{t('tasks.numbers', { count: vector.length })}</b>
            <code>
              {vector
                .slice(0, SHOWN)
                .map((value) => value.toFixed(4))
                .join('  ')}
              {vector.length > SHOWN ? ' …' : ''}
            </code>
          </li>
        ))}
      </ol>
      {similarity !== null && (
        <Text size="sm" data-testid="similarity">
          {t('tasks.similarity', { similarity: similarity.toFixed(4) })}
        </Text>
      )}
    </>
  );
}

function Figures({ outcome: { requestId, totalMs, result } }: { readonly outcome: TaskOutcome }) {
  const { t } = useTranslation('playground');
  const format = useFormat();
  const isBilled = requestId !== null && result !== null;
  return (
    <div className={exchange.figures}>
      <dl aria-label={t('figures.label')}>
        <Figure name={t('figures.total')}>
          {t('figures.ms', { ms: format.count(Math.round(totalMs)) })}
        </Figure>
        {isBilled && <Used requestId={requestId} />}
        {isBilled && (
          <Figure name={t('figures.charge')}>
            <Charge requestId={requestId} />
          </Figure>
        )}
      </dl>
    </div>
  );
}

/** Tokens and units as they were booked. */
function Used({ requestId }: { readonly requestId: string }) {
  const format = useFormat();
  const nameKind = useMeterKindName();
  const { data: entry } = useLookup(usageOfRequestQuery(requestId));
  const used = new Map(Object.entries({ ...entry?.tokens, ...entry?.units }));
  return METER_KINDS.map((kind) => {
    const count = used.get(kind) ?? 0;
    return (
      count > 0 && (
        <Figure key={kind} name={nameKind(kind)}>
          {format.count(count)}
        </Figure>
      )
    );
  });
}
