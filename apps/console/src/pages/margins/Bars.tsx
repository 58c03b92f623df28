import { useTranslation } from 'react-i18next';
import type { MarginGroup } from '@tollgate/vocabulary';
import type { MarginRow } from '../../api/margins.ts';
import { useFormat } from '../../shared/use-format.ts';
import { toBars } from './bars.ts';
import classes from './Margins.module.css';
import { findName } from './row-name.ts';

const MAX_BARS = 12;
const PARTS = ['cost', 'margin', 'loss', 'unknown'] as const;

interface BarsProps {
  readonly rows: readonly MarginRow[];
  readonly by: MarginGroup;
}

/** Where revenue goes, as bars. The table below says the same in figures. */
export function Bars({ rows, by }: BarsProps) {
  const { t } = useTranslation('margins');
  const format = useFormat();
  const shown = rows.slice(0, MAX_BARS);
  const bars = toBars(shown);
  const used = PARTS.filter((part) => bars.some((bar) => bar[part] > 0));
  return (
    <figure className={classes.chart} aria-label={t('chart', { by: t(`groups.${by}`) })}>
      <ul className={classes.legend}>
        {used.map((part) => (
          <li key={part}>
            <span className={classes.key} data-part={part} />
            {t(`parts.${part}`)}
          </li>
        ))}
      </ul>
      <ol className={classes.bars}>
        {shown.map((row, index) => {
          const name = findName(row, by) ?? t('notSaid');
          const bar = bars[index];
          return (
            <li key={`${row[by]}`} className={classes.line}>
              <span className={classes.label} title={name}>
                {name}
              </span>
              <span className={classes.bar} aria-hidden>
                {bar &&
                  PARTS.filter((part) => bar[part] > 0).map((part) => (
                    <span
                      key={part}
                      className={classes.part}
                      data-part={part}
                      style={{ width: `${bar[part]}%` }}
                    />
                  ))}
              </span>
              <span className={classes.value} title={format.exactMoney(row.margin_usd)}>
                {format.shortMoney(row.margin_usd)}
              </span>
            </li>
          );
        })}
      </ol>
    </figure>
  );
}
