// The pages on agents: settings, runs, one run and failed events, filled from the mounted admin interface.
import { ask, el } from "./wire.js";

const place = document.querySelector("[data-agent-page]");
const words = place ? JSON.parse(place.dataset.words) : {};
const language = document.documentElement.lang;
const status = place?.querySelector("[role=status]");
const PAGE_SIZE = 20;

const say = (key, values = {}) =>
  (words[key] ?? key).replace(/{(\w+)}/g, (whole, name) => (name in values ? String(values[name]) : whole));
const known = (prefix, value) => words[`${prefix}.${value}`] ?? String(value);
const tell = (text, bad = false) => {
  status.textContent = text;
  status.className = text ? `said flash ${bad ? "error" : "ok"}` : "said";
};
const api = (method, path, body) => ask(place, method, place.dataset.admin + path, body);
const when = (iso) =>
  new Intl.DateTimeFormat(language === "es" ? "es-ES" : "en-GB", {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: place.dataset.zone,
  }).format(new Date(iso));

const explain = ({ status: code, error }) => {
  const faults = error?.details?.faults ?? [];
  if (code === 422) {
    const fields = faults.map((fault) => `${known("field", fault.field)} (${fault.rule})`).join(", ");
    return say("invalid", { fields: fields || error?.message || "" });
  }
  if (code === 403) return say(error?.code === "AI_DISABLED" ? "disabled" : "forbidden");
  return say("failed");
};
const attempt = async (work) => {
  try {
    await work();
  } catch (problem) {
    tell(problem?.status ? explain(problem) : say("failed"), true);
  }
};

const shown = (field, value) => {
  if (value === null || value === undefined || value === "") return say("nothing");
  if (Array.isArray(value)) return value.map((one) => shown(field, one)).join(", ") || say("nothing");
  if (typeof value === "boolean") return say(value ? "on" : "off");
  if (field === "allowedFields") return known("field", value);
  if (field === "mode") return known("mode", value);
  if (field === "flagThreshold") return known("priority", value);
  return String(value);
};

const settings = async () => {
  const form = place.querySelector("[data-policy]");
  const toggle = place.querySelector("[data-toggle]");
  const mayConfigure = place.dataset.configure === "true";
  let agent;
  const draw = (fresh) => {
    agent = fresh;
    for (const name of ["mode", "dailyCap", "concurrency", "flagThreshold", "workingHours", "timeZone"]) {
      form.elements[name].value = agent[name] ?? "";
    }
    for (const box of form.querySelectorAll("[name=allowedFields]")) {
      box.checked = agent.allowedFields.includes(box.value);
    }
    for (const control of form.elements) control.disabled = !mayConfigure;
    const state = form.querySelector("[data-state]");
    state.textContent = say(agent.running ? "on" : agent.switchedOn ? "off" : "killed");
    state.className = `tag ${agent.running ? "good" : "bad"}`;
    toggle.hidden = !mayConfigure;
    toggle.textContent = say(agent.enabled ? "turn_off" : "turn_on");
    place.querySelector("[data-kill=disable]")?.toggleAttribute("hidden", !agent.switchedOn);
    place.querySelector("[data-kill=enable]")?.toggleAttribute("hidden", agent.switchedOn);
    place.querySelector("[data-history]").replaceChildren(history(agent.history));
  };
  const load = async () => draw(await api("GET", "/agents/triage"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void attempt(async () => {
      const value = (name) => form.elements[name].value.trim();
      const number = (name) => (value(name) === "" ? null : Number(value(name)));
      const allowed = [...form.querySelectorAll("[name=allowedFields]:checked")].map((box) => box.value);
      draw(
        await api("PATCH", "/agents/triage/config", {
          mode: value("mode"),
          allowedFields: allowed,
          dailyCap: number("dailyCap"),
          concurrency: number("concurrency") ?? 0,
          flagThreshold: value("flagThreshold") || null,
          workingHours: value("workingHours"),
          timeZone: value("timeZone"),
        }),
      );
      tell(say("saved"));
    });
  });
  toggle.addEventListener("click", () =>
    attempt(async () => {
      draw(await api("POST", `/agents/triage/${agent.enabled ? "disable" : "enable"}`));
      tell(say("saved"));
    }),
  );
  for (const button of place.querySelectorAll("[data-kill]")) {
    button.addEventListener("click", () =>
      attempt(async () => {
        await api("POST", `/agents/${button.dataset.kill}`);
        await load();
        tell(say("saved"));
      }),
    );
  }
  place.querySelector("[data-trigger]")?.addEventListener("click", (event) =>
    attempt(async () => {
      const button = event.currentTarget;
      button.disabled = true;
      try {
        const { outcome } = await api("POST", "/agents/triage/run");
        const [first, reason] = outcome.split(": ");
        const came = known("came", first.replaceAll(" ", "_"));
        tell(say("outcome", { outcome: reason ? `${came} (${known("why", reason)})` : came }));
      } finally {
        button.disabled = false;
      }
    }),
  );
  await attempt(load);
};

const history = (changes) => {
  if (!changes.length) return el("p", { class: "soft small" }, say("no_history"));
  const lines = changes.map((change) =>
    el(
      "li",
      {},
      el("span", { class: "small soft" }, `${say("version", { n: change.version })} · ${when(change.changedAt)}`),
      ...Object.entries(change.changes).map(([field, { before, after }]) =>
        el(
          "div",
          { class: "small" },
          say(before === undefined || before === null ? "set" : "change", { field: known("field", field), before: shown(field, before), after: shown(field, after) }),
        ),
      ),
    ),
  );
  return el("ol", { class: "history", reversed: "" }, ...lines);
};

