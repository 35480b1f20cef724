// The switch on the page of users: sends exactly {aiEnabled} and shows the page as it then is.
import { ask } from "./wire.js";

addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-user]");
  const place = button?.closest("[data-users]");
  if (!place) return;
  button.disabled = true;
  try {
    const enabled = button.dataset.enable === "true";
    await ask(place, "PATCH", `/api/v1/users/${encodeURIComponent(button.dataset.user)}`, { aiEnabled: enabled });
    location.reload();
  } catch {
    button.disabled = false;
    place.querySelector("[role=status]").textContent = place.dataset.failed;
  }
});
