// Asking the host's own interface from a page: JSON only, with the CSRF token of this browser.
const cookie = (name) =>
  document.cookie
    .split("; ")
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? "";

/** Ask and get data; throws {status, error} for a refusal. Without a sign-in the page goes to it. */
export const ask = async (place, method, url, body) => {
  const headers = { Accept: "application/json" };
  if (method !== "GET") {
    headers["Content-Type"] = "application/json";
    headers[place.dataset.csrfHeader] = decodeURIComponent(cookie(place.dataset.csrfCookie));
  }
  const answer = await fetch(url, {
    method,
    headers,
    credentials: "same-origin",
    body: method === "GET" ? undefined : JSON.stringify(body ?? {}),
  });
  if (answer.status === 401) {
    location.href = `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
  }
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw { status: answer.status, error: data.error ?? {} };
  return data;
};

/** An element with attributes and children; text is always text. */
export const el = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
};
