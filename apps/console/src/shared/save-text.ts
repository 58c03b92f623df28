/** Lets the browser save a text as a file of that name. */
export function saveText(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  saveFrom(url, name);
  URL.revokeObjectURL(url);
}

/** Lets the browser save what an address answers; without a name under the one that comes with it. The page stays. */
export function saveFrom(url: string, name = ''): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}
