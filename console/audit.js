/** The audit: says how many newer rows there are, for as long as somebody may be reading; what is read stays where it is. */

const news = document.querySelector("[data-newer]");
const LOOK_MS = 4000;
/** A page that only stands open does not keep a session from ending. */
const LOOKS_MAX = 225;
let looks = 0;

function say(words, way) {
  if (news.dataset.said === words) return;
  news.dataset.said = words;
  const link = document.createElement("a");
  link.href = location.href;
  link.textContent = way;
  news.replaceChildren(...words === "" ? [] : [`${words}: `, link]);
}

async function look() {
  if (document.hidden) return;
  if (++looks > LOOKS_MAX) return end();
  const answer = await fetch(news.dataset.newer, { redirect: "error" }).catch(() => null);
  if (answer === null || answer.status === 503) return; // it is asked again
  if (!answer.ok) return end();
  const { count, most } = await answer.json();
  say(
    count === 0 ? "" : `${count}${count === most ? " or more" : ""} newer ${count === 1 ? "row" : "rows"}`,
    "show",
  );
}

function end() {
  clearInterval(clock);
  say("This page is not kept up to date any more", "load it again");
}

const clock = setInterval(() => void look(), LOOK_MS);
