import { Button, SimpleGrid, TextInput, type TextInputProps } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FIRST_KINDS, type Kind, OTHER_KINDS, type PriceTexts, SAME_AS } from './prices.ts';

interface PriceFieldsProps {
  readonly texts: PriceTexts;
  readonly input: (kind: Kind) => TextInputProps;
}

/** Prices in USD per million tokens; the less common kinds open on demand. */
export function PriceFields({ texts, input }: PriceFieldsProps) {
  const { t } = useTranslation('catalogue');
  const [isOpen, open] = useState(() => OTHER_KINDS.some((kind) => texts[kind] !== ''));
  const placeholderOf = (kind: Kind): string => {
    const source = SAME_AS[kind];
    if (kind === 'cache_write_1h' && texts.cache_write.trim() !== '') return t('twiceInput');
    return source ? t('sameAs', { kind: t(`kinds.${source}`) }) : '0.00';
  };
  const field = (kind: Kind) => {
    return (
      <TextInput
        key={kind}
        label={t(`kinds.${kind}`)}
        placeholder={placeholderOf(kind)}
        inputMode="decimal"
        leftSection="$"
        required={SAME_AS[kind] === undefined}
        {...input(kind)}
      />
    );
  };
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        {[...FIRST_KINDS, ...(isOpen ? OTHER_KINDS : [])].map(field)}
      </SimpleGrid>
      {!isOpen && (
        <Button
          variant="subtle"
          size="compact-sm"
          mt="xs"
          w="fit-content"
          ml={-8}
          leftSection={<IconChevronDown size={15} />}
          onClick={() => open(true)}
        >
          {t('otherKinds')}
        </Button>
      )}
    </>
  );
}
