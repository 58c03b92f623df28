import { Title } from '@mantine/core';
import { UNIT_KINDS } from '@tollgate/vocabulary';
import { useTranslation } from 'react-i18next';
import type { UsageSums } from '../../api/summary.ts';
import { Panel } from '../../shared/Panel.tsx';
import { useFormat } from '../../shared/use-format.ts';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import classes from './Home.module.css';

/** What was used that is charged beside tokens: nearly everybody has nothing of it, and then it is not shown. */
export default function BesideTokens({ units }: Pick<UsageSums, 'units'>) {
  const { t } = useTranslation('meter-kinds');
  const format = useFormat();
  const kindName = useMeterKindName();
  return (
    <Panel p="md">
      <Title order={2} className={classes.name}>
        {t('beside')}
      </Title>
      <ul className={classes.legend}>
        {UNIT_KINDS.map(
          (kind) =>
            units[kind] !== undefined && (
              <li key={kind}>
                <span>{kindName(kind)}</span>
                <b className="tg-number" title={format.count(units[kind])}>
                  {format.shortCount(units[kind])}
                </b>
              </li>
            ),
        )}
      </ul>
    </Panel>
  );
}
