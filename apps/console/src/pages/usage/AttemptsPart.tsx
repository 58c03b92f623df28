import { Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RequestEntry } from '../../api/requests.ts';
import { useFormat } from '../../shared/use-format.ts';
import classes from './Usage.module.css';

/** Every upstream that was tried, in turn, and what became of that. */
export function AttemptsPart({ attempts }: Pick<RequestEntry, 'attempts'>) {
  const { t } = useTranslation('usage');
  const format = useFormat();
  if (attempts.length === 0) return null;
  return (
    <section>
      <Title order={2} mb="xs">
        {t('attempts.title')}
      </Title>
      <table className={classes.bill} aria-label={t('attempts.title')}>
        <thead>
          <tr>
            <th scope="col">{t('attempts.upstream')}</th>
            <th scope="col">{t('attempts.result')}</th>
            <th scope="col">{t('attempts.time')}</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map(({ upstream, upstream_model: model, result, status, ms }, index) => (
            <tr key={index}>
              <th scope="row">
                {upstream ?? t('attempts.nth', { n: index + 1 })}
                {model !== null && <small className="tg-mono">{model}</small>}
              </th>
              <td>
                {t(`attempts.results.${result}`)}
                {status !== null && ` ${status}`}
              </td>
              <td>{t('ms', { ms: format.count(ms) })}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
