import { Button, CloseButton, Group, Stack, Text, Title } from '@mantine/core';
import { IconMessageCircle } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { PricedModel } from '../../api/pricing.ts';
import { Choice } from '../../shared/Choice.tsx';
import { type Exchange, type Input, openCalls } from './conversation.ts';
import { FORMAT_IDS, isFormatId } from './formats/format-id.ts';
import classes from './Playground.module.css';
import type { LaneSetup } from './setup.ts';
import { useFollow } from './use-follow.ts';
import type { Lane } from './use-lane.ts';

// There is none before something is asked.
const ExchangeView = lazy(() => import('./ExchangeView.tsx'));

interface LaneViewProps {
  readonly setup: LaneSetup;
  readonly lane: Lane;
  readonly models: readonly PricedModel[];
  readonly onChange: (setup: Partial<LaneSetup>) => void;
  /** Where there are others beside it. */
  readonly onRemove: (() => void) | undefined;
  readonly onResults: (input: Input) => void;
  readonly onRetry: () => void;
  readonly onCode: (exchange: Exchange) => void;
  readonly onSample: (text: string, isWithTools: boolean) => void;
}

/** One model, how it is asked, and what was said. */
export function LaneView(props: LaneViewProps) {
  const { setup, lane, models, onChange, onRemove, onResults, onRetry, onCode, onSample } = props;
  const { t } = useTranslation('playground');
  const { conversation } = lane;
  const { view, inside, handlers } = useFollow();
  const calls = openCalls(conversation);

  return (
    <section className={classes.lane} aria-label={t('lane', { model: setup.model })}>
      <Group gap="xs" wrap="nowrap" className={classes.laneHead}>
        <Choice
          flex="1 1 9rem"
          label={t('model')}
          isLabelHidden
          size="sm"
          searchable
          allowDeselect={false}
          data={models.map(({ model_name }) => model_name)}
          value={setup.model}
          onChange={(model) => model !== null && onChange({ model })}
        />
        <Choice
          flex="1 1 10.5rem"
          maw={190}
          label={t('format')}
          isLabelHidden
          size="sm"
          allowDeselect={false}
          data={FORMAT_IDS.map((id) => ({ value: id, label: t(`formats.${id}`) }))}
          value={setup.format}
          onChange={(format) => {
            if (format !== null && isFormatId(format)) onChange({ model: setup.model, format });
          }}
        />
        {onRemove && <CloseButton aria-label={t('removeLane', { model: setup.model })} onClick={onRemove} />}
      </Group>
      <div
        ref={view}
        className={classes.log}
        role="log"
        tabIndex={0}
        aria-label={t('lane', { model: setup.model })}
        {...handlers}
      >
        {conversation.length === 0 && <Empty onSample={onSample} />}
        <div ref={inside}>
          <Suspense>
            {conversation.map((exchange, index) => (
              <ExchangeView
                key={exchange.id}
                exchange={exchange}
                openCalls={index === conversation.length - 1 ? calls : []}
                isLast={index === conversation.length - 1}
                onResults={onResults}
                onRetry={onRetry}
                onCode={() => onCode(exchange)}
              />
            ))}
          </Suspense>
        </div>
      </div>
    </section>
  );
}

const SAMPLES = ['explain', 'json', 'code', 'tool'] as const;

function Empty({ onSample }: Pick<LaneViewProps, 'onSample'>) {
  const { t } = useTranslation('playground');
  return (
    <Stack gap="xs" className={classes.empty}>
      <IconMessageCircle size={26} stroke={1.5} className={classes.emptyIcon} />
      <Title order={2}>{t('empty.title')}</Title>
      <Text size="sm" c="dimmed">
        {t('empty.about')}
      </Text>
      <div className={classes.samples}>
        {SAMPLES.map((name) => (
          <Button
            key={name}
            variant="default"
            className={classes.sample}
            onClick={() => onSample(t(`samples.${name}`), name === 'tool')}
          >
            <span>
              <b>{t(`sampleNames.${name}`)}</b>
              {t(`samples.${name}`)}
            </span>
          </Button>
        ))}
      </div>
    </Stack>
  );
}
