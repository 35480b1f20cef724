/** What the stand-in says: scripted answers of a dental clinic, in both languages, chosen by words in the message. */
import { randomUUID } from 'node:crypto';

const ES = {
  title: 'Asistente de la clínica',
  disclaimer: 'Asistencia con IA: compruébalo antes de confiar en ello. Las acciones quedan registradas.',
  redaction: 'Nombres, teléfonos y documentos se ocultan al modelo; un apodo o una errata podría escaparse.',
  banner: 'Se ha usado el 80 % del presupuesto de este mes.',
  rejected: 'De acuerdo, no he cambiado nada.',
  suggestions: [
    { label: 'Resumen del día', prompt: 'Dame el resumen de la agenda de hoy' },
    { label: 'Preparar la visita', prompt: 'Prepara la visita de las 10:00' },
    { label: 'Llenar un hueco', prompt: 'Busca a quién llamar para el hueco de las 12:30' },
    { label: 'Agendar una revisión', prompt: 'Agenda una revisión a María mañana a las 10:00' },
  ],
};
const EN = {
  title: 'Clinic assistant',
  disclaimer: 'AI assistance — check before you rely on it. Actions are logged.',
  redaction: 'Names, phones and ids are hidden from the model; a nickname or a typo may slip through.',
  banner: '80 % of this month’s budget has been used.',
  rejected: 'All right, nothing has been changed.',
  suggestions: [
    { label: 'Daily briefing', prompt: 'Give me a summary of the agenda for today' },
    { label: 'Prepare a visit', prompt: 'Prepare the visit at 10:00' },
    { label: 'Fill a gap', prompt: 'Find whom to call for the gap at 12:30' },
    { label: 'Book a check-up', prompt: 'Book a check-up for María tomorrow at 10:00' },
  ],
};

export function words(lang) {
  return lang === 'en' ? EN : ES;
}

const MARIA = {
  kind: 'patient',
  id: '0190a1b2-0000-7000-8000-00000000000a',
  label: 'María García López',
  url: '/patients/a',
};
const JORGE = { kind: 'patient', id: '0190a1b2-0000-7000-8000-00000000000b', label: 'Jorge Ruiz', url: '/patients/b' };
const VISIT = {
  kind: 'appointment',
  id: '0190a1b2-0000-7000-8000-0000000000c1',
  label: '10:00 · María García López',
  url: '/agenda/c1',
};

function call(run, tool, title, args, more = {}) {
  return {
    id: randomUUID(),
    runId: run,
    tool,
    title,
    effect: 'read',
    args,
    outcome: null,
    code: null,
    result: null,
    truncated: false,
    latencyMs: 12,
    createdAt: new Date().toISOString(),
    stagedVersion: null,
    executedVersion: null,
    approval: null,
    links: [],
    ...more,
  };
}

function field(name, caption, before, after, ...marks) {
  return { name, caption, before, after, marks };
}

function staged(run, lang, tool, args, preview, more = {}) {
  const whole = {
    changes: [],
    outgoing: [],
    friction: { confirm: null, destinations: [] },
    rows: preview.changes?.length ?? 0,
    hidden: [],
    cut: false,
    effect: 'write',
    ...preview,
  };
  return call(run, tool, preview.title, args, {
    effect: whole.effect,
    lang,
    approval: {
      status: 'pending',
      digest: randomUUID().replaceAll('-', ''),
      preview: whole,
      expiresAt: '',
      by: 'actor',
      decidedBy: null,
      reason: null,
      mayDecide: true,
    },
    ...more,
  });
}

const find = (run, es) => ({
  call: call(run, 'patients.search_patients', es ? 'Buscar pacientes' : 'Search patients', { query: 'María' }),
  result: {
    patients: [{ id: MARIA.id, name: MARIA.label, phone: '+34 600 111 222', lastVisit: '2026-05-12' }],
    total: 1,
  },
  links: [MARIA],
});

function agenda(run, es) {
  return [
    {
      call: call(run, 'agenda.get_day_overview', es ? 'Ver la agenda del día' : 'See the day’s agenda', {
        date: '2026-11-30',
      }),
      result: {
        date: '2026-11-30',
        appointments: [
          {
            id: VISIT.id,
            start: '2026-11-30T10:00:00+01:00',
            patient: MARIA.id,
            professional: 'Dra. Vidal',
            status: 'confirmed',
            confirmedByPhone: true,
          },
          {
            start: '2026-11-30T11:30:00+01:00',
            patient: JORGE.id,
            professional: 'Dr. Soler',
            status: 'scheduled',
            confirmedByPhone: false,
          },
        ],
      },
      links: [VISIT, MARIA, JORGE],
    },
    {
      text: es
        ? 'Hoy hay **8 citas**; dos siguen sin confirmar.\n\n| Hora | Paciente | Estado |\n|---|---|---|\n| 10:00 | María García | confirmada |\n| 11:30 | Jorge Ruiz | sin confirmar |\n| 13:00 | Lucía Prats | sin confirmar |\n\nQueda un hueco de **12:30 a 13:00** con la Dra. Vidal. Puedo:\n\n1. buscar a quién llamar de las revisiones pendientes\n2. confirmar las citas que faltan'
        : 'There are **8 appointments** today; two are not confirmed yet.\n\n| Time | Patient | Status |\n|---|---|---|\n| 10:00 | María García | confirmed |\n| 11:30 | Jorge Ruiz | not confirmed |\n| 13:00 | Lucía Prats | not confirmed |\n\nThere is a gap from **12:30 to 13:00** with Dr Vidal. I can:\n\n1. find whom to call from the recalls that are due\n2. confirm the appointments that are open',
    },
  ];
}

