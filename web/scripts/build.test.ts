/** The build's own steps: notices of what is bundled, thinner templates, a weight that holds. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { lean } from './lean.ts';
import { notice, packageFolder } from './notices.ts';
import { thin } from './thin.ts';

const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));

describe('notices', () => {
  it.each([
    ['/x/node_modules/marked/lib/marked.esm.js', '/x/node_modules/marked'],
    ['/x/node_modules/@lit/reactive-element/a/b.js', '/x/node_modules/@lit/reactive-element'],
    ['/x/node_modules/a/node_modules/b/c.js', '/x/node_modules/a/node_modules/b'],
    ['/x/src/deputize.ts', undefined],
  ])('%s belongs to %s', (module, folder) => expect(packageFolder(module)).toBe(folder));

  it('hold name, version and licence text', () => {
    expect(notice(`${modules}marked`)).toMatch(/^marked \d+\.\d+\.\d+ \(MIT\)\n\n[\s\S]*Permission is hereby granted/);
  });

  it('refuse a package without a licence text', () => {
    expect(() => notice(`${modules}@lit-labs/ssr-dom-shim`)).toThrow('ships no licence text');
  });
});

describe('thin', () => {
  it('shortens style sheets and keeps what they say', () => {
    expect(
      thin(
        'const a = css`\n  /* why */\n  .x > .y,\n  .z:not(:disabled) {\n    margin: 0.5rem 10.05px;\n    color: red;\n  }\n`;',
      ),
    ).toBe('const a = css`.x > .y,.z:not(:disabled){margin:.5rem 10.05px;color:red}`;');
  });

  it('takes indentation from HTML, and leaves sheets with expressions alone', () => {
    expect(thin('html`<p>\n    a b\n  </p>`')).toBe('html`<p>\na b\n</p>`');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
    expect(thin('css`a { b: ${c}; }`')).toBe('css`a { b: ${c}; }`');
  });
});

describe('lean', () => {
  it('keeps the three parts of marked that are used, and they still work', async () => {
    const short = lean(readFileSync(`${modules}marked/lib/marked.esm.js`, 'utf8').replace(/\/\/#.*$/m, ''));
    expect(short.includes('setOptions=function')).toBe(false);
    const { Lexer, Parser, ...rest } = await import(
      /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(short)}`
    );
    expect(Object.keys(rest)).toEqual(['Renderer']);
    expect(Parser.parse(Lexer.lex('**a**'))).toBe('<p><strong>a</strong></p>\n');
  });

  it('refuses a module that it does not know', () =>
    expect(() => lean('export{a as Lexer}')).toThrow('marked has changed'));
});
