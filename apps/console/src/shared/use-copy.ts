import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { notify } from './notify.ts';

const TOLD_MS = 1_600;

/** Copies texts, and says for a moment that it did; where the browser copies nothing, it says that instead. */
export function useCopy() {
  const { t } = useTranslation();
  const [isCopied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (text: string): Promise<void> => {
    if (!(await copyText(text))) return notify({ color: 'red', message: t('copyByHand') });
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), TOLD_MS);
  };
  return { isCopied, copy: (text: string) => void copy(text) };
}

/** Pages on plain HTTP have no clipboard: they can copy what is selected. */
async function copyText(text: string): Promise<boolean> {
  if (!('clipboard' in navigator)) return copySelected(text);
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copySelected(text),
  );
}

function copySelected(text: string): boolean {
  const selection = getSelection();
  if (!selection) return false;
  const place = document.createElement('pre');
  place.textContent = text;
  place.style.cssText = 'position: fixed; top: 0; clip-path: inset(50%); user-select: text';
  document.body.append(place);
  const put = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
  };
  document.addEventListener('copy', put, true);
  selection.selectAllChildren(place);
  const isCopied = document.execCommand('copy');
  selection.removeAllRanges();
  document.removeEventListener('copy', put, true);
  place.remove();
  return isCopied;
}
