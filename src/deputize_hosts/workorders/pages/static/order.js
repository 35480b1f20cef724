// An order that triage has not looked at yet: asks for the page now and then, and shows it once the suggestion is there.
const PAUSE_MS = 2000;
const MOST = 150;

const waits = (main) => main?.querySelector("[data-awaiting]");

const suggested = async () => {
  const answer = await fetch(location.href, { credentials: "same-origin" });
  if (!answer.ok || answer.redirected) return null;
  const main = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
  return main && !waits(main) ? main : null;
};

const look = async (left) => {
  const main = document.getElementById("main");
  if (!waits(main) || left === 0) return;
  const found = document.hidden ? null : await suggested().catch(() => null);
  if (!found) {
    setTimeout(look, PAUSE_MS, left - 1);
    return;
  }
  // The whole page, not the suggestion alone: where it was applied, forms below carry a new version.
  main.replaceChildren(...document.adoptNode(found).childNodes);
  main.querySelector("[data-suggestion]")?.setAttribute("role", "status");
};

setTimeout(look, PAUSE_MS, MOST);
