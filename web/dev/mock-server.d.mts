/** What the tests use of the stand-in. */
import type { Server } from 'node:http';

export class Mock {
  options: {
    ttl: number;
    delay: number;
    languageModel: boolean;
    banner: unknown;
    enabled: boolean;
    mayChat: boolean;
    drop: number;
    unauthorized: number;
  };
  sessions: { id: string; status: string }[];
  messages: { key?: string; role: string; content: string }[];
  runs: { id: string; status: string }[];
  requests: { method: string; path: string; headers: Record<string, string>; body: string }[];
}

export function serve(port?: number, mock?: Mock): Promise<Server>;
