import { TOKEN_KINDS, type TokenKind } from '@tollgate/vocabulary';
import { useTranslation } from 'react-i18next';
import type { Tier } from '../../api/catalogue.ts';
import { useFormat } from '../../shared/use-format.ts';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import type { ValueKind } from './difference-rows.ts';
import { toUsd } from './prices.ts';

const isKind = (name: string): name is TokenKind => TOKEN_KINDS.some((kind) => kind === name);

/** How values and fields of the catalogue are told to people. */
export function useValueText() {
  const { t } = useTranslation('catalogue');
  const format = useFormat();

  const kindName = useMeterKindName();
  const tierText = ({ above_input_tokens: above, prices }: Tier): string =>
    t('tierText', {
      tokens: format.count(above),
      input: format.exactMoney(toUsd(prices['input'] ?? 0)),
      output: format.exactMoney(toUsd(prices['output'] ?? 0)),
    });
  const plain = (value: unknown): string => {
    if (value === null || value === undefined || value === '') return '–';
    if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
    if (typeof value === 'number') return format.count(value);
    if (typeof value === 'string') return value === '*' ? t('everyModelShort') : value;
    if (!Array.isArray(value)) return JSON.stringify(value);
    if (value.length === 0) return '–';
    return value.every((each) => typeof each === 'string')
      ? value.map(plain).join(', ')
      : JSON.stringify(value);
  };

  return {
    textOf(kind: ValueKind, value: unknown): string {
      if (kind === 'price' && typeof value === 'number') return format.exactMoney(toUsd(value));
      if (kind === 'tiers' && Array.isArray(value))
        return value.length === 0 ? '–' : (value as readonly Tier[]).map(tierText).join('; ');
      return plain(value);
    },
    /** A field by its path, such as "Price: Input". */
    nameOf(path: readonly string[]): string {
      return path
        .filter((name, index) => name !== 'prices' || index === path.length - 1)
        .map((name) =>
          isKind(name) ? kindName(name) : t(`fields.${name as 'name'}`, { defaultValue: name }),
        )
        .join(' · ');
    },
  };
}
