/** Markdown of a model into safe HTML blocks: no raw HTML, no images, only web links; steady while it streams. */
import DOMPurify from 'dompurify';
import { Lexer, Parser, Renderer, type Token, type Tokens } from 'marked';

const TAGS =
  'p br strong em del code pre a ul ol li blockquote h1 h2 h3 h4 h5 h6 hr table thead tbody tr th td span div'.split(
    ' ',
  );
const ATTRIBUTES = ['href', 'rel', 'target', 'start', 'class', 'tabindex'];
const KEPT = 400;

/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The address if a person may follow it (http, https or relative to the page), else null. */
export function safeHref(href: string | null | undefined, base: string = location.href): URL | null {
  try {
    const url = new URL(href ?? '', base);
    return href && (url.protocol === 'http:' || url.protocol === 'https:') ? url : null;
  } catch {
    return null;
  }
}

/** Attributes of a link to that address; another site opens apart and learns nothing of this page. */
function link(href: string, inner: string): string {
  const url = safeHref(href);
  if (!url) return inner;
  const address = escapeHtml(href);
  if (url.origin === location.origin) return `<a href="${address}" rel="noopener">${inner}</a>`;
  const host = inner.includes(url.host) ? '' : ` <span class="host">(${escapeHtml(url.host)})</span>`;
  return `<a href="${address}" rel="noopener noreferrer nofollow" target="_blank">${inner}</a>${host}`;
}

class SafeRenderer extends Renderer {
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return escapeHtml(text);
  }

  override image({ text }: Tokens.Image): string {
    return escapeHtml(text);
  }

  override link({ href, tokens }: Tokens.Link): string {
    return link(href, this.parser.parseInline(tokens));
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const level = Math.min(depth + 2, 6);
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
  }

  override checkbox({ checked }: Tokens.Checkbox): string {
    return checked ? '☑ ' : '☐ ';
  }

  override table({ header, rows }: Tokens.Table): string {
    const row = (cells: Tokens.TableCell[], tag: string) =>
      `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
    const body = rows.map((cells) => row(cells, 'td')).join('');
    return `<div class="wide" tabindex="0"><table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table></div>`;
  }
}

const SYNTAX = { gfm: true, breaks: true };
const RENDERING = { ...SYNTAX, renderer: new SafeRenderer() };
const done = new Map<string, string>();

function html(token: Token, references: string): string {
  const key = `${token.type}\n${references}\n${token.raw}`;
  const known = done.get(key);
  if (known !== undefined) return known;
  const dirty = Parser.parse([token], RENDERING);
  const clean = DOMPurify.sanitize(dirty, { ALLOWED_TAGS: TAGS, ALLOWED_ATTR: ATTRIBUTES, ALLOW_DATA_ATTR: false });
  if (done.size >= KEPT) done.clear();
  done.set(key, clean);
  return clean;
}

/** One string of safe HTML for each block of the text, so that finished blocks need not be drawn again. */
export function blocks(text: string, streaming = false): string[] {
  const tokens = Lexer.lex(streaming ? steady(text) : text, SYNTAX);
  const references = JSON.stringify(tokens.links);
  return tokens
    .filter((token) => token.type !== 'space' && token.type !== 'def')
    .map((token) => html(token, references));
}

/** The text with its unfinished end closed or held back, so that what is shown does not change its kind. */
export function steady(text: string): string {
  const fences = text.match(/^ {0,3}(`{3,}|~{3,})/gm) ?? [];
  if (fences.length % 2 === 1) return text;
  const cut = text.lastIndexOf('\n\n') + 1;
  let tail = text.slice(cut);
  tail = tail.replace(/(^|\n)[ \t]*(?:[-=*_+#>|~`:]+|\d{1,9}[.)]?|[-*+] \[?[ xX]?)[ \t]*$/, '$1');
  tail = table(tail);
  const line = tail.lastIndexOf('\n') + 1;
  return text.slice(0, cut) + tail.slice(0, line) + closed(tail.slice(line));
}

/** A table is shown once its rule is there, and then row by row. */
function table(tail: string): string {
  const lines = tail.split('\n');
  const first = lines.findIndex((line) => /^\s*\|/.test(line));
  if (first < 0) return tail;
  const rule = lines[first + 1] ?? '';
  if (/^\s*\|?\s*:?-+/.test(rule) && lines.length > first + 2) {
    const last = lines[lines.length - 1] ?? '';
    return /^\s*\|/.test(last) && !/\|\s*$/.test(last) ? lines.slice(0, -1).join('\n') : tail;
  }
  return lines.slice(0, first).join('\n');
}

/** One line with its open marks closed; a link that is not whole shows its words only. */
function closed(line: string): string {
  let text = line
    .replace(/!?\[([^\]]*)\]\([^)\s]*$/, '$1')
    .replace(/!?\[([^\]]*)$/, '$1')
    .replace(/!$/, '');
  if (((text.match(/`/g) ?? []).length & 1) === 1) return `${text.replace(/`$/, '')}${text.endsWith('`') ? '' : '`'}`;
  text = text.replace(/(^|[\s(])(\*{1,3}|_{1,3}|~~)$/, '$1');
  const plain = text.replace(/`[^`]*`/g, '').replace(/^\s*[*+-] /, '');
  for (const mark of ['**', '__', '~~']) {
    if ((plain.split(mark).length & 1) === 0)
      text = text.endsWith(mark[0] ?? '') ? text.slice(0, -1) + mark : text + mark;
  }
  const single = plain.replace(/\*\*/g, '').replace(/\w\*\w/g, '');
  if ((single.split('*').length & 1) === 0 && /(^|[\s(])\*\S/.test(single)) text += '*';
  return text;
}
