// @vitest-environment jsdom
/** A model's Markdown is safe, and steady while it streams (UI-1). */
import { describe, expect, it } from 'vitest';
import { blocks, safeHref, steady } from './markdown.js';

const html = (text: string, streaming = false) => blocks(text, streaming).join('');

describe('safety', () => {
  it.each([
    '<img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    'a <b onclick=x()>b</b>',
    '<svg><a xlink:href="javascript:alert(1)">x</a></svg>',
    '<iframe src="https://example.org"></iframe>',
    '![x](https://example.org/pixel.png "t")',
    '![x][1]\n\n[1]: https://example.org/pixel.png',
    '<style>*{display:none}</style>',
    '[x](javascript:alert(1)) [y](data:text/html,x) [z](vbscript:x) <javascript:alert(1)>',
    '[a](https://example.org/"onmouseover="alert(1))',
  ])('%s draws no raw HTML, no image, no script', (text) => {
    const holder = document.createElement('div');
    holder.innerHTML = html(text);
    expect(holder.querySelector('img,script,svg,iframe,style,b,object,form,input')).toBeNull();
    for (const node of holder.querySelectorAll('*')) {
      for (const { name } of node.attributes)
        expect(['href', 'rel', 'target', 'class', 'start', 'tabindex']).toContain(name);
    }
    for (const link of holder.querySelectorAll('a')) expect(link.protocol).toMatch(/^https?:$/);
  });

  it('shows raw HTML as the text that it is', () => {
    expect(html('<b>x</b>')).toContain('&lt;b&gt;');
  });

  it('opens other sites apart and says where a link goes', () => {
    const link = html('[aquí](https://example.org/x)');
    expect(link).toContain('rel="noopener noreferrer nofollow"');
    expect(link).toContain('target="_blank"');
    expect(link).toContain('(example.org)');
    expect(html('[ficha](/patients/1)')).toContain('<a href="/patients/1" rel="noopener">ficha</a>');
  });

  it.each([
    ['/a', true],
    ['?q=1', true],
    ['https://example.org', true],
    ['javascript:alert(1)', false],
    [' java\nscript:alert(1)', false],
    ['mailto:a@b.c', false],
    ['', false],
    [null, false],
  ])('an address %j may be followed: %s', (href, good) => expect(safeHref(href) !== null).toBe(good));
});

describe('an unfinished end', () => {
  it.each([
    ['hola **mun', 'hola **mun**'],
    ['hola **', 'hola '],
    ['un `cod', 'un `cod`'],
    ['ver [la ficha](/pat', 'ver la ficha'],
    ['ver [la fi', 'ver la fi'],
    ['![fo', 'fo'],
    ['un *énfasis', 'un *énfasis*'],
    ['2 * 3 y 4', '2 * 3 y 4'],
    ['título\n-', 'título\n'],
    ['título\n===', 'título\n'],
    ['lista:\n1', 'lista:\n'],
    ['a\n\n#', 'a\n\n'],
    ['a\n\n| x | y |', 'a\n\n'],
    ['a\n\n| x | y |\n|---|---|\n| 1 | 2 |\n| 3', 'a\n\n| x | y |\n|---|---|\n| 1 | 2 |'],
    ['```js\nconst a = **', '```js\nconst a = **'],
  ])('%j is shown as %j', (given, shown) => expect(steady(given).trimEnd()).toBe(shown.trimEnd()));

  const TEXT =
    'Hoy hay **8 citas** y *dos* `huecos`.\n\n## Resumen\n\n| Hora | Paciente |\n|---|---|\n| 10:00 | [Ana](/p/1) |\n\n- uno\n- **dos**\n\n1. tres\n2. cuatro\n\n> cita\n\n```js\nlet a = 1;\n```\n\nFin _de_ todo.';

  it('never makes a finished block change, at any length of the text', () => {
    const whole = blocks(TEXT);
    for (let end = 1; end <= TEXT.length; end++) {
      const shown = blocks(TEXT.slice(0, end), true);
      for (const [at, block] of shown.slice(0, -1).entries()) expect(block.trim()).toBe(whole[at]?.trim());
    }
  });

  it('never shows a block as another kind than it will be', () => {
    const kind = (block: string | undefined) => /^<(\w+)/.exec(block ?? '')?.[1];
    const whole = blocks(TEXT);
    for (let end = 1; end <= TEXT.length; end++) {
      const shown = blocks(TEXT.slice(0, end), true);
      expect(kind(shown.at(-1)), JSON.stringify(TEXT.slice(0, end))).toBe(kind(whole[shown.length - 1]));
    }
  });
});
