import { marked, type Token, type Tokens } from 'marked';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Copy } from '../../shared/Copy.tsx';
import classes from './Markdown.module.css';

/**
 * An answer as its model formats it. The library only reads it: what it found is drawn as elements, so that nothing
 * that a model writes is ever HTML here. HTML of an answer is shown as the text that it is, a picture as a link.
 */
export default function Markdown({ text }: { readonly text: string }) {
  return <div className={classes.markdown}>{drawAll(marked.lexer(text, { gfm: true }))}</div>;
}

const drawAll = (tokens: readonly Token[] | undefined): ReactNode =>
  (tokens ?? []).map((token, index) => <Fragment key={index}>{draw(token)}</Fragment>);

/** A link leads to the web or to a mailbox, and nowhere else. */
const isSafe = (href: string): boolean => /^(?:https?:\/\/|mailto:)/i.test(href);

function draw(token: Token): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'code':
      return <Fence code={token as Tokens.Code} />;
    case 'heading':
      return <Heading heading={token as Tokens.Heading} />;
    case 'hr':
      return <hr />;
    case 'blockquote':
      return <blockquote>{drawAll(token.tokens)}</blockquote>;
    case 'list':
      return <List list={token as Tokens.List} />;
    case 'table':
      return <Table table={token as Tokens.Table} />;
    case 'paragraph':
      return <p>{drawAll(token.tokens)}</p>;
    case 'strong':
      return <strong>{drawAll(token.tokens)}</strong>;
    case 'em':
      return <em>{drawAll(token.tokens)}</em>;
    case 'del':
      return <del>{drawAll(token.tokens)}</del>;
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br />;
    case 'link':
    case 'image':
      return <Link link={token as Tokens.Link | Tokens.Image} />;
    case 'text':
      return token.tokens ? drawAll(token.tokens) : (token as Tokens.Text).text;
    case 'escape':
      return (token as Tokens.Escape).text;
    default:
      return token.raw;
  }
}

function Link({ link }: { readonly link: Tokens.Link | Tokens.Image }) {
  const words = link.type === 'link' ? drawAll(link.tokens) : link.text || link.href;
  if (!isSafe(link.href)) return words;
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow">
      {words}
    </a>
  );
}

/** The page has its own headings: those of an answer are text that is larger. */
const Heading = ({ heading }: { readonly heading: Tokens.Heading }) => (
  <p className={classes.heading} data-depth={heading.depth}>
    {drawAll(heading.tokens)}
  </p>
);

function List({ list }: { readonly list: Tokens.List }) {
  const items = list.items.map((item, index) => (
    <li key={index} data-task={item.task}>
      {item.task && <span aria-hidden>{item.checked ? '☑ ' : '☐ '}</span>}
      {drawAll(item.tokens)}
    </li>
  ));
  return list.ordered ? <ol start={list.start === '' ? 1 : list.start}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table }: { readonly table: Tokens.Table }) {
  return (
    <div className={classes.scroll} tabIndex={0} role="group">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} scope="col" data-align={cell.align}>
                {drawAll(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index} data-align={cell.align}>
                  {drawAll(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Fence({ code }: { readonly code: Tokens.Code }) {
  const { t } = useTranslation('playground');
  return (
    <div className={classes.fence}>
      <div className={classes.fenceHead}>
        <span className="tg-mono">{code.lang}</span>
        <Copy text={code.text} what={t('code.copy')} />
      </div>
      <pre tabIndex={0}>{code.text}</pre>
    </div>
  );
}
