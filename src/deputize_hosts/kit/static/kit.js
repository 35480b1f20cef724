// Keeps the page true after the copilot has changed something, and guards forms against double clicks.
const refresh = async () => {
  const main = document.querySelector("main");
  if (!main || main.querySelector("form[data-dirty]")) return;
  const answer = await fetch(location.href, { headers: { "X-Refresh": "1" }, credentials: "same-origin" });
  if (!answer.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
  if (fresh) {
    main.replaceWith(fresh);
    fresh.dispatchEvent(new CustomEvent("kit-refreshed", { bubbles: true }));
  }
};
addEventListener("deputize-changed", () => void refresh());
addEventListener("deputize-signin", () => {
  location.href = "/sign-in?next=" + encodeURIComponent(location.pathname + location.search);
});
addEventListener("input", (event) => {
  const form = event.target.closest?.("main form[method=post]");
  if (form) form.dataset.dirty = "1";
});
addEventListener("change", (event) => {
  const field = event.target;
  if (field.matches?.("[data-submit]")) field.form.requestSubmit();
});
addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "1";
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});
