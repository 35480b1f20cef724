/** A Vite plugin that takes indentation and comments out of our HTML and CSS templates, which minifiers leave alone. */
import type { Plugin } from 'vite';

/** Source with each line break and the white space around it as one line break; style sheets as one line. */
export function thin(code: string): string {
  return code
    .replace(/css`([^`$]*)`/g, (_, sheet: string) => {
      const short = sheet
        .replace(/\/\*[\s\S]*?\*\//g, '')
        .replace(/\s+/g, ' ')
        .replace(/ ?([{};,]) ?/g, '$1')
        .replace(/: /g, ':')
        .replace(/;}/g, '}')
        .replace(/\b0\.(?=\d)/g, '.');
      return `css\`${short.trim()}\``;
    })
    .replace(/[ \t]*\n\s*/g, '\n');
}

export function thinTemplates(): Plugin {
  return {
    name: 'thin-templates',
    enforce: 'pre',
    transform: (code, id) => (/\/web\/src\/.*\.ts$/.test(id) ? { code: thin(code), map: null } : undefined),
  };
}
