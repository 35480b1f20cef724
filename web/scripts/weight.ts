/** A Vite plugin that refuses a bundle which weighs more than it may. */
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Fails the build where a file is larger than its limit, in bytes after gzip at its best, or has no limit. */
export function weighed(limits: Record<string, number>): Plugin {
  return {
    name: 'weighed',
    writeBundle(_, bundle) {
      for (const part of Object.values(bundle)) {
        if (part.type !== 'chunk') continue;
        const weight = gzipSync(part.code, { level: 9 }).length;
        const limit = limits[part.fileName] ?? 0;
        if (weight > limit) this.error(`${part.fileName} weighs ${weight} bytes after gzip; it may weigh ${limit}`);
        this.info(`${part.fileName}: ${weight} of ${limit} bytes after gzip -9`);
      }
    },
  };
}
