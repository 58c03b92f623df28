import { IconMessageCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type PriceBook, type PricedModel, pricesQuery } from '../../api/pricing.ts';
import { Page } from '../../shared/Page.tsx';
import { Panel } from '../../shared/Panel.tsx';
import { firstGroup } from '../../shared/price-book.ts';
import { changed } from '../../shared/search-params.ts';
import { Failed, LoadingRows, Nothing } from '../../shared/States.tsx';
import { Composer } from './Composer.tsx';
import type { Exchange } from './conversation.ts';
import { LaneView } from './LaneView.tsx';
import classes from './Playground.module.css';
import { useUsableGroups } from '../../shared/use-usable-groups.ts';
import { offeredModels } from './setup.ts';
import { SAMPLE_TOOLS } from './tools.ts';
import { useChat } from './use-chat.ts';
import type { PlaygroundSearch } from './search.ts';
import { isTryTask, type TryTask } from './tasks/try-tasks.ts';
import { type PlaygroundKey, usePlaygroundKey } from './use-playground-key.ts';

// The conversation is there before them.
const ChatActions = lazy(() => import('./ChatActions.tsx'));
const TaskChoice = lazy(() =>
  import('./tasks/TaskChoice.tsx').then(({ TaskChoice: choice }) => ({ default: choice })),
);
const CodeDrawer = lazy(() => import('./CodeDrawer.tsx'));
const SettingsPanel = lazy(() => import('./SettingsPanel.tsx'));
const HistoryDrawer = lazy(() => import('./HistoryDrawer.tsx'));
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
      chat: undefined,
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

function Ready({ book, groups, group, apiKey, onChange, onTask }: ReadyProps) {
  const { t } = useTranslation('playground');
  const search = page.useSearch();
  const { session } = page.useRouteContext();
  const models = offeredModels(book, group);
  const chat = useChat({ search, models, apiKey, userId: session.user_id, onChange });
  const [areSettingsOpen, openSettings] = useState(false);
  const [isHistoryOpen, openHistory] = useState(false);
  const [shown, show] = useState<Exchange | null>(null);
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        <Suspense>
          <ChatActions
            chat={chat}
            group={search.group}
            areSettingsOpen={areSettingsOpen}
            onSettings={() => openSettings((isOpen) => !isOpen)}
            onHistory={() => openHistory(true)}
          >
            <TaskChoice book={book} group={group} task={undefined} onChange={onTask} />
          </ChatActions>
        </Suspense>
      }
    >
      <div className={classes.layout}>
        <Panel className={classes.talk}>
          {chat.used.length === 0 ? (
            <Nothing icon={IconMessageCircle} title={t('noModels.title')} about={t('noModels.about')} />
          ) : (
            <Talk chat={chat} models={models} prompt={search.prompt} onCode={show} />
          )}
        </Panel>
        <Suspense>
          <SettingsPanel
            isOpen={areSettingsOpen}
            settings={chat.settings}
            faults={chat.read.faults}
            formats={chat.used.map(({ setup }) => setup.format)}
            onChange={chat.setSettings}
            groups={groups}
            group={group}
            onGroup={(chosen) => onChange({ group: chosen })}
            apiKey={apiKey}
          />
        </Suspense>
      </div>
      <Suspense>
        {shown && <CodeDrawer exchange={shown} onClose={() => show(null)} />}
        {isHistoryOpen && (
          <HistoryDrawer
            userId={session.user_id}
            onOpen={(kept) => {
              openHistory(false);
              chat.open(kept);
            }}
            onClose={() => openHistory(false)}
          />
        )}
      </Suspense>
    </Page>
  );
}

interface TalkProps {
  readonly chat: ReturnType<typeof useChat>;
  readonly models: readonly PricedModel[];
  /** What a link proposes to ask. */
  readonly prompt: string | undefined;
  readonly onCode: (exchange: Exchange) => void;
}

/** The lanes side by side, and where one writes to all of them. */
function Talk({ chat, models, prompt, onCode }: TalkProps) {
  const { used, settings } = chat;
  const sample = (text: string, isWithTools: boolean) => {
    const tools = isWithTools && settings.tools.trim() === '' ? SAMPLE_TOOLS : settings.tools;
    chat.setSettings({ ...settings, tools });
    chat.sendAll({ kind: 'prompt', text, pictures: [] }, { ...settings, tools });
  };
  return (
    <>
      <div className={classes.lanes} data-lanes={used.length}>
        {used.map((each, index) => (
          <LaneView
            key={index}
            {...each}
            models={models}
            onChange={(setup) => chat.change(index, setup)}
            onRemove={used.length > 1 ? () => chat.remove(index) : undefined}
            onResults={(input) => chat.send(each, input)}
            onRetry={() => chat.retry(each)}
            onCode={onCode}
            onSample={sample}
          />
        ))}
      </div>
      <Composer
        key={prompt}
        proposed={prompt ?? ''}
        isBusy={chat.isBusy}
        isWaitingForResults={chat.isWaitingForResults}
        isFaulty={Object.values(chat.read.faults).some(Boolean)}
        onSend={(input) => chat.sendAll(input)}
        onStop={chat.stop}
      />
    </>
  );
}
