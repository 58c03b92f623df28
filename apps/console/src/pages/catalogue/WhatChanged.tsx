import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { differencesQuery, type EntryDifference } from '../../api/catalogue.ts';
import { useErrorText } from '../../shared/States.tsx';
import { type DifferenceRow, toRows } from './difference-rows.ts';
import { useDiscountNames } from './use-discount-names.ts';
import { useValueText } from './use-value-text.ts';

/** So many entries, and fields of each, are told; how many more there are, too. */
const MAX_ENTRIES = 2;
const MAX_FIELDS = 3;

/** What a version says otherwise than the one before it, in sentences. */
export function WhatChanged({ version }: { readonly version: number }) {
  const { t } = useTranslation(['catalogue-versions', 'catalogue']);
  const { data, error } = useQuery({ ...differencesQuery(version - 1, version), enabled: version > 1 });
  const accounts = useDiscountNames(data?.differences);
  const textOf = useDifferenceText(accounts);
  const errorText = useErrorText();
  if (!data)
    return error ? (
      <Text size="sm" c="dimmed" role="status">
        {errorText(error)}
      </Text>
    ) : null;
  const more = data.differences.length - MAX_ENTRIES;
  return (
    <Text size="sm">
      {[
        ...data.differences.slice(0, MAX_ENTRIES).map(textOf),
        ...(more > 0 ? [t('said.more', { count: more })] : []),
      ].join('; ')}
    </Text>
  );
}

function useDifferenceText(accounts: ReadonlyMap<string, string> | undefined) {
  const { t } = useTranslation(['catalogue-versions', 'catalogue']);
  const { textOf, nameOf } = useValueText();
  const fieldText = (row: DifferenceRow): string =>
    t(row.kind === 'price' && row.path.at(-2) === 'prices' ? 'said.price' : 'said.field', {
      field: nameOf(row.path),
      from: textOf(row, row.from),
      to: textOf(row, row.to),
    });
  return (difference: EntryDifference): string => {
    const { section, change } = difference;
    const what =
      section === 'discounts' ? (accounts?.get(difference.name) ?? difference.name) : difference.name;
    const name = t('said.name', {
      section: t(`sections.${section as 'models'}`, { ns: 'catalogue' }),
      name: what === '*' ? t('order', { ns: 'catalogue' }) : what,
    });
    if (change !== 'changed') return t(`said.${change}`, { name });
    const rows = toRows(difference);
    const more = rows.length - MAX_FIELDS;
    const fields = [
      ...rows.slice(0, MAX_FIELDS).map(fieldText),
      ...(more > 0 ? [t('said.more', { count: more })] : []),
    ];
    return t('said.changed', { name, fields: fields.join(', ') });
  };
}