function book(run, lang, es, stale) {
  const time = (hour) => (es ? `mar 1 dic 2026, ${hour}` : `Tue 1 Dec 2026, ${hour}`);
  const shown = staged(
    run,
    lang,
    'agenda.book_appointment',
    { patient: MARIA.id, start: '2026-12-01T10:00:00' },
    {
      title: es ? 'Reservar una cita para María García López' : 'Book an appointment for María García López',
      changes: [
        {
          op: 'insert',
          kind: 'appointment',
          caption: es ? 'Cita' : 'Appointment',
          id: null,
          label: null,
          url: null,
          fields: [
            field('patient', es ? 'Paciente' : 'Patient', null, 'María García López', 'personal'),
            field('start', es ? 'Empieza' : 'Starts', null, time('10:00')),
            field('end', es ? 'Termina' : 'Ends', null, time('10:30')),
            field('professional', es ? 'Profesional' : 'Professional', null, 'Dra. Vidal'),
            field(
              'note',
              es ? 'Nota' : 'Note',
              null,
              es ? 'Revisión semestral; trae radiografía.' : 'Six-month check-up; brings an X-ray.',
              'model_text',
            ),
            field('id', es ? 'Número' : 'Number', null, null, 'assigned'),
          ],
        },
      ],
      hidden: [es ? 'historial de estados de la cita' : 'status history of the appointment'],
    },
    { would: { id: VISIT.id, start: '2026-12-01T10:00:00+01:00' }, wouldLinks: [VISIT] },
  );
  if (stale) {
    shown.staleOnce = (one) => {
      one.approval.digest = randomUUID();
      one.approval.preview.changes[0].fields[3].after = 'Dr. Soler';
    };
  }
  return [
    { text: es ? 'Busco a María y miro el hueco.' : 'I am looking María up and checking the slot.' },
    find(run, es),
    { stage: shown },
    {
      text: es
        ? 'Hecho: **María García López** tiene cita el martes 1 de diciembre a las 10:00 con la Dra. Vidal.'
        : 'Done: **María García López** has an appointment on Tuesday 1 December at 10:00 with Dr Vidal.',
    },
  ];
}

function cancel(run, lang, es) {
  return [
    find(run, es),
    {
      stage: staged(
        run,
        lang,
        'agenda.cancel_appointment',
        { appointment: VISIT.id },
        {
          title: es ? 'Cancelar la cita de María García López' : 'Cancel the appointment of María García López',
          effect: 'destructive',
          friction: { confirm: 'María García López', destinations: [] },
          changes: [
            {
              op: 'update',
              kind: 'appointment',
              caption: es ? 'Cita' : 'Appointment',
              id: VISIT.id,
              label: VISIT.label,
              url: VISIT.url,
              fields: [
                field(
                  'status',
                  es ? 'Estado' : 'Status',
                  es ? 'confirmada' : 'confirmed',
                  es ? 'cancelada' : 'cancelled',
                ),
                field(
                  'reason',
                  es ? 'Motivo' : 'Reason',
                  null,
                  es ? 'Lo pide la paciente' : 'The patient asks for it',
                  'model_text',
                ),
              ],
            },
            {
              op: 'delete',
              kind: 'reminder',
              caption: es ? 'Recordatorio' : 'Reminder',
              id: 'r1',
              label: '30 nov, 18:00',
              url: null,
              fields: [field('channel', es ? 'Canal' : 'Channel', 'SMS', null)],
            },
          ],
        },
        { would: { id: VISIT.id, status: 'cancelled' }, wouldLinks: [VISIT] },
      ),
    },
    { text: es ? 'La cita queda cancelada.' : 'The appointment is cancelled.' },
  ];
}

