import { Button, SimpleGrid, TextInput, type TextInputProps } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { PRICE_SOURCES, type TokenKind } from '@tollgate/vocabulary';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMeterKindName } from '../../shared/use-meter-kind-name.ts';
import { FIRST_KINDS, OTHER_KINDS, type PriceTexts } from './prices.ts';

interface PriceFieldsProps {
  readonly texts: PriceTexts;
  readonly input: (kind: TokenKind) => TextInputProps;
}

/** Prices in USD per million tokens; the less common kinds open on demand. */
export function PriceFields({ texts, input }: PriceFieldsProps) {
  const { t } = useTranslation('catalogue');
  const kindName = useMeterKindName();
  const [isOpen, open] = useState(() => OTHER_KINDS.some((kind) => texts[kind] !== ''));
  const placeholderOf = (kind: TokenKind): string => {
    const source = PRICE_SOURCES[kind];
    if (kind === 'cache_write_1h' && texts.cache_write.trim() !== '') return t('twiceInput');
    return source ? t('sameAs', { kind: kindName(source) }) : '0.00';
  };
  const field = (kind: TokenKind) => {
    return (
      <TextInput
        key={kind}
        label={kindName(kind)}
        placeholder={placeholderOf(kind)}
        inputMode="decimal"
        leftSection="$"
        required={PRICE_SOURCES[kind] === null}
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
