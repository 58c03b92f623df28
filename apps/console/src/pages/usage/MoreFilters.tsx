import { Button } from '@mantine/core';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fitsFilter, LEAST, type UsageSearch } from './filters.ts';
import { TextFilter } from './TextFilter.tsx';

type Name = 'said' | (typeof LEAST)[number];
const NAMES: readonly Name[] = ['said', ...LEAST];

interface MoreFiltersProps {
  readonly search: UsageSearch;
  readonly onChange: (change: { readonly [name in Name]?: string | undefined }) => void;
}

/** What is seldom asked for: words of the error, and how much there was at least of what the log has figures of. */
export default function MoreFilters({ search, onChange }: MoreFiltersProps) {
  const { t } = useTranslation('usage');
  const isUsed = NAMES.some((name) => search[name] !== undefined);
  const [isAsked, ask] = useState(false);
  const isOpen = isUsed || isAsked;
  return (
    <>
      {isOpen &&
        NAMES.map((name) => (
          <TextFilter
            key={name}
            label={t(`more.${name}`)}
            placeholder={t(name === 'said' ? 'more.anyWords' : 'more.any')}
            {...(name !== 'said' && {
              figure: {
                fits: (text: string) => fitsFilter(name, text),
                wrong: t(name === 'charge' ? 'more.amountRequired' : 'more.wholeRequired'),
              },
            })}
            value={search[name]}
            onChange={(value) => onChange({ [name]: value })}
          />
        ))}
      {!isUsed && (
        <Button
          variant="default"
          leftSection={<IconAdjustmentsHorizontal size={16} />}
          aria-expanded={isOpen}
          onClick={() => ask(!isAsked)}
        >
          {t(isOpen ? 'more.fewer' : 'more.open')}
        </Button>
      )}
    </>
  );
}