const stateTag = (run) => {
  const skipped = run.errorCode?.startsWith("skipped_") || run.errorCode === "opted_out";
  const kind = skipped ? "plain" : { complete: "good", running: "warn", error: "bad" }[run.status] ?? "plain";
  return el("span", { class: `tag ${kind}` }, skipped ? say("skipped") : known("state", run.status));
};
const orderLink = (subject) =>
  subject ? el("a", { href: `/app/orders/${encodeURIComponent(subject)}`, "data-order": subject }, "…") : "";
/** Writes number and title into the links of what was drawn; an order that is gone keeps its bare id. */
const nameOrders = async (within) => {
  const links = [...within.querySelectorAll("[data-order]")];
  const ids = [...new Set(links.map((link) => link.dataset.order))];
  if (!ids.length) return;
  const query = ids.map((id) => `id=${encodeURIComponent(id)}`).join("&");
  const { items } = await ask(place, "GET", `/api/v1/orders/names?${query}`).catch(() => ({ items: [] }));
  const named = new Map(items.map((one) => [one.id, `#${one.number} ${one.title}`]));
  for (const link of links) {
    const name = named.get(link.dataset.order);
    if (name) link.textContent = name;
    else link.replaceWith(link.dataset.order);
  }
};
const money = (micro) => (micro ? `$${(micro / 1e6).toFixed(4)}` : "$0");
const unseen = (text) => el("span", { class: "hidden-text" }, text);
const table = (heads, rows) =>
  el(
    "table",
    { class: "cards" },
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...rows.map((cells) => el("tr", {}, ...cells.map((cell) => el("td", {}, cell))))),
  );

const list = (path, draw) => {
  let page = 1;
  const pages = place.querySelector("[data-pages]");
  const load = () =>
    attempt(async () => {
      const found = await api("GET", `${path}page=${page}&pageSize=${PAGE_SIZE}`);
      const target = place.querySelector("[data-list]");
      target.replaceChildren(found.items.length ? draw(found.items) : el("p", { class: "soft" }, say("none")));
      await nameOrders(target);
      const last = Math.max(1, Math.ceil(found.total / found.pageSize));
      pages.hidden = last === 1;
      const where = pages.querySelector("[data-where]");
      where.textContent = where.dataset.words.replace("{page}", page).replace("{pages}", last);
      pages.querySelector("[data-page='-1']").disabled = page === 1;
      pages.querySelector("[data-page='1']").disabled = page === last;
    });
  for (const button of pages.querySelectorAll("[data-page]")) {
    button.addEventListener("click", () => {
      page += Number(button.dataset.page);
      void load();
    });
  }
  return load;
};

const runs = () =>
  list("/agents/runs?", (items) =>
    table(
      [say("begun"), say("status"), say("order"), say("model"), say("tokens"), say("cost"), unseen(say("open"))],
      items.map((run) => [
        when(run.startedAt),
        stateTag(run),
        orderLink(run.subject),
        run.model ?? "–",
        String((run.inputTokens ?? 0) + (run.outputTokens ?? 0)),
        money(run.costMicroUsd),
        el("a", { href: `/app/admin/agents/runs/${encodeURIComponent(run.id)}` }, say("open")),
      ]),
    ),
  )();

const oneRun = () =>
  attempt(async () => {
    const run = await api("GET", `/agents/runs/${encodeURIComponent(place.dataset.run)}`);
    const facts = [
      [say("status"), stateTag(run)],
      [say("begun"), when(run.startedAt)],
      [say("order"), orderLink(run.subject)],
      [say("attempt"), String(run.attempt)],
      [say("model"), run.model ? `${run.provider} · ${run.model}` : "–"],
      [say("tokens"), `${run.inputTokens ?? 0} + ${run.outputTokens ?? 0}`],
      [say("cost"), money(run.costMicroUsd)],
      ...(run.errorCode ? [[say("error"), run.errorCode]] : []),
    ];
    place.querySelector("[data-facts]").replaceChildren(
      ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
    );
    await nameOrders(place);
    place.querySelector("[data-messages]").replaceChildren(
      ...(run.messages.length
        ? run.messages.flatMap((one) => [
            el("h3", {}, say(one.role)),
            el("pre", { class: "transcript", tabindex: "0" }, one.content || "–"),
          ])
        : [el("p", { class: "soft" }, say("none"))]),
    );
    place.querySelector("[data-calls]").replaceChildren(
      run.toolCalls.length
        ? el(
            "ul",
            { class: "plain" },
            ...run.toolCalls.map((call) =>
              el(
                "li",
                {},
                el("code", {}, call.tool),
                " ",
                el("span", { class: `tag ${call.outcome === "ok" ? "good" : "bad"}` }, known("outcome", call.outcome)),
                call.code ? ` ${call.code}` : null,
                call.result ? el("pre", { class: "transcript", tabindex: "0" }, JSON.stringify(call.result, null, 2)) : null,
              ),
            ),
          )
        : el("p", { class: "soft" }, say("none")),
    );
  });

const events = () => {
  const load = list("/events?status=failed&", (items) =>
    table(
      [say("begun"), say("order"), say("attempts"), say("error"), unseen(say("requeue"))],
      items.map((one) => {
        const button = el("button", { type: "button", class: "second" }, say("requeue"));
        button.addEventListener("click", () =>
          attempt(async () => {
            button.disabled = true;
            await api("POST", `/events/${encodeURIComponent(one.id)}/requeue`);
            await load();
            tell(say("requeued"));
          }),
        );
        return [when(one.createdAt), orderLink(one.subject), String(one.attempts), one.error ?? "", button];
      }),
    ),
  );
  return load();
};

if (place) void { settings, runs, run: oneRun, events }[place.dataset.agentPage]();