function send(run, lang, es) {
  return [
    {
      stage: staged(
        run,
        lang,
        'budget.send_budget',
        { budget: 'b7', to: 'maria@example.com' },
        {
          title: es ? 'Enviar el presupuesto 2026-0042 por correo' : 'Send quote 2026-0042 by e-mail',
          effect: 'destructive',
          friction: { confirm: null, destinations: ['to'] },
          changes: [
            {
              op: 'update',
              kind: 'budget',
              caption: es ? 'Presupuesto' : 'Quote',
              id: 'b7',
              label: '2026-0042',
              url: '/budgets/b7',
              fields: [
                field('status', es ? 'Estado' : 'Status', es ? 'borrador' : 'draft', es ? 'enviado' : 'sent'),
                field('sent_at', es ? 'Enviado el' : 'Sent on', null, null, 'assigned'),
              ],
            },
          ],
          outgoing: [
            {
              channel: 'email',
              caption: es ? 'Correo' : 'E-mail',
              fields: [
                field('to', es ? 'Para' : 'To', null, 'maria@example.com', 'unproven', 'personal'),
                field(
                  'subject',
                  es ? 'Asunto' : 'Subject',
                  null,
                  es ? 'Tu presupuesto 2026-0042' : 'Your quote 2026-0042',
                ),
                field(
                  'body',
                  es ? 'Texto' : 'Text',
                  null,
                  es
                    ? 'Hola, María:\n\nte enviamos el presupuesto. Puedes aceptarlo en https://example.org/p/0042.\n\nUn saludo'
                    : 'Hello María,\n\nhere is your quote. You can accept it at https://example.org/p/0042.\n\nKind regards',
                  'model_text',
                  'link',
                  'untrusted',
                ),
              ],
            },
          ],
        },
        { would: { sent: true }, wouldLinks: [] },
      ),
    },
    { text: es ? 'Presupuesto enviado.' : 'Quote sent.' },
  ];
}

function many(run, lang, es) {
  const changes = Array.from({ length: 6 }, (_, index) => ({
    op: 'update',
    kind: 'recall',
    caption: es ? 'Revisión' : 'Recall',
    id: `r${index}`,
    label: `${es ? 'Paciente' : 'Patient'} ${index + 1}`,
    url: null,
    fields: [field('due', es ? 'Mes' : 'Month', '2026-12', '2027-01')],
  }));
  return [
    {
      stage: staged(
        run,
        lang,
        'recalls.snooze',
        {},
        { title: es ? 'Aplazar 6 revisiones un mes' : 'Put 6 recalls off by a month', changes, rows: 6, cut: true },
      ),
    },
    { text: es ? 'Aplazadas.' : 'Done.' },
  ];
}

/** The steps of a run. */
export function plan(content, lang, run, retried) {
  const es = lang !== 'en';
  const text = content.toLowerCase();
  const has = (...parts) => parts.some((part) => text.includes(part));
  if (has('desactualiz', 'stale')) return book(run, lang, es, true);
  if (has('cancel', 'anula')) return cancel(run, lang, es);
  if (has('presupuesto', 'quote')) return send(run, lang, es);
  if (has('aplaza', 'put off')) return many(run, lang, es);
  if (has('agenda una', 'agéndale', 'book')) return book(run, lang, es, false);
  if (has('error') && !retried)
    return [
      { text: es ? 'Voy a mirar' : 'Let me see' },
      { end: 'error', data: { code: 'AI_UNAVAILABLE', message: 'no model' } },
    ];
  if (has('gasto', 'budget'))
    return [
      {
        end: 'budget_exceeded',
        data: { scope: 'user', period: '2026-11-30', resetsAt: new Date(Date.now() + 36e5 * 5).toISOString() },
      },
    ];
  if (has('nada', 'nothing')) return [{ end: 'complete', data: { notice: 'no_answer' } }];
  if (has('corta', 'cut short'))
    return [
      {
        text: es
          ? 'La lista completa de tratamientos es: limpieza, empaste, endodoncia,'
          : 'The whole list of treatments is: cleaning, filling, root canal,',
      },
      { end: 'complete', data: { notice: 'cut' } },
    ];
  if (has('lento', 'slow')) return [{ text: 'Palabra '.repeat(300), slow: 40 }];
  if (has('peligro', 'unsafe'))
    return [
      {
        text: '<img src=x onerror="window.hacked=1"> **<b>crudo</b>** ![foto](https://example.org/pixel.png) [fuera](https://example.org/x) [mal](javascript:alert(1)) [ficha](/patients/a)\n\n```js\nconst a = 1;\n```',
      },
    ];
  if (has('permiso', 'refused'))
    return [
      {
        call: call(run, 'payments.payments_summary', es ? 'Resumen de cobros' : 'Payments summary', {}),
        outcome: 'refused',
        code: 'FORBIDDEN',
        result: { code: 'FORBIDDEN' },
      },
      { text: es ? 'No tienes permiso para ver los cobros.' : 'You may not see the payments.' },
    ];
  return agenda(run, es);
}
