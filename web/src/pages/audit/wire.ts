/** The chain's shapes on the wire, as docs/reference/wire.md has them. */
import type { PreviewDto } from '../../events.js';
import type { Listed } from '../parts.js';

export interface Standing {
  configured: boolean;
  size: number;
  fault: string | null;
}

export interface Entry {
  seq: number;
  at: string;
  kind: string;
  actor: string;
  run: string | null;
  hash: string;
  payload: Record<string, unknown> | null;
  personal: Record<string, string | null>;
  names: Record<string, string>;
}

export interface Entries extends Listed<Entry> {
  head: number;
  checkpoint: Standing;
}

export interface Detail extends Entry {
  prev: string;
  toolTitle: string | null;
  related: Entry[];
  compared: { shown: string; executed: string | null; match: boolean | null } | null;
  card: {
    status: string;
    digest: string;
    preview: PreviewDto;
    by: string;
    decidedBy: string | null;
    decidedByName: string | null;
    decidedAt: string | null;
    reason: string | null;
    createdAt: string;
  } | null;
}

export interface Verdict {
  finding: 'verified' | 'tampered' | 'truncated' | 'unverifiable';
  ok: boolean;
  through: number;
  at: number;
  damage: string;
  anchored: number;
  erased: number;
  checkpoints: number;
  pruned: number;
  text: string;
}

export interface Signed extends Standing {
  note: string | null;
  key: string;
}
