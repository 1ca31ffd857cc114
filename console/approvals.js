/** Approvals: keeps the count in the title and in the navigation, and says when there are new requests; what is read stays where it is. */

const news = document.querySelector("[data-news]");
const places = document.querySelectorAll("[data-waiting]");
const title = news.dataset.title;

/** Says it, with a way to see it; nothing where there is nothing to say. */
function say(words) {
  if (news.dataset.said === words) return;
  news.dataset.said = words;
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = "show";
  news.replaceChildren(...words === "" ? [] : [`${words}: `, link]);
}

function tell({ count, ids }) {
  document.title = count === 0 ? title : `(${count}) ${title}`;
  for (const place of places) {
    place.textContent = String(count);
    place.hidden = count === 0;
  }
  const fresh = ids.filter((id) => id > news.dataset.since).length;
  say(fresh === 0 ? "" : fresh === 1 ? "1 new request" : `${fresh} new requests`);
}

/** Listens until the gateway has no more to tell this person. */
function listen(told) {
  const { promise, resolve } = Promise.withResolvers();
  const source = new EventSource(news.dataset.events);
  source.onmessage = ({ data }) => told(JSON.parse(data));
  source.addEventListener("over", () => {
    source.close();
    told("over");
    resolve();
  });
  source.onerror = () => source.readyState === EventSource.CLOSED && resolve();
  return promise;
}

/** One page of a browser listens and tells the others: a browser opens few connections to one place at a time. */
const pages = new BroadcastChannel("approvals");
let last = null;

function hear(told) {
  last = told;
  if (told === "over") say("This page is not kept up to date any more");
  else tell(told);
}

pages.onmessage = ({ data }) => {
  if (data !== "ask") hear(data);
  else if (last !== null) pages.postMessage(last);
};
pages.postMessage("ask");

const shared = () =>
  listen((told) => {
    hear(told);
    pages.postMessage(told);
  });
// Without https a browser has no locks, but for this machine.
if (navigator.locks) void navigator.locks.request("approvals", shared);
else void shared();
