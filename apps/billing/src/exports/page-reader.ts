import type { ExportSource, Page, Start } from './sources/source.ts';

/** The pages of a source, one at a time. */
export class PageReader {
  readonly #pages: AsyncIterator<Page>;
  /** The page that is next; undefined behind the last one. */
  page: Page | undefined;

  private constructor(pages: AsyncIterator<Page>) {
    this.#pages = pages;
  }

  static async open(source: ExportSource, start: Start): Promise<PageReader> {
    const reader = new PageReader(source.pages(start));
    await reader.advance();
    return reader;
  }

  async advance(): Promise<void> {
    const next = await this.#pages.next();
    this.page = next.done ? undefined : next.value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pages.return?.();
  }
}
