/** A Vite plugin that refuses a bundle which weighs more than it may. */
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Fails the build where a chunk is larger than `limit` bytes after gzip at its best. */
export function weighed(limit: number): Plugin {
  return {
    name: 'weighed',
    writeBundle(_, bundle) {
      for (const part of Object.values(bundle)) {
        if (part.type !== 'chunk') continue;
        const weight = gzipSync(part.code, { level: 9 }).length;
        if (weight > limit) this.error(`${part.fileName} weighs ${weight} bytes after gzip; it may weigh ${limit}`);
      }
    },
  };
}
