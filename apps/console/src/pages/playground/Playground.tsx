import { Button, Group } from '@mantine/core';
import {
  IconColumns2,
  IconColumns1,
  IconEraser,
  IconMessageCircle,
  IconSettings2,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type PriceBook, pricesQuery } from '../../api/pricing.ts';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { firstGroup } from '../../shared/price-book.ts';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { Composer } from './Composer.tsx';
import { type Exchange, openCalls } from './conversation.ts';
import { LaneView } from './LaneView.tsx';
import classes from './Playground.module.css';
import { useUsableGroups } from '../../shared/use-usable-groups.ts';
import { SettingsPanel } from './SettingsPanel.tsx';
import { toLanes, type LaneSetup, NO_SETTINGS, offeredModels, readSettings, type Settings } from './setup.ts';
import { SAMPLE_TOOLS } from './tools.ts';
import { type Lane, useLane } from './use-lane.ts';
import type { PlaygroundSearch } from './search.ts';
import { TaskChoice } from './tasks/TaskChoice.tsx';
import { isTryTask, type TryTask } from './tasks/try-tasks.ts';
import { type PlaygroundKey, usePlaygroundKey } from './use-playground-key.ts';

const CodeDrawer = lazy(() => import('./CodeDrawer.tsx'));
const TaskTry = lazy(() => import('./tasks/TaskTry.tsx'));

export const page = createLazyRoute('/shell/playground')({ component: Playground });

function Playground() {
  const { t } = useTranslation('playground');
  const { data: book, error, refetch } = useQuery(pricesQuery);
  if (book) return <WithKey book={book} />;
  return (
    <Page title={t('title')} about={t('about')}>
      <Panel>{error ? <Failed error={error} onRetry={() => void refetch()} /> : <LoadingRows />}</Panel>
    </Page>
  );
}

function WithKey({ book }: { readonly book: PriceBook }) {
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const { session } = page.useRouteContext();
  const groups = useUsableGroups(book);
  const group =
    search.group ?? groups.find((name) => name === firstGroup(book)) ?? groups[0] ?? firstGroup(book) ?? '';
  const key = usePlaygroundKey(group, session.user_id);
  const change: Change = (change) =>
    void navigate({ search: (before) => changed(before, change), replace: true, resetScroll: false });
  const onTask = (task: TryTask | undefined) =>
    change({
      task,
      model: undefined,
      format: undefined,
      beside: undefined,
      besideFormat: undefined,
    });
  const shared = { book, groups, group, apiKey: key, onChange: change, onTask };
  const { task, model } = search;
  if (!isTryTask(task)) return <Ready {...shared} />;
  return (
    <Suspense fallback={<LoadingRows />}>
      <TaskTry {...shared} task={task} model={model} />
    </Suspense>
  );
}

type Change = (change: { [name in keyof PlaygroundSearch]?: PlaygroundSearch[name] | undefined }) => void;

interface ReadyProps {
  readonly book: PriceBook;
  readonly groups: readonly string[];
  readonly group: string;
  readonly apiKey: PlaygroundKey;
  readonly onChange: Change;
  readonly onTask: (task: TryTask | undefined) => void;
}

function Ready({ book, groups, group, apiKey: key, onChange: change, onTask }: ReadyProps) {
  const { t } = useTranslation('playground');
  const search = page.useSearch();
  const models = offeredModels(book, group);
  const setups = toLanes(search, models);
  const lanes = [useLane(), useLane()] as const;
  const [settings, setSettings] = useState<Settings>(NO_SETTINGS);
  const [areSettingsOpen, openSettings] = useState(false);
  const [shown, show] = useState<Exchange | null>(null);
  const read = readSettings(settings);
  const isFaulty = Object.values(read.faults).some(Boolean);
  const used = setups.flatMap((setup, index): readonly { setup: LaneSetup; lane: Lane }[] => {
    const lane = lanes[index];
    return lane ? [{ setup, lane }] : [];
  });
  const isBusy = used.some(({ lane }) => lane.isRunning);
  const isEmpty = used.every(({ lane }) => lane.conversation.length === 0);
  const asks = (setup: LaneSetup) => ({ ...setup, settings: read, key: key.get, onKeyRefused: key.renew });
  const compare = () =>
    change({ beside: models.find(({ model_name }) => model_name !== setups[0]?.model)?.model_name });

  const actions = (
    <Group gap="xs" className={classes.actions}>
      <TaskChoice book={book} group={group} task={undefined} onChange={onTask} />
      <Button
        className={classes.settingsButton}
        variant="default"
        leftSection={<IconSettings2 size={16} />}
        aria-expanded={areSettingsOpen}
        onClick={() => openSettings((isOpen) => !isOpen)}
      >
        {t('settings')}
      </Button>
      {setups.length === 1 && models.length > 1 && (
        <Button variant="default" leftSection={<IconColumns2 size={16} />} onClick={compare}>
          {t('compare')}
        </Button>
      )}
      {setups.length > 1 && (
        <Button
          variant="default"
          leftSection={<IconColumns1 size={16} />}
          onClick={() => {
            lanes[1].clear();
            change({ beside: undefined, besideFormat: undefined });
          }}
        >
          {t('single')}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<IconEraser size={16} />}
        disabled={isEmpty}
        onClick={() => lanes.forEach(({ clear }) => clear())}
      >
        {t('clear')}
      </Button>
    </Group>
  );

  return (
    <Page title={t('title')} about={t('about')} actions={actions}>
      <div className={classes.layout}>
        <Panel className={classes.talk}>
          {setups.length === 0 ? (
            <Nothing icon={IconMessageCircle} title={t('noModels.title')} about={t('noModels.about')} />
          ) : (
            <>
              <div className={classes.lanes} data-lanes={used.length}>
                {used.map(({ setup, lane }, index) => (
                  <LaneView
                    key={index}
                    setup={setup}
                    lane={lane}
                    models={models}
                    onChange={({ model, format }) =>
                      change(index === 0 ? { model, format } : { beside: model, besideFormat: format })
                    }
                    onResults={(input) => lane.send(input, asks(setup))}
                    onRetry={() => lane.retry(asks(setup))}
                    onCode={show}
                    onSample={(text, isWithTools) => {
                      const tools =
                        isWithTools && settings.tools.trim() === '' ? SAMPLE_TOOLS : settings.tools;
                      setSettings({ ...settings, tools });
                      const now = readSettings({ ...settings, tools });
                      used.forEach((each) =>
                        each.lane.send(
                          { kind: 'prompt', text, pictures: [] },
                          { ...asks(each.setup), settings: now },
                        ),
                      );
                    }}
                  />
                ))}
              </div>
              <Composer
                isBusy={isBusy}
                isWaitingForResults={used.some(({ lane }) => openCalls(lane.conversation).length > 0)}
                isFaulty={isFaulty}
                onSend={(input) => used.forEach(({ lane, setup }) => lane.send(input, asks(setup)))}
                onStop={() => used.forEach(({ lane }) => lane.stop())}
              />
            </>
          )}
        </Panel>
        <SettingsPanel
          isOpen={areSettingsOpen}
          settings={settings}
          faults={read.faults}
          onChange={setSettings}
          groups={groups}
          group={group}
          onGroup={(chosen) => change({ group: chosen })}
          apiKey={key}
        />
      </div>
      <Suspense>{shown && <CodeDrawer exchange={shown} onClose={() => show(null)} />}</Suspense>
    </Page>
  );
}
