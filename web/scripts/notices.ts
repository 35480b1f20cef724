/** A Vite plugin that writes THIRD-PARTY-NOTICES.txt: the licence of each package whose code is in the bundle. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const RULE = `\n\n${'-'.repeat(78)}\n\n`;

/** The folder of the package that a module belongs to; undefined for our own modules. */
export function packageFolder(module: string): string | undefined {
  return /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(module)?.[1];
}

/** Name, version and licence texts of a package. Throws where it ships no licence text. */
export function notice(folder: string): string {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)(\b|[-_.])/i.test(file));
  if (files.length === 0) throw new Error(`${about.name} ships no licence text`);
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${about.name} ${about.version} (${about.license})`, ...texts].join('\n\n');
}

export function notices(): Plugin {
  return {
    name: 'third-party-notices',
    generateBundle(_, bundle) {
      const folders = new Set<string>();
      for (const part of Object.values(bundle)) {
        if (part.type !== 'chunk') continue;
        for (const module of part.moduleIds) {
          const folder = packageFolder(module);
          if (folder) folders.add(folder);
        }
      }
      const source = ['deputize.js contains the following packages.', ...[...folders].sort().map(notice)].join(RULE);
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-NOTICES.txt', source: `${source}\n` });
    },
  };
}
