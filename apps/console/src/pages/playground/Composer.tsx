import { ActionIcon, Button, CloseButton, Text, Textarea } from '@mantine/core';
import { IconPhoto, IconPlayerStopFilled, IconSend2 } from '@tabler/icons-react';
import { type ClipboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Input } from './conversation.ts';
import { dataUrl, type Picture } from './formats/format.ts';
import { isTooLarge, PICTURE_TYPES, readPicture } from './pictures.ts';
import classes from './Composer.module.css';

interface ComposerProps {
  /** What stands there at first. */
  readonly proposed: string;
  readonly isBusy: boolean;
  /** A call of a tool has to be answered first. */
  readonly isWaitingForResults: boolean;
  /** Something in the settings is wrong. */
  readonly isFaulty: boolean;
  readonly onSend: (input: Input) => void;
  readonly onStop: () => void;
}

/** Where a prompt is written, with pictures beside it. */
export function Composer(props: ComposerProps) {
  const { proposed, isBusy, isWaitingForResults, isFaulty, onSend, onStop } = props;
  const { t } = useTranslation('playground');
  const [text, setText] = useState(proposed);
  const [pictures, setPictures] = useState<readonly Picture[]>([]);
  const [tooLarge, setTooLarge] = useState<string | null>(null);
  const files = useRef<HTMLInputElement>(null);
  const maySend = !isBusy && !isWaitingForResults && !isFaulty && (text.trim() !== '' || pictures.length > 0);

  const attach = async (chosen: readonly File[]): Promise<void> => {
    setTooLarge(chosen.find(isTooLarge)?.name ?? null);
    const read = await Promise.all(chosen.filter((file) => !isTooLarge(file)).map(readPicture));
    setPictures((before) => [...before, ...read]);
  };
  const paste = (event: ClipboardEvent): void => {
    const pasted = [...event.clipboardData.files].filter(({ type }) => PICTURE_TYPES.includes(type));
    if (pasted.length > 0) void attach(pasted);
  };
  const send = () => {
    if (!maySend) return;
    onSend({ kind: 'prompt', text: text.trim(), pictures });
    setText('');
    setPictures([]);
  };

  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {pictures.length > 0 && (
        <div className={classes.pictures}>
          {pictures.map((picture, index) => (
            <span key={`${picture.name}-${index}`} className={classes.thumb}>
              <img src={dataUrl(picture)} alt={picture.name} />
              <CloseButton
                size="xs"
                aria-label={t('removePicture', { name: picture.name })}
                onClick={() => setPictures(pictures.toSpliced(index, 1))}
              />
            </span>
          ))}
        </div>
      )}
      {tooLarge !== null && (
        <Text size="sm" c="var(--tg-bad)" role="alert">
          {t('pictureTooLarge', { name: tooLarge })}
        </Text>
      )}
      {isWaitingForResults && (
        <Text size="sm" c="dimmed">
          {t('answerOpenCalls')}
        </Text>
      )}
      <div className={classes.write}>
        <Textarea
          className={classes.promptField}
          rows={2}
          aria-label={t('prompt')}
          placeholder={t('promptSuch')}
          classNames={{ input: classes.prompt }}
          value={text}
          onPaste={paste}
          onChange={({ currentTarget: { value } }) => setText(value)}
          onKeyDown={(event) => {
            // Enter that ends the choice of a character of Chinese sends nothing.
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        <input
          ref={files}
          type="file"
          hidden
          multiple
          accept={PICTURE_TYPES.join(',')}
          data-testid="pictures"
          onChange={({ currentTarget }) => {
            void attach([...(currentTarget.files ?? [])]);
            currentTarget.value = '';
          }}
        />
        <ActionIcon
          variant="default"
          size={38}
          aria-label={t('attach')}
          title={t('attach')}
          onClick={() => files.current?.click()}
        >
          <IconPhoto size={18} stroke={1.7} />
        </ActionIcon>
        {isBusy ? (
          <Button variant="default" h={38} leftSection={<IconPlayerStopFilled size={15} />} onClick={onStop}>
            {t('stop')}
          </Button>
        ) : (
          <Button type="submit" h={38} disabled={!maySend} leftSection={<IconSend2 size={16} />}>
            {t('send')}
          </Button>
        )}
      </div>
    </form>
  );
}
