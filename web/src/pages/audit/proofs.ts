/** The longer talks with the server about the chain: a verification that tells its progress, an export to keep. */
import { type Api, ApiError, frames, Unreachable } from '../../shared.js';
import type { Verdict } from './wire.js';

export interface Progress {
  done: number;
  total: number;
}

/** Verifies; `told` is called as it goes on. Throws ApiError, Unreachable where the stream broke off, AbortError. */
export async function verification(
  api: Api,
  signal: AbortSignal,
  told: (progress: Progress) => void,
): Promise<Verdict> {
  const response = await api.request('/admin/audit/verify', { accept: 'text/event-stream', signal });
  const reader = response.body?.getReader();
  if (!reader) throw new Unreachable('no stream');
  for await (const batch of frames(reader)) {
    for (const frame of batch) {
      const data = JSON.parse(frame.data);
      if (frame.event === 'progress') told(data as Progress);
      if (frame.event === 'verdict') return data as Verdict;
      if (frame.event === 'error') throw new ApiError(500, data.code, data.message);
    }
  }
  throw new Unreachable('the stream broke off');
}

/** Fetches the pack and hands it to the browser to keep. */
export async function download(api: Api, query: Record<string, string>): Promise<void> {
  const response = await api.request(`/admin/audit/export?${new URLSearchParams(query)}`, {
    accept: 'application/zip',
  });
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'audit.zip';
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
