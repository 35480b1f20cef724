/** Records for tests, whole as the wire has them. */
import type { ApprovalDto, PreviewDto, ToolCallDto } from './events.js';
import type { Me, Message, Run, Session } from './wire.js';

export function preview(more: Partial<PreviewDto> = {}): PreviewDto {
  return {
    title: 'Cambiar el teléfono de Ana',
    effect: 'write',
    changes: [
      {
        op: 'update',
        kind: 'patient',
        caption: 'Paciente',
        id: 'p1',
        label: 'Ana Pérez',
        url: '/patients/p1',
        fields: [
          { name: 'phone', caption: 'Teléfono', before: '600', after: '<b>700</b>', marks: ['personal', 'untrusted'] },
        ],
      },
    ],
    outgoing: [],
    friction: { confirm: null, destinations: [] },
    rows: 1,
    hidden: [],
    cut: false,
    ...more,
  };
}

/** A pending call of run `r1`. */
export function staged(more: Partial<ApprovalDto> = {}): ToolCallDto {
  return {
    id: 'c2',
    runId: 'r1',
    tool: 'agenda.book',
    title: 'Reservar',
    effect: 'write',
    args: {},
    outcome: null,
    code: null,
    result: null,
    truncated: false,
    latencyMs: null,
    createdAt: '2026-11-30T09:00:00Z',
    stagedVersion: null,
    executedVersion: null,
    approval: {
      status: 'pending',
      digest: 'd1',
      preview: preview(),
      expiresAt: '2026-11-30T09:10:00Z',
      by: 'actor',
      decidedBy: null,
      reason: null,
      mayDecide: true,
      ...more,
    },
    links: [],
  };
}

export function session(more: Partial<Session> = {}): Session {
  return {
    id: 's1',
    userId: 'u1',
    surface: 'clinic',
    title: null,
    status: 'active',
    context: null,
    totals: { messages: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 },
    createdAt: '2026-11-30T09:00:00Z',
    updatedAt: '2026-11-30T09:00:00Z',
    ...more,
  };
}

export function message(more: Partial<Message> = {}): Message {
  return {
    id: 'm1',
    runId: 'r1',
    role: 'assistant',
    content: '',
    notice: null,
    toolCalls: [],
    createdAt: '2026-11-30T09:00:00Z',
    ...more,
  };
}

export function run(more: Partial<Run> = {}): Run {
  return {
    id: 'r1',
    sessionId: 's1',
    userId: 'u1',
    surface: 'clinic',
    mode: 'copilot',
    status: 'running',
    model: 'x',
    provider: 'x',
    inputTokens: 0,
    outputTokens: 0,
    costMicroUsd: 0,
    retryOf: null,
    errorCode: null,
    startedAt: '2026-11-30T09:00:00Z',
    finishedAt: null,
    ...more,
  };
}

export function me(more: Partial<Me> = {}): Me {
  return {
    enabled: true,
    mayChat: true,
    locale: 'es',
    title: 'Asistente',
    session: null,
    run: null,
    suggestions: [],
    ...more,
  };
}
